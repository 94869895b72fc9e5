import torch
from torch.func import jvp, vjp

def f(x):
    return x * torch.sin(x)

x = torch.tensor([0.5, 1.0])
value, tangent = jvp(f, (x,), (torch.ones(2),))
print(value, tangent)
out, vjp_fn = vjp(f, x)
print(vjp_fn(torch.tensor([1.0, 0.0]))[0])
