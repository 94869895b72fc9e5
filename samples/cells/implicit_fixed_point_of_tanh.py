import torch

class FixedPoint(torch.autograd.Function):
    """Solve z = tanh(W z + x) and differentiate implicitly."""

    @staticmethod
    def forward(ctx, W, x, tol, max_iter):
        z = torch.zeros_like(x)
        for k in range(max_iter):
            z_next = torch.tanh(W @ z + x)
            if (z_next - z).norm() < tol:
                z = z_next
                break
            z = z_next
        ctx.save_for_backward(W, x, z)
        ctx.k = k
        return z

    @staticmethod
    def backward(ctx, grad_z):
        W, x, z = ctx.saved_tensors
        d = 1 - z ** 2
        J = d[:, None] * W
        I = torch.eye(len(z), dtype=z.dtype)
        v = torch.linalg.solve((I - J).t(), grad_z)
        dv = d * v
        return torch.outer(dv, z), dv, None, None

W = torch.tensor([[0.2, -0.3], [0.1, 0.4]], dtype=torch.double, requires_grad=True)
x = torch.tensor([0.5, -1.0], dtype=torch.double, requires_grad=True)
z = FixedPoint.apply(W, x, 1e-12, 200)
print(z)
z.sum().backward()
print(W.grad)
print(x.grad)
print(torch.autograd.gradcheck(lambda W, x: FixedPoint.apply(W, x, 1e-13, 500), (W, x), eps=1e-6, atol=1e-5))
