import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

a = torch.tensor([3.14159265, 70000.0, 1e-8]).half()
print(a, a.float(), a.tolist(), a.numpy())
print(torch.tensor(2.7).bfloat16().item(), float(torch.tensor(2.7).half()))
print(f"{torch.tensor(2.7).half():.5f}", torch.tensor(65520.0, dtype=torch.float16).item())
b = torch.tensor([300, -5]).to(torch.uint8)
print(b, b.tolist(), b.int(), b[0].item(), torch.tensor([200, -200]).to(torch.int8).long())
x = torch.tensor([1.2345678, 3.0], requires_grad=True)
y = x.half().float() * 2
y.sum().backward()
print(y, x.grad)

print(torch.zeros(7, 3).fill_diagonal_(5, wrap=True), torch.zeros(3, 5).fill_diagonal_(1.0))
print(torch.zeros(2, 2, 2, dtype=torch.int64).fill_diagonal_(1))
n = np.zeros((5, 2))
np.fill_diagonal(n, 4, wrap=True)
print(n)

A = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
print(torch.linalg.inv_ex(A), torch.linalg.lu_factor(A), torch.linalg.cholesky_ex(A @ A.T).info)
cube = lambda x: (x**3).sum()
print(torch.autograd.functional.hessian(cube, torch.ones(2), create_graph=True))
print(torch.autograd.functional.vjp(cube, torch.ones(2), create_graph=True))
