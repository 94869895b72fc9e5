import torch
from torch.func import grad, vmap

f = lambda x: torch.sin(x)
x = torch.tensor(0.5)
cos_x = grad(f)(x)
print(torch.allclose(cos_x, x.cos()))

# Second-order gradients
neg_sin_x = grad(grad(lambda x: torch.sin(x)))(x)
print(torch.allclose(neg_sin_x, -x.sin()))
