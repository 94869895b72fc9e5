import torch
import torch.nn as nn
from torch.distributions import MultivariateNormal, Normal, Independent

class CouplingLayer(nn.Module):
    def __init__(self, dim, hidden, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.s = nn.Sequential(nn.Linear(dim, hidden), nn.LeakyReLU(), nn.Linear(hidden, dim), nn.Tanh())
        self.t = nn.Sequential(nn.Linear(dim, hidden), nn.LeakyReLU(), nn.Linear(hidden, dim))
    def forward(self, x, reverse=False):
        xm = x * self.mask
        s, t = self.s(xm) * (1 - self.mask), self.t(xm) * (1 - self.mask)
        if not reverse:
            return xm + (1 - self.mask) * (x * torch.exp(s) + t), s.sum(dim=1)
        return xm + (1 - self.mask) * (x - t) * torch.exp(-s), -s.sum(dim=1)

class RealNVP(nn.Module):
    def __init__(self, n):
        super().__init__()
        masks = torch.tensor([[0., 1.], [1., 0.]]).repeat(n // 2, 1)
        self.layers = nn.ModuleList([CouplingLayer(2, 3, masks[i]) for i in range(n)])
        self.prior = MultivariateNormal(torch.zeros(2), torch.eye(2))
    def log_prob(self, x):
        logdet = x.new_zeros(x.size(0))
        for layer in reversed(self.layers):
            x, ld = layer(x, reverse=True)
            logdet += ld
        return self.prior.log_prob(x) + logdet
    @torch.no_grad()
    def sample_from(self, z):
        for l in self.layers:
            z, _ = l(z)
        return z

flow = RealNVP(4)
for i, p in enumerate(flow.parameters()):
    p.data.copy_(torch.sin(torch.arange(p.numel()).float() * 0.7 + i).view_as(p) * 0.4)
x = torch.tensor([[0.1, 0.2], [1.0, -1.0], [-0.5, 0.7]])
opt = torch.optim.Adam(flow.parameters(), lr=0.02)
for step in range(4):
    loss = -flow.log_prob(x).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(step, loss)
z = torch.tensor([[0.3, -0.3]])
y = flow.sample_from(z)
inv = y
for layer in reversed(flow.layers):
    inv, _ = layer(inv, reverse=True)
print(y, torch.allclose(inv, z, atol=1e-5))
print([n for n, _ in flow.named_buffers()])
J = torch.autograd.functional.jacobian(lambda v: flow.layers[0](v.unsqueeze(0))[0].squeeze(0), torch.tensor([0.3, 0.4]))
print(torch.linalg.slogdet(J).logabsdet, flow.layers[0](torch.tensor([[0.3, 0.4]]))[1])
