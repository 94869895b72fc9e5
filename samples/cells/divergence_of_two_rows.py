import torch
import torch.nn.functional as F
p = torch.tensor([0.36, 0.48, 0.16])
q = torch.tensor([1/3, 1/3, 1/3])
print((p * (p / q).log()).sum())
print(F.kl_div(q.log(), p, reduction='sum'))
print(F.kl_div(q.log(), p, reduction="batchmean"))
print(F.kl_div(q.log(), p.log(), None, None, 'none', log_target=True))
P = torch.distributions.Categorical(probs=p); Q = torch.distributions.Categorical(probs=q)
print(torch.distributions.kl_divergence(P, Q), P.entropy())
logits = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([logits], 1.)
for i in range(200):
    opt.zero_grad()
    loss = F.kl_div(F.log_softmax(logits, -1), p, reduction='sum')
    loss.backward(); opt.step()
print(logits.softmax(-1).data, "{:.6f}".format(loss))
