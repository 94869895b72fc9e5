import torch
from torch.func import vmap, grad, jacrev, jacfwd, hessian, vjp, jvp
def model(w, x):
    return (x.dot(w)).relu()
w = torch.tensor([1., -2., 0.5])
X = torch.tensor([[1., 0., 2.], [0., 1., 1.], [2., 0., 0.]])
print(vmap(model, in_dims=(None, 0))(w, X))
loss = lambda w, x, y: (model(w, x) - y) ** 2
print(vmap(grad(loss), in_dims=(None, 0, 0))(w, X, torch.tensor([1., 2., 3.])))
f = lambda x: torch.sin(x) * x
x = torch.tensor([0.5, 1.5])
print(jacrev(f)(x))
print(jacfwd(f)(x))
print(hessian(lambda x: f(x).sum())(x))
out, vjp_fn = vjp(f, x)
print(vjp_fn(torch.ones(2))[0])
print(jvp(f, (x,), (torch.ones(2),)))
