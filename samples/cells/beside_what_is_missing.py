import sys
from importlib.metadata import version
from operator import itemgetter, mul
from functools import reduce

import torch
from torch import nn

sys.path.append("..")

try:
    import apex
except ImportError:
    apex = None


model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
print(apex, version("torch").startswith("2."))
print(reduce(mul, [2, 3, 4]), sorted([(1, 5), (2, 3)], key=itemgetter(1)))
print(model.parameters, model[0].forward)
lengths = [3, 1, 2]
print(sorted(range(3), key=lengths.__getitem__), max({"a": 1, "b": 3}.items(), key=itemgetter(1)))
