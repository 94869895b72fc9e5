import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y += 1
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = c ** 2
c.add_(1)
try:
    d.backward()
except RuntimeError as e:
    print("RuntimeError:", e)
w = torch.ones(3, requires_grad=True)
try:
    w += 1
except RuntimeError as e:
    print(e)
v = torch.ones(3, requires_grad=True)
try:
    v[0] = 5
except RuntimeError as e:
    print(e)
