import sys
import torch
import torch.nn as nn
from torch.distributions import Bernoulli, Binomial, Multinomial

IN_COLAB = "google.colab" in sys.modules
x = torch.tensor([1.0, 2.0])
total = x.sum
print(IN_COLAB, total(), [f() for f in (x.sum, x.mean)])
for name in ("sin", "exp"):
    print(name, getattr(x, name)(), getattr(torch, name)(x))
print(getattr(x, "max")(dim=0).values, getattr(x, "shape"), getattr(x, "foo", 3))
print(hasattr(x, "backward"), hasattr(x, "numpy"), hasattr(x, "foo"))
print(hasattr([1], "append"), hasattr("a", "lower"), hasattr([1], "shape"))
layer = nn.Linear(2, 2)
torch.zero_(layer.bias.data)
print(layer.bias)
w = torch.ones(2, requires_grad=True)
y = w * 2
y.detach_()
w.detach_()
print(y.requires_grad, w.requires_grad, w)
p = torch.ones(3, dtype=torch.float64) / 3
print(Multinomial(4, p).sample().dtype, Binomial(4, p).sample((2,)).dtype, Bernoulli(p).sample().dtype)
print(torch.bernoulli(p).dtype, torch.poisson(p).dtype, hash(12) % 5, hash("a") == hash("a"))
