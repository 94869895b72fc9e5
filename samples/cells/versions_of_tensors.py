import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
print(y._version)
y.add_(1)
print(y._version)
y.mul_(2)
print(y._version)
z = y.detach()
print(z._version)
z.zero_()
print(y._version, z._version)
print(y)
t = torch.zeros(3)
t[0] = 1
t += 2
print(t._version)
