"""Powers and roots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.graph import Array, Node, Op
from gradcli.ops.comparison import eq, logical_and
from gradcli.ops.group import FROM_0, Group
from gradcli.ops.kinds import NUMBERS, cast
from gradcli.ops.promotion import filling
from gradcli.ops.selection import abs_, where
from gradcli.ops.table import Case, Function, everywhere, kernel
from gradcli.tuples import NamedTuple

table = Group("powers")


def _power_by_base(y: Node, a: Node, b: Node) -> Node:
    """b·a^(b-1), and 0 for b = 0 even where a^(b-1) is infinite."""
    known = None if b.shape else y.graph.look(b)
    if known is not None:
        exponent = float(known)
        if exponent == 0:
            return y.graph.constant(0.0)
        if exponent == 1:
            return y.graph.constant(1.0)
        if exponent == 0.5:
            return 0.5 / y
        return b * a if exponent == 2 else b * a ** (exponent - 1)
    return where(eq(b, 0.0), 0.0, b * a ** (b - 1))


def _power_by_exponent(y: Node, a: Node, b: Node) -> Node:
    """a^b·log(a), and 0 where a is 0 and b is not negative (as 0^b is constant there)."""
    from gradcli.ops.exponential import log  # a known exponent needs none

    return where(logical_and(eq(a, 0.0), b >= 0), 0.0, y * log(a))


def _whole_power(op: Op, base: Node, exponent: Node) -> Node:
    """Integers to integer powers; a fraction becomes 0."""
    power = base.graph.apply(op, (base, abs_(exponent)))
    power, nothing = filling(power, base.graph.constant(0.0))
    return where(logical_and(exponent < 0, abs_(base) > 1), nothing, power)


class PowerProduct(NamedTuple):
    """A power as a product, which is many times faster and as exact; that of -2 within 2 ulp."""

    kernel: Callable[..., Any]
    """`(x, out=None)` in NumPy."""
    cuda: str = ""
    parts: Callable[[Node], Node] | None = None
    """The same in nodes, some of which the gradient shares."""


def _cube(x: Array, out: Array | None = None) -> Array:
    square = np.multiply(x, x, out=out)
    return np.multiply(square, x, out=_array(square))


def _fourth(x: Array, out: Array | None = None) -> Array:
    square = np.multiply(x, x, out=out)
    return np.multiply(square, square, out=_array(square))


def _inverse_square(x: Array, out: Array | None = None) -> Array:
    inverse = np.reciprocal(x, out=out)
    return np.multiply(inverse, inverse, out=_array(inverse))


def _array(value: Any) -> Array | None:
    """Where the next product may be written: into an array; a single number is not one."""
    return value if isinstance(value, np.ndarray) else None


PRODUCTS = {
    -2.0: PowerProduct(_inverse_square),
    -1.0: PowerProduct(np.reciprocal),
    2.0: PowerProduct(np.square, "{0} * {0}"),
    3.0: PowerProduct(_cube, "{0} * {0} * {0}", lambda x: x**2.0 * x),
    4.0: PowerProduct(_fourth, "({0} * {0}) * ({0} * {0})", lambda x: (square := x**2.0) * square),
}
"""By exponent."""


def _product(exponent: Node) -> PowerProduct | None:
    known = None if exponent.shape else exponent.graph.look(exponent)
    return None if known is None else PRODUCTS.get(float(known))


def _kernel(node: Node) -> Callable[..., Any] | None:
    product = _product(node.inputs[1])
    return None if product is None else product.kernel


def _cuda(node: Node) -> str:
    product = _product(node.inputs[1])
    return (product and product.cuda) or "pow({0}, {1})"


def _cost(node: Node) -> int:
    product = _product(node.inputs[1])
    return 2 if product and product.cuda else 40


def _parts(base: Node, exponent: Node) -> Node | None:
    product = _product(exponent)
    return None if product is None or product.parts is None else product.parts(base)


def _power_cells(node: Node, base: Array, exponent: Array) -> Array:
    """The cells: 0^0 is 1 here, and an error there."""
    from gradcli.ops.cells import formed  # only sheets ask for it

    known = node.inputs[1].known
    never = known is not None and bool(np.all(known != 0))
    return formed("{0}^{1}" if never else "IF({1}=0,1,{0}^{1})", node, (base, exponent))


def _is_polynomial(node: Node) -> bool:
    """Whether the exponent is known, and not negative and whole."""
    known = node.inputs[1].known
    return known is not None and bool(np.all((known >= 0) & (known == np.floor(known))))


pow_: Function = table.elementwise(
    "pow",
    "`base` to the power `exponent`.",
    (_power_by_base, _power_by_exponent),
    forward="power",
    operands="base exponent",
    takes_numbers=("base", "exponent"),
    aliases=("power",),
    takes=NUMBERS,
    whole=_whole_power,
    infix="**",
    by_number=_kernel,
    cost=_cost,
    parts=_parts,
    exact=lambda node: _product(node.inputs[1]) is not None,
    cuda=_cuda,
    latex="{0}^{{{1}}}",
    edge=lambda xp, a, b: xp.where((b >= 0) & (b == xp.floor(b)), math.inf, a),
    edgeless=_is_polynomial,
    domain=(0.3, 2.0),
    elsewhere={"torch": "0, 0 (at 0**0)", "jax": "nan, 0 (at 0**0)", "numpy": "0, 0 (at 0**0)"},
    kink="at base 0: 0 for exponent 0; by the exponent 0 where it is not negative",
    textbook=("n*x**(n - 1)", "y*log(x)"),
    misremembered=[
        ("n*x**n", "x**(n + 1)/(n + 1), the integral", "n*x**(n - 2)"),
        ("n*x**(n - 1)", "x**n"),
    ],
    cell=_power_cells,
    overloaded=True,
)


@table.function(
    takes_numbers=("base", "exponent"),
    cases=[
        Case("float_power(x, 1.5)", domain=(0.3, 2.0)),
        Case("float_power(x > 0, y > 0)", {"x": (3,), "y": (3,)}, smooth=False),
    ],
    formula="base ** exponent",
    numpy="np.float_power",
    torch="torch.float_power",
    overloaded=True,
    order="kept",
)
def float_power(base: Node, exponent: Node) -> Node:
    """`base` to the power `exponent`, which is a float even of integers."""
    return pow_(cast(base, "float"), exponent)


@table.derivative(
    takes=NUMBERS,
    cuda="{0} * {0}",
    latex="{0}^2",
    formula="x ** 2",
    cost=1,
    exact=True,
    confused=("sqrt",),
    cell="{0}*{0}",
)
def square(y: Node, x: Node) -> Node:
    """x * x."""
    return 2 * x


@table.derivative(
    latex=r"\sqrt{{{0}}}",
    formula="x ** 0.5",
    **FROM_0,
    elsewhere=everywhere("inf"),
    cost=4,
    exact=True,
    misremembered=[("1/(2*x)", "1/y", "y/2", "-1/(2*y)", "x/2")],
    confused=("square", "rsqrt"),
    cell="SQRT({0})",
)
def sqrt(y: Node, x: Node) -> Node:
    """Square root; nan below 0."""
    return 1 / (2 * y)


@table.derivative(
    lambda xp, x: 1 / xp.sqrt(x),
    cuda="1 / sqrt({0})",
    latex=r"\frac{{1}}{{\sqrt{{{0}}}}}",
    formula="1 / sqrt(x)",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    torch="torch.rsqrt",
    confused=("sqrt",),
    cell="1/SQRT({0})",
)
def rsqrt(y: Node, x: Node) -> Node:
    """1 / sqrt(x)."""
    return -y / (2 * x)


@table.derivative(
    cuda="1 / {0}",
    latex=r"\frac{{1}}{{{0}}}",
    formula="1 / x",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    exact=True,
    misremembered=[("log(x)", "-1/x", "1/x**2")],
    cell="1/{0}",
)
def reciprocal(y: Node, x: Node) -> Node:
    """1 / x."""
    return -y * y


hypot = table.elementwise(
    "hypot",
    "sqrt(a**2 + b**2) without overflow.",
    (
        lambda y, a, b: where(eq(y, 0.0), 0.0, a / y),
        lambda y, a, b: where(eq(y, 0.0), 0.0, b / y),
    ),
    operands="a b",
    latex=r"\sqrt{{{0}^2 + {1}^2}}",
    formula="sqrt(a**2 + b**2)",
    edge=lambda xp, a, b: xp.hypot(a, b),
    domain=(0.2, 2.0),
    elsewhere={"torch": "nan, nan", "jax": "0.5, 0.5"},
    kink="0, 0 at the origin (the subgradient of least norm); PyTorch gives nan",
    cell="SQRT({0}*{0}+{1}*{1})",
    demands={"a, b": kernel("hypot_cpu")},
)
