import torch
t = torch.ones(2, 3)
print(torch.tensor(t.shape).prod(), torch.tensor(t.size()), torch.as_tensor(t.shape), torch.Tensor(t.shape).shape)
print(f"{t.shape}", f"{t.shape}: {t.size()}")
with torch.no_grad():
    print(t.shape, f"{t.shape}", t.max(dim=1), t.size(), t.sort())
    s = t.shape
print(s[:1], s + (1,), s[1:], t.shape[:-1], t.shape[:-1] + (5,), torch.Size([2]) + torch.Size([3]), s * 2, (1,) + s)
print(torch.tensor([0., 1.]).new_zeros(t.shape).shape, s.numel(), len(s), s[::-1], [*s], s == torch.Size([2, 3]), s == [2, 3])
print(torch.ones(t.shape[:-1] + (1,)).shape, torch.empty(s[1:]).shape)
print(torch.tensor(s), torch.tensor(t.shape, dtype=torch.float32), torch.tensor(t.shape[1:]), torch.tensor([*s]), torch.Tensor([*s]))
