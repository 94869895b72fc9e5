import torch
import torch.nn as nn
class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
    def forward(self, x):
        return x + self.ff(self.norm(x))
class TinyTransformer(nn.Module):
    def __init__(self, vocab, dim, depth):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(1, 4, dim))
        self.blocks = nn.ModuleList([Block(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab, bias=False)
        self.register_buffer('mask', torch.tril(torch.ones(4, 4)))
    def forward(self, idx, targets=None):
        x = self.emb(idx) + self.pos[:, :idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        if targets is None:
            return logits, None
        B, T, C = logits.shape
        loss = nn.functional.cross_entropy(logits.view(B * T, C), targets.view(B * T))
        return logits, loss
m = TinyTransformer(5, 4, 2)
with torch.no_grad():
    for p in m.parameters():
        p.copy_(torch.linspace(-0.5, 0.5, p.numel()).reshape(p.shape))
n_params = sum(p.numel() for p in m.parameters())
print(f"{n_params} parameters")
idx = torch.tensor([[1, 2, 3], [0, 4, 2]])
logits, loss = m(idx, idx)
print(logits.shape, round(loss.item(), 4))
loss.backward()
print(m.pos.grad.shape, m.pos.grad.abs().sum().item())
print([name for name, _ in m.named_children()])
print(m.mask.sum())
