import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x ** 3
        ctx.save_for_backward(x, result)
        ctx.factor = 3
        return result

    @staticmethod
    def backward(ctx, grad_out):
        x, result = ctx.saved_tensors
        return grad_out * ctx.factor * x ** 2

cube = Cube.apply
x = torch.tensor([1., 2., 3.], requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(cube, (x,)))
y = cube(x).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
g2, = torch.autograd.grad(g.sum(), x)
print(g2)

class Linear(torch.autograd.Function):
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

inp = torch.tensor([[1., 2.]])
w = torch.tensor([[1., 1.], [0., 2.]], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
out = Linear.apply(inp, w, b)
out.sum().backward()
print(out, w.grad, b.grad)
