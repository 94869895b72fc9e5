"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from gradcli.graph import Node
from gradcli.ops.group import WITHIN_1, Group
from gradcli.ops.powers import hypot, sqrt
from gradcli.ops.table import everywhere

table = Group("hyperbolic")


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
    formula="(exp(x) + exp(-x)) / 2",
    cost=4,
    confused=("sinh", "cos"),
    cell="COSH({0})",
)
def cosh(y: Node, x: Node) -> Node:
    """Hyperbolic cosine."""
    return sinh(x)


@table.derivative(
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
    beyond_domain=True,
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
