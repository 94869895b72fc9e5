"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.group import WITHIN_1, Group
from gradcli.ops.kinds import cast
from gradcli.ops.powers import hypot, sqrt
from gradcli.ops.rounding import rint
from gradcli.ops.selection import abs_, copysign, minimum
from gradcli.ops.table import everywhere
from gradcli.ops.tabulated import looked_up

table = Group("hyperbolic")

# --- in blocks -----------------------------------------------------------------------------

FINE = 128
"""Places in a unit. What is between |x| and the next one needs few terms of a power series."""
ONE_FROM, TOO_LARGE_FROM = 20.0, 711.0
"""From where on tanh is 1, and cosh is infinite."""


def _cosh_in_blocks(x: Node) -> Node:
    """cosh(h + r) = cosh(h)·(1 + tanh(h)·tanh(r))·cosh(r), as cosh(h) and a small part of it."""
    number, rest, at_place, of_rest = _around_a_place(x)
    more, square = at_place * of_rest, rest * rest
    growth = (square * (1 / 24) + 0.5) * square  # cosh(r) - 1
    half = looked_up(number, _half_coshs)
    return (half + half * (more + growth * (1.0 + more))) * 2.0


def _tanh_in_blocks(x: Node) -> Node:
    """tanh(h + r) = tanh(h) + (1 - tanh(h)²)·tanh(r) / (1 + tanh(h)·tanh(r)): the second part is
    small, and so is what it loses by rounding.
    """
    _, _, at_place, of_rest = _around_a_place(x)
    part = (1.0 - at_place * at_place) * of_rest / (1.0 + at_place * of_rest)
    return copysign(at_place + part, x)


def _around_a_place(x: Node) -> tuple[Node, Node, Node, Node]:
    """For |x| = h + r: the number of h, r, tanh(h) and tanh(r)."""
    size = minimum(abs_(x), TOO_LARGE_FROM)
    step = rint(size * float(FINE))
    number, rest = cast(step, "int"), size - step * (1 / FINE)
    square = rest * rest
    series = ((square * (-17 / 315) + 2 / 15) * square - 1 / 3) * square
    return number, rest, looked_up(number, _tanhs), rest + rest * series


@lru_cache
def _tanhs() -> Array:
    return np.tanh(_places(ONE_FROM)).astype(float)


@lru_cache
def _half_coshs() -> Array:
    """Halves, as cosh may be infinite at a place whose neighbour x it is not at."""
    root = np.exp(_places(TOO_LARGE_FROM) / 2) / 2
    return (root * root + 1 / (root * root) / 16).astype(float)


def _places(end: float) -> Array:
    """With more digits than float64 has, on most machines: entries of tables are rounded once."""
    return np.arange(int(end) * FINE + 1, dtype=np.longdouble) / FINE


# --- the functions ----------------------------------------------------------------------------


@table.derivative(
    formula="(exp(x) - exp(-x)) / 2",
    cost=4,
    confused=("cosh", "sin"),
    cell="SINH({0})",
)
def sinh(y: Node, x: Node) -> Node:
    """Hyperbolic sine."""
    return cosh(x)


@table.derivative(
    in_blocks=_cosh_in_blocks,
    formula="(exp(x) + exp(-x)) / 2",
    cost=4,
    confused=("sinh", "cos"),
    cell="COSH({0})",
)
def cosh(y: Node, x: Node) -> Node:
    """Hyperbolic cosine."""
    return sinh(x)


@table.derivative(
    in_blocks=_tanh_in_blocks,
    formula="sinh(x) / cosh(x)",
    cost=4,
    textbook=("1 - y**2",),
    misremembered=[("1 - y", "1 + y**2", "y**2", "1 - x**2", "y*(1 - y)")],
    confused=("sigmoid", "tan"),
    cell="TANH({0})",
)
def tanh(y: Node, x: Node) -> Node:
    """Hyperbolic tangent."""
    size = cosh(x)
    return 1 / size / size  # its square overflows; 1 - y*y: 120 ulp between 1 and 3


@table.derivative(
    "arcsinh", aliases=("arcsinh",), latex=r"\mathrm{{arsinh}} {0}", cell="ASINH({0})"
)
def asinh(y: Node, x: Node) -> Node:
    """Inverse hyperbolic sine."""
    return 1 / hypot(x, 1.0)


@table.derivative(
    "arccosh",
    aliases=("arccosh",),
    latex=r"\mathrm{{arcosh}} {0}",
    edge=lambda xp, x: x - 1,
    domain=(1.3, 3.0),
    elsewhere=everywhere("inf"),
    kink="inf at 1",
    cell="ACOSH({0})",
)
def acosh(y: Node, x: Node) -> Node:
    """Inverse hyperbolic cosine; nan below 1."""
    return 1 / (sqrt(x - 1) * sqrt(x + 1))


@table.derivative(
    "arctanh",
    aliases=("arctanh",),
    latex=r"\mathrm{{artanh}} {0}",
    **WITHIN_1,
    elsewhere=everywhere("inf"),
    cell="ATANH({0})",
)
def atanh(y: Node, x: Node) -> Node:
    """Inverse hyperbolic tangent."""
    return 1 / ((1 - x) * (1 + x))
