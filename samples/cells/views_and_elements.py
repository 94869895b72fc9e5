import torch
x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
y = x.view(3, 2)
y[0, 0] = 10
print(x)
a = x[1]
a += 100
print(x)
b = x.clone()
b[:, 0] = 0
print(x[0], b[0])
c = x.T
c[2, 0] = -1
print(x)
m = x > 50
x[m] = 0
print(x, m.sum())
d = x.flatten()
d[0] = 7
print(x[0, 0])
e = torch.cat([x, x])
e[0] = 0
print(x[0])
z = torch.zeros(4)
z[torch.tensor([0, 2])] = torch.tensor([1., 2.])
z[-1] = z[0] + z[2]
z[1:3] *= 10
print(z)
idx = torch.tensor([0, 0, 1])
z.index_add_(0, idx, torch.ones(3))
print(z)
z.fill_(2).mul_(3)
print(z)
p, q = z[:2], z[2:]
p.zero_()
print(z, q)
