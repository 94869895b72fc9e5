import torch
def rbf(a, b, ls, var):
    d = a.unsqueeze(1) - b.unsqueeze(0)
    return var * torch.exp(-0.5 * d.pow(2) / ls ** 2)
X = torch.linspace(0, 5, 6)
y = torch.sin(X)
log_ls = torch.zeros(1, requires_grad=True)
log_var = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([log_ls, log_var], lr=0.1)
for i in range(10):
    opt.zero_grad()
    K = rbf(X, X, log_ls.exp(), log_var.exp()) + 1e-2 * torch.eye(len(X))
    Lc = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), Lc)
    nll = 0.5 * y @ alpha.squeeze() + torch.log(torch.diagonal(Lc)).sum()
    nll.backward()
    opt.step()
    if (i + 1) % 5 == 0:
        print(i + 1, round(nll.item(), 4), log_ls.exp().item())
print(log_var.grad)
