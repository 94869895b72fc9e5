import torch, math
X = torch.tensor([0., 0.5, 1.0, 1.7]); Y = torch.sin(3 * X)
log_ls = torch.tensor(0.0, requires_grad=True); log_noise = torch.tensor(-2.0, requires_grad=True)
opt = torch.optim.Adam([log_ls, log_noise], lr=0.1)
for i in range(5):
    opt.zero_grad()
    d = X[:, None] - X[None, :]
    K = torch.exp(-0.5 * d ** 2 / log_ls.exp() ** 2) + log_noise.exp() * torch.eye(len(X))
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(Y.unsqueeze(-1), L).squeeze(-1)
    nll = 0.5 * Y @ alpha + L.diagonal().log().sum() + 0.5 * len(X) * math.log(2 * math.pi)
    nll.backward()
    opt.step()
print(nll.item(), log_ls.item(), log_noise.item())
