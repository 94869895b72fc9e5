import torch

a = torch.tensor([[1., 2.], [3., 4.]])
a = ((a * 3) / (a - 6))
print(a.requires_grad)
a.requires_grad_(True)
print(a.requires_grad)
b = (a * a).sum()
print(b.grad_fn is not None)
