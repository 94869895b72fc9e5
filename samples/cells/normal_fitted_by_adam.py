import torch
from torch.distributions import Normal
data = torch.tensor([1.2, 0.8, 2.3, 1.9, 1.4, 0.6])
mu = torch.zeros(1, requires_grad=True)
log_sigma = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([mu, log_sigma], lr=0.1)
for i in range(101):
    opt.zero_grad()
    dist = Normal(mu, log_sigma.exp())
    loss = -dist.log_prob(data).mean()
    loss.backward()
    opt.step()
    if i % 25 == 0:
        print(f"step {i}: loss={loss.item():.4f} mu={mu.item():.4f} sigma={log_sigma.exp().item():.4f}")
print(data.mean(), data.std(unbiased=False))
print(mu, log_sigma.exp())
print(dist)
