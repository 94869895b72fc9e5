"""Cells of Python's own: gradcli prints what Python prints when it runs them here."""

from __future__ import annotations

import re

import pytest

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
"""
_TITLED = re.split(r"^### (.+)\n", CELLS, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize(
    "cell",
    [pytest.param(text, id=title) for title, text in zip(_TITLED[::2], _TITLED[1::2], strict=True)],
)
def test_a_cell(cell: str) -> None:
    assert ours(cell) == pythons(cell)
