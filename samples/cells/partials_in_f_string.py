import torch

def f(x, y):
    """A simple function of two variables."""
    return x**2 * y + y**3

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
out = f(x, y)
out.backward()
print(f"∂f/∂x = {x.grad}, ∂f/∂y = {y.grad}")
