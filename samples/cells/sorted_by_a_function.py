import torch


class S(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.sort()
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return v, i

    @staticmethod
    def backward(ctx, g, gi):
        (i,) = ctx.saved_tensors
        return torch.zeros_like(g).index_add_(0, i, g)


x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = S.apply(x)
print(v, i, i.requires_grad)
(v * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)

import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(x, n):
        return x**n

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, n = inputs
        ctx.save_for_backward(x)
        ctx.n = n

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1), None

    @staticmethod
    def vmap(info, in_dims, x, n):
        return F.apply(x, n), in_dims[0]


x = torch.tensor([2.0, 3.0], requires_grad=True)
F.apply(x, 3).sum().backward()
print(x.grad)
print(torch.func.vmap(F.apply, in_dims=(0, None))(x, 2))
print(torch.func.grad(lambda x: F.apply(x, 2).sum())(x))
