import torch

x = torch.arange(4.0)
x.requires_grad_(True)  # Better create `x = torch.arange(4.0, requires_grad=True)`
print(x.grad)
y = 2 * torch.dot(x, x)
y.backward()
print(x.grad)
print(x.grad == 4 * x)
x.grad.zero_()  # Reset the gradient
y = x.sum()
y.backward()
print(x.grad)
