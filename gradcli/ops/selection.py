"""Functions that select: `where`, extremes of two, bounds, signs.

They select in their derivative too, so that what was not selected gets no gradient at all.
"""

from __future__ import annotations

from gradcli.graph import Node
from gradcli.ops.arithmetic import scale
from gradcli.ops.comparison import eq
from gradcli.ops.table import Case, Function, elementwise, function

where: Function = elementwise(
    "where",
    "The second argument where the condition holds, else the third.",
    lambda xp, condition, a, b: xp.where(condition, a, b),
    operands="condition a b",
    group="selection",
    kinds=("bool", "float", "float"),
    chain=(
        None,
        lambda change, y, condition, a, b: where(condition, change, 0.0),
        lambda change, y, condition, a, b: where(condition, 0.0, change),
    ),
    cuda="{0} ? {1} : {2}",
    latex=r"\begin{{cases}} {1} & {0} \\ {2} & \text{{else}} \end{{cases}}",
    formula="where(condition, a, b)",
    kink="the branch that is not selected gets no gradient at all, so 0 * inf cannot arise",
)
maximum = elementwise(
    "maximum",
    "The larger of two elements; nan if one is nan.",
    "maximum",
    operands="a b",
    group="selection",
    chain=(
        lambda change, y, a, b: where(a < b, 0.0, where(eq(a, b), change / 2, change)),
        lambda change, y, a, b: where(b < a, 0.0, where(eq(a, b), change / 2, change)),
    ),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : max({0}, {1}))",
    latex=r"\max({0}, {1})",
    formula="maximum(a, b)",
    kink="at a tie each side gets half",
)
minimum = elementwise(
    "minimum",
    "The smaller of two elements; nan if one is nan.",
    "minimum",
    operands="a b",
    group="selection",
    chain=(
        lambda change, y, a, b: where(a > b, 0.0, where(eq(a, b), change / 2, change)),
        lambda change, y, a, b: where(b > a, 0.0, where(eq(a, b), change / 2, change)),
    ),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : min({0}, {1}))",
    latex=r"\min({0}, {1})",
    formula="minimum(a, b)",
    kink="at a tie each side gets half",
)
clamp_min = elementwise(
    "clamp_min",
    "x, but at least `min`.",
    "maximum",
    operands="x min",
    group="selection",
    chain=(
        lambda change, y, x, bound: where(x > bound, change, 0.0),
        lambda change, y, x, bound: where(x < bound, change, 0.0),
    ),
    cuda="{0} != {0} ? {0} : max({0}, {1})",
    latex=r"\max({0}, {1})",
    formula="maximum(x, min)",
    kink="0 at the bound",
)
clamp_max = elementwise(
    "clamp_max",
    "x, but at most `max`.",
    "minimum",
    operands="x max",
    group="selection",
    chain=(
        lambda change, y, x, bound: where(x < bound, change, 0.0),
        lambda change, y, x, bound: where(x > bound, change, 0.0),
    ),
    cuda="{0} != {0} ? {0} : min({0}, {1})",
    latex=r"\min({0}, {1})",
    formula="minimum(x, max)",
    kink="0 at the bound",
)


@function(
    "clamp",
    "selection",
    aliases=("clip",),
    cases=[
        Case("clamp(x, -0.7, 0.9)"),
        Case("clamp(x, min=-0.7)"),
        Case("clamp(x, max=y)", {"x": (2, 3), "y": (3,)}),
    ],
    formula="minimum(maximum(x, min), max)",
    kink="0 at a bound (the subgradient of least norm); PyTorch 2.13 gives 1",
)
def clamp(x: Node, min: Node | None = None, max: Node | None = None) -> Node:
    """x, cut off at `min` below and at `max` above; either may be left out."""
    if min is not None:
        x = clamp_min(x, min)
    return x if max is None else clamp_max(x, max)


sign: Function = elementwise(
    "sign",
    "-1, 0 or 1 with the sign of x.",
    "sign",
    aliases=("sgn",),
    cuda="({0} > 0) - ({0} < 0)",
    latex=r"\mathrm{{sign}}({0})",
    formula="sign(x)",
    smooth=False,
    kink="the derivative is 0 everywhere",
)
abs_ = elementwise(
    "abs",
    "Absolute value.",
    "absolute",
    group="elementwise",
    aliases=("absolute",),
    chain=lambda change, y, x: scale(sign(x), change),
    cuda="abs({0})",
    latex=r"\left| {0} \right|",
    formula="abs(x)",
    kink="0 at 0",
)
