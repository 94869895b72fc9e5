"""Cells of Python's own: gradcli prints what Python prints when it runs them here."""

from __future__ import annotations

import pytest

from tests.cells.cells import titled
from tests.cells.test_python_lines import ours, pythons

CELLS = r"""
### match
import math
class P:
    __match_args__ = ("x", "y")
    x: int
    y: int
    def __init__(self, x, y): self.x, self.y = x, y
def f(v):
    match v:
        case 0: return "zero"
        case 1 | 2:
            return "one or two"
        case {"op": "add", "args": [a, b]}: return a + b
        case {"op": op}: return op
        case P(0, y=y): return f"P0 {y}"
        case P(): return "P"
        case n if isinstance(n, int) and n == 100: return "hundred"
        case int() | float(): return "number"
        case str(s): return "s" + s
        case None: return "none"
        case math.pi: return "pi"
        case (1, (2, z)) as w: return f"{z} {w}"
        case [first, *rest]: return f"{first} {rest}"
        case _: return "other"
print(f(0), f(2), f({"op": "add", "args": [1, 2], "k": 1}), f({"op": "mul"}), f({}))
print(f(P(0, 3)), f(P(1, 3)), f(3), f(100), f("a"), f(None), f((1, (2, 7))), f([]), f([4, 5, 6]))
match = [1, 2]
case = lambda x: x
print(match[0], case(3))
match[0] = 7
match case(2), match:
    case (2, [x, y]):
        match x:
            case 7: print("inner", x, y)
    case _: print("none")
print("after")
### walrus
import math
data = [3, 1, 4]
if (n := len(data)) > 2: print(n)
while (last := data.pop()) != 3: print(last)
print([y for x in range(4) if (y := x * 2) > 2], y)
total = 0
print([total := total + v for v in range(4)], total)
def f():
    return (a := 3) + a
print(f(), f"{(q := 3)} {q:=5}")
### yield
import math
def inner(): yield from [1, 2]
def outer():
    yield 0
    yield from inner()
    yield
print(list(outer()))
### parameters
import math
def f(a, /, b, *, c=3): return a + b + c
print(f(1, 2), f(1, b=2, c=4))
### patterns
import re
print(re.findall(r"\w+", "the cat, sat"))
print(re.sub(r"[^a-z ]", "", "he!!o w0rld"))
print(re.split(r"\s+", "a b   c"))
m = re.match(r"(\w+)=(\d+)", "lr=10")
print(m.group(1), m.group(2), m.groups())
print(re.search("x", "abc"))
pattern = re.compile(r"\d+")
print(pattern.findall("a1b22c333"))
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"))
### texts of patterns
import re
text = "Hello, World! This is a test."
tokens = re.findall(r"\w+|[^\w\s]", text.lower())
print(tokens)
print(re.sub('[^A-Za-z]+', ' ', text).strip().lower())
print(re.sub(r'\d', lambda m: str(int(m.group()) + 1), "a1b2"))
print([l for l in re.split('([,.:;?_!"()\']|--|\\s)', text) if l.strip()])
### paths
import os
print(os.path.join("data", "x.csv"))
print(os.environ.get("NOTHING_HERE", "default"))
print(os.path.basename("a/b.txt"), os.path.dirname("a/b.txt"), os.path.splitext("a/b.txt"))
os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"
### json
import json
d = {"lr": 0.1, "layers": [1, 2], "name": "net", "ok": True, "no": None}
s = json.dumps(d)
print(s)
e = json.loads(s)
print(e["layers"], e)
print(json.dumps(d, indent=2))
print(json.dumps(d, sort_keys=True))
### enum
from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
print(Color.RED, Color.RED.name, Color.RED.value)
print(Color.RED == Color.RED, Color.RED is Color.GREEN)
for c in Color:
    print(c.name)
print(Color(2), Color["RED"])
print([c.value for c in Color], len(Color))
print(repr(Color.RED))
### enum auto
from enum import Enum, auto, IntEnum
class A(Enum):
    X = auto()
    Y = auto()
print(A.X.value, A.Y.value)
class B(IntEnum):
    P = 1
    Q = 2
print(B.P + 1, B.Q > B.P, int(B.Q))
d = {A.X: 3}
print(d[A.X])
### itertools
import itertools
print(list(itertools.chain([1], [2, 3])), list(itertools.chain.from_iterable([[1], [2, 3]])))
print(list(itertools.accumulate([1, 2, 3])))
print(list(itertools.islice(range(10), 3)), list(itertools.islice(itertools.count(2), 3)))
print(list(itertools.repeat(1, 3)))
print(list(itertools.zip_longest([1, 2], [3])))
print(list(itertools.combinations([1,2,3], 2)))
print(list(itertools.product([0, 1], repeat=2)))
print(list(itertools.permutations([1, 2, 3]))[:2])
print(list(itertools.starmap(pow, [(2, 3), (3, 2)])))
print(list(itertools.takewhile(lambda x: x < 3, [1, 2, 3, 1])))
print([(k, list(g)) for k, g in itertools.groupby([1, 1, 2])])
print(list(itertools.pairwise([1, 2, 3])))
### endless iterators
from itertools import cycle, count
it = cycle([1, 2])
print(next(it), next(it), next(it))
for i, c in zip(range(3), cycle("ab")): print(i, c)
c = count()
print(next(c), next(c))
### collections
from collections import Counter, defaultdict, OrderedDict, deque, namedtuple, ChainMap
c = Counter("hello")
print(c.most_common(2), c["l"], c["z"])
c.update("ll")
print(c)
print(sum(c.values()))
d = deque(maxlen=3)
for i in range(5): d.append(i)
print(d, list(d), d[0], d[-1])
d.appendleft(9); d.rotate(1); print(d)
P = namedtuple("P", ["x", "y"])
p = P(1, 2)
print(p, p.x, p._asdict(), p._replace(x=5))
dd = defaultdict(lambda: 0)
dd["a"] += 1
print(dict(dd))
o = OrderedDict([("a", 1), ("b", 2)])
o.move_to_end("a")
print(list(o.items()))
### counters
from collections import defaultdict, Counter
dd = defaultdict(list)
dd["a"].append(1)
print(dd)
print(Counter([1, 1, 2]) + Counter([1]))
w = sorted(Counter("abracadabra").items(), key=lambda kv: (-kv[1], kv[0]))
print(w)
### typing
from typing import List, Dict, Optional, Tuple, Callable, Union, Any
from typing import NamedTuple, Iterable, Sequence, TypeVar
T = TypeVar("T")
Vec = List[float]
def f(x: Optional[List[int]] = None, g: Callable[[float], float] = None) -> Dict[str, Any]:
    return {"x": x}
print(f([1]))
class P(NamedTuple):
    x: int
    y: float = 2.0
print(P(1), P(1, 3.0).y)
n: int = 3
m: "list[int]" = []
print(n, m)
### dataclasses
from dataclasses import dataclass, field, asdict, replace
from typing import List
@dataclass
class C:
    a: int
    b: float = 2.0
    c: List[int] = field(default_factory=list)
    def __post_init__(self):
        self.d = self.a + 1
x = C(1)
print(x, x.d, asdict(x), replace(x, a=5))
print(C(1) == C(1))
@dataclass(order=True)
class O:
    k: int
print(O(1) < O(2), sorted([O(3), O(1)]))
### copies
import copy
a = [[1], 2]
b = copy.copy(a); c = copy.deepcopy(a)
a[0].append(5)
print(b, c)
### strings
import string
print(string.ascii_lowercase, string.digits, string.punctuation[:5], string.ascii_letters[:3])
print("hi!".translate(str.maketrans("", "", string.punctuation)))
### own order
import math
class V:
    def __init__(self, x): self.x = x
    def __lt__(self, o): return self.x < o.x
    def __eq__(self, o): return self.x == o.x
    def __repr__(self): return f"V({self.x})"
vs = [V(3), V(1), V(2)]
print(sorted(vs), min(vs), sorted(vs, reverse=True))
vs.sort()
print(vs, V(1) in vs, vs.index(V(2)))
### own extremes
import math
class V:
    def __init__(self, x): self.x = x
    def __gt__(self, o): return self.x > o.x
    def __repr__(self): return f"V({self.x})"
print(max([V(3), V(9), V(1)]), max(V(2), V(1)))
### total ordering
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, x): self.x = x
    def __lt__(self, o): return self.x < o.x
    def __eq__(self, o): return self.x == o.x
print(V(1) >= V(0), V(1) <= V(1), V(1) > V(2))
### lists in lists
import math
print([[1, 2], [3]].count([3]), [1, 2, 1].count(1), [[1,2],[3]].index([3]), (1, 2, 1).count(1))
print([1,2] in [[1,2]], "abcabc".count("bc"))
xs = [[1,2],[3]]; xs.remove([3]); print(xs)
### heapq
import heapq
h = []
heapq.heappush(h, 3); heapq.heappush(h, 1); heapq.heappush(h, 2)
print(heapq.heappop(h), h, heapq.nlargest(2, [1, 5, 3]))
### bisect
import bisect
print(bisect.bisect_left([1, 3, 5], 3), bisect.bisect([1,3,5], 3))
### statistics
import statistics
print(statistics.mean([1, 2, 3]), statistics.stdev([1., 2., 4.]), statistics.median([1, 3, 2]))
### operator
import operator
from operator import itemgetter, attrgetter
print(sorted([("a", 2), ("b", 1)], key=itemgetter(1)))
print(operator.add(1, 2))
### contextlib
from contextlib import contextmanager, nullcontext
@contextmanager
def tag(n):
    print("in", n)
    yield n
    print("out", n)
with tag("a") as x:
    print(x)
with nullcontext():
    print("n")
### logging
import logging
logging.basicConfig(level=logging.INFO)
logger = logging.getLogger(__name__)
logger.debug("x")
print(logging.INFO)
### namespaces
from types import SimpleNamespace
a = SimpleNamespace(lr=0.1, n=3)
print(a.lr, a)
### sys
import sys
print(sys.maxsize > 5)
sys.stdout.flush()
print("loss", 0.5, file=sys.stdout, flush=True)
print("a warning", file=sys.stderr)
sys.stderr.write("another")
print("on", end=" ")
print("aside", file=sys.stderr)
print("goes")
### fields inside of fields
x, w, p = 3.14159, 10, 2
print("{:{}}|{:>{w}.{p}f}|".format(3, 5, x, w=8, p=1))
print("{0:{1}.{2}f}|{{}}".format(x, w, p), f"{x:{w}.{p}f}|{'a':>{w}}|")
### generators
import math
def g():
    print("start")
    for i in range(3):
        print("give", i)
        yield i
    print("end")
for v in g():
    print("got", v)
it = g()
print(next(it), list(it))
def inf():
    i = 0
    while True:
        yield i
        i += 1
gen = inf()
print([next(gen) for _ in range(3)])
for k in inf():
    if k > 3: break
print(k)
print(list(zip(inf(), "abc")))
for i, v in enumerate(inf()):
    if i == 2: break
print(i, v)
def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(3)))
print(sum(x for x in g()), max(g()))
print(next(iter([]), "none"))
a, b, c = g()
print(a, b, c)
def fib(a, b):
    while 1:
        yield a
        a, b = b, a + b
print([x for x, _ in zip(fib(0, 1), range(10))])
print(type(g()).__name__)
### generators inside
import math
def outer():
    def inner():
        yield 1
    return list(inner())
print(outer())
g = (x * x for x in range(5))
print(next(g), sum(g))
### functions that remember
from functools import lru_cache, cache, partial
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(60))
calls = []
@cache
def f(x, y=1):
    calls.append(x)
    return x + y
print(f(1), f(1), f(1, y=2), f(2), calls)
@lru_cache
def g(n): return 1 if n <= 1 else n * g(n - 1)
print(g(10))
class A:
    @lru_cache(maxsize=None)
    def h(self, n): return n * 2
print(A().h(3))
f.cache_clear(); f(1); print(len(calls))
print(partial(int, base=2)("101"), int("ff", 16))
### abstract classes
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    def name(self): return type(self).__name__
class Sq(Shape):
    def __init__(self, a): self.a = a
    def area(self): return self.a ** 2
print(Sq(3).area(), Sq(2).name())
try:
    Shape()
except TypeError as e:
    print(e)
for text in ("a", "1.5"):
    try:
        int(text)
    except ValueError as e:
        print(e)
try:
    float("x")
except ValueError as e:
    print(e)
### generators that return
import math
def g():
    yield 1
    return
    yield 2
print(list(g()))
def h(n):
    if n == 0:
        return
    yield n
    yield from h(n - 1)
print(list(h(5)))
it = iter(h(3))
for v in it:
    print(v)
    break
print(list(it))
print(any(x > 1 for x in h(3)), sorted(h(3)), dict(zip("abc", h(3))), tuple(h(2)))
print(set(h(2)) == {1, 2})
print(sum(h(4)), min(h(4)), ", ".join(str(v) for v in h(3)))
x, *y = h(3); print(x, y)
print([*h(2), *h(1)])
def countdown(n):
    while n:
        got = n
        yield got
        n -= 1
print(list(map(lambda v: v * 2, countdown(3))), list(filter(lambda v: v > 1, countdown(3))))
print(list(reversed(list(countdown(3)))))
print(3 in countdown(3))
class Tree:
    def __init__(self, v, l=None, r=None): self.v, self.l, self.r = v, l, r
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
print(list(Tree(2, Tree(1), Tree(3))))
print(next(countdown(0), "end"), len(list(countdown(4))))
### generators of generators
import math
def n(k):
    yield k
    if k < 48: yield from n(k + 1)
print(sum(n(0)))
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    assert ours(cell) == pythons(cell)
