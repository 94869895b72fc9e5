import torch
from torch.func import grad, jacrev, jacfwd, hessian, vjp, jvp, vmap, linearize, grad_and_value
p = {'w': torch.tensor([[1., 2.], [3., 4.]]), 'b': torch.tensor([0.5, -1.])}
x = torch.tensor([1., -2.])
def f(p, x):
    return p['w'] @ x + p['b']
print(jacrev(f)(p, x))
print(jacfwd(f, argnums=(0, 1))(p, x))
out, back = vjp(f, p, x)
print(out, back(torch.ones(2)))
print(jvp(lambda q: f(q, x), (p,), (p,)))
def loss(p, x):
    y = f(p, x)
    return (y ** 2).sum(), y
g, aux = grad(loss, has_aux=True)(p, x)
print(g, aux)
g, (l, aux) = grad_and_value(loss, has_aux=True)(p, x)
print(g['b'], l, aux)
h = hessian(lambda p: loss(p, x)[0])(p)
print(h['b']['b'], h['w']['b'].shape)
o, lin = linearize(torch.sin, x)
print(o, lin(torch.ones(2)))
def two(x):
    return {'s': x.sin(), 'c': x.cos()}
print(jacrev(two)(x))
print(vmap(two)(x))
print(vmap(lambda d, y: d['a'] * y, in_dims=({'a': 0}, None))({'a': x}, torch.tensor(3.)))
(a, b), back = vjp(lambda x: (x.sin(), x.cos()), x)
print(back((torch.ones(2), torch.zeros(2))))
xs = torch.stack([x, x * 2, x - 1])
print(vmap(jacrev(f), in_dims=(None, 0))(p, xs)['w'].shape)
print(vmap(lambda x: (x, x.sum()), out_dims=(1, 0))(xs))
print(torch.autograd.functional.jacobian(lambda a, b: (a * b, a + b), (x, x)))
print(torch.autograd.functional.hessian(lambda a, b: (a * b).sum(), (x, x)))
print(torch.autograd.functional.jvp(lambda a: (a.exp(), a * 2), x, torch.ones(2)))
print(torch.autograd.functional.vjp(lambda a, b: (a * b).sum(), (x, x)))
print(torch.autograd.functional.hvp(lambda a: (a ** 3).sum(), x, torch.ones(2)))
