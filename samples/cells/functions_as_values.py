import torch
from torch import nn

print(int, float, type, str, list, len, print, range, dict, tuple, torch.Tensor, zip)
print(nn.ReLU, sum, sorted, isinstance, enumerate, map)


def block(a, *rest, scale=1, **options):
    return a, rest, scale, options


more, named = (2, 3), {"b": 5}
print(block(1, scale=4, *more, **named), block(1, *more, scale=4), block(scale=2, *more))
