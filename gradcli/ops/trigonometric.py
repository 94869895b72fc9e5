"""Trigonometric functions and their inverses."""

from __future__ import annotations

import math

from gradcli.graph import Node
from gradcli.ops.comparison import eq
from gradcli.ops.elementwise import elementwise
from gradcli.ops.powers import hypot, sqrt
from gradcli.ops.selection import where
from gradcli.ops.table import Case, Function, function

sin = elementwise(
    "sin",
    "Sine; x in radians.",
    "sin",
    lambda y, x: cos(x),
    group="trigonometric",
    cuda="sin({0})",
    latex=r"\sin {0}",
    formula="sin(x)",
)
cos: Function = elementwise(
    "cos",
    "Cosine; x in radians.",
    "cos",
    lambda y, x: -sin(x),
    group="trigonometric",
    cuda="cos({0})",
    latex=r"\cos {0}",
    formula="cos(x)",
)
tan = elementwise(
    "tan",
    "Tangent; x in radians.",
    "tan",
    lambda y, x: 1 + y * y,
    group="trigonometric",
    cuda="tan({0})",
    latex=r"\tan {0}",
    formula="sin(x) / cos(x)",
    edge=lambda xp, x: xp.cos(x),
    domain=(-1.2, 1.2),
)
asin = elementwise(
    "asin",
    "Inverse sine, in radians.",
    "arcsin",
    lambda y, x: 1 / sqrt((1 - x) * (1 + x)),  # 1 - x*x: 28 ulp
    group="trigonometric",
    aliases=("arcsin",),
    cuda="asin({0})",
    latex=r"\arcsin {0}",
    formula="asin(x)",
    edge=lambda xp, x: 1 - xp.abs(x),
    domain=(-0.8, 0.8),
    kink="inf at -1 and 1",
)
acos = elementwise(
    "acos",
    "Inverse cosine, in radians.",
    "arccos",
    lambda y, x: -1 / sqrt((1 - x) * (1 + x)),
    group="trigonometric",
    aliases=("arccos",),
    cuda="acos({0})",
    latex=r"\arccos {0}",
    formula="acos(x)",
    edge=lambda xp, x: 1 - xp.abs(x),
    domain=(-0.8, 0.8),
    kink="-inf at -1 and 1",
)
atan = elementwise(
    "atan",
    "Inverse tangent, in radians.",
    "arctan",
    lambda y, x: 1 / (1 + x * x),
    group="trigonometric",
    aliases=("arctan",),
    cuda="atan({0})",
    latex=r"\arctan {0}",
    formula="atan(x)",
)


def _over_square(side: Node, length: Node) -> Node:
    """side / length² without overflow; 0 where both are."""
    return where(eq(length, 0.0), 0.0, side / length / length)


atan2 = elementwise(
    "atan2",
    "The angle of the point (b, a), in radians.",
    "arctan2",
    (lambda y, a, b: _over_square(b, hypot(a, b)), lambda y, a, b: -_over_square(a, hypot(a, b))),
    operands="a b",
    group="trigonometric",
    aliases=("arctan2",),
    cuda="atan2({0}, {1})",
    latex=r"\mathrm{{atan2}}({0}, {1})",
    formula="atan2(a, b)",
    edge=lambda xp, a, b: xp.hypot(a, b) + b,
    domain=(0.3, 2.0),
    kink="0, 0 at the origin",
)


@function(
    "deg2rad",
    "trigonometric",
    aliases=("radians",),
    cases=[Case("deg2rad(x)")],
    formula="x * (pi / 180)",
)
def deg2rad(x: Node) -> Node:
    """Degrees to radians."""
    return x * (math.pi / 180)


@function(
    "rad2deg",
    "trigonometric",
    aliases=("degrees",),
    cases=[Case("rad2deg(x)")],
    formula="x * (180 / pi)",
)
def rad2deg(x: Node) -> Node:
    """Radians to degrees."""
    return x * (180 / math.pi)
