import torch
from torch import nn
class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x
class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden_dim, dropout = 0.):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim, hidden_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, dim),
            nn.Dropout(dropout)
        )
    def forward(self, x):
        return self.net(x)
block = Residual(PreNorm(4, FeedForward(4, 8)))
print(block)
for p in block.parameters():
    nn.init.ones_(p)
out = block(torch.arange(8.).view(2, 4))
print(out)
out.sum().backward()
for n, p in block.named_parameters():
    print(n, tuple(p.shape), p.grad.norm().item() > 0)
sd = block.state_dict()
print(list(sd.keys()))
b2 = Residual(PreNorm(4, FeedForward(4, 8)))
print(b2.load_state_dict(sd))
print(all(torch.equal(p, q) for p, q in zip(block.parameters(), b2.parameters())))
import copy
b3 = copy.deepcopy(block)
b3.fn.norm.weight.data.zero_()
print(block.fn.norm.weight, b3.fn.norm.weight)
