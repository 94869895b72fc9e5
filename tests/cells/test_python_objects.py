"""Objects, errors, dates and paths of Python: gradcli prints what Python prints of them."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import titled
from tests.cells.test_python_lines import ours, pythons

CELLS = r"""
### defaults are those of the definition
import math
print([f(2) for f in [lambda x, i=i: x * i for i in range(3)]])
n = 1
def f(x, k=n, acc=[]):
    acc.append(x)
    return k, acc
n = 2
print(f(1), f(2), f(3, 4))
### the nearest function has the name
import math
f = {"a": math.sqrt}["a"]
for f in (math.exp, math.floor): print(f(1))
def pipeline(*fs):
    def run(x):
        for f in fs: x = f(x)
        return x
    return run
print(pipeline(math.floor, lambda x: x + 1, math.sqrt)(3.5))
### dictionaries and errors
import math
d = {"a": 1}
print(d | {"b": 2}, d)
d |= {"c": 3}
print(d, not d, not {})
try: raise NotImplementedError
except NotImplementedError as e: print(repr(e), [e], str(e) == "")
try: raise ValueError("no")
except ValueError as e: print(repr(e), f"{e!r}", e)
### generators that are sent values
import math
def mean():
    total = n = 0
    value = None
    while True:
        x = yield value
        total += x; n += 1
        value = total / n
g = mean(); next(g)
print(g.send(10), g.send(20), g.send(3.5))
def closing():
    try:
        yield 1
        yield 2
    finally: print("closed")
c = closing(); print(next(c)); c.close(); print(list(c))
def inner():
    got = yield 1
    print("got", got)
    return 5
def outer():
    value = yield from inner()
    a, b = yield value, 2
    print(a + b)
o = outer()
print(next(o), next(o))
try: o.send((3, 4))
except StopIteration: print("end")
### properties
import math
class A:
    def __init__(self): self._x = 1
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v):
        if v < 0: raise ValueError("negative")
        self._x = v
    @x.deleter
    def x(self): self._x = None
    def get(self): return 7
    y = property(get)
class B(A):
    @property
    def z(self): return self.x + self.y
a = B()
a.x = 5
print(a.x, a.y, a.z)
a.x += 1
setattr(a, "x", a.x * 2)
try: a.x = -1
except ValueError as e: print(e)
try: a.z = 2
except AttributeError as e: print(e)
del a.x
print(a.x)
### errors of its own
import math
class NoFit(Exception):
    def __init__(self, code, said="bad"):
        super().__init__(said)
        self.code = code
class Worse(NoFit): pass
class Plain(ValueError): pass
try: raise Worse(3)
except NoFit as e: print(e, e.code, type(e).__name__, e.args, isinstance(e, NoFit))
try: raise Plain
except ValueError as e: print(repr(str(e)), isinstance(e, ValueError), isinstance(e, KeyError))
try:
    try: int("a")
    except ValueError as e: raise RuntimeError("wrapped") from e
except RuntimeError as e: print(e)
try:
    try: raise KeyError("k")
    except LookupError as e: raise e
except KeyError as e: print("again")
for E in (Plain, NoFit):
    try: raise E("x")
    except (Plain, NoFit) as e: print(E.__name__, e)
def f():
    try: return 1
    finally: print("f")
print(f())
it = iter([1])
next(it)
try: next(it)
except StopIteration: print("stop")
### keys
import math
from dataclasses import dataclass
class P:
    __slots__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __hash__(self): return hash((self.x, self.y))
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __getattr__(self, name): return "no " + name
print({P(1, 2): "a"}[P(1, 2)], len({P(1, 2), P(1, 2), P(2, 1)}), P(1, 2).foo)
@dataclass(frozen=True)
class Q:
    x: int
    y: float = 2.5
print({Q(1): 3}[Q(1)], Q(1) == Q(1), len({Q(1), Q(2), Q(1)}))
try: Q(1).x = 3
except Exception as e: print(type(e).__name__, e)
print(hash(3), hash(2.0) == hash(2), hash((1, 2)) == hash((1, 2)), hash("a") == hash("a"))
s = frozenset([1, 2, 2])
print(len(s), {s: 1}[frozenset([2, 1])], 1 in s)
### keys of one hash that are not equal
import math
class P:
    def __init__(self, x): self.x = x
    def __hash__(self): return 0
    def __eq__(self, o): return self.x == o.x
d = {P(1): "a", P(2): "b"}
print(len(d), d[P(2)], P(3) in d, len({P(1), P(1), P(3), (P(1), 2), (P(2), 2)}))
class Q:
    def __hash__(self): return 7
q = Q()
print(len({Q(), q, q}))
### attributes found by functions that look for others
import math
class A:
    def __getattr__(self, n):
        return getattr(self, "p")
    @property
    def p(self): return 4
    def f(self, n): return getattr(self, n)
def g(a):
    yield getattr(a, "zz")
    x = [getattr(a, n) for n in ("p", "q")]
    yield x
a = A()
print(a.x, getattr(a, "y"), a.f("z"), getattr(a, "w", 0), [getattr(a, "v")], list(g(a)))
### texts of numbers
import math
print(bin(5), hex(255), oct(8), bin(-3))
print(format(3.14159, ".2f"), format(5, "04d"), "%x %o %X %s" % (255, 8, 171, 1.5))
### slices
import math
s = slice(1, 3)
print([1, 2, 3, 4][s], "abcd"[slice(None, 2)], s)
### docstrings and wraps
import functools
def f(x):
    "Adds."
    return x
class A:
    '''Doc of A.'''
    def g(self): "dg"
def timed(g):
    @functools.wraps(g)
    def inner(*args): return g(*args)
    return inner
print(f.__doc__, A.__doc__, A.g.__doc__, A().__doc__, timed(f).__name__, timed(f).__doc__)
print(A.__mro__[0].__name__, (lambda: 0).__doc__, [n for n in dir(A()) if n[0] != "_"])
### kinds
import math
print(isinstance(True, int), isinstance(True, float), isinstance(None, type(None)))
print(isinstance(3, object), isinstance([], (dict, type([]))), object() == object())
### dates
import time
from datetime import datetime, date, timedelta
import datetime as dt
d = timedelta(seconds=3661)
a = datetime(2024, 1, 2, 3, 4, 5)
print(d, repr(d), d.total_seconds(), d * 2, d / 2, d.days, str(timedelta(days=1, hours=2)))
print(a, [a], a.isoformat(), f"{a:%Y-%m-%d %H:%M}", a.strftime("%j"), a + d, a - a, a < a + d)
print(a.date(), a.year, a.weekday(), date(2024, 3, 1) - date(2024, 2, 28))
print(datetime.strptime("2024-05-06", "%Y-%m-%d"), dt.datetime.fromisoformat("2024-05-06"))
print(time.strftime("%H:%M:%S", time.gmtime(3661)), time.ctime(0)[:3], max(a, a + d))
print({date(2024, 1, 1): 1}[date(2024, 1, 1)], sorted([a + d, a])[0], a == a, a != a + d)
try: datetime(2024, 13, 1)
except ValueError as e: print(e)
try: datetime.strptime("x", "%Y")
except ValueError as e: print(e)
### paths
import os
from pathlib import Path
root = Path("data")
p = root / "train" / "x.pt"
print(p, [p], f"{p}", p.name, p.stem, p.suffix, p.parent, p.parts, p.with_suffix(".bin"))
print(Path("a", "b") == Path("a/b"), "x" / Path("y"), root.joinpath("z"), p.relative_to(root))
print(os.path.join("c", "m.pt"), os.path.splitext("m.pt"), os.path.join(root, "q"), str(p)[:4])
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    assert ours(cell) == pythons(cell)


def test_each_run_begins_at_one_date() -> None:
    cell = "from datetime import datetime\nprint(datetime.now().date(), datetime.now().year)"
    assert ours(cell) == "2026-01-01 2026\n"


def test_no_file_is_looked_at() -> None:
    cell = "import os\nfrom pathlib import Path\np = Path('/')\np.mkdir(exist_ok=True)\n"
    assert ours(cell + "print(p.exists(), os.path.exists('/'))") == "False False\n"


@pytest.mark.parametrize(
    ("cell", "code", "said"),
    [
        ("print(dir(3))", "type", "dir is for objects"),
        ("print({frozenset([[1, 2], 3]): 1})", "type", "a list cannot be a key"),
        ("class A:\n    @property\n    def x(self): return 1\nA().x = 2", "name", "has no setter"),
        ("raise 3", "type", "exceptions must derive from BaseException"),
        ("class A(list): pass\na = A()\na.append(a)", "value", "cannot hold itself"),
        ("class A(dict): pass\na = A()\na['a'] = [a]", "value", "cannot hold itself"),
        ("from collections import deque\nd = deque()\nx = [d]\nd.append(x)", "value",
         "cannot hold itself"),
        ("from types import SimpleNamespace\nn = SimpleNamespace()\nn.n = [n]\nprint(n)",
         "limit-depth", "too deep"),
        ("from types import SimpleNamespace as N\nn=1\nfor i in range(2000): n = N(a=n)\nprint(n)",
         "limit-depth", "too deep"),
        ("object.__new__(int)", "type", "the object that it is for"),
        ("class A: pass\nraise A()", "type", "must derive from BaseException"),
        ("from pathlib import Path\nPath('a').open()", "name", "has no method 'open'"),
        (
            "class A: __new__ = 3\nclass B(A): __new__ = lambda c: super(B, c).__new__(c)\nB()",
            "name", "super() has no method '__new__'",
        ),
        ("from pathlib import Path\np = Path('a' * 999)\nwhile True: p = p / p", "limit-memory",
         "a path or date"),
        ("from datetime import timedelta\ntimedelta(days=1e9)", "value", "must have magnitude"),
        ("from datetime import timedelta\ntimedelta(days=1)/0", "value", "division by zero"),
        ("from datetime import datetime\ndatetime.fromtimestamp(1e17)", "value", "too large"),
        ("from datetime import datetime\ndatetime.strptime('1 1', '%d %d')", "value",
         "redefinition"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong(cell: str, code: str, said: str) -> None:
    with pytest.raises(GradcliError) as caught:
        ours("import math\n" + cell)
    assert caught.value.diagnostic.code == code
    assert said in caught.value.diagnostic.message


def test_errors_are_values() -> None:
    """Python 3.11."""
    cell = """
import torch
e = ValueError('bad', 1)
print(repr(e), e, repr(KeyError('k')), KeyError('k'), isinstance(e, Exception))
print(issubclass(ValueError, Exception), issubclass(KeyError, ValueError), repr(OSError()))
for each in [ValueError("a"), TypeError("b")]:
    try:
        raise each
    except (ValueError, TypeError) as caught:
        print(type(caught).__name__, caught, caught.args)
"""
    assert ours(cell).splitlines() == [
        "ValueError('bad', 1) ('bad', 1) KeyError('k') 'k' True",
        "True False OSError()", "ValueError a ('a',)", "TypeError b ('b',)",
    ]  # fmt: skip


def test_sets_of_numbers_are_in_pythons_order() -> None:
    """Python 3.11: by the hash of numbers, which is what they are."""
    cell = """
import torch
print({v % 2 for v in [3, 1, 2]}, set([5, 1, 12, 2]), [v for v in set([6, 1, 4])], {2, 1}.pop())
print(frozenset([1]), frozenset(), set(), set([17, 2, 8]), sorted({'b', 'a'}))
"""
    assert ours(cell).splitlines() == [
        "{0, 1} {1, 2, 12, 5} [1, 4, 6] 1",
        "frozenset({1}) frozenset() set() {8, 17, 2} ['a', 'b']",
    ]


def test_text_by_parts_of_values() -> None:
    cell = """
import torch, math
from collections import namedtuple
p = namedtuple('P', 'x y')(1, 2.5)
print('{a[0]} {b.x} {c[k]:.2f} {0[1]}'.format([7, 8], a=[1], b=p, c={'k': 0.125}))
print('%c%c' % ('a', 98), 'net.pt'.endswith(('.pt', '.pth')), 'a'.startswith(('b', 'c')))
print(~5, math.dist([0, 0], [3, 4]), min({'a': 1, 'b': 2.5}.values()), max(1, 0.5))
"""
    assert ours(cell).splitlines() == ["1 1 0.12 8", "ab True False", "-6 5.0 1 1"]


@pytest.mark.parametrize(
    ("made", "of"),
    [
        ("TensorDataset(torch.ones(2))", "torch.utils.data.dataset.TensorDataset"),
        ("Subset(TensorDataset(torch.ones(2)), [0])", "torch.utils.data.dataset.Subset"),
        ("DataLoader(torch.ones(2))", "torch.utils.data.dataloader.DataLoader"),
        ("torch.Generator()", "torch._C.Generator"),
    ],
)
def test_print_shows_the_class_of_an_object(made: str, of: str) -> None:
    head = "import torch\nfrom torch.utils.data import DataLoader, Subset, TensorDataset\n"
    assert ours(f"{head}print({made})").startswith(f"<{of} object at 0x")


def test_modules_keep_the_numbers_that_they_are_named_by() -> None:
    """PyTorch 2.13 prints the keys as they were given."""
    text = (
        "import torch\nfrom torch import nn\n"
        "class Row(nn.Module):\n"
        "    def __init__(self, *parts):\n"
        "        super().__init__()\n"
        "        for i, part in enumerate(parts): self._modules[i] = part\n"
        "net = Row(nn.ReLU(), nn.Tanh())\n"
        "print(net._modules.keys(), net._modules[1])\n"
    )
    assert ours(text) == "dict_keys([0, 1]) Tanh()\n"
