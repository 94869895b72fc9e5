"""Cells of course notes: gradcli prints what Python prints when it runs the same here."""

from __future__ import annotations

import pytest

from tests.cells.cells import titled
from tests.cells.test_python_lines import ours, pythons

CELLS = r"""
### a property that += changes
class Account:
    interest = 0.02
    def __init__(self, owner, balance=0):
        self.owner, self._balance = owner, balance
    @property
    def balance(self): return self._balance
    @balance.setter
    def balance(self, v):
        if v < 0: raise ValueError(f"balance cannot be negative: {v}")
        self._balance = v
    def __iadd__(self, x): self.balance += x; return self
a = Account('Ann', 10); a += 5
print(a.balance, Account.interest, a.owner.upper())
try: a.balance = -1
except ValueError as e: print('Error:', e)
### functions have attributes
def counter(start=0):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    step.reset = lambda: None
    return step
c = counter(5)
print(c(), c(2), c.__name__)
### a vector with all its methods
class Vector:
    def __init__(self, *c): self.c = list(c)
    def __add__(self, o): return Vector(*[a + b for a, b in zip(self.c, o.c)])
    def __mul__(self, k):
        if isinstance(k, (int, float)): return Vector(*[a * k for a in self.c])
        return sum(a * b for a, b in zip(self.c, k.c))
    __rmul__ = __mul__
    def __eq__(self, o): return self.c == o.c
    def __abs__(self): return sum(a * a for a in self.c) ** 0.5
    def __getitem__(self, i): return self.c[i]
    def __len__(self): return len(self.c)
    def __iter__(self): return iter(self.c)
    def __repr__(self): return f"Vector({', '.join(map(str, self.c))})"
    def __neg__(self): return self * -1
    def __bool__(self): return any(self.c)
    def __contains__(self, x): return x in self.c
v, w = Vector(3, 4), Vector(1, 2)
print(v + w, v * 2, 2 * v, v * w, abs(v), v == Vector(3, 4), v[0], len(v), list(v), -v)
print(bool(Vector(0, 0)), 3 in v, v != w, [*v], max(v))
### a block that ends by an error
class Timer:
    def __enter__(self): print('start'); return self
    def __exit__(self, et, ev, tb):
        print('end', et.__name__ if et else None)
        return et is ZeroDivisionError
with Timer() as t: 1 / 0
print('after')
try:
    with Timer(): raise KeyError('k')
except KeyError as e: print('caught', e)
### a diamond of classes
class Base:
    def __init__(self): print('Base'); self.x = 1
    def who(self): return 'base'
class A(Base):
    def __init__(self): super().__init__(); print('A')
    def who(self): return 'a+' + super().who()
class B(Base):
    def __init__(self): super().__init__(); print('B')
    def who(self): return 'b+' + super().who()
class C(A, B):
    def who(self): return 'c+' + super().who()
c = C()
print(c.who(), [k.__name__ for k in C.__mro__], isinstance(c, B), issubclass(C, A))
### objects that say how they are written
class Temp:
    def __init__(self, c): self.c = c
    def __lt__(self, o): return self.c < o.c
    def __le__(self, o): return self.c <= o.c
    def __hash__(self): return hash(self.c)
    def __eq__(self, o): return isinstance(o, Temp) and self.c == o.c
    def __format__(self, spec):
        return f'{self.c * 9 / 5 + 32:.1f}F' if spec == 'f' else f'{self.c}C'
    def __int__(self): return int(self.c)
    def __float__(self): return float(self.c)
    def __round__(self, n=0): return round(self.c, n)
ts = [Temp(30.5), Temp(10.25)]
print(f'{ts[0]:f} {ts[1]}', min(ts).c, sorted(ts)[1].c, int(ts[0]), float(ts[1]))
print(len({Temp(1), Temp(1)}), round(ts[1], 1), ts[0] > ts[1], '{:f}'.format(ts[0]))
print(format(ts[0], 'f'))
### objects that count
class Iter:
    def __init__(self, n): self.n = n
    def __iter__(self): self.i = 0; return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1
        return self.i ** 2
print(list(Iter(4)), sum(Iter(3)), [x for x in Iter(2)], dict(zip('abc', Iter(3))))
print(max(Iter(3)), 4 in Iter(3))
it = iter(Iter(2))
print(next(it), next(it), next(it, 'end'))
a, b = Iter(2); print(a, b)
### dictionaries and sets are compared
a, b = {"x": [1, 2], "y": {"z": None}}, {"y": {"z": None}, "x": [1, 2]}
print(a == b, a != b, a == {"x": 1}, [a] == [b], a in [b], {} == {}, {} == [], {1, 2} == {2, 1})
s, t = {1, 2, 3}, {3, 4}
print(s.isdisjoint({7}), s.issubset({1, 2, 3, 5}), s.issuperset({1}))
print(s.symmetric_difference(t) == s ^ t)
print(frozenset(s) == s, s == t, s != t, {1} in [{1}], [{1}].index({1}))
### keys that are not there
for bad in (lambda: {}["k"], lambda: {}[3], lambda: {1}.remove(4)):
    try: bad()
    except KeyError as e: print(e, repr(e))
try: raise KeyError("k")
except KeyError as e: print(e, repr(e))
### an error is caught by its own class alone
for bad in (lambda: int("z"), lambda: [][0], lambda: {}["k"], lambda: 1 / 0, lambda: "a" + 1):
    try: bad()
    except IndexError: print("index")
    except KeyError: print("key")
    except ZeroDivisionError: print("zero")
    except TypeError: print("type")
    except ValueError: print("value")
try: (1, 2)[0:1].append(3)
except AttributeError: print("attribute")
t = (1, 2)
try: t[0] = 5
except TypeError as e: print(e)
### errors that are raised from others
try:
    try: int("x")
    except ValueError as e: raise RuntimeError("conversion failed") from e
except RuntimeError as e: print(e, "|", type(e.__cause__).__name__)
class Own(Exception): pass
try:
    try: raise KeyError("a")
    except KeyError as e: raise Own("no") from e
except Own as e: print(e, repr(e.__cause__))
try: raise ValueError("alone")
except ValueError as e: print(e.__cause__)
### objects that say what an attribute is
class Lazy:
    def __init__(self, f): self.f = f
    def __get__(self, obj, cls=None): return self if obj is None else self.f(obj)
class Positive:
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, obj, owner=None): return getattr(obj, self.name, 0)
    def __set__(self, obj, v):
        if v < 0: raise ValueError(f'{self.name[1:]} must be positive')
        setattr(obj, self.name, v)
class T:
    age = Positive()
    @Lazy
    def v(self): return self.age * 2
t = T(); t.age = 3; print(t.age, t.v, t.__dict__)
try: t.age = -1
except ValueError as e: print(e)
class Count:
    def __init__(self, f): self.f, self.n = f, 0
    def __call__(self, *a): self.n += 1; return self.f(*a)
@Count
def g(x): return x + 1
print(g(1), g(2), g.n)
class U(T): pass
u = U(); u.age = 5; print(u.v, isinstance(T.v, Lazy))
print(isinstance({1}, dict), isinstance({1}, set), type({1}), type(frozenset([1])))
print(isinstance(frozenset(), frozenset))
### a property that is computed once
from functools import cached_property
class D:
    @cached_property
    def v(self):
        print("computed")
        return 5
d = D()
print(d.v, d.v, D().v)
### a generator is read once
g = (i * i for i in range(4))
print(sum(g), list(g), next(g, "end"))
h = (x for x in "abc")
print(next(h), list(h), [*h], sum(x for x in range(3)), max((a + 1) for a in range(3)))
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    assert ours("import math\n" + cell) == pythons(cell)
