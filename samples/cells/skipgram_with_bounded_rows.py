import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import Counter
corpus = "the quick brown fox jumps over the lazy dog the fox".split()
counts = Counter(corpus)
vocab = sorted(counts, key=lambda w: (-counts[w], w))
w2i = {w: i for i, w in enumerate(vocab)}
print(vocab[:3], counts.most_common(2))
pairs = [(w2i[corpus[i]], w2i[corpus[j]]) for i in range(len(corpus)) for j in range(max(0, i - 2), min(len(corpus), i + 3)) if i != j]
print(len(pairs), pairs[:4])
class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.in_embed = nn.Embedding(vocab_size, dim, max_norm=1)
        self.out_embed = nn.Embedding(vocab_size, dim)
        self.in_embed.weight.data = torch.sin(torch.arange(vocab_size * dim).float()).view(vocab_size, dim)
        self.out_embed.weight.data.zero_()
    def forward(self, center, pos, neg):
        v = self.in_embed(center)
        u = self.out_embed(pos)
        n = self.out_embed(neg)
        pos_score = F.logsigmoid((v * u).sum(1))
        neg_score = F.logsigmoid(-torch.bmm(n, v.unsqueeze(2)).squeeze(2)).sum(1)
        return -(pos_score + neg_score).mean()
model = SkipGram(len(vocab), 3)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
c, p = (torch.tensor(x) for x in zip(*pairs))
neg = torch.stack([(p + 1) % len(vocab), (p + 3) % len(vocab)], 1)
for step in range(3):
    opt.zero_grad()
    loss = model(c, p, neg)
    loss.backward()
    opt.step()
    print(step, loss.item())
print(model.in_embed.weight[:2])
print(model.in_embed)
