import torch
x = torch.tensor([2.], requires_grad=True)
y = x ** 3
dy_dx, = torch.autograd.grad(y, x, create_graph=True)
print(dy_dx)
d2y_dx2 = torch.autograd.grad(dy_dx, x)[0]
print(d2y_dx2)
def nth_derivative(f, wrt, n):
    for i in range(n):
        grads = torch.autograd.grad(f, wrt, create_graph=True)[0]
        f = grads.sum()
    return grads
x = torch.arange(4.).reshape(2, 2).requires_grad_()
loss = (x ** 4).sum()
print(nth_derivative(f=loss, wrt=x, n=3))
g = torch.autograd.grad((x**2).sum(), x)
print(g)
w = torch.tensor(1.0, requires_grad=True)
z = torch.autograd.grad(w * 2, x, allow_unused=True)
print(z)
