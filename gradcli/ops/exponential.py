"""Exponentials and logarithms."""

from __future__ import annotations

import math

from gradcli.graph import Node
from gradcli.ops.comparison import eq, logical_and
from gradcli.ops.elementwise import elementwise
from gradcli.ops.selection import where

exp = elementwise(
    "exp",
    "e to the power x.",
    "exp",
    lambda y, x: y,
    group="exponential",
    cuda="exp({0})",
    latex="e^{{{0}}}",
    formula="e ** x",
    cost=4,
)
exp2 = elementwise(
    "exp2",
    "2 to the power x.",
    "exp2",
    lambda y, x: y * math.log(2),
    group="exponential",
    cuda="exp2({0})",
    latex="2^{{{0}}}",
    formula="2 ** x",
    cost=4,
)
expm1 = elementwise(
    "expm1",
    "exp(x) - 1, exact for small x.",
    "expm1",
    lambda y, x: exp(x),  # y + 1 has no digits left below -36
    group="exponential",
    cuda="expm1({0})",
    latex="e^{{{0}}} - 1",
    formula="exp(x) - 1",
    cost=4,
)
log = elementwise(
    "log",
    "Natural logarithm.",
    "log",
    lambda y, x: 1 / x,
    group="exponential",
    cuda="log({0})",
    latex=r"\ln {0}",
    formula="log(x)",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    kink="inf at 0",
    cost=4,
)
log2 = elementwise(
    "log2",
    "Logarithm to base 2.",
    "log2",
    lambda y, x: 1 / (x * math.log(2)),
    group="exponential",
    cuda="log2({0})",
    latex=r"\log_2 {0}",
    formula="log(x) / log(2)",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    kink="inf at 0",
    cost=4,
)
log10 = elementwise(
    "log10",
    "Logarithm to base 10.",
    "log10",
    lambda y, x: 1 / (x * math.log(10)),
    group="exponential",
    cuda="log10({0})",
    latex=r"\log_{{10}} {0}",
    formula="log(x) / log(10)",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    kink="inf at 0",
)
log1p = elementwise(
    "log1p",
    "log(1 + x), exact for small x.",
    "log1p",
    lambda y, x: 1 / (1 + x),
    group="exponential",
    cuda="log1p({0})",
    latex=r"\ln(1 + {0})",
    formula="log(1 + x)",
    edge=lambda xp, x: 1 + x,
    domain=(-0.6, 3.0),
    kink="inf at -1",
    cost=4,
)


def _unless_nothing(x: Node, inside: Node, derivative: Node) -> Node:
    """The derivative by x, and 0 where x is 0 and the logarithm does not exist."""
    return where(logical_and(eq(x, 0.0), inside <= 0), 0.0, derivative)


xlogy = elementwise(
    "xlogy",
    "input * log(other), and 0 where `input` is 0.",
    lambda xp, x, other: xp.where(
        (x == 0) & ~xp.isnan(other), xp.zeros((), x.dtype), x * xp.log(other)
    ),
    (
        lambda y, x, other: _unless_nothing(x, other, log(other)),
        lambda y, x, other: x / other,
    ),
    operands="input other",
    group="exponential",
    cuda="{0} == 0 && {1} == {1} ? ({T})0 : {0} * log({1})",
    latex=r"{0} \ln {1}",
    formula="input * log(other)",
    edge=lambda xp, x, other: other,
    domain=(0.3, 3.0),
    kink="by `input`, 0 where it is 0 and `other` is not positive",
    numpy="scipy.special.xlogy",
    torch="torch.xlogy",
)
xlog1py = elementwise(
    "xlog1py",
    "input * log(1 + other), and 0 where `input` is 0.",
    lambda xp, x, other: xp.where(
        (x == 0) & ~xp.isnan(other), xp.zeros((), x.dtype), x * xp.log1p(other)
    ),
    (
        lambda y, x, other: _unless_nothing(x, 1 + other, log1p(other)),
        lambda y, x, other: x / (1 + other),
    ),
    operands="input other",
    group="exponential",
    cuda="{0} == 0 && {1} == {1} ? ({T})0 : {0} * log1p({1})",
    latex=r"{0} \ln(1 + {1})",
    formula="input * log(1 + other)",
    edge=lambda xp, x, other: 1 + other,
    domain=(0.3, 3.0),
    kink="by `input`, 0 where it is 0 and `other` is not above -1",
    numpy="scipy.special.xlog1py",
    torch="torch.special.xlog1py",
)
entr = elementwise(
    "entr",
    "Entropy of a probability: -x * log(x), 0 at 0 and -inf below.",
    lambda xp, x: xp.where(
        x > 0, -x * xp.log(x), xp.where(x == 0, xp.zeros((), x.dtype), x * math.inf)
    ),
    lambda y, x: -1 - log(x),
    group="exponential",
    cuda="{0} > 0 ? -{0} * log({0}) : {0} == 0 ? ({T})0 : {0} * ({T})INFINITY",
    latex=r"-{0} \ln {0}",
    formula="-x * log(x)",
    edge=lambda xp, x: x,
    domain=(0.3, 3.0),
    kink="inf at 0",
    numpy="scipy.special.entr",
    torch="torch.special.entr",
)
