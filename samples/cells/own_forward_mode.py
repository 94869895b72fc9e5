import torch
import torch.autograd.forward_ad as fwAD


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        ctx.k = k
        return x ** k * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * ctx.k * x ** (ctx.k - 1) * y, g * x ** ctx.k, None

    @staticmethod
    def jvp(ctx, of_x, of_y, _):
        x, y = ctx.saved_tensors
        return ctx.k * x ** (ctx.k - 1) * y * of_x + x ** ctx.k * of_y


x = torch.tensor([1., 2., 3.])
y = torch.tensor([2., 1., 1.])
with fwAD.dual_level():
    dual = fwAD.make_dual(x, torch.ones(3))
    out = Power.apply(dual, y, 3)
    print(fwAD.unpack_dual(out).tangent)
value, tangent = torch.func.jvp(lambda x, y: x.sin() * y, (x, y), (torch.ones(3), torch.zeros(3)))
print(value, tangent)
leaf = x.clone().requires_grad_()
Power.apply(leaf, y, 3).sum().backward()
print(leaf.grad)
