import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
# Jacobian row by row
def f(x):
    return torch.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2])
y = f(x)
J = torch.zeros(3, 3)
for i in range(3):
    J[i] = torch.autograd.grad(y[i], x, retain_graph=True)[0]
print(J)
print(torch.autograd.functional.jacobian(f, x))
# Hessian
def g(x):
    return (x ** 3).sum() + x[0] * x[1]
H = torch.zeros(3, 3)
grad = torch.autograd.grad(g(x), x, create_graph=True)[0]
for i in range(3):
    H[i, :] = torch.autograd.grad(grad[i], x, retain_graph=True)[0]
print(H)
v = torch.tensor([1., 0., -1.])
hvp = torch.autograd.grad(grad @ v, x)[0]
print(hvp, torch.allclose(H @ v, hvp))
