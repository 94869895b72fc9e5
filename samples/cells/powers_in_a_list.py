import torch

x = torch.tensor(1.0, requires_grad=True)
ys = []
for k in range(1, 4):
    y = x ** k
    g, = torch.autograd.grad(y, x)
    ys.append(g.item())
print(ys)
print(all(y > 0 for y in ys), any(y > 2 for y in ys))
