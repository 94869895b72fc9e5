import torch
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result
class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias
class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        # ctx is a context object that can be used to stash information
        # for backward computation
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        # We return as many input gradients as there were arguments.
        # Gradients of non-Tensor arguments to forward must be None.
        return grad_output * ctx.constant, None
x = torch.tensor([0.5, 1.0], requires_grad=True)
y = Exp.apply(x)
y.sum().backward()
print(y, x.grad)
inp = torch.tensor([[1., 2.]], requires_grad=True, dtype=torch.double)
w = torch.tensor([[0.5, -1.], [2., 1.]], requires_grad=True, dtype=torch.double)
b = torch.zeros(2, requires_grad=True, dtype=torch.double)
out = LinearFunction.apply(inp, w, b)
out.sum().backward()
print(out, inp.grad, w.grad, b.grad)
from torch.autograd import gradcheck
test = gradcheck(LinearFunction.apply, (inp, w, b), eps=1e-6, atol=1e-4)
print(test)
print(MulConstant.apply(x, 3.0))
