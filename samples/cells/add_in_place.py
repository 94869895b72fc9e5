import torch

x = torch.tensor([1., 2., 3.])
x.add_(5)
print(x)
y = x.clone()
y.mul_(2)
print(x, y)
