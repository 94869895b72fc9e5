"""The logistic function and its integrals: sigmoid, softplus, logaddexp."""

from __future__ import annotations

from typing import Any

from gradcli.graph import Array
from gradcli.ops.table import Function, elementwise


def _sigmoid(xp: Any, x: Array) -> Array:
    """1 / (1 + exp(-x)), from exp(-|x|) so that nothing overflows."""
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1 / (1 + small), small / (1 + small))  # type: ignore[no-any-return]


sigmoid: Function = elementwise(
    "sigmoid",
    "1 / (1 + exp(-x)).",
    _sigmoid,
    lambda y, x: y * sigmoid(-x),  # y * (1 - y): 2 900 ulp for large x
    group="activation",
    aliases=("expit",),
    cuda="1 / (1 + exp(-{0}))",
    latex=r"\sigma({0})",
    formula="1 / (1 + exp(-x))",
)


def _softplus(xp: Any, x: Array) -> Array:
    return xp.maximum(x, xp.zeros((), x.dtype)) + xp.log1p(xp.exp(-xp.abs(x)))  # type: ignore[no-any-return]


softplus = elementwise(
    "softplus",
    "log(1 + exp(x)).",
    _softplus,
    lambda y, x: sigmoid(x),
    group="activation",
    cuda="max({0}, ({T})0) + log1p(exp(-abs({0})))",
    latex=r"\ln(1 + e^{{{0}}})",
    formula="log(1 + exp(x))",
)
logaddexp = elementwise(
    "logaddexp",
    "log(exp(a) + exp(b)) without overflow.",
    "logaddexp",
    (lambda y, a, b: sigmoid(a - b), lambda y, a, b: sigmoid(b - a)),
    operands="a b",
    group="exponential",
    cuda="max({0}, {1}) + log1p(exp(-abs({0} - {1})))",
    latex=r"\ln(e^{{{0}}} + e^{{{1}}})",
    formula="log(exp(a) + exp(b))",
)
