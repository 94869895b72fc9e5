import torch
import torch.nn as nn
emb = nn.Embedding(4, 3)
dec = nn.Linear(3, 4, bias=False)
dec.weight = emb.weight
with torch.no_grad():
    emb.weight.copy_(torch.arange(12.).view(4, 3) / 10)
idx = torch.tensor([0, 2, 2])
h = emb(idx)
logits = dec(h)
loss = nn.functional.cross_entropy(logits, torch.tensor([1, 3, 0]))
loss.backward()
print(dec.weight is emb.weight, loss.item())
norm = torch.nn.utils.clip_grad_norm_(emb.parameters(), max_norm=0.5)
print(norm)
print(emb.weight.grad.norm())
torch.nn.utils.clip_grad_value_(emb.parameters(), 0.1)
print(emb.weight.grad.abs().max().item() <= 0.1 + 1e-6)
print(emb)
print(torch.nn.utils.parameters_to_vector(emb.parameters()).shape)
