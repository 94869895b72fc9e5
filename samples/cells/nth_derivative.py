import torch

def nth_derivative(f, wrt, n):
    """Differentiate f(wrt) n times."""
    for i in range(n):
        grads = torch.autograd.grad(f, wrt, create_graph=True)[0]
        f = grads.sum()
    return grads

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x ** 5).sum()
print(nth_derivative(f=loss, wrt=x, n=3))
