"""Lines of Python and NumPy: gradcli prints what they print when Python runs them here."""

from __future__ import annotations

import contextlib
import io

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.options import Options
from gradcli.session import evaluate

ARRAYS = """
import numpy as np
a = np.array([1, 2, 3])
f = np.array([1.5, 2.0, 3.25])
m = np.array([[1, 2], [3, 4]])
"""
NUMBERS = """
a, a.dtype | a * 2, a / 2, a ** 2, a // 2, a % 2 | m.sum(), m.sum(axis=0), m.mean(), m.max()
m @ m, m.T, np.dot(m, m) | a[0], a[1:], m[0], m[0, 1], a[-1], a[a > 1], m[:, None].shape
np.arange(5), np.arange(0, 1, .25), np.zeros(3), np.full(3, 7), np.full(2, 7.5), np.eye(2)
a.astype(float), f.astype(int), np.array([1, 2.5]), np.array([True, False]).sum()
np.issubdtype(a.dtype, np.integer), np.issubdtype(np.float32, np.floating)
a > 1, (a > 1).sum(), np.mean(a > 1), np.argmax(a), m.argmax(axis=1), np.argsort(-a)
np.cumsum(a), np.cumsum(m), np.cumprod(a), np.cumsum(m, axis=0), np.cumsum([1, 2, 3])
np.dot([1, 2, 3], [4, 5, 6]), np.dot([1, 2], [3., 4.]), np.sum([1, 2]), np.mean([1, 2])
np.concatenate([[1, 2], [3]]), np.stack([[1, 2], [3, 4]]), np.sort([3, 1, 2]), np.unique([3, 1, 1])
np.vstack([[1, 2], [3, 4]]), np.clip([1, 5, 9], 2, 6), np.repeat([1, 2], 2), np.ones_like([1, 2])
np.split(a, 3), np.array_split(a, 2), np.hsplit(m, 2) | np.gcd(12, 8), np.pad(a, 1), np.cov(f, f)
np.linalg.matrix_rank(m), np.linalg.slogdet(np.eye(2)) | [f[0]], (a[0], f[0]), list(a), {"k": a[0]}
[v for v in f], sorted(a), dict(zip("ab", a)), repr(f[0]), str(f[0]), f"{f[0]} {a} {f.mean():.2f}"
type(a), type(a[0]), type(f[0]), isinstance(f[0], float), isinstance(a, np.ndarray)
a.tolist() == [1, 2, 3], a.tolist(), f.tolist(), a.searchsorted(2), a.sum(dtype=float)
np.array([1, 2, 3], dtype=np.float32) / 3, np.asarray([1, 2]), np.outer([1, 2], [3, 4])
np.array([1e10, 1]), np.array([1e-5, 1]), np.array([np.nan, 1.]), np.arange(30), np.ones((2, 2, 2))
"""
LISTS = """
import math
y = [1, 2, 3]
x = [1., 2.]
n = 10
n += 1
"""
PYTHON = r"""
x, y, len(y), sum(y), y[0], y + [4], y * 2, [0] + y, y == [1, 2, 3], [1, 2] != y | n, n / 2, n * 2.0
[y, x], (y, "a"), {"k": y}, [[1, 2], [3, 4]], [v * v for v in y], [[0] * 2 for _ in range(2)]
int(), float(), bool(), str(), list(), tuple(), int("12"), float("1.5"), math.floor(2.5), 7 // 2
"\u00e9 \x41 \101 \U0001F600", "one \
two", f"\u2713 {n}", r"\d", '\'' | sum([[1], [2]], []), max(y), min(x), max(1, 2.5)
"""


def ours(program: str) -> str:
    printed = evaluate(parse_program(Source("cell", program), ParseLimits()), {}).printed
    return "\n".join(printed) + "\n"


def pythons(program: str) -> str:
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        exec(compile(program, "cell", "exec"), {})
    return written.getvalue()


def lines(text: str) -> list[str]:
    whole = text.strip().replace("\\\n", "\0").splitlines()
    return [part.replace("\0", "\\\n") for line in whole for part in line.split(" | ")]


@pytest.mark.parametrize("line", lines(NUMBERS))
@pytest.mark.parametrize("first", ["", "import torch"])
def test_arrays(first: str, line: str) -> None:
    program = f"{ARRAYS}print({line})\n"
    assert ours(first + program) == pythons(program)


@pytest.mark.parametrize("line", lines(PYTHON))
def test_lists_and_strings(line: str) -> None:
    program = f"{LISTS}print({line})\n"
    assert ours(program) == pythons(program)


def test_an_escape_that_means_nothing_stays() -> None:
    assert ours(r"print('a\q \d \ b')") == "a\\q \\d \\ b\n"  # Python does so with a warning


ADDED = """
from collections import defaultdict
class V:
    def __init__(self, d): self.d = d
    def __add__(self, o): return V(self.d + (o.d if isinstance(o, V) else o))
    def __radd__(self, o): return self + o
    def __repr__(self): return f"V({self.d})"
print(sum([V(1), V(2)]), sum((V(i) for i in range(3)), V(1)))
count = defaultdict(int)
count["a"] += 1
print(count["a"], 1_000, 5_000 / 2, [1_0] * 2)
pairs = [("b", 2), ("a", 3)]
pairs.sort(key=lambda each: each[1], reverse=True)
y = [3, 1, 2]
y.sort()
print(pairs, y)
from typing import NamedTuple
class P(NamedTuple):
    x: float
    y: int = 2
p = P(1.5)
a, b = p
print(p, p.x, a, b, len(p), P(1.0, y=3), p[0])
"""


def test_classes_and_lists() -> None:
    assert ours(ADDED) == pythons(ADDED)


def test_numbers_of_float32_have_its_digits() -> None:
    program = parse_program(Source("cell", "import torch\nprint(0.1, [0.25, 1e-5])"), ParseLimits())
    result = evaluate(program, {}, options=Options(precision="float32"))
    assert list(result.printed) == ["0.1 [0.25, 1e-05]"]
    (note,) = [each.message for each in result.notes if each.code == "dtype"]
    assert note.startswith("numbers of Python and NumPy are float32 here")


TENSORS = """
import numpy as np
import torch
t = torch.tensor([1., 3., 2.])
print(torch.version.cuda, np.argmax(t), t.numpy().argmax(), np.exp(t) > 3, [t[0].numpy()])
def kind(x, dtype=torch.int8): return dtype in [torch.int8, torch.int16]
print(kind(t), kind(t, dtype=torch.int16), kind(t, dtype=torch.float32))
"""


def test_tensors_beside_arrays() -> None:
    """By PyTorch 2.13 and NumPy 2."""
    assert ours(TENSORS) == (
        "None tensor(1) 1 tensor([False,  True,  True]) [array(1., dtype=float32)]\n"
        "True True False\n"
    )


MIXED = """
import numpy as np
print(np.multiply([0.5, 0.25], [2, 3]), np.add((2, 3), (0.5, 0.25)), np.maximum([1, 2], [0, 3]))
print(np.where([True, False], [1, 2], [0.5, 0.25]), np.power([2, 3], [2.0, 1.5]))
losses, counts = zip(*[(0.5, 2), (0.25, 3)])
print(np.sum(np.multiply(losses, counts)) / np.sum(counts))
"""


def test_numbers_with_fractions_in_lists_are_not_cut_off() -> None:
    """By NumPy 2."""
    assert ours(MIXED) == (
        "[1.   0.75] [2.5  3.25] [1 3]\n[1.   0.25] [4.         5.19615242]\n0.35\n"
    )


MEMBERS = """
class A:
    def __init__(self):
        self.x, self.y = 1, "b"
class Linear: pass
print(vars(A()), type(Linear()), "a.b.c".rpartition("."), "a".partition("."))
t = (1, 2, 2)
print(t.count(2), t.index(2), [1, 1, 3].count(1), [3, 1].index(1))
import numpy as np
draws = np.random.RandomState(3)
print(draws.rand(2), draws.randint(0, 9, size=3), draws.permutation(4))
"""


def test_members_and_methods() -> None:
    assert ours(MEMBERS) == pythons(MEMBERS.replace("class", "__name__ = '__main__'\nclass", 1))


CLASSES = """
import torch
from torch import nn
import torch.nn.functional as F
layer = getattr(nn, "Linear")(2, 1)
print(type(layer), nn.ReLU, torch.optim.Adam, type(torch.optim.SGD(layer.parameters(), lr=0.1)))
print(getattr(F, "relu")(torch.tensor([-1.0, 2.0])), getattr(nn, "Missing", None))
print(getattr(layer, "in_features"), torch.arange(end=3), torch.arange(end=4, start=2))
"""


def test_members_of_modules() -> None:
    """By PyTorch 2.13."""
    assert ours(CLASSES) == (
        "<class 'torch.nn.modules.linear.Linear'> <class 'torch.nn.modules.activation.ReLU'> "
        "<class 'torch.optim.adam.Adam'> <class 'torch.optim.sgd.SGD'>\n"
        "tensor([0., 2.]) None\n2 tensor([0, 1, 2]) tensor([2, 3])\n"
    )


def test_floats_are_shown_as_float32_holds_them() -> None:
    """PyTorch 2.13: exp(4) is 54.59814834594727 in float32, and prints as 54.5981."""
    cell = """
import torch
v = torch.tensor([4., 1., 2.])
print(v.exp(), torch.tensor([123456.789]), torch.tensor([1e39, 1e-46]))
print(torch.tensor([[4., 1.], [2., 3.]]).det(), torch.tensor([123456.789], dtype=torch.float64))
print(v.float_power(2))
"""
    assert ours(cell).splitlines() == [
        "tensor([54.5981,  2.7183,  7.3891]) tensor([123456.7891]) tensor([inf, 0.])",
        "tensor(10.) tensor([123456.7890], dtype=torch.float64)",
        "tensor([16.,  1.,  4.], dtype=torch.float64)",
    ]


def test_classes_of_numpys_numbers() -> None:
    """NumPy 2: its floats of 64 bits are Python's, its integers are not."""
    cell = """
import numpy as np
a = np.array([3., 1.]); b = np.array([[1, 2], [3, 4]])
print(isinstance(a[0], float), isinstance(a[0], np.floating), isinstance(a[0], np.number))
print(isinstance(b[0, 0], int), isinstance(b[0, 0], (int, np.integer)), isinstance(1, np.integer))
print(isinstance(a, np.ndarray), isinstance([1], np.ndarray), isinstance((a > 1)[0], np.bool_))
print(np.finfo(float).eps, np.finfo(a.dtype).eps, np.iinfo(np.int32).max)
"""
    assert ours(cell).splitlines() == [
        "True True True", "False True False", "True False True",
        "2.220446049250313e-16 2.220446049250313e-16 2147483647",
    ]  # fmt: skip


def test_lists_of_integers_next_to_arrays_of_integers() -> None:
    cell = """
import numpy as np
b = np.array([[1, 2], [3, 4]])
x = [1, 1]
print(b @ [1, 1], b.dot([1, 1]), [1, 1] @ b, b @ x, np.array([1, 2]).dot([3, 4]))
print((b * x).tolist(), (x * b).tolist(), (x + b).tolist(), b @ [1., 1])
"""
    assert ours(cell).splitlines() == [
        "[3 7] [3 7] [4 6] [3 7] 11",
        "[[1, 2], [3, 4]] [[1, 2], [3, 4]] [[2, 3], [4, 5]] [3. 7.]",
    ]


def test_columns_and_rows_in_brackets() -> None:
    cell = """
import numpy as np
a = np.array([1, 2, 3])
print(np.c_[np.ones((2, 1)), np.array([[5.], [6.]])].tolist(), np.c_[a, a * 2.5].tolist())
print(np.c_[a, a].tolist(), np.r_[a, 4], np.r_[0.5, a])
try:
    np.r_['r', 0:5]
except Exception as error:
    print(error)
"""
    assert ours(cell).splitlines() == [
        "[[1.0, 5.0], [1.0, 6.0]] [[1.0, 2.5], [2.0, 5.0], [3.0, 7.5]]",
        "[[1, 1], [2, 2], [3, 3]] [1 2 3 4] [0.5 1.  2.  3. ]",
        "np.r_ joins arrays and numbers here",
    ]


def test_dtypes_in_tuples_have_no_quotes() -> None:
    cell = """
import torch
x = torch.tensor([1])
half = torch.float16
print((torch.get_default_dtype(), torch.result_type(x, 1.5), torch.promote_types(x.dtype, half)))
"""
    assert ours(cell) == "(torch.float32, torch.float32, torch.float16)\n"
