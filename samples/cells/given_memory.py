import torch
p = torch.nn.Parameter(torch.tensor([1., 2.]))
q = torch.tensor([5., 6.])
old = p.data
p.data = q
print(p, old)
p.data += 1
print(p, q, old)
with torch.no_grad():
    p.mul_(2)
print(p, q)
q.zero_()
print(p, q)
p.data = old
print(p, q, old)
with torch.no_grad():
    p.add_(10)
print(p, q, old)
a = torch.zeros(2)
b = torch.ones(2)
a.data = b
b.add_(1)
print(a, b)
d = p.detach()
p.data = p.data * 2
p.data.add_(1)
print(p, d)
p.data = torch.zeros(3)
print(p, d)
v = p.view(3, 1)
p.data = torch.ones(3)
print(v.shape, p)
