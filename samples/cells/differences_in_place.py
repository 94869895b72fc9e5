import torch
def numerical_gradient(f, x, h=1e-3):
    grad = torch.zeros_like(x)
    it = x.view(-1)
    g = grad.view(-1)
    for i in range(it.numel()):
        old = it[i].item()
        it[i] = old + h
        fp = f(x).item()
        it[i] = old - h
        fm = f(x).item()
        it[i] = old
        g[i] = (fp - fm) / (2 * h)
    return grad
x = torch.tensor([[1., 2.], [3., 4.]], dtype=torch.float64)
f = lambda t: (t ** 2 * torch.sin(t)).sum()
ng = numerical_gradient(f, x)
xa = x.clone().requires_grad_(True)
f(xa).backward()
print(ng)
print(xa.grad)
print((ng - xa.grad).abs().max() < 1e-4)
