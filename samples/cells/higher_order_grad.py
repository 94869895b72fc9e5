import torch
from torch.autograd import grad

x = torch.tensor(2.0, requires_grad=True)
y = x ** 4

first, = grad(y, x, create_graph=True)
second, = grad(first, x, create_graph=True)
third = grad(second, x)[0]
print(first.item(), second.item(), third.item())
