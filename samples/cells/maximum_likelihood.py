import torch

p = torch.tensor(0.3, requires_grad=True)
heads, tails = 7, 3
log_lik = heads * torch.log(p) + tails * torch.log(1 - p)
log_lik.backward()
print('score:', round(p.grad.item(), 3))
for _ in range(100):
    ll = heads * p.log() + tails * (1 - p).log()
    g = torch.autograd.grad(ll, p)[0]
    with torch.no_grad():
        p += 0.01 * g
print('mle:', round(p.item(), 3))
