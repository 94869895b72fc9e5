# Which version is this? Ask before use.
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from math import tau

print(hasattr(torch, "softplus"), hasattr(F, "softplus"), hasattr(torch, "gelu"), hasattr(torch, "relu"))
print(hasattr(nn, "GELU"), hasattr(math, "tau"), hasattr(math, "softmax"), hasattr(np, "relu"))
print(hasattr(torch.linalg, "softmax"), hasattr(torch.special, "expit"), hasattr(torch, "float32"))
print(hasattr(torch.optim, "Adam"), hasattr(torch.optim, "Foo"), hasattr(torch, "vmap"))
x = torch.tensor([0.0, 1.0], requires_grad=True)
smooth = torch.softplus(x) if hasattr(torch, "softplus") else F.softplus(x)
smooth.sum().backward()
print(smooth, x.grad, tau, np.euler_gamma)

model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for i, (name, p) in enumerate(sorted(model.named_parameters())):
    nn.init.constant_(p, i + 1.0)
    print(i, name, tuple(p.shape))
print(min(model.named_parameters())[0])
scaled = nn.utils.parametrizations.weight_norm(model[0])
print(scaled.weight, scaled(x))
