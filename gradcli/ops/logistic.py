"""The logistic function and its integrals: sigmoid, softplus, logaddexp."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.ops.comparison import logical_and
from gradcli.ops.exponential import exp, exp2, log1p
from gradcli.ops.group import Group
from gradcli.ops.selection import abs_, fmin, maximum, minimum, where
from gradcli.ops.table import Case, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("logistic")


ONE_FROM = 50.0
"""Where a sigmoid is 1 in all precisions, and exp does not overflow."""
NOTHING_FROM = 1e5
"""Where exp(-x) is 0 in all precisions."""


def _sigmoid(xp: ArrayNamespace, x: Array) -> Array:
    """exp(x) / (1 + exp(x)), which keeps the digits on both sides of 0."""
    power: Array = xp.exp(xp.minimum(x, ONE_FROM))
    found: Array = power / (1 + power)
    return found


def _sigmoid_in_blocks(x: Node) -> Node:
    power = exp(minimum(x, ONE_FROM))
    return power / (1 + power)


@table.derivative(
    _sigmoid,
    in_blocks=_sigmoid_in_blocks,
    aliases=("expit",),
    cuda="({0} >= 0 ? 1 : exp(-abs({0}))) / (1 + exp(-abs({0})))",
    latex=r"\sigma({0})",
    formula="1 / (1 + exp(-x))",
    torch="torch.sigmoid",
    jax="jax.nn.sigmoid",
    textbook=("y*(1 - y)",),
    misremembered=[("y*(1 + y)", "1 - y", "1 - y**2", "x*(1 - x)", "y**2*(1 - y)")],
    confused=("tanh", "softmax", "logsigmoid"),
    cell="IF({0}<0,EXP({0})/(1+EXP({0})),1/(1+EXP(-{0})))",
)
def sigmoid(y: Node, x: Node) -> Node:
    """1 / (1 + exp(-x))."""
    return y * sigmoid(-x)  # y * (1 - y): 2 900 ulp for large x


def _logit(xp: ArrayNamespace, x: Array) -> Array:
    """log(x / (1 - x)); near ½, where it loses all digits, as 2·atanh(2x - 1)."""
    near = xp.abs(x - 0.5) < 0.25
    return xp.where(near, 2 * xp.arctanh(2 * x - 1), xp.log(x / (1 - x)))


LOGIT = table.elementwise(
    "log_odds",
    "log(x / (1 - x)); nan outside 0 to 1.",
    lambda y, x: where(logical_and(x >= 0, x <= 1), 1 / (x * (1 - x)), math.nan),
    forward=_logit,
    cuda="abs({0} - ({T})0.5) < ({T})0.25 ? 2 * atanh(2 * {0} - 1) : log({0} / (1 - {0}))",
    latex=r"\mathrm{{logit}}({0})",
    formula="log(x / (1 - x))",
    edge=lambda xp, x: x * (1 - x),
    domain=(0.1, 0.9),
    kink="inf at 0 and 1",
    torch="torch.logit",
    cell="LN({0}/(1-{0}))",
)


@table.function(
    cases=[
        Case("logit(x)", domain=(0.1, 0.9)),
        Case("logit(x, eps=0.3)", domain=(0.0, 1.0)),
    ],
    formula="log(x / (1 - x))",
    kink="inf at 0 and 1; with `eps` 0 where x is cut off",
    elsewhere={"torch": "inf", "jax": "inf"},
    order="kept",
)
def logit(x: Node, eps: float | None = None) -> Node:
    """The inverse of sigmoid; `eps` cuts x off at eps and 1 - eps."""
    if eps is not None:
        x = where(x < eps, eps, where(x > 1 - eps, 1 - eps, x))
    return LOGIT(x)


def _logaddexp(xp: ArrayNamespace, a: Array, b: Array) -> Array:
    """NumPy's own takes one element at a time. `fmin` leaves the nan of inf - inf out."""
    apart = xp.fmin(xp.abs(a - b), NOTHING_FROM)
    larger: Array = xp.maximum(a, b)
    return larger + xp.log1p(xp.exp(-apart))


def _logaddexp_in_blocks(a: Node, b: Node) -> Node:
    return maximum(a, b) + log1p(exp(-fmin(abs_(a - b), NOTHING_FROM)))


logaddexp = table.elementwise(
    "logaddexp",
    "log(exp(a) + exp(b)) without overflow.",
    (lambda y, a, b: sigmoid(a - b), lambda y, a, b: sigmoid(b - a)),
    forward=_logaddexp,
    in_blocks=_logaddexp_in_blocks,
    operands="a b",
    cuda="{0} == {1} ? {0} + ({T})0.6931471805599453 : max({0}, {1}) + log1p(exp(-abs({0} - {1})))",
    latex=r"\ln(e^{{{0}}} + e^{{{1}}})",
    formula="log(exp(a) + exp(b))",
    cell="MAX({0},{1})+2*ATANH(EXP(-ABS({0}-{1}))/(2+EXP(-ABS({0}-{1}))))",
    demands={"a, b": kernel("logaddexp_cpu")},
)
logaddexp2 = table.elementwise(
    "logaddexp2",
    "log2(2**a + 2**b) without overflow.",
    (lambda y, a, b: 1 / (1 + exp2(b - a)), lambda y, a, b: 1 / (1 + exp2(a - b))),
    operands="a b",
    cuda="{0} == {1} ? {0} + 1"
    " : max({0}, {1}) + log1p(exp2(-abs({0} - {1}))) * ({T})1.4426950408889634",
    latex=r"\log_2(2^{{{0}}} + 2^{{{1}}})",
    formula="log2(2**a + 2**b)",
    cell="MAX({0},{1})+LOG(1+2^-ABS({0}-{1}),2)",
)


@table.function(
    aliases=("log_sigmoid",),
    cases=[Case("logsigmoid(x)")],
    gradients={"x": "cotangent * sigmoid(-x)"},
    formula="log(sigmoid(x))",
    confused=("sigmoid",),
    demands={"x": kernel("log_sigmoid_cpu")},
)
def logsigmoid(x: Node) -> Node:
    """log(sigmoid(x)) without overflow."""
    return -logaddexp(-x, 0.0)


@table.function(
    cases=[Case("softplus(x)"), Case("softplus(x, beta=3, threshold=2)")],
    gradients={
        "x": (
            "cotangent * sigmoid(beta * x)",
            "cotangent * where(beta * x > threshold, 1, sigmoid(beta * x))",
        ),
    },
    formula="log(1 + exp(beta * x)) / beta",
    confused=("sigmoid", "relu"),
    by_book=lambda x, beta=1.0, threshold=20.0: logaddexp(beta * x, 0.0) / beta,
    demands={"x": kernel("softplus_cpu")},
    order="kept",
)
def softplus(x: Node, beta: float = 1.0, threshold: float = 20.0) -> Node:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above `threshold`."""
    scaled = x if beta == 1 else x * beta
    smooth = logaddexp(scaled, 0.0)
    return where(scaled > threshold, x, smooth if beta == 1 else smooth / beta)
