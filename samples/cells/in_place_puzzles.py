import torch
# in-place error puzzle
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
try:
    y.sum().backward()
except RuntimeError as e:
    print("Error:", str(e).split(":")[0])

x = torch.ones(3, requires_grad=True)
y = x * 2
y += 1
y.sum().backward()
print(x.grad)

a = torch.tensor([1., 2., 3.], requires_grad=True)
b = a.clone()
b[0] = 0
c = (b ** 2).sum()
c.backward()
print(a.grad)

v = torch.zeros(3)
for i in range(3):
    v[i] = (a[i] ** 2).detach()
print(v)
w = torch.zeros(3)
for i in range(3):
    w[i] = a[i] ** 2
w.sum().backward()
print(a.grad, w.requires_grad)
try:
    a += 1
except RuntimeError as e:
    print(e)
