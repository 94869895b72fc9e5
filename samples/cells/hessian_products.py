import torch
from torch.autograd import grad

def f(x):
    return (x[0] ** 2 * x[1] + torch.sin(x[2]) * x[0]).sum()

x = torch.tensor([1., 2., 3.], requires_grad=True)
v = torch.tensor([1., 0., -1.])
g, = grad(f(x), x, create_graph=True)
print("grad", g)
hv = grad(g, x, grad_outputs=v, retain_graph=True)[0]
print("Hv", hv)
hv2 = grad((g * v).sum(), x)[0]
assert torch.allclose(hv, hv2)
H = torch.autograd.functional.hessian(f, x)
print(H)
print((H @ v - hv).abs().max() < 1e-5)
_, hv3 = torch.autograd.functional.hvp(f, x, v)
_, vh = torch.autograd.functional.vhp(f, x, v)
print(hv3, vh)
hv4 = torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]
print(hv4)
