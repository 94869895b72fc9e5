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
assert sys.version_info >= (3, 10) and torch.__version__ >= "2.0"
print((3, 11) >= (3, 10), (1, 2) < (1, 3), [1, 2] < [1, 3], "a" < "b", (1, "x") > (0, "y"))
print(min(["b", "a"]), max((1, 5), (2, 3)), max(["aa", "b"], key=len), min("b", "a"), max("no"))
bare = nn.Module()
bare.foo = nn.Linear(3, 4)
print(bare, [name for name, _ in bare.named_children()], len(list(bare.parameters())))
