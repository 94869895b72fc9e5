import torch
import torch.nn as nn
import torch.autograd as autograd

def forward_iteration(f, x0, max_iter=50, tol=1e-4):
    f0 = f(x0)
    res = []
    for k in range(max_iter):
        x = f0
        f0 = f(x)
        res.append((f0 - x).norm().item() / (1e-5 + f0.norm().item()))
        if (res[-1] < tol):
            break
    return f0, res

class Cell(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.W = nn.Linear(n, n, bias=False)
        self.W.weight.data = torch.tensor([[0.3, -0.2], [0.1, 0.4]])
    def forward(self, z, x):
        return torch.tanh(self.W(z) + x)

class DEQFixedPoint(nn.Module):
    def __init__(self, f, solver, **kwargs):
        super().__init__()
        self.f = f
        self.solver = solver
        self.kwargs = kwargs

    def forward(self, x):
        with torch.no_grad():
            z, self.forward_res = self.solver(lambda z: self.f(z, x), torch.zeros_like(x), **self.kwargs)
        z = self.f(z, x)
        z0 = z.clone().detach().requires_grad_()
        f0 = self.f(z0, x)
        def backward_hook(grad):
            g, self.backward_res = self.solver(lambda y: autograd.grad(f0, z0, y, retain_graph=True)[0] + grad,
                                               grad, **self.kwargs)
            return g
        z.register_hook(backward_hook)
        return z

deq = DEQFixedPoint(Cell(2), forward_iteration, tol=1e-6)
x = torch.tensor([[0.5, -1.0], [0.2, 0.3]], requires_grad=True)
out = deq(x)
out.sum().backward()
print(out)
print(x.grad)
print(deq.f.W.weight.grad)
print(len(deq.forward_res), len(deq.backward_res), deq.forward_res[-1] < 1e-6)
print(deq)
