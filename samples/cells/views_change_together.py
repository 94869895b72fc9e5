import torch
a = torch.zeros(2, 3)
b = a.view(6)
b[0] = 1
print(a)
c = a.t()
c[2, 1] = 5
print(a, b)
d = a.reshape(3, 2)
d += 1
print(a)
e = a[0]
e.mul_(10)
print(a, e)
f = a.clone(); f.zero_()
print(a.sum(), f.sum())
g = a[:, 1:].contiguous()
g.fill_(7)
print(a[0], g)
