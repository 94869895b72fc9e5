import torch

log_T = torch.tensor([[0.7, 0.3], [0.4, 0.6]]).log()
log_E = torch.tensor([[0.9, 0.1], [0.2, 0.8]], requires_grad=True)
log_pi = torch.tensor([0.6, 0.4]).log()
obs = [0, 0, 1, 0]

def forward_alg(obs):
    le = log_E.log()
    alpha = log_pi + le[:, obs[0]]
    for o in obs[1:]:
        alpha = torch.logsumexp(alpha.unsqueeze(1) + log_T, dim=0) + le[:, o]
    return torch.logsumexp(alpha, dim=0)

ll = forward_alg(obs)
ll.backward()
print(ll, log_E.grad, sep='\n')

def viterbi(obs):
    with torch.no_grad():
        le = log_E.log()
        delta = log_pi + le[:, obs[0]]
        back = []
        for o in obs[1:]:
            scores = delta.unsqueeze(1) + log_T
            best, idx = scores.max(dim=0)
            delta = best + le[:, o]
            back.append(idx)
        path = [delta.argmax().item()]
        for idx in reversed(back):
            path.insert(0, idx[path[0]].item())
    return path, delta.max().exp()

print(viterbi(obs))
emissions = torch.softmax(log_E.detach(), dim=1)
post = torch.zeros(len(obs), 2)
for t, o in enumerate(obs):
    post[t] = emissions[:, o] / emissions[:, o].sum()
print(post)
