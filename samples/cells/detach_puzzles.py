import torch
# detach / no_grad puzzles
a = torch.tensor(2.0, requires_grad=True)
b = a ** 2
c = b.detach()
d = c * a
d.backward()
print(a.grad)
a.grad = None
with torch.no_grad():
    e = a * 3
print(e.requires_grad, e.is_leaf)
f = e * a
f.backward()
print(a.grad.item())
g = a.clone().detach().requires_grad_(True)
h = g ** 2
h.backward()
print(g.grad, a.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.data
y[0] = 100.
print(x)
z = x.detach()
z.mul_(2)
print(x, x.requires_grad, z.requires_grad)
print(b.grad_fn is None, c.grad_fn is None)
with torch.set_grad_enabled(False):
    print(torch.is_grad_enabled())
    w = x * 2
print(w.requires_grad, torch.is_grad_enabled())
try:
    w.sum().backward()
except RuntimeError as err:
    print(err)
