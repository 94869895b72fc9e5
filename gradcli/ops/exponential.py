"""Exponentials and logarithms."""

from __future__ import annotations

import math

from gradcli.graph import Node, Op
from gradcli.ops.arithmetic import add, sub
from gradcli.ops.comparison import eq, logical_and
from gradcli.ops.group import FROM_0, Group
from gradcli.ops.selection import maximum, minimum, where
from gradcli.ops.shaping import RESHAPE, reshape
from gradcli.ops.table import everywhere

table = Group("exponential")


def _parts(exponent: Node) -> Node | None:
    """exp(x - logsumexp(x)), as a gradient has it, where the sum was taken apart: the powers that
    were summed up over their sum.
    """
    if exponent.op is not sub.op:
        return None
    from gradcli.ops.extremes import AMAX  # most programs start faster without
    from gradcli.ops.reductions import SUM

    x, found = exponent.inputs
    while found.op is RESHAPE:
        (found,) = found.inputs
    chain = _chain(found, add.op, log.op, SUM, exp.op, sub.op)
    if chain is None or chain[-1].inputs != (x, found.inputs[1]):
        return None
    shift = _chain(found.inputs[1], minimum.op, maximum.op, AMAX)
    if shift is None or shift[-1].inputs != (x,):
        return None
    _, _, total, powers, _ = chain
    return powers / reshape(total, exponent.inputs[1].shape)


def _chain(node: Node, *ops: Op | None) -> list[Node] | None:
    """A node, its first operand, that one's first operand and so on, if these are their ops."""
    found = [node]
    for op in ops[:-1]:
        if found[-1].op is not op:
            return None
        found.append(found[-1].inputs[0])
    return found if found[-1].op is ops[-1] else None


@table.derivative(
    latex="e^{{{0}}}",
    formula="e ** x",
    cost=4,
    parts=_parts,
    misremembered=[("x*exp(x - 1)",)],
    confused=("log", "expm1", "exp2"),
    cell="EXP({0})",
)
def exp(y: Node, x: Node) -> Node:
    """e to the power x."""
    return y


@table.derivative(latex="2^{{{0}}}", formula="2 ** x", cost=4, confused=("exp",), cell="2^{0}")
def exp2(y: Node, x: Node) -> Node:
    """2 to the power x."""
    return y * math.log(2)


@table.derivative(
    latex="e^{{{0}}} - 1",
    formula="exp(x) - 1",
    cost=4,
    confused=("exp",),
    cell="2*EXP({0}/2)*SINH({0}/2)",
)
def expm1(y: Node, x: Node) -> Node:
    """exp(x) - 1, exact for small x."""
    return exp(x)  # y + 1 has no digits left below -36


@table.derivative(
    latex=r"\ln {0}",
    **FROM_0,
    elsewhere=everywhere("inf"),
    cost=4,
    misremembered=[("1/x**2", "-1/x**2", "x")],
    confused=("exp", "log2", "log10", "log1p"),
    cell="LN({0})",
)
def log(y: Node, x: Node) -> Node:
    """Natural logarithm."""
    return 1 / x


@table.derivative(
    latex=r"\log_2 {0}",
    formula="log(x) / log(2)",
    **FROM_0,
    elsewhere=everywhere("inf"),
    cost=4,
    confused=("log", "log10"),
    cell="LOG({0},2)",
)
def log2(y: Node, x: Node) -> Node:
    """Logarithm to base 2."""
    return 1 / (x * math.log(2))


@table.derivative(
    latex=r"\log_{{10}} {0}",
    formula="log(x) / log(10)",
    **FROM_0,
    elsewhere=everywhere("inf"),
    confused=("log", "log2"),
    cell="LOG10({0})",
)
def log10(y: Node, x: Node) -> Node:
    """Logarithm to base 10."""
    return 1 / (x * math.log(10))


@table.derivative(
    latex=r"\ln(1 + {0})",
    formula="log(1 + x)",
    edge=lambda xp, x: 1 + x,
    domain=(-0.6, 3.0),
    kink="inf at -1",
    elsewhere=everywhere("inf"),
    cost=4,
    confused=("log",),
    cell="2*ATANH({0}/(2+{0}))",
)
def log1p(y: Node, x: Node) -> Node:
    """log(1 + x), exact for small x."""
    return 1 / (1 + x)


def _unless_nothing(x: Node, inside: Node, derivative: Node) -> Node:
    """The derivative by x, and 0 where x is 0 and the logarithm does not exist."""
    return where(logical_and(eq(x, 0.0), inside <= 0), 0.0, derivative)


xlogy = table.elementwise(
    "xlogy",
    "input * log(other), and 0 where `input` is 0.",
    (
        lambda y, x, other: _unless_nothing(x, other, log(other)),
        lambda y, x, other: x / other,
    ),
    forward=lambda xp, x, other: xp.where(
        (x == 0) & ~xp.isnan(other), xp.zeros((), x.dtype), x * xp.log(other)
    ),
    beyond_domain=True,
    operands="input other",
    takes_numbers=("input", "other"),
    cuda="{0} == 0 && {1} == {1} ? ({T})0 : {0} * log({1})",
    latex=r"{0} \ln {1}",
    formula="input * log(other)",
    edge=lambda xp, x, other: other,
    domain=(0.3, 3.0),
    elsewhere={"torch": "0, nan", "jax": "-inf, nan", "tensorflow": "0, 0"},
    kink="by `input`, 0 where it is 0 and `other` is not positive",
    numpy="scipy.special.xlogy",
    torch="torch.xlogy",
    cell="IF({0}=0,0,{0}*LN({1}))",
    overloaded=True,
)
xlog1py = table.elementwise(
    "xlog1py",
    "input * log(1 + other), and 0 where `input` is 0.",
    (
        lambda y, x, other: _unless_nothing(x, 1 + other, log1p(other)),
        lambda y, x, other: x / (1 + other),
    ),
    forward=lambda xp, x, other: xp.where(
        (x == 0) & ~xp.isnan(other), xp.zeros((), x.dtype), x * xp.log1p(other)
    ),
    operands="input other",
    takes_numbers=("input", "other"),
    cuda="{0} == 0 && {1} == {1} ? ({T})0 : {0} * log1p({1})",
    latex=r"{0} \ln(1 + {1})",
    formula="input * log(1 + other)",
    edge=lambda xp, x, other: 1 + other,
    domain=(0.3, 3.0),
    kink="by `input`, 0 where it is 0 and `other` is not above -1",
    numpy="scipy.special.xlog1py",
    torch="torch.special.xlog1py",
    cell="IF({0}=0,0,{0}*2*ATANH({1}/(2+{1})))",
)


@table.derivative(
    lambda xp, x: xp.where(
        x > 0, -x * xp.log(x), xp.where(x == 0, xp.zeros((), x.dtype), x * math.inf)
    ),
    cuda="{0} > 0 ? -{0} * log({0}) : {0} == 0 ? ({T})0 : {0} * ({T})INFINITY",
    latex=r"-{0} \ln {0}",
    formula="-x * log(x)",
    **FROM_0,
    elsewhere={"torch": "inf", "jax": "inf"},
    numpy="scipy.special.entr",
    torch="torch.special.entr",
    cell="IF({0}=0,0,-{0}*LN({0}))",
)
def entr(y: Node, x: Node) -> Node:
    """Entropy of a probability: -x * log(x), 0 at 0 and -inf below."""
    return -1 - log(x)
