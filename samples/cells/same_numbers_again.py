import torch
from torch.autograd.function import Function

before = torch.rand(2)
torch.manual_seed(42)
a = torch.rand(3, 4)
torch.manual_seed(42)
b = torch.rand(3, 4)
print(a == b)

class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x**2 * grad

x = torch.tensor([1., 2.], requires_grad=True)
Cube.apply(x).sum().backward()
print(x.grad)
