import torch
# per-parameter groups and early stopping with best weights
torch.manual_seed(0)
w = torch.tensor([5.0], requires_grad=True)
b = torch.tensor([-3.0], requires_grad=True)
opt = torch.optim.SGD([
    {'params': [w]},
    {'params': [b], 'lr': 0.5}
], lr=0.1, momentum=0.5)
best, best_params, patience, bad = float('inf'), None, 2, 0
for epoch in range(50):
    opt.zero_grad()
    loss = (w * 2 + b - 1).pow(2).sum()
    loss.backward()
    opt.step()
    if loss.item() < best - 1e-3:
        best = loss.item()
        best_params = (w.item(), b.item())
        bad = 0
    else:
        bad += 1
        if bad >= patience:
            print("stop at", epoch)
            break
else:
    print("no stop")
print(best, best_params)
for i, g in enumerate(opt.param_groups):
    print(i, g['lr'], g['momentum'], len(g['params']))
