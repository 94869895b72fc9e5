import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
z = y.mean()

print(x.is_leaf, y.is_leaf, z.is_leaf)
y.retain_grad()
z.backward()
print(x.grad)
print(y.grad)
