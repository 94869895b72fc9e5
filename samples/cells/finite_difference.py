import torch

def f(x):
    return x**3 - 4*x

def numeric_grad(f, x, h=1e-4):
    return (f(x + h) - f(x - h)) / (2 * h)

for value in [-1.0, 0.0, 2.0]:
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    f(x).backward()
    print(f"x={value:+.1f}  autograd={x.grad.item():.4f}  numeric={numeric_grad(value, 1) if False else numeric_grad(f, value):.4f}")
