import random
import torch
random.seed(1337)
w = [random.uniform(-1, 1) for _ in range(3)]
print(w)
x = torch.tensor([2.0, 3.0, -1.0]).double()
W = torch.tensor(w, dtype=torch.double, requires_grad=True)
b = torch.tensor(0.0).double(); b.requires_grad = True
n = (W * x).sum() + b
o = torch.tanh(n)
print(o.data.item())
o.backward()
print(W.grad)
print('b', b.grad.item())
