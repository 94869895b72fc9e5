import torch
from torch.func import vmap
x = torch.ones(3, 2)
a = vmap(lambda r: r + torch.randn(2), randomness="same")(x)
b = vmap(lambda r: r + torch.randn(2), randomness="different")(x)
print(torch.equal(a[0], a[1]), torch.equal(b[0], b[1]))
try:
    vmap(lambda r: r + torch.randn(2))(x)
except RuntimeError as e:
    print(e)
