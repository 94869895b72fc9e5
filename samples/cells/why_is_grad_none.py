import torch
a = torch.rand(3, requires_grad=True) * 2
a.sum().backward()
print(a.is_leaf, a.requires_grad, a.grad_fn.name())
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(a.grad)
b = torch.ones(3, requires_grad=True)
b2 = b.to(torch.float64)
b2.sum().backward()
print(b.grad, b2.is_leaf, b2.dtype)
c = torch.ones(2, requires_grad=True)
c = c + 1
c.retain_grad()
(c ** 2).sum().backward()
print(c.grad)
d = torch.tensor([1, 2, 3])
try:
    d.requires_grad_()
except RuntimeError as e:
    print(e)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
e1 = torch.ones(2, requires_grad=True)
try:
    (e1 * 2).backward()
except RuntimeError as err:
    print(err)
out = (e1 * 2).sum()
out.backward()
try:
    out.backward()
    print(e1.grad)
except RuntimeError as err:
    print(str(err).split('.')[0])
z = (e1 ** 2).sum()
z.backward()
try:
    z.backward()
except RuntimeError as err:
    print(str(err).split('(')[0])
try:
    torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), e1)
except RuntimeError as err:
    print(err)
with torch.no_grad():
    q = e1.sum()
try:
    q.backward()
except RuntimeError as err:
    print(err)
