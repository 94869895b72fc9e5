import torch
from torch.func import jvp, vjp, jacrev, vmap, hessian
def f(x):
    return torch.sin(x) * x.sum()
x = torch.tensor([0.1, 0.2, 0.3])
v = torch.tensor([1., 0., 0.])
out, tangent = jvp(f, (x,), (v,))
print(out, tangent)
out, vjp_fn = vjp(f, x)
print(vjp_fn(v))
J = jacrev(f)(x)
print(J, torch.allclose(J @ v, tangent), torch.allclose(v @ J, vjp_fn(v)[0]))
H = hessian(lambda x: (x**2).prod())(x)
print(H.shape, H.trace())
rows = vmap(vjp_fn)(torch.eye(3))[0]
print(rows)
x.requires_grad_(True)
y = f(x)
jac = torch.stack([torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(3)])
print(jac)
I = torch.eye(3)
print(torch.autograd.grad(y, x, I, is_grads_batched=True)[0])
