import torch

def rosenbrock(xy):
    x, y = xy
    return (1 - x) ** 2 + 100 * (y - x ** 2) ** 2

def run_optimization(xy_init, optimizer_class, n_iter, **optimizer_kwargs):
    xy_t = torch.tensor(xy_init, requires_grad=True)
    optimizer = optimizer_class([xy_t], **optimizer_kwargs)
    path = torch.empty((n_iter + 1, 2))
    path[0, :] = torch.tensor(xy_init)
    for i in range(1, n_iter + 1):
        optimizer.zero_grad()
        loss = rosenbrock(xy_t)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(xy_t, 1.0)
        optimizer.step()
        path[i, :] = xy_t.detach()
    return path

for cls, kw in [
    (torch.optim.SGD, dict(lr=1e-3)),
    (torch.optim.Adam, {"lr": 1e-2}),
    (torch.optim.Adagrad, {"lr": 0.1}),
    (torch.optim.AdamW, dict(lr=1e-2, weight_decay=0.01)),
    (torch.optim.NAdam, dict(lr=1e-2)),
]:
    path = run_optimization((-0.3, 0.8), cls, 40, **kw)
    print(f"{cls.__name__:>8}: {path[-1].tolist()[0]:.4f} {path[-1].tolist()[1]:.4f}  dist={torch.norm(path[-1] - torch.ones(2)):.3f}")
