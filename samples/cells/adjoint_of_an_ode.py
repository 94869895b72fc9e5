import torch
import torch.nn as nn

class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.A = nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]))
        self.nfe = 0
    def forward(self, t, y):
        self.nfe += 1
        return (y ** 3) @ self.A

def rk4_step(f, t, dt, y):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt * k1 / 2)
    k3 = f(t + dt / 2, y + dt * k2 / 2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

class ODEAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z0, t, flat_parameters, func):
        with torch.no_grad():
            z = z0
            for i in range(len(t) - 1):
                z = rk4_step(func, t[i], t[i + 1] - t[i], z)
        ctx.func = func
        ctx.save_for_backward(t, z.clone(), flat_parameters)
        return z

    @staticmethod
    def backward(ctx, dLdz):
        func = ctx.func
        t, z, flat_parameters = ctx.saved_tensors
        a = dLdz
        gp = torch.zeros_like(flat_parameters)
        with torch.no_grad():
            for i in range(len(t) - 1, 0, -1):
                dt = t[i - 1] - t[i]
                with torch.enable_grad():
                    zi = z.detach().requires_grad_(True)
                    f = func(t[i], zi)
                    adfdz, adfdp = torch.autograd.grad(f, (zi, func.A), grad_outputs=a, allow_unused=True)
                z = z + dt * f.detach()
                a = a - dt * adfdz
                gp = gp - dt * adfdp.flatten()
        return a, None, gp, None

func = ODEFunc()
z0 = torch.tensor([[0.8, 0.0]], requires_grad=True)
t = torch.linspace(0, 0.5, 6)
flat = torch.cat([p.flatten() for p in func.parameters()])
z = ODEAdjoint.apply(z0, t, flat, func)
z.sum().backward()
print(z, z0.grad)
print(func.A.grad, func.nfe)
z0b = z0.detach().clone().requires_grad_()
func.zero_grad()
zz = z0b
for i in range(5):
    zz = rk4_step(func, t[i], t[i+1] - t[i], zz)
zz.sum().backward()
print(zz, z0b.grad)
print(func.A.grad, func.nfe, zz.grad_fn.name(), z.grad_fn.name())
