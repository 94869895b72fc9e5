import torch

x = torch.arange(1., 5., requires_grad=True)
mask = x > 2
y = torch.where(mask, x ** 2, torch.zeros_like(x))
y.sum().backward()
print(mask)
print(x.grad)
print(mask.sum().item(), "elements above 2")
