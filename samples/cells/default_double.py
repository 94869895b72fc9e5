import torch
torch.set_default_dtype(torch.float64)
xy = torch.tensor([-1.5, 2.0], requires_grad=True)
def rosen(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
opt = torch.optim.LBFGS([xy], max_iter=50, line_search_fn='strong_wolfe')
def closure():
    opt.zero_grad()
    loss = rosen(xy)
    loss.backward()
    return loss
opt.step(closure)
print(xy)
print(torch.tensor([1.0]).dtype, torch.get_default_dtype())
print(torch.tensor([1.0], dtype=torch.float32))
torch.set_default_dtype(torch.float32)
