"""Lists as they are written, deques, named tuples, parsers, arrays: gradcli prints what Python
prints of them.
"""

from __future__ import annotations

import re

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours, pythons

CELLS = r"""
### shifts and other operators on the bits of integers
import operator
n = 5
n >>= 1
n <<= 3
print(n, 1 << 3, 256 >> 2, -5 >> 1, 1 + 2 << 1, 1 << 2 & 5, 2 ** 3 >> 1, True << 2, True & False)
mask = 0
for b in [0, 2, 3]:
    mask |= 1 << b
print(mask, [i for i in range(4) if mask >> i & 1], [(i + 5) ^ 3 for i in range(3)], False | 2)
class A:
    def __lshift__(self, o): return ("l", o)
    def __rrshift__(self, o): return ("r", o)
print(A() << 3, 4 >> A(), operator.lshift(1, 4), len([1, 2]) | 4)
for f in (lambda: 1.5 << 1, lambda: 1 << -1, lambda: 1 >> 2.0, lambda: "a" << 1, lambda: 1 & 1.5):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
import numpy as np
print(np.array([1, 2]) << 2, np.array([8]) >> np.array([1]))
### errors have what they were made of
class My(Exception):
    pass
def fail(kind, *given):
    try:
        raise kind(*given)
    except Exception as e:
        print(e.args, repr(e), str(e), len(e.args))
fail(My, "x", [1, 2])
for made in (lambda: ValueError("a", 3), lambda: ValueError("only"), lambda: ValueError(),
             lambda: RuntimeError(3), lambda: KeyError("k"), lambda: KeyError(3)):
    try:
        raise made()
    except Exception as e:
        print(e.args, repr(e), str(e), len(e.args))
try:
    raise ValueError("a", 3) from KeyError("b", 1)
except ValueError as e:
    print(e.args[1], e, e.__cause__, repr(e.__cause__))
try:
    raise KeyError(3)
except KeyError as e:
    print(e, e.args)
try:
    {}["k"]
except KeyError as e:
    print(e.args, e)
### what is raised is looked at where it is no class by name
def bad(n): return ValueError("bad", n)
class E(Exception): pass
errors = [KeyError("x"), E("y")]
class H:
    def __init__(self): self.error = TypeError("held")
    def make(self): return E("made", 1)
h, kinds = H(), {"b": E}
for n in range(6):
    try:
        if n == 0: raise bad(2)
        if n == 1: raise errors[0]
        if n == 2: raise errors[1]
        if n == 3: raise h.error
        if n == 4: raise h.make()
        raise kinds["b"]("z")
    except Exception as e:
        print(type(e).__name__, e.args, repr(e))
### fields of a dataclass are shown as repr shows them
from dataclasses import dataclass, field
from enum import Enum
class Kind(Enum):
    A = 1
@dataclass
class Inner:
    s: str = "x"
@dataclass
class Outer:
    k: Kind = Kind.A
    l: list = field(default_factory=lambda: ["a", Kind.A])
    i: Inner = field(default_factory=Inner)
print(Outer(), [Outer()])
### lists that are given by name stay lists
from functools import partial
from types import SimpleNamespace
from collections import OrderedDict
print(dict(a=[1, 2], b=[0.5]), OrderedDict(a=[1, 2]))
s = SimpleNamespace(layers=[1, 2], x=[1., 2.])
print(s, s.layers[0])
def f(xs=[1, 2]): return xs
def g(*a, **k): return a, k
print(f(xs=[3, 4]), f(), g([1, 2], z=[1.]), [f][0](xs=[5]), (lambda q: q)(q=[1, 2]), [f][0]([7]))
print(partial(f, xs=[7, 8])(), partial(g, [1])(), partial(g, [1])(k=[2]), f(**{"xs": [9]}))
class C:
    def __init__(self, sizes=[1]): self.sizes = sizes
    def m(self, v): return v
    @classmethod
    def make(cls, sizes): return cls(sizes=sizes)
    @staticmethod
    def st(a): return a
print(C(sizes=[4, 5]).sizes, C().m(v=[1]), C.make(sizes=[2]).sizes, C.st(a=[3]))
### lists that are chosen or added stay lists
import math
x = [1, 2] if math.pi > 3 else [3]
print(x, x * 2, x or [5], None or [1], 0 or [2, 3], x and [4])
xs = [[3], [1, 2]]
xs += [[4, 5]]
xs += [6]
print(xs)
class C: pass
c = C(); c.rows = [[1]]; c.rows += [[2, 3]]
d = {"a": [[1]]}; d["a"] += [[2]]
print(c.rows, d)
### deques
from collections import deque
import math
d = deque([3, 1, 2], maxlen=5)
print(sum(d), sum(d) / len(d), sum(d, 10), min(d), max(d), any(d), all(d), math.prod(d))
print(sorted(d), list(d), 2 in d, 7 in d, d.count(1), d.index(2), min(d, key=lambda v: -v))
d.extendleft([7, 8]); print(d)
d.remove(7); print(d)
d.insert(1, 9); print(d)
print(d == deque([8, 9, 3, 1, 2]), d != deque([1]), deque([[1], [2]]) == deque([[1], [2]]))
rows = deque([[1, 2], [3, 4]], maxlen=2); rows.append([5, 6])
print(rows, rows[0], [a + b for a, b in rows])
### deques as rows
import numpy as np
from collections import deque
d = deque([3, 1, 2])
print(np.mean(d), np.max(d), np.sum(d), np.array(d), np.median(d))
print(np.array(deque([[1, 2], [3, 4]])))
### what can be looped over
class Bag:
    def __init__(self, xs): self.xs = xs
    def __iter__(self): return iter(self.xs)
b = Bag([3, 1, 2])
print(sum(b), max(b), min(b), sorted(b), list(b), any(b), all(b), 3 in b)
### named tuples
from collections import namedtuple
P = namedtuple("P", "x y z")
p = P(3, 1, 2)
print(p._fields, p._asdict(), p._replace(x=5), P._make([1, 2, 3]), P._fields, sum(p), max(p))
Q = namedtuple("Q", ["a", "b"], defaults=(0,))
print(Q(1), Q._field_defaults, Q(1)._asdict()["b"])
### the attributes of an object by name
class C:
    def __init__(self, **more): self.__dict__.update(more)
c = C(a=1, b=[2])
vars(c)["z"] = 5
c.__dict__["w"] = 7
print(c.a, c.b, c.z, c.w, sorted(c.__dict__), vars(c).pop("a"), hasattr(c, "a"))
### a parser of no arguments
import argparse
from argparse import ArgumentParser, Namespace
parser = argparse.ArgumentParser(description="x", formatter_class=argparse.HelpFormatter)
parser.add_argument("--batch-size", type=int, default=64, metavar="N", help="(default: 64)")
parser.add_argument("-e", "--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default="0.5")
parser.add_argument("--no-cuda", action="store_true", default=False)
parser.add_argument("--keep", action="store_false")
parser.add_argument("--opt", default="sgd", choices=["sgd", "adam"])
parser.add_argument("--hidden", nargs="+", type=int, default=[4, 8])
parser.add_argument("--name", type=str, default=None)
parser.add_argument("--sq", type=lambda s: float(s) ** 2, default=2.5)
args = parser.parse_args([])
print(args)
print(args.batch_size, args.lr * 2, args.no_cuda, args.hidden[0], args.name is None)
args.cuda = not args.no_cuda
print(vars(args)["cuda"], "lr" in args, getattr(args, "opt"), hasattr(args, "zz"))
for name, value in vars(args).items(): print(name, value)
words = "--batch-size 8 -e=2 --no-cuda --opt=adam --hidden 1 2 3 --sq 3 --lr=1e-3".split()
print(parser.parse_args(words))
known, rest = parser.parse_known_args(["--foo", "1"]); print(rest, known.epochs)
more = ArgumentParser(); more.add_argument("x", type=int)
more.add_argument("--v", action="count", default=0); more.add_argument("--a", action="append")
print(more.parse_args("3 --v --v --a q --a r".split()), Namespace(a=1, b="x"))
### arrays of float32 stay that
import numpy as np
x = np.arange(6, dtype=np.float32).reshape(2, 3)
for y in (np.asarray(x), np.array(x), np.copy(x), np.stack([x, x]), np.vstack([x, x]), np.exp(x),
          np.array([x[0], x[1]]), np.where(x > 2, x, 0), np.maximum(x, 0), np.zeros_like(x),
          np.ones_like(x), np.full_like(x, 2), np.std(x), np.var(x), np.median(x, axis=0),
          np.cumsum(x), np.diff(x), np.sort(x), np.unique(x), np.linalg.norm(x), x.mean(), x[0],
          x[0, 1], x[x > 2], x.T, np.dot(x, x.T), np.clip(x, 0, 1), np.power(x, 2)):
    print(y.dtype, end=" ")
for y in (np.linspace(0, 1, 3), np.arange(3.), np.eye(2), np.zeros(2), np.random.randn(2),
          x.astype(np.float64), np.mean(np.arange(3)), np.asarray(x, dtype=np.float64),
          x + np.ones(3), np.array([0.5]), np.concatenate([x[0], np.ones(1)]), x * np.arange(3)):
    print(y.dtype, end=" ")
print(type(x[0, 0]), type(np.mean(x)), type(np.ones(1)[0]), repr(x / 4), [x[0, 1]])
### names for values are never copied
import copy
from dataclasses import asdict, dataclass, field
from enum import Enum
class Kind(Enum):
    SGD = "sgd"
    ADAM = "adam"
@dataclass
class Config:
    kind: Kind = Kind.ADAM
    sizes: list = field(default_factory=lambda: [1])
c = Config(); d = asdict(c); e = copy.deepcopy(c)
print(c.kind.name, d, d["kind"] is Kind.ADAM, e.kind is Kind.ADAM, copy.copy(c).kind.value)
v = copy.deepcopy(vars(c)); v["sizes"].append(2); v["b"] = 3
print(c.sizes, hasattr(c, "b"), v["sizes"], isinstance(c.kind, Kind))
### sources of random numbers of their own
import random
a, b = random.Random(0), random.Random(42)
print(a.random(), a.randint(1, 6), b.choice([1, 2, 3]), a.uniform(0, 1), a.gauss(0, 1))
random.seed(1); c = random.random(); a.seed(0)
print(a.random(), c, random.Random(5).choices([1, 2], k=3), b.normalvariate(0, 1))
### asarray gives the array itself
import numpy as np
a = np.ones(3); b = np.asarray(a); b[0] = 5; c = np.array(a); c[1] = 7
print(a, b is a, c)
"""


_TITLES = re.findall(r"^### (.*)$", CELLS, re.MULTILINE)
_TEXTS = re.split(r"^### .*$", CELLS, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("text", _TEXTS, ids=_TITLES)
def test_a_cell(text: str) -> None:
    assert ours(text.strip("\n")) == pythons(text.strip("\n"))


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("p.parse_args(['--lr', 'x'])", "value", "'x' is no number"),
        ("p.parse_args(['--kind', 'c'])", "value", "invalid choice: 'c'"),
        ("p.parse_args(['--other', '1'])", "value", "unrecognized arguments: --other 1"),
        ("p.parse_args([1])", "type", "a list of strings"),
        ("p.add_argument('--a', action='help')", "value", "this action is not known here"),
        ("p.add_argument('--a', nargs=10**12)", "limit-nodes", "more than"),
        ("p.add_argument('--lr')", "value", "conflicting option"),
        ("p.add_argument(3)", "type", "takes names"),
    ],
)
def test_errors_of_parsers(text: str, code: str, said: str) -> None:
    begin = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\n"
        "p.add_argument('--kind', choices=['a', 'b'])\n"
    )
    with pytest.raises(GradcliError, match=re.escape(said)) as caught:
        ours(begin + text)
    assert caught.value.diagnostic.code == code


_OF_PYTORCH = r"""
### a ParameterDict sorts the names of a plain dictionary
p = nn.ParameterDict({'z': nn.Parameter(torch.ones(1)), 'a': torch.ones(2)})
print(list(p), [n for n, _ in p.named_parameters()], p.get('q'), 'z' in p)
p.update({'m': torch.ones(1), 'b': torch.ones(1)}); print(list(p))
print(list(nn.ParameterDict(OrderedDict([('z', torch.ones(1)), ('a', torch.ones(1))]))))
print(list(nn.ModuleDict({'z': nn.ReLU(), 'a': nn.Tanh()})))
---
['a', 'z'] ['a', 'z'] None True
['a', 'z', 'b', 'm']
['z', 'a']
['z', 'a']
### parametrisations have parameters of their own
class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(2, 3))
    def forward(self, w): return w + self.a
net = nn.Sequential(nn.Linear(3, 2))
torch.nn.utils.parametrize.register_parametrization(net[0], 'weight', P())
for n, _ in net.named_parameters(): print(n)
print(len(net.state_dict()))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 3)).sum().backward(); opt.step(); net.eval()
part = net[0].parametrizations['weight'][0]
print(part.a.tolist()[0], part.training, sum(p.numel() for p in net.parameters()))
---
0.bias
0.parametrizations.weight.original
0.parametrizations.weight.0.a
3
[0.8999999761581421, 0.8999999761581421, 0.8999999761581421] False 14
### the rows of a vmap are one walk back
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 2
print(torch.vmap(lambda v: torch.autograd.grad(y, x, v))(torch.eye(3)))
try: torch.autograd.grad(y, x, torch.ones(3))
except RuntimeError: print('freed')
---
(tensor([[2., 0., 0.],
        [0., 4., 0.],
        [0., 0., 6.]]),)
freed
### lists of targets in rows of targets
for i, [a, (b, [c])] in enumerate([[1, [2, [3]]], [4, [5, [6]]]]):
    print(i, a, b, c)
x, [y, *z] = torch.ones(()), torch.arange(3)
[[p], q] = [7], 8
print(x, y, z, p, q, [m * n for m, [n, _] in [(2, [3, 4])]])
---
0 1 2 3
1 4 5 6
tensor(1.) tensor(0) [tensor(1), tensor(2)] 7 8 [6]
### what a progress bar writes is printed
tqdm.write('a'); tqdm.write(f'{1.5}', end='!\n')
with tqdm(total=4) as bar:
    bar.update(3); bar.set_postfix(loss=1); bar.write('b'); print(bar.n, bar.total)
for i in trange(2): pass
print(i, sum(tqdm([1, 2], maxinterval=1.0, unit_divisor=1024, write_bytes=False, lock_args=None,
                  nrows=2, delay=0.1, gui=False)))
---
a
1.5!
b
3 4
1 3
### classes of tensors as dtypes
dtype = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
def f(dtype=torch.IntTensor): return torch.zeros(1).type(dtype)
print(torch.ones(2).type(dtype), f(), f(torch.DoubleTensor).dtype, dtype([1, 2]))
print(dtype)
---
tensor([1., 1.]) tensor([0], dtype=torch.int32) torch.float64 tensor([1., 2.])
<class 'torch.FloatTensor'>
### functions in place need no former values
def t(f):
    x = torch.tensor([1., -2.], requires_grad=True)
    h = x * 2
    f(h)
    h.sum().backward()
    print([round(each, 4) for each in x.grad.tolist()], h.grad_fn.name())
t(lambda h: h.relu_()); t(lambda h: F.relu_(h)); t(lambda h: F.relu(h, inplace=True))
t(lambda h: h.sigmoid_()); t(lambda h: h.sin_()); t(lambda h: h.pow_(2)); t(lambda h: h.abs_())
t(lambda h: h.clamp_(0, 1)); t(lambda h: F.silu(h, inplace=True)); t(lambda h: h.erf_())
def u(f):
    w = torch.tensor([1., -2.], requires_grad=True)
    f(w).sum().backward()
    print(w.grad)
def product(w): h = torch.ones(2) * 4; h *= w; h *= w; return h
u(product)
try: u(lambda w: (w * 1).exp().mul_(2).add_(w))
except RuntimeError as e: print(str(e)[:35])
w = torch.tensor([1., -2.], requires_grad=True)
print((w * 2).sigmoid_(), (w + 1).mul_(2).sub_(1))
print((w.detach() * 2).exp_(), (-w).abs_())
print((w ** 2).clamp_(max=2.), (w if w[0] > 3 else w * 2).add_(1))
---
[2.0, 0.0] ReluBackward0
[2.0, 0.0] ReluBackward0
[2.0, 0.0] ReluBackward0
[0.21, 0.0353] SigmoidBackward0
[-0.8323, -1.3073] SinBackward0
[8.0, -16.0] PowBackward0
[2.0, -2.0] AbsBackward0
[0.0, 0.0] ClampBackward1
[2.1816, -0.1053] SiluBackward0
[0.0413, 0.0] ErfBackward0
tensor([  8., -16.])
one of the variables needed for gra
tensor([0.8808, 0.0180], grad_fn=<SigmoidBackward0>) tensor([ 3., -3.], grad_fn=<SubBackward0>)
tensor([7.3891, 0.0183]) tensor([1., 2.], grad_fn=<AbsBackward0>)
tensor([1., 2.], grad_fn=<ClampBackward1>) tensor([ 3., -3.], grad_fn=<AddBackward0>)
### a gradient that is not there yet
a = torch.ones(2, requires_grad=True)
for f in [lambda: a.grad.zero_(), lambda: a.grad.data, lambda: a.grad.norm(), lambda: a.grad[0],
          lambda: torch.sum(a.grad), lambda: a.grad_fn.next_functions]:
    try: f()
    except (AttributeError, TypeError) as e: print(type(e).__name__, e)
---
AttributeError 'NoneType' object has no attribute 'zero_'
AttributeError 'NoneType' object has no attribute 'data'
AttributeError 'NoneType' object has no attribute 'norm'
TypeError 'NoneType' object is not subscriptable
TypeError sum(): argument 'input' (position 1) must be Tensor, not NoneType
AttributeError 'NoneType' object has no attribute 'next_functions'
### an optimiser of nothing
try: torch.optim.Adam([])
except ValueError as e: print(e)
---
optimizer got an empty parameter list
### asarray is in the memory of the tensor
t = torch.zeros(2); n = np.asarray(t); n[0] = 3; m = np.array(t); m[1] = 5
print(t, n.dtype, m.dtype, np.array(t.int()).dtype, np.asarray(t.double()).dtype)
---
tensor([3., 0.]) float32 float32 int32 float64
### dtypes and devices that a dataclass has
from dataclasses import dataclass
@dataclass
class C:
    dtype: torch.dtype = torch.float32
    device: torch.device = torch.device("cpu")
print(C())
---
C(dtype=torch.float32, device=device(type='cpu'))
### tensors of deques and named tuples
print(torch.tensor(deque([3, 1])), torch.tensor(namedtuple('P', 'x y')(1, 2)))
print(sum(deque([torch.tensor(1.), torch.tensor(2.)])), torch.tensor(deque([1., 2])))
---
tensor([3, 1]) tensor([1, 2])
tensor(3.) tensor([1., 2.])
"""
"""Cells, and what PyTorch 2.13 prints."""
_IMPORTS = (
    "import numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    "import torch.nn.utils.parametrize\n"
    "from collections import OrderedDict, deque, namedtuple\nfrom tqdm import tqdm, trange\n"
)


_ANSWERED = re.findall(r"### (.*)\n([^#]*)---\n([^#]*)\n(?=#|$)", _OF_PYTORCH)


@pytest.mark.parametrize(
    ("text", "printed"),
    [each[1:] for each in _ANSWERED],
    ids=[each[0] for each in _ANSWERED],
)
def test_a_cell_of_pytorch(text: str, printed: str) -> None:
    assert ours(_IMPORTS + text) == f"{printed}\n"
