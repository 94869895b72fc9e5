import torch
from torch.distributions import Normal, Categorical, Bernoulli
from torch.distributions import kl_divergence

mu = torch.tensor([0.5, -1.0], requires_grad=True)
log_std = torch.zeros(2, requires_grad=True)
dist = Normal(mu, log_std.exp())
action = torch.tensor([1.0, 0.0])
logp = dist.log_prob(action)
print(logp.sum().item())
(-logp.sum()).backward()
print(mu.grad, log_std.grad)
print(dist.entropy().sum().item())
print(kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)))

probs = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
m = Categorical(probs)
a = torch.tensor([2, 0])
print(m.log_prob(a), m.entropy())
logits = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
c = Categorical(logits=logits)
loss = -c.log_prob(torch.tensor(1)) * 2.0
loss.backward()
print(logits.grad)
print(c.probs)
b = Bernoulli(torch.tensor([0.3]))
print(b.log_prob(torch.tensor([1.0])), b.mean, b.variance)
torch.manual_seed(0)
s = m.sample()
print(s.shape, m.sample((5,)).shape, dist.rsample((3,)).shape, dist.sample().requires_grad, dist.rsample().requires_grad)
print(0 <= s[0].item() <= 2)
