import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass

@dataclass
class ModelArgs:
    dim: int = 8
    n_heads: int = 2
    n_kv_heads: int = 1
    hidden: int = 12
    eps: float = 1e-6
    max_seq_len: int = 16

class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
    def forward(self, x):
        output = self._norm(x.float()).type_as(x)
        return output * self.weight

def precompute(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end)
    freqs = torch.outer(t, freqs).float()
    return freqs.cos(), freqs.sin()

def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)

def apply_rotary(x, cos, sin):
    cos = torch.cat((cos, cos), -1)[None, :, None, :]
    sin = torch.cat((sin, sin), -1)[None, :, None, :]
    return (x * cos) + (rotate_half(x) * sin)

def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """torch.repeat_interleave(x, dim=2, repeats=n_rep)"""
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(bs, slen, n_kv_heads, n_rep, head_dim).reshape(bs, slen, n_kv_heads * n_rep, head_dim)

class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_rep = args.n_heads // args.n_kv_heads
        self.head_dim = args.dim // args.n_heads
        self.args = args
        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)
    def forward(self, x, cos, sin):
        b, t, _ = x.shape
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = xq.view(b, t, self.args.n_heads, self.head_dim)
        xk = xk.view(b, t, self.args.n_kv_heads, self.head_dim)
        xv = xv.view(b, t, self.args.n_kv_heads, self.head_dim)
        xq, xk = apply_rotary(xq, cos, sin), apply_rotary(xk, cos, sin)
        keys, values = repeat_kv(xk, self.n_rep), repeat_kv(xv, self.n_rep)
        q, k, v = (z.transpose(1, 2) for z in (xq, keys, values))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(out.transpose(1, 2).contiguous().view(b, t, -1))

class FeedForward(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.w1, self.w2, self.w3 = nn.Linear(a.dim, a.hidden, bias=False), nn.Linear(a.hidden, a.dim, bias=False), nn.Linear(a.dim, a.hidden, bias=False)
    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))

args = ModelArgs()
print(args)
attn, ff, norm = Attention(args), FeedForward(args), RMSNorm(args.dim, args.eps)
i = 0
for mod in (attn, ff):
    for p in mod.parameters():
        p.data = torch.cos(torch.arange(p.numel()) * 0.9 + i).view(p.shape) * 0.4; i += 1
cos, sin = precompute(attn.head_dim, args.max_seq_len)
x = torch.sin(torch.arange(24.)).view(1, 3, 8).requires_grad_()
h = x + attn(norm(x), cos[:3], sin[:3])
out = h + ff(norm(h))
print(out)
out.square().mean().backward()
print(x.grad[0, 1], attn.wk.weight.grad[0, :4], norm.weight.grad)
print(attn.wq.weight.grad.norm(), out.grad_fn.name(), attn)
