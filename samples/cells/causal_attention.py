import math
import torch
import torch.nn as nn
from torch.nn import functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("bias", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k ,v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:,:,:T,:T] == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        y = self.c_proj(y)
        return y

attn = CausalSelfAttention(4, 2, 5)
with torch.no_grad():
    for p in attn.parameters():
        p.copy_(torch.linspace(-0.6, 0.6, p.numel()).reshape(p.shape))
x = torch.cos(torch.arange(24.)).view(2, 3, 4).requires_grad_()
y = attn(x)
print(y)
y[:, 0].sum().backward()
print(x.grad)
print(sum(p.numel() for p in attn.parameters()), [n for n, _ in attn.named_buffers()])
y2 = F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], is_causal=True)
print(y2.shape)
