import torch

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = torch.clamp(x, min=0)
y.backward(torch.ones_like(y))
del y
print(x.grad)
print(x.grad.nonzero().flatten().tolist())
