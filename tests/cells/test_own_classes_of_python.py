"""Classes of the program and of Python: gradcli prints what Python prints when it runs the same."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import titled
from tests.cells.test_python_lines import ours, pythons

CELLS = r"""
### truth is what the class says
class A:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
class B:
    def __bool__(self): return False
print(bool(A(0)), bool(A(2)), bool(B()), 'y' if A(0) else 'n', not A(0), A(0) or 3)
if not B(): print('falsy')
while A(0): print('never'); break
### the right side is asked too
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == (o.n if isinstance(o, V) else o)
    def __lt__(self, o): return self.n < (o.n if isinstance(o, V) else o)
    def __gt__(self, o): return self.n > (o.n if isinstance(o, V) else o)
print(3 == V(3), V(3) == 3, 3 != V(3), 2 < V(3), [3] == [V(3)], 3 in [V(3)], (1, 2) == V(1))
print('a' == V('a'), V(1) != V(1))
### classes made from Python's
class L(list):
    def second(self): return self[1]
    def append(self, x):
        super().append(x * 2)
l = L([1, 2, 3]); l.append(4)
print(l, l.second(), len(l), l[0], l[1:], 3 in l, sum(l), sorted(l, reverse=True), l + [1])
print(l == [1, 2, 3, 8], [1] + l, isinstance(l, list), type(l).__name__, bool(L()), list(l))
print(max(l), [*l])
for x in l: print(x, end=' ')
l[0] = 9; del l[1]; l.sort()
print(l, l.index(8), l.pop(), l)
class Stack(list):
    def push(self, x): self.append(x)
    def peek(self): return self[-1] if self else None
    def __repr__(self): return f'Stack({list(self)})'
s = Stack(); s.push(1); s.push(2); print(s, s.peek(), s.pop(), s, [s])
class D(dict):
    def __missing__(self, key): return key * 2
    def __getitem__(self, k): return super().__getitem__(k)
d = D(a='x')
print(d['a'], d['q'], d, len(d), list(d), d.get('z'), 'a' in d, isinstance(d, dict), {**d})
print(dict(d))
d['b'] = 1; d.update(c=2); print(d.keys(), d.items())
for k, v in d.items(): print(k, v)
class AttrDict(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
a = AttrDict(lr=1); a.n = 3; print(a.lr, a['n'], a.zz, a)
class AD2(dict):
    def __getattr__(self, k):
        try: return self[k]
        except KeyError: raise AttributeError(k)
    def __setattr__(self, k, v): self[k] = v
b = AD2(x=1); b.y = 2; print(b.x, b.y, b, hasattr(b, 'q'))
class S(str):
    def shout(self): return self.upper() + '!'
t = S('hey')
print(t, t.shout(), len(t), t + 'x', t == 'hey', f'{t:>5}|', t[0], 'h' in t, isinstance(t, str))
print(t.replace('h', 'j'), [t])
class M(float):
    def __str__(self): return f'{float(self):.1f} m'
    def km(self): return M(self / 1000)
m = M(1500)
print(m, m.km(), m + 1, m * 2, isinstance(m, float), m > 1000, int(m), round(m), abs(m), -m)
class T(tuple):
    def __new__(cls, x, y): return super().__new__(cls, (x, y))
    @property
    def x(self): return self[0]
p = T(1, 2)
print(p, p.x, p[1], len(p), p == (1, 2), hash(p) == hash((1, 2)), p + (3,))
x, y = p; print(x, y)
from collections import namedtuple, OrderedDict, defaultdict
from typing import NamedTuple
class P(namedtuple('P', 'x y')):
    __slots__ = ()
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __add__(self, o): return P(self.x + o.x, self.y + o.y)
q = P(3, 4)
print(q, q.norm(), q + q, q._replace(x=1), q._asdict(), q[0], *q, q == (3, 4))
print(isinstance(q, tuple), P._fields)
class Q(NamedTuple):
    x: float
    y: float = 2.
    def dist(self): return self.x + self.y
    @property
    def s(self): return self.x * self.y
    @classmethod
    def origin(cls): return cls(0, 0)
print(Q(1.), Q(1., 3.).dist(), Q(2., 4.).s, Q.origin(), Q(1, 2) < Q(1, 3))
### objects made by __new__
class Single:
    _inst = None
    count = 0
    def __new__(cls, *args, **kw):
        if cls._inst is None:
            cls._inst = super().__new__(cls)
        return cls._inst
    def __init__(self, v=0):
        self.v = v
        Single.count += 1
print(Single(1) is Single(2), Single.count, Single._inst.v)
class A:
    opt = None
    def __new__(cls, k):
        o = object.__new__(cls); o.k = k * 2
        return o
print(A(4).k, A(1).opt, A.opt, hasattr(A, 'opt'), hasattr(A, 'zz'))
class I(int):
    def __new__(cls, v): return super().__new__(cls, v % 7)
print(I(10), I(10) + 1, isinstance(I(3), int))
class E1(Exception):
    def __init__(self, code, msg='bad'):
        super().__init__(msg); self.code = code
    def __str__(self): return f'[{self.code}] {self.args[0]}'
try: raise E1(4)
except E1 as e: print(e, e.code, repr(e), isinstance(e, Exception), e.args)
class Animal:
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw); Animal.registry[cls.__name__] = cls
class Dog(Animal): pass
print(list(Animal.registry))
### str and repr
class A:
    def __str__(self): return 'S'
    def __repr__(self): return 'R'
class B:
    def __str__(self): return 'S'
class C:
    def __repr__(self): return 'R'
a, b, c = A(), B(), C()
print(a, repr(a), str(a), f'{a} {a!r} {a!s}', [a], (a,), {'k': a}, '%s %r' % (a, a))
print('{} {!r}'.format(a, a))
print(b, str(b), f'{b}', c, repr(c), f'{c} {c!r}', [c], '{!r}'.format(c), '%s' % c)
print('%r %s' % ('a', 'a'), '%r' % 2.0, '%5s|%-5r|' % ('a', 1))
class Base:
    def __init_subclass__(cls, **kw): print('made', cls.__name__)
class K(Base): pass
### methods of Python's classes as functions
print(sorted(['b', 'A'], key=str.lower), list(map(str.upper, ['a'])))
print(list(map(str.strip, [' a '])))
print(dict.get({'a': 1}, 'a'), list.index([3, 4], 4), str.join('-', ['a', 'b']))
### numbers are of one class
print(isinstance(2, float), isinstance(2., int), isinstance(2., float), isinstance(True, int))
print(isinstance(2, (int, float)), isinstance(2, bool), isinstance(2.0 * 1, int))
print(isinstance(4 / 2, int))
print(isinstance(7 // 2, float), isinstance(len([1]), float), isinstance((1, 2), tuple))
### attributes that are found elsewhere
class P:
    def __init__(self, m): self._m = m
    def __getattr__(self, n): return getattr(self._m, n)
p = P([3, 1])
p.append(2)
print(p._m, p.count(1), hasattr(p, 'pop'), hasattr(p, 'zz'), getattr(p, 'zz', 'none'))
class N:
    opt = None
print(N.opt, N().opt, hasattr(N, 'opt'))
### classes are of the class type
class A: pass
class B(A):
    def m(self): pass
def f(x): return x
print(type(A), type(f), type(int), type(type), type(A) is type, type(A()) is A)
print(isinstance(A, type), isinstance(int, type), isinstance(f, type), isinstance(A(), type))
print(type(lambda: 0) is type(f), type(B().m), type(B.m), callable(A))
### what a property gives is called
from functools import cached_property
class S:
    def __init__(self): self.k = 3
    @property
    def times(self): return lambda x: x * self.k
    @cached_property
    def once(self):
        print('made')
        return lambda x: x + 1
    @property
    def kind(self): return dict
s = S()
print(s.times(2), s.once(1), s.once(2), s.kind(a=1))
s.k = 4
print(s.times(2))
### an object makes another one of its class
class M:
    def __init__(self, v=1): self.v = v
    def next(self): return self.__class__(self.v + 1)
    def first(self): return type(self)()
class K(M): pass
m = K(3)
print(m.next().v, m.first().v, m.__class__().v, m.next().__class__.__name__)
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    assert ours("import math\n" + cell) == pythons(cell)


def test_a_class_of_classes_is_refused() -> None:
    with pytest.raises(GradcliError) as caught:
        ours("class Meta(type): pass")
    assert "a class of classes is outside the language" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("import inspect\ninspect.signature(len)", "f.__name__"),
        ("import unittest\nclass T(unittest.TestCase): pass", "write the checks themselves"),
        ("import ast\nast.parse('1')", "programs are read"),
        ("import torch\nglobals()['x'] = 3", "the assignment itself"),
        ("import traceback\ntraceback.format_exc()", "except RuntimeError as error"),
        ("help(3)", "gradcli ops NAME"),
        ("import torch\ntorch.fx.symbolic_trace(3)", "gradcli graph"),
    ],
)
def test_what_is_outside_has_a_hint(cell: str, hint: str) -> None:
    with pytest.raises(GradcliError) as caught:
        ours(cell)
    assert hint in str(caught.value.diagnostic.hint)
