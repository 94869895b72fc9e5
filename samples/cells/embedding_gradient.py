import torch
import torch.nn as nn
emb = nn.Embedding(5, 3, padding_idx=0)
with torch.no_grad():
    emb.weight.copy_(torch.arange(15.).view(5, 3) / 10)
ids = torch.LongTensor([[1, 2, 0], [4, 4, 3]])
e = emb(ids)
print(e.shape)
e.mean(dim=1).pow(2).sum().backward()
print(emb.weight.grad)
print(emb)
print(ids.type(), ids.dtype, torch.IntTensor([1, 2]))
