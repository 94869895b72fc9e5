"""Elementwise functions: arithmetic, comparisons, logic, powers, exponentials, trigonometry.

Local derivatives are in the form that loses fewest digits; where two forms differ, the comment
gives the measured error of the one that was not taken, in units in the last place (ulp).
"""

from __future__ import annotations

import math
from typing import Any

from gradcli.graph import Array, Node
from gradcli.ops.table import Case, Function, elementwise, function

# --- arithmetic ----------------------------------------------------------------------------

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
floor_divide = elementwise(
    "floor_divide",
    "Quotient rounded towards minus infinity.",
    "floor_divide",
    operands="a b",
    group="arithmetic",
    infix="//",
    cuda="floor({0} / {1})",
    latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor",
    formula="floor(a / b)",
    domain=(0.5, 2.0),
    smooth=False,
    kink="the derivative is 0 everywhere, at the jumps too",
)
remainder = elementwise(
    "remainder",
    "Remainder of the floored quotient; it has the sign of the divisor, as Python's `%`.",
    "remainder",
    (1, lambda y, a, b: -floor_divide(a, b)),
    operands="a b",
    group="arithmetic",
    aliases=("mod",),
    infix="%",
    cuda="{0} - {1} * floor({0} / {1})",
    latex=r"{0} \bmod {1}",
    formula="a - b*floor(a / b)",
    domain=(1.1, 1.9),
    kink="at a jump the derivative from inside the step",
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

# --- comparisons and logic -----------------------------------------------------------------


def _comparison(name: str, ufunc: str, symbol: str, latex: str, doc: str) -> Function:
    return elementwise(
        name,
        doc,
        ufunc,
        operands="a b",
        group="comparison",
        aliases=(ufunc,),
        result="bool",
        infix=symbol,
        cuda=f"{{0}} {symbol} {{1}}",
        latex=f"{{0}} {latex} {{1}}",
        formula=f"a {symbol} b",
        smooth=False,
    )


eq = _comparison("eq", "equal", "==", "=", "Whether two elements are equal.")
ne = _comparison("ne", "not_equal", "!=", r"\neq", "Whether two elements differ.")
lt = _comparison("lt", "less", "<", "<", "Whether a is less than b.")
le = _comparison("le", "less_equal", "<=", r"\leq", "Whether a is at most b.")
gt = _comparison("gt", "greater", ">", ">", "Whether a is greater than b.")
ge = _comparison("ge", "greater_equal", ">=", r"\geq", "Whether a is at least b.")

logical_and = elementwise(
    "logical_and",
    "Whether both are nonzero.",
    "logical_and",
    operands="a b",
    group="comparison",
    kinds=("bool", "bool"),
    result="bool",
    infix="and",
    cuda="{0} && {1}",
    latex=r"{0} \land {1}",
    formula="a and b",
    smooth=False,
)
logical_or = elementwise(
    "logical_or",
    "Whether one of two is nonzero.",
    "logical_or",
    operands="a b",
    group="comparison",
    kinds=("bool", "bool"),
    result="bool",
    infix="or",
    cuda="{0} || {1}",
    latex=r"{0} \lor {1}",
    formula="a or b",
    smooth=False,
)
logical_xor = elementwise(
    "logical_xor",
    "Whether exactly one of two is nonzero.",
    "logical_xor",
    operands="a b",
    group="comparison",
    kinds=("bool", "bool"),
    result="bool",
    cuda="{0} != {1}",
    latex=r"{0} \oplus {1}",
    formula="logical_xor(a, b)",
    smooth=False,
)
logical_not = elementwise(
    "logical_not",
    "Whether an element is zero.",
    "logical_not",
    group="comparison",
    kinds=("bool",),
    result="bool",
    infix="not",
    cuda="!{0}",
    latex=r"\lnot {0}",
    formula="not x",
    smooth=False,
)
isnan = elementwise(
    "isnan",
    "Whether an element is not a number.",
    "isnan",
    group="comparison",
    result="bool",
    cuda="isnan({0})",
    latex=r"\mathrm{{isnan}}({0})",
    formula="isnan(x)",
    smooth=False,
)
isinf = elementwise(
    "isinf",
    "Whether an element is infinite.",
    "isinf",
    group="comparison",
    result="bool",
    cuda="isinf({0})",
    latex=r"\mathrm{{isinf}}({0})",
    formula="isinf(x)",
    smooth=False,
)
isfinite = elementwise(
    "isfinite",
    "Whether an element is a finite number.",
    "isfinite",
    group="comparison",
    result="bool",
    cuda="isfinite({0})",
    latex=r"\mathrm{{isfinite}}({0})",
    formula="isfinite(x)",
    smooth=False,
)

# --- selection -----------------------------------------------------------------------------

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


relu = elementwise(
    "relu",
    "x where it is positive, else 0.",
    lambda xp, x: xp.maximum(x, xp.zeros((), x.dtype)),
    group="activation",
    chain=lambda change, y, x: where(x > 0, change, 0.0),
    cuda="{0} != {0} ? {0} : max({0}, ({T})0)",
    latex=r"\mathrm{{relu}}({0})",
    formula="maximum(x, 0)",
    kink="0 at 0",
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
for _name, _doc, _open, _close in (
    ("floor", "The largest integer that is not above x.", r"\lfloor", r"\rfloor"),
    ("ceil", "The smallest integer that is not below x.", r"\lceil", r"\rceil"),
    ("round", "The nearest integer; halves go to the even one.", r"\lfloor", r"\rceil"),
    ("trunc", "x without its fraction.", r"\mathrm{{trunc}}(", ")"),
):
    elementwise(
        _name,
        _doc,
        "rint" if _name == "round" else _name,
        aliases=("fix",) if _name == "trunc" else (),
        cuda="rint({0})" if _name == "round" else f"{_name}({{0}})",
        latex=f"{_open} {{0}} {_close}",
        formula=f"{_name}(x)",
        smooth=False,
        kink="the derivative is 0 everywhere, at the jumps too",
    )

# --- powers and roots ----------------------------------------------------------------------


def _power_by_base(y: Node, a: Node, b: Node) -> Node:
    """b·a^(b-1), and 0 for b = 0 even where a^(b-1) is infinite."""
    if b.data is not None and b.shape == ():
        exponent = float(b.data)
        if exponent == 0:
            return y.graph.constant(0.0)
        if exponent == 1:
            return y.graph.constant(1.0)
        return b * a if exponent == 2 else b * a ** (exponent - 1)
    return where(eq(b, 0.0), 0.0, b * a ** (b - 1))


def _power_by_exponent(y: Node, a: Node, b: Node) -> Node:
    """a^b·log(a), and 0 where a is 0 and b is not negative (as 0^b is constant there)."""
    return where(logical_and(eq(a, 0.0), b >= 0), 0.0, y * log(a))


pow_ = elementwise(
    "pow",
    "a to the power b.",
    "power",
    (_power_by_base, _power_by_exponent),
    operands="a b",
    group="powers",
    aliases=("power",),
    infix="**",
    cuda="pow({0}, {1})",
    latex="{0}^{{{1}}}",
    formula="a ** b",
    domain=(0.3, 2.0),
    kink="at base 0: 0 for exponent 0; by the exponent 0 where it is not negative",
)
square = elementwise(
    "square",
    "x * x.",
    "square",
    lambda y, x: 2 * x,
    group="powers",
    cuda="{0} * {0}",
    latex="{0}^2",
    formula="x ** 2",
)
sqrt = elementwise(
    "sqrt",
    "Square root; nan below 0.",
    "sqrt",
    lambda y, x: 1 / (2 * y),
    group="powers",
    cuda="sqrt({0})",
    latex=r"\sqrt{{{0}}}",
    formula="x ** 0.5",
    domain=(0.3, 3.0),
    kink="inf at 0",
)
rsqrt = elementwise(
    "rsqrt",
    "1 / sqrt(x).",
    lambda xp, x: 1 / xp.sqrt(x),
    lambda y, x: -y / (2 * x),
    group="powers",
    cuda="1 / sqrt({0})",
    latex=r"\frac{{1}}{{\sqrt{{{0}}}}}",
    formula="1 / sqrt(x)",
    domain=(0.3, 3.0),
)
reciprocal = elementwise(
    "reciprocal",
    "1 / x.",
    "reciprocal",
    lambda y, x: -y * y,
    group="powers",
    cuda="1 / {0}",
    latex=r"\frac{{1}}{{{0}}}",
    formula="1 / x",
    domain=(0.3, 3.0),
)
hypot = elementwise(
    "hypot",
    "sqrt(a**2 + b**2) without overflow.",
    "hypot",
    (lambda y, a, b: scale(a, 1 / y), lambda y, a, b: scale(b, 1 / y)),
    operands="a b",
    group="powers",
    cuda="hypot({0}, {1})",
    latex=r"\sqrt{{{0}^2 + {1}^2}}",
    formula="sqrt(a**2 + b**2)",
    domain=(0.2, 2.0),
    kink="0, 0 at the origin (the subgradient of least norm); PyTorch gives nan",
)

# --- exponentials and logarithms -----------------------------------------------------------

exp = elementwise(
    "exp",
    "e to the power x.",
    "exp",
    lambda y, x: y,
    group="exponential",
    cuda="exp({0})",
    latex="e^{{{0}}}",
    formula="e ** x",
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
    domain=(0.3, 3.0),
    kink="inf at 0",
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
    domain=(0.3, 3.0),
    kink="inf at 0",
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
    domain=(-0.6, 3.0),
    kink="inf at -1",
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

# --- trigonometry --------------------------------------------------------------------------

sin = elementwise(
    "sin",
    "Sine; x in radians.",
    "sin",
    lambda y, x: cos(x),
    group="trigonometric",
    cuda="sin({0})",
    latex=r"\sin {0}",
    formula="sin(x)",
)
cos: Function = elementwise(
    "cos",
    "Cosine; x in radians.",
    "cos",
    lambda y, x: -sin(x),
    group="trigonometric",
    cuda="cos({0})",
    latex=r"\cos {0}",
    formula="cos(x)",
)
tan = elementwise(
    "tan",
    "Tangent; x in radians.",
    "tan",
    lambda y, x: 1 + y * y,
    group="trigonometric",
    cuda="tan({0})",
    latex=r"\tan {0}",
    formula="sin(x) / cos(x)",
    domain=(-1.2, 1.2),
)
asin = elementwise(
    "asin",
    "Inverse sine, in radians.",
    "arcsin",
    lambda y, x: 1 / sqrt((1 - x) * (1 + x)),  # 1 - x*x: 28 ulp
    group="trigonometric",
    aliases=("arcsin",),
    cuda="asin({0})",
    latex=r"\arcsin {0}",
    formula="asin(x)",
    domain=(-0.8, 0.8),
    kink="inf at -1 and 1",
)
acos = elementwise(
    "acos",
    "Inverse cosine, in radians.",
    "arccos",
    lambda y, x: -1 / sqrt((1 - x) * (1 + x)),
    group="trigonometric",
    aliases=("arccos",),
    cuda="acos({0})",
    latex=r"\arccos {0}",
    formula="acos(x)",
    domain=(-0.8, 0.8),
    kink="-inf at -1 and 1",
)
atan = elementwise(
    "atan",
    "Inverse tangent, in radians.",
    "arctan",
    lambda y, x: 1 / (1 + x * x),
    group="trigonometric",
    aliases=("arctan",),
    cuda="atan({0})",
    latex=r"\arctan {0}",
    formula="atan(x)",
)
atan2 = elementwise(
    "atan2",
    "The angle of the point (b, a), in radians.",
    "arctan2",
    (
        lambda y, a, b: scale(b, 1 / square(hypot(a, b))),
        lambda y, a, b: scale(-a, 1 / square(hypot(a, b))),
    ),
    operands="a b",
    group="trigonometric",
    aliases=("arctan2",),
    cuda="atan2({0}, {1})",
    latex=r"\mathrm{{atan2}}({0}, {1})",
    formula="atan2(a, b)",
    domain=(0.3, 2.0),
    kink="0, 0 at the origin",
)

# --- hyperbolic ----------------------------------------------------------------------------

sinh = elementwise(
    "sinh",
    "Hyperbolic sine.",
    "sinh",
    lambda y, x: cosh(x),
    group="hyperbolic",
    cuda="sinh({0})",
    latex=r"\sinh {0}",
    formula="(exp(x) - exp(-x)) / 2",
)
cosh: Function = elementwise(
    "cosh",
    "Hyperbolic cosine.",
    "cosh",
    lambda y, x: sinh(x),
    group="hyperbolic",
    cuda="cosh({0})",
    latex=r"\cosh {0}",
    formula="(exp(x) + exp(-x)) / 2",
)
tanh = elementwise(
    "tanh",
    "Hyperbolic tangent.",
    "tanh",
    lambda y, x: 1 / square(cosh(x)),  # 1 - y*y: 120 ulp between 1 and 3, none right by 20
    group="hyperbolic",
    cuda="tanh({0})",
    latex=r"\tanh {0}",
    formula="sinh(x) / cosh(x)",
)
asinh = elementwise(
    "asinh",
    "Inverse hyperbolic sine.",
    "arcsinh",
    lambda y, x: 1 / hypot(x, 1.0),
    group="hyperbolic",
    aliases=("arcsinh",),
    cuda="asinh({0})",
    latex=r"\mathrm{{arsinh}} {0}",
    formula="asinh(x)",
)
acosh = elementwise(
    "acosh",
    "Inverse hyperbolic cosine; nan below 1.",
    "arccosh",
    lambda y, x: 1 / (sqrt(x - 1) * sqrt(x + 1)),
    group="hyperbolic",
    aliases=("arccosh",),
    cuda="acosh({0})",
    latex=r"\mathrm{{arcosh}} {0}",
    formula="acosh(x)",
    domain=(1.3, 3.0),
    kink="inf at 1",
)
atanh = elementwise(
    "atanh",
    "Inverse hyperbolic tangent.",
    "arctanh",
    lambda y, x: 1 / ((1 - x) * (1 + x)),
    group="hyperbolic",
    aliases=("arctanh",),
    cuda="atanh({0})",
    latex=r"\mathrm{{artanh}} {0}",
    formula="atanh(x)",
    domain=(-0.8, 0.8),
    kink="inf at -1 and 1",
)

# --- activations ---------------------------------------------------------------------------


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
