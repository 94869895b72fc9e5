import torch
a = torch.arange(1, 7).view(2, 3)
print(a.sum(dim=0), a.prod(), a.max(dim=1))
try:
    a.mean()
except RuntimeError as e:
    print(e)
print(a.float().mean(), a // 2, a % 2, a / 2)
b = a.to(torch.uint8)
print(b, b.sum(), b.dtype, (b + 250))
c = torch.tensor([1.5, 2.5], dtype=torch.float16)
print(c, c + 1, (c * torch.tensor([1., 1.])).dtype)
print(torch.zeros(2, dtype=torch.bool), torch.ones(2, dtype=torch.int8) + 1)
print(torch.cat([torch.tensor([1, 2]), torch.tensor([1.5])]))
print(torch.where(a > 3, a, torch.zeros_like(a)))
print((a > 3).nonzero())
print(torch.tensor([1, 2, 3], dtype=torch.int32).float().mean())
