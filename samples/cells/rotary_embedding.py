# Rotary position embedding: pairs of features turn by an angle that grows with the position
import torch

def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
    t = torch.arange(end)
    freqs = torch.outer(t, freqs).float()
    return torch.polar(torch.ones_like(freqs), freqs)  # complex64

def apply_rotary_emb(x, freqs_cis):
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    shape = [d if i in (1, x_.ndim - 1) else 1 for i, d in enumerate(x_.shape)]
    out = torch.view_as_real(x_ * freqs_cis.view(*shape)).flatten(-2)
    return out.type_as(x)

freqs_cis = precompute_freqs_cis(4, 5)
print(freqs_cis.shape, freqs_cis.dtype)
print(freqs_cis[:3])
q = (torch.arange(20.0).reshape(1, 5, 4) / 10).requires_grad_()
k = torch.linspace(-1, 1, 20).reshape(1, 5, 4)
q_rot, k_rot = apply_rotary_emb(q, freqs_cis), apply_rotary_emb(k, freqs_cis)
print(q_rot[0, 1], q_rot.shape)
scores = q_rot @ k_rot.transpose(1, 2)
print(scores)
print(torch.allclose(q_rot.norm(dim=-1), q.norm(dim=-1)))  # a turn keeps lengths
scores.softmax(-1).diagonal(dim1=1, dim2=2).sum().backward()
print(q.grad)
