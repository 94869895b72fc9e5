"""Trigonometric functions and their inverses."""

from __future__ import annotations

import math

from gradcli.graph import Node
from gradcli.ops.comparison import eq
from gradcli.ops.group import WITHIN_1, Group
from gradcli.ops.powers import hypot, sqrt
from gradcli.ops.selection import where
from gradcli.ops.table import Case, everywhere

table = Group("trigonometric")


@table.derivative(misremembered=[("sin(x)",)], confused=("cos", "tan"), cell="SIN({0})")
def sin(y: Node, x: Node) -> Node:
    """Sine; x in radians."""
    return cos(x)


@table.derivative(misremembered=[("cos(x)",)], confused=("sin", "tan"), cell="COS({0})")
def cos(y: Node, x: Node) -> Node:
    """Cosine; x in radians."""
    return -sin(x)


@table.derivative(
    formula="sin(x) / cos(x)",
    edge=lambda xp, x: xp.cos(x),
    domain=(-1.2, 1.2),
    textbook=("1 + y**2",),
    misremembered=[("1/cos(x)", "1 + tan(x)", "1/sin(x)**2")],
    confused=("tanh", "sin", "cos"),
    cell="TAN({0})",
)
def tan(y: Node, x: Node) -> Node:
    """Tangent; x in radians."""
    return 1 + y * y


@table.derivative(
    "arcsin",
    aliases=("arcsin",),
    latex=r"\arcsin {0}",
    **WITHIN_1,
    elsewhere=everywhere("inf"),
    misremembered=[("1/(1 - x**2)", "1/sqrt(1 + x**2)")],
    confused=("acos",),
    cell="ASIN({0})",
)
def asin(y: Node, x: Node) -> Node:
    """Inverse sine, in radians."""
    return 1 / sqrt((1 - x) * (1 + x))  # 1 - x*x: 28 ulp


@table.derivative(
    "arccos",
    aliases=("arccos",),
    latex=r"\arccos {0}",
    edge=lambda xp, x: 1 - xp.abs(x),
    domain=(-0.8, 0.8),
    elsewhere=everywhere("-inf"),
    kink="-inf at -1 and 1",
    confused=("asin",),
    cell="ACOS({0})",
)
def acos(y: Node, x: Node) -> Node:
    """Inverse cosine, in radians."""
    return -1 / sqrt((1 - x) * (1 + x))


@table.derivative(
    "arctan",
    aliases=("arctan",),
    latex=r"\arctan {0}",
    misremembered=[("1/(1 - x**2)", "1/sqrt(1 + x**2)", "1/(1 + x)")],
    confused=("tan", "tanh"),
    cell="ATAN({0})",
)
def atan(y: Node, x: Node) -> Node:
    """Inverse tangent, in radians."""
    return 1 / (1 + x * x)


def _over_square(side: Node, length: Node) -> Node:
    """side / length² without overflow; 0 where both are."""
    return where(eq(length, 0.0), 0.0, side / length / length)


atan2 = table.elementwise(
    "atan2",
    "The angle of the point (b, a), in radians.",
    (lambda y, a, b: _over_square(b, hypot(a, b)), lambda y, a, b: -_over_square(a, hypot(a, b))),
    forward="arctan2",
    operands="a b",
    textbook=("n/(x**2 + n**2)", "-x/(x**2 + n**2)"),
    aliases=("arctan2",),
    edge=lambda xp, a, b: xp.hypot(a, b) + b,
    domain=(0.3, 2.0),
    elsewhere=everywhere("nan, nan", torch="0, -0"),
    kink="0, 0 at the origin",
    cell="ATAN2({1},{0})",
)


@table.function(
    aliases=("radians",),
    cases=[Case("deg2rad(x)")],
    formula="x * (pi / 180)",
    confused=("rad2deg",),
    order="kept",
)
def deg2rad(x: Node) -> Node:
    """Degrees to radians."""
    return x * (math.pi / 180)


@table.function(
    aliases=("degrees",),
    cases=[Case("rad2deg(x)")],
    formula="x * (180 / pi)",
    confused=("deg2rad",),
    order="kept",
)
def rad2deg(x: Node) -> Node:
    """Radians to degrees."""
    return x * (180 / math.pi)
