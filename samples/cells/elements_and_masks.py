import torch
x = torch.arange(12., requires_grad=True).reshape(3, 4)
x.retain_grad()
y = x[1:, ::2]
print(y)
(y ** 2).sum().backward()
print(x.grad)
w = torch.zeros(5, requires_grad=True)
idx = torch.tensor([0, 0, 3, -1])
w[idx].sum().backward()
print(w.grad)
m = torch.randn(3, 3) > 100
z = torch.ones(3, 3, requires_grad=True)
print(z[m], z[m].shape, z.masked_select(~m).shape)
a = torch.zeros(3, 3)
a[torch.arange(3), torch.tensor([2, 0, 1])] = torch.tensor([1., 2., 3.])
a[0] += 1
a[:, -1] = 9
a[a > 8] = -1
print(a)
b = z.clone()
b[1, :] = torch.tensor([4., 5., 6.]) * z[0, 0]
b.sum().backward()
print(z.grad)
print(torch.take(a, torch.tensor([0, 4])), a.diagonal(), torch.tril(a), a.roll(1, 0), a.flip(1))
print(a.nonzero(), torch.where(a == 2), (a == 2).any(dim=1), a.argsort(dim=1))
print(a[..., None].shape, a[None].shape, a[:, None, :].expand(3, 2, 3).shape, a.unfold(1, 2, 1).shape)
print(torch.index_add(torch.zeros(3), 0, torch.tensor([0, 2, 0]), torch.tensor([1., 2., 3.])), torch.zeros(3).scatter_add(0, torch.tensor([1, 1]), torch.ones(2)))
