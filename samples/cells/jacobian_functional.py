import torch
from torch.autograd.functional import jacobian, hessian
from torch.func import vmap, jacrev, jacfwd, grad

def f(x):
    return torch.stack([x[0] ** 2 + x[1], x[0] * x[1]])
x = torch.tensor([2.0, 3.0])
print(jacobian(f, x))
print(hessian(lambda x: (x ** 3).sum(), x))
print(jacrev(f)(x))
print(jacfwd(f)(x))
print(grad(lambda x: torch.sin(x).sum())(x))
xs = torch.stack([x, 2 * x])
print(vmap(grad(lambda x: (x ** 2).prod()))(xs))
J = jacobian(lambda a, b: a * b, (torch.tensor([1., 2.]), torch.tensor([3., 4.])))
print(J)
