"""Activations of neural networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.error_functions import ndtr
from gradcli.ops.exponential import expm1
from gradcli.ops.group import Group
from gradcli.ops.hyperbolic import tanh
from gradcli.ops.kinds import NUMBERS, cast
from gradcli.ops.logistic import logaddexp, sigmoid
from gradcli.ops.powers import square
from gradcli.ops.promotion import filling
from gradcli.ops.selection import abs_, clamp, where
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import part, reshape
from gradcli.ops.table import Alike, Case, everywhere, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("activation")

# --- pieces of straight lines --------------------------------------------------------------

relu = table.elementwise(
    "relu",
    "x where it is positive, else 0.",
    forward=lambda xp, x: xp.maximum(x, xp.zeros((), x.dtype)),
    takes=NUMBERS,
    chain=lambda change, y, x: where(x <= 0, 0.0, change),
    cuda="{0} != {0} ? {0} : max({0}, ({T})0)",
    formula="maximum(x, 0)",
    edge=lambda xp, x: x,
    kink="0 at 0",
    elsewhere=everywhere("0", numpy="0.5 (np.maximum(x, 0))"),
    torch="torch.relu",
    jax="jax.nn.relu",
    cost=4,
    confused=("abs", "leaky_relu", "sign"),
    textbook=("(x > 0)",),
    misremembered=[("x",)],
    cell="MAX({0},0)",
)


def _between(x: Node, low: float, high: float) -> Node:
    x, least = _bound(x, low)
    x, most = _bound(x, high)
    return where(x <= least, least, where(x >= most, most, x))


def _bound(x: Node, number: float) -> tuple[Node, Node]:
    """x, and a number of x's kind; truth values count as integers."""
    return filling(cast(x, "int") if x.kind == "bool" else x, x.graph.constant(number))


@table.function(
    cases=[Case("hardtanh(x, -0.7, 0.9)")],
    formula="minimum(maximum(x, min_val), max_val)",
    elsewhere={"torch": "0", "jax": "1"},
    kink="0 at the bounds",
    order="kept",
)
def hardtanh(x: Node, min_val: float = -1.0, max_val: float = 1.0) -> Node:
    """x, cut off at `min_val` below and at `max_val` above."""
    return _between(x, min_val, max_val)


@table.function(
    cases=[Case("relu6(4 * x)")],
    formula="minimum(maximum(x, 0), 6)",
    elsewhere={"torch": "0", "jax": "0", "tensorflow": "0"},
    kink="0 at 0 and 6",
    order="kept",
)
def relu6(x: Node) -> Node:
    """x, cut off at 0 below and at 6 above."""
    return _between(x, 0.0, 6.0)


@table.function(
    cases=[Case("hardsigmoid(2 * x)")],
    formula="clamp(x + 3, 0, 6) / 6",
    elsewhere={"torch": "0", "jax": "0"},
    kink="0 at -3 and 3",
    demands={"x": kernel("hardsigmoid_cpu")},
    order="kept",
)
def hardsigmoid(x: Node) -> Node:
    """A sigmoid of three straight lines: 0 up to -3, 1 from 3 on."""
    return clamp(x + 3, x.graph.constant(0.0), x.graph.constant(6.0)) / 6


@table.function(
    cases=[Case("hardswish(2 * x)")],
    formula="x * relu6(x + 3) / 6",
    elsewhere={"torch": "0 (at -3; 1 at 3)", "jax": "0 (at -3; 1 at 3)"},
    kink="0 at -3, 1 at 3",
    demands={"x": kernel("hardswish_cpu")},
    order="kept",
)
def hardswish(x: Node) -> Node:
    """x times hardsigmoid(x): 0 up to -3, x from 3 on."""
    return where(x >= 3, x, where(x <= -3, -0.0, x * (x + 3) / 6))


@table.function(
    cases=[Case("leaky_relu(x)"), Case("leaky_relu(x, negative_slope=0.2)")],
    gradients={"x": "cotangent * where(x > 0, 1, negative_slope)"},
    formula="where(x > 0, x, negative_slope * x)",
    elsewhere={"torch": "the slope", "jax": "1", "tensorflow": "the slope"},
    kink="the slope at 0",
    confused=("relu",),
    demands={"x": kernel("leaky_relu_cpu")},
    order="kept",
)
def leaky_relu(x: Node, negative_slope: float = 0.01) -> Node:
    """x where it is positive, else a small slope times x."""
    return where(x > 0, x, negative_slope * x)


@table.function(
    cases=[Case("prelu(x, w)", {"x": (2, 3), "w": (1,)})],
    formula="where(x > 0, x, weight * x)",
    elsewhere={"torch": "the weight"},
    kink="the weight at 0",
    demands={
        "x, weight": Alike("prelu: Type promoting not supported. Got {Type} and {Other}"),
        "x": kernel("prelu_cpu"),
    },
    autocast="lower",
)
def prelu(x: Node, weight: Node) -> Node:
    """leaky_relu with a slope that is learnt: one, or one for each channel (axis 1)."""
    around = () if weight.size == 1 else (-1, *(1 for _ in x.shape[2:]))
    return where(x > 0, x, reshape(weight, around) * x)


@table.function(
    cases=[Case("threshold(x, 0.1, 2)")],
    formula="where(x > threshold, x, value)",
    elsewhere={"torch": "0"},
    kink="0 at the threshold",
    order="kept",
)
def threshold(x: Node, threshold: float, value: float) -> Node:
    """x where it is above `threshold`, else `value`."""
    x, least = _bound(x, threshold)
    x, other = _bound(x, value)
    return where(x <= least, other, x)


@table.function(
    cases=[Case("hardshrink(x)")],
    formula="where(abs(x) > lambd, x, 0)",
    elsewhere={"torch": "0"},
    kink="0 at -lambd and lambd",
    demands={"x": kernel("hardshrink_cpu")},
    order="kept",
)
def hardshrink(x: Node, lambd: float = 0.5) -> Node:
    """x, and 0 from -lambd to lambd."""
    return where(abs_(x) <= lambd, 0.0, x)


@table.function(
    cases=[Case("softshrink(x)")],
    formula="where(x > lambd, x - lambd, where(x < -lambd, x + lambd, 0))",
    elsewhere={"torch": "0"},
    kink="0 at -lambd and lambd",
    demands={"x": kernel("softshrink_check")},
    order="kept",
)
def softshrink(x: Node, lambd: float = 0.5) -> Node:
    """x moved towards 0 by `lambd`, and 0 within that distance."""
    return where(abs_(x) <= lambd, 0.0, where(x > 0, x - lambd, x + lambd))


# --- exponential ---------------------------------------------------------------------------


@table.function(
    cases=[Case("elu(x)"), Case("elu(x, alpha=0.5)")],
    gradients={"x": "cotangent * where(x > 0, 1, alpha * exp(x))"},
    formula="where(x > 0, x, alpha * expm1(x))",
    elsewhere={"torch": "alpha", "jax": "alpha", "tensorflow": "1"},
    kink="alpha at 0",
    confused=("relu",),
    demands={"x": kernel("elu_cpu")},
    order="kept",
)
def elu(x: Node, alpha: float = 1.0) -> Node:
    """x where it is positive, else alpha * (exp(x) - 1)."""
    curved = expm1(x)
    return where(x > 0, x, curved if alpha == 1 else alpha * curved)


@table.function(
    cases=[Case("selu(x)")],
    formula="1.0507… * elu(x, 1.6733…)",
    elsewhere={"torch": "1.7581", "jax": "1.7581", "tensorflow": "1.0507"},
    kink="1.7581 at 0",
    demands={"x": kernel("elu_cpu")},
    order="kept",
)
def selu(x: Node) -> Node:
    """elu with the two factors that keep mean 0 and variance 1 (Klambauer et al. 2017)."""
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


@table.function(
    cases=[Case("celu(x)"), Case("celu(x, alpha=0.5)")],
    gradients={"x": "cotangent * where(x > 0, 1, exp(x / alpha))"},
    formula="where(x > 0, x, alpha * expm1(x / alpha))",
    elsewhere={"torch": "1", "jax": "1"},
    kink="1 at 0",
    demands={"x": kernel("elu_cpu")},
    order="kept",
)
def celu(x: Node, alpha: float = 1.0) -> Node:
    """elu with a derivative that is continuous for every alpha."""
    return where(x > 0, x, alpha * expm1(x / alpha))


@table.function(
    aliases=("swish",),
    cases=[Case("silu(x)")],
    gradients={"x": "cotangent * (sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)))"},
    formula="x * sigmoid(x)",
    confused=("sigmoid", "gelu"),
    demands={"x": kernel("silu_cpu")},
    order="kept",
)
def silu(x: Node) -> Node:
    """x * sigmoid(x)."""
    return x * sigmoid(x)


@table.function(
    cases=[Case("glu(x)", {"x": (2, 4)}), Case("glu(x, dim=0)", {"x": (2, 3)})],
    formula="a * sigmoid(b), the halves of x",
    demands={"x": kernel("glu_cpu")},
)
def glu(x: Node, dim: int = -1) -> Node:
    """The first half of x along `dim`, times the sigmoid of the second (Dauphin et al. 2017)."""
    axis = normalize_axis("glu", dim, x.ndim)
    if not x.ndim or x.shape[axis] % 2:
        raise GradcliError(
            "shape", f"glu halves an axis of even length; dim {dim} of {show(x.shape)} is not even"
        )
    half = x.shape[axis] // 2
    return part(x, axis, 0, half) * sigmoid(part(x, axis, half, half))


@table.function(
    cases=[Case("mish(x)")],
    formula="x * tanh(softplus(x))",
    demands={"x": kernel("mish_cpu")},
    order="kept",
)
def mish(x: Node) -> Node:
    """x * tanh(log(1 + exp(x)))."""
    return x * tanh(logaddexp(x, 0.0))


@table.function(
    cases=[Case("gelu(x)"), Case("gelu(x, approximate='tanh')")],
    formula="x * ndtr(x)",
    unlike={"jax.nn.gelu": "gelu(x, approximate='tanh')"},
    confused=("silu", "relu"),
    demands={"x": kernel("GeluKernelImpl")},
    order="kept",
)
def gelu(x: Node, approximate: str = "none") -> Node:
    """x * ndtr(x); 'tanh' takes 0.5 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))) for ndtr."""
    if approximate == "none":
        return x * ndtr(x)
    if approximate != "tanh":
        raise GradcliError("value", f"gelu: approximate is 'none' or 'tanh', not {approximate!r}")
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x * sigmoid(2 * inner)  # (1 + tanh(u)) / 2 without cancellation


@table.derivative(
    lambda xp, x: x / (1 + xp.abs(x)),
    cuda="{0} / (1 + abs({0}))",
    latex=r"\frac{{{0}}}{{1 + |{0}|}}",
    formula="x / (1 + abs(x))",
    torch="torch.nn.functional.softsign",
    cell="{0}/(1+ABS({0}))",
)
def softsign(y: Node, x: Node) -> Node:
    """x / (1 + abs(x))."""
    return square(1 / (1 + abs_(x)))  # the square itself overflows far from 0


TANHSHRINK: Sequence[Any] = [2 * k / math.factorial(2 * k + 1) for k in range(1, 11)]
"""The power series of x * cosh(x) - sinh(x), by the powers of x**2 behind x**3."""


def _tanhshrink(xp: ArrayNamespace, x: Array) -> Array:
    """x - tanh(x); near 0, where digits cancel, as (x·cosh(x) - sinh(x)) / cosh(x)."""
    small = xp.where(xp.abs(x) < 1, x, xp.zeros((), x.dtype))
    series = reduce(lambda rest, factor: factor + small * small * rest, reversed(TANHSHRINK))
    near = small * small * small * series / xp.cosh(small)
    return xp.where(small == x, near, x - xp.tanh(x))


@table.derivative(
    _tanhshrink,
    cuda="{T} s = {0} * {0}; return abs({0}) < 1 ? {0} * s * ("
    + reduce("({{T}}){1} + s * ({0})".format, TANHSHRINK[::-1], "0")
    + ") / cosh({0}) : {0} - tanh({0});",
    latex=r"{0} - \tanh {0}",
    formula="x - tanh(x)",
    torch="torch.nn.functional.tanhshrink",
    cell="{0}-TANH({0})",
    arrays=4.2,
)
def tanhshrink(y: Node, x: Node) -> Node:
    """x - tanh(x)."""
    return square(tanh(x))  # 1 - 1/cosh(x)**2 has no digits near 0
