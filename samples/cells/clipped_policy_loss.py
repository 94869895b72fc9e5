import torch
from torch.distributions import Normal, kl_divergence
mu = torch.tensor([0.0, 1.0], requires_grad=True)
log_std = torch.zeros(2, requires_grad=True)
pi = Normal(mu, log_std.exp())
act = torch.tensor([0.3, 0.8])
logp = pi.log_prob(act).sum(-1)
adv = torch.tensor(1.5)
old = logp.detach() - 0.1
ratio = torch.exp(logp - old)
clip = torch.clamp(ratio, 0.8, 1.2) * adv
loss = -torch.min(ratio * adv, clip) - 0.01 * pi.entropy().mean()
loss.backward()
print(ratio, loss)
print(mu.grad, log_std.grad)
print(kl_divergence(pi, Normal(torch.zeros(2), torch.ones(2))).sum())
