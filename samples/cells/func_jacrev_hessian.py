import torch
from torch.func import jacrev, jacfwd, hessian

x = torch.tensor([1.0, 2.0, 3.0])
jac = jacrev(torch.sin)(x)
expected = torch.diag(torch.cos(x))
assert torch.allclose(jac, expected)
print(jacfwd(lambda t: t ** 3)(x))

def f(x):
    return x.sin().sum()

hess = hessian(f)(x)
assert torch.allclose(hess, torch.diag(-x.sin()))
print(hess)
