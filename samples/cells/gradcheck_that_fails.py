import torch
from torch.autograd import Function, gradcheck, gradgradcheck


class Cube(Function):
    """A factor was forgotten in backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * x ** 2


class ScaledSum(Function):
    """Two results, and only the second one has its gradient right."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return (a * b).sum(), b * 2

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return None, g * b + h * 2


x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.double, requires_grad=True)
try:
    gradcheck(Cube.apply, (x,), eps=1e-6, atol=1e-4)
except Exception as e:
    print(type(e).__name__)
    print(e)
print(gradcheck(Cube.apply, (x,), raise_exception=False))

a = torch.tensor([1.0, 2.0], dtype=torch.double)
b = torch.tensor([0.1, 0.2], dtype=torch.double, requires_grad=True)
for f in (ScaledSum.apply, lambda a, b: (a.sum(), ScaledSum.apply(a, b)[0])):
    try:
        gradcheck(f, (a, b))
    except Exception as e:
        print(e)
print(gradcheck(lambda a, b: ScaledSum.apply(a, b)[1], (a, b)))
print(gradcheck(lambda a, b: ((a * b).sum(), b.sin(), a.argmax()), (a, b)))
print(gradcheck(torch.mul, (b, b)), gradcheck(torch.nn.Linear(2, 3).double(), [b]))
for f, inputs in ((torch.sin, a), (lambda t: (t * 2).detach(), b), (lambda t: t.detach() * t, b)):
    try:
        gradcheck(f, inputs)
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
try:
    gradgradcheck(lambda t: Cube.apply(t).detach() * t, b)
except Exception as e:
    print(type(e).__name__)
empty = torch.zeros(0, dtype=torch.double, requires_grad=True)
single = torch.tensor(0.3, dtype=torch.double, requires_grad=True)
print(gradcheck(torch.sin, empty), gradcheck(lambda t: t.exp().sum(), single))
