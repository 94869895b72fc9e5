import torch
from torch.autograd import Variable, Function
class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x, threshold):
        ctx.threshold = threshold
        return (x > threshold).float()
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None
class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lambd, None
def grad_reverse(x, lambd=1.0):
    return GradReverse.apply(x, lambd)
x = Variable(torch.tensor([0.2, 0.7]), requires_grad=True)
y = StraightThrough.apply(x, 0.5)
print(y)
(y * torch.tensor([1., 2.])).sum().backward()
print(x.grad)
x.grad.data.zero_()
grad_reverse(x ** 2, 0.5).sum().backward()
print(x.grad)
class SplitSin(Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return torch.sin(t), torch.cos(t)
    @staticmethod
    def backward(ctx, gs, gc):
        t, = ctx.saved_tensors
        return gs * torch.cos(t) - gc * torch.sin(t)
t = torch.tensor([0.0, 1.0], requires_grad=True)
s, c = SplitSin.apply(t)
(s + 2 * c).sum().backward()
print(t.grad)
