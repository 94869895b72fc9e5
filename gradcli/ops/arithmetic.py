"""Arithmetic: sums, products and quotients."""

from __future__ import annotations

from typing import Any

from gradcli.graph import Array
from gradcli.ops.table import Function, elementwise

add = elementwise(
    "add",
    "Sum of two tensors.",
    "add",
    (1, 1),
    operands="a b",
    group="arithmetic",
    infix="+",
    cuda="{0} + {1}",
    latex="{0} + {1}",
    formula="a + b",
)
sub = elementwise(
    "sub",
    "Difference of two tensors.",
    "subtract",
    (1, -1),
    operands="a b",
    group="arithmetic",
    aliases=("subtract",),
    infix="-",
    cuda="{0} - {1}",
    latex="{0} - {1}",
    formula="a - b",
)
mul = elementwise(
    "mul",
    "Product, element by element.",
    "multiply",
    (lambda y, a, b: b, lambda y, a, b: a),
    operands="a b",
    group="arithmetic",
    aliases=("multiply",),
    infix="*",
    cuda="{0} * {1}",
    latex=r"{0} \cdot {1}",
    formula="a * b",
)
div = elementwise(
    "div",
    "Quotient, element by element.",
    "divide",
    (lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
    operands="a b",
    group="arithmetic",
    aliases=("divide", "true_divide"),
    infix="/",
    cuda="{0} / {1}",
    latex=r"\frac{{{0}}}{{{1}}}",
    formula="a / b",
    domain=(0.5, 2.0),
)
neg = elementwise(
    "neg",
    "Negative.",
    "negative",
    -1,
    group="arithmetic",
    aliases=("negative",),
    infix="-",
    cuda="-{0}",
    latex="-{0}",
    formula="-x",
)


def _scale(xp: Any, a: Array, b: Array) -> Array:
    return xp.where(a == 0, xp.zeros((), b.dtype), a * b)  # type: ignore[no-any-return]


scale: Function = elementwise(
    "scale",
    "Product that is 0 wherever the first factor is exactly 0, even against inf or nan.",
    _scale,
    operands="a b",
    group="arithmetic",
    chain=(lambda change, y, a, b: scale(change, b), lambda change, y, a, b: scale(a, change)),
    cuda="{0} == 0 ? 0 : {0} * {1}",
    latex=r"{0} \cdot {1}",
    formula="where(a == 0, 0, a * b)",
    domain=(0.2, 2.0),
)
