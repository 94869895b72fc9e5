import torch

A = torch.tensor([[4., 1.], [1., 3.]])
b = torch.tensor([1., 2.])
x = torch.zeros(2)
r = b - A @ x
p = r.clone()
for k in range(2):
    Ap = A @ p
    alpha = (r @ r) / (p @ Ap)
    x = x + alpha * p
    r_new = r - alpha * Ap
    beta = (r_new @ r_new) / (r @ r)
    p = r_new + beta * p
    r = r_new
print(x)
print(torch.linalg.norm(A @ x - b) < 1e-5)
