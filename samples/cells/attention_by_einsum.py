import torch
q = torch.arange(12.).reshape(1, 2, 3, 2) / 10
k = q.flip(-1)
v = q * 2
q.requires_grad_()
scores = torch.einsum('bhid,bhjd->bhij', q, k) / q.shape[-1] ** 0.5
mask = torch.triu(torch.ones(3, 3), diagonal=1).bool()
scores = scores.masked_fill(mask, float('-inf'))
attn = scores.softmax(dim=-1)
out = torch.einsum('bhij,bhjd->bhid', attn, v)
print(attn[0, 0])
print(out)
out.square().sum().backward()
print(q.grad)
