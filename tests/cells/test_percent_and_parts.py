"""Fields of percent, and small parts of Python's and PyTorch's: as in PyTorch 2.13."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### tensors in fields of percent
import torch, numpy as np
t, i = torch.tensor(3.5), torch.tensor(7)
r = t.clone().requires_grad_()
print("%s %r %s" % (t, t, i))
print("%s" % t, "%s" % r, "%10s|" % t, "%-20s|" % i, "%s" % torch.tensor([1.]), "%s" % [t])
print("{} {!s} {!r} {:.2f}".format(t, t, t, t), f"{t} {t!s} {r!s}", "%d %i %x" % (i, i, 255))
print("%.2f" % t, "%5.1f%%" % t, "%s" % np.float32(2.5), "%s" % np.array([1, 2]), "%c" % "x")
print("%(a)s %(b).2f %(a)d" % {"a": i, "b": t}, "%s %s" % (None, True), "%5s|%-5s|" % ("a", "b"))
print("acc: %s" % (t > 3), "%s" % (torch.ones(2).shape,), "loss: %s" % t.item(), "%.2s" % "abc")
try: "%(c)s" % {"a": 1}
except KeyError as e: print(repr(e))
===
tensor(3.5000) tensor(3.5000) tensor(7)
tensor(3.5000) tensor(3.5000, requires_grad=True) tensor(3.5000)| tensor(7)           |
tensor([1.]) [tensor(3.5000)]
3.5 tensor(3.5000) tensor(3.5000) 3.50 3.5 tensor(3.5000) tensor(3.5000, requires_grad=True) 7 7
ff
3.50   3.5% 2.5 [1 2] x
tensor(7) 3.50 7 None True     a|b    |
acc: tensor(True) torch.Size([2]) loss: 3.5 ab
KeyError('c')
### small parts
import torch
import dataclasses
from dataclasses import dataclass, astuple, fields
from torch.utils.data import TensorDataset, Subset, random_split
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
setattr(x, "grad", None); print(x.grad)
setattr(x, "grad", torch.ones(2)); print(x.grad)
@dataclass
class Inner:
    k: int = 7
@dataclass
class P:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)
    c: Inner = dataclasses.field(default_factory=Inner)
print(astuple(P()), dataclasses.astuple(P(3)), [f.name for f in fields(P)], len(fields(P())))
data = TensorDataset(torch.arange(6.))
a, b = random_split(data, [4, 2])
print(sorted(a.indices + b.indices), Subset(data, [5, 0]).indices)
===
None
tensor([1., 1.])
(1, [], (7,)) (3, [], (7,)) ['a', 'b', 'c'] 3
[0, 1, 2, 3, 4, 5] [5, 0]
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
