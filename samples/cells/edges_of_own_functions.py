import torch
class M(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k, b, flag=True):
        ctx.save_for_backward(a, b)
        return a * b * k
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, None, g * a, None
a = torch.ones(2, requires_grad=True)
b = torch.ones(2)
y = M.apply(a, 3.0, b)
print([n[0].name() if n[0] else None for n in y.grad_fn.next_functions])
z = M.apply(b, 2, a * 2, False)
print([n[0].name() if n[0] else None for n in z.grad_fn.next_functions])
