import torch

v = torch.ones(3, requires_grad=True)
y = (v * torch.tensor([1., 2., 3.])).sum()
y.backward()
print(v.grad)
v.grad += 1
print(v.grad)
v.grad.fill_(0.)
print(v.grad)
