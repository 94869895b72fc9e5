import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
z = (x * y).sum()
dx, dy = torch.autograd.grad(z, [x, y])
print(dx, dy)
z = (x ** 2 * y)
gx = torch.autograd.grad(z.sum(), x, create_graph=True)[0]
gxy = torch.autograd.grad(gx.sum(), y)[0]
print(gx, gxy)
print(x.grad, y.grad)
try:
    torch.autograd.grad(z, x)
except RuntimeError as e:
    print(e)
z = x * 2
z.register_hook(lambda g: print("hook", g))
z.sum().backward(inputs=[x])
print(x.grad, y.grad)
