import torch
import torch.nn as nn
kinds = (nn.Linear, nn.Conv2d)
m = nn.Linear(2, 1)
print(isinstance(m, kinds), isinstance(nn.ReLU(), kinds), isinstance(m, (nn.Linear, nn.Tanh)))
cls = nn.Linear
print(isinstance(m, cls), isinstance(3, int), isinstance([1], (list, tuple)))
print(any([None, 1]), all(["a", ""]), any(m.children()), any(x > 1 for x in [1, 2]))
