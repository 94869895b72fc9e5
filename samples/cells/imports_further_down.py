# a notebook's first cell is plain Python
xs = [1.0, 2.0, 1.0]
print(xs[0])
xs[2] = 3.0
print(xs, sum(xs) / len(xs))
h = 0.0001
slope = ((2 + h)**2 - 2**2) / h
print('slope', round(slope, 3))

import torch

t = torch.tensor(xs, requires_grad=True)
(t**2).sum().backward()
print(t.grad, float(t[1].detach()))
