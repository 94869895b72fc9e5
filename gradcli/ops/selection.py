"""Functions that select: `where`, extremes of two, bounds, signs.

Their derivatives select, too, so that an operand that was not selected gets no gradient at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import RefusedError
from gradcli.graph import Array, Node
from gradcli.ops.arithmetic import scale
from gradcli.ops.bits import all_ones, bits_of
from gradcli.ops.comparison import eq, isfinite, isnan, logical_or
from gradcli.ops.group import Group
from gradcli.ops.kinds import ANY, NUMBERS, cast
from gradcli.ops.table import Case, Demand, Function, everywhere, kernel

table = Group("selection")


def _where_into(condition: Array, a: Array, b: Array, out: Array) -> None:
    """With operations on bits: NumPy's has a branch for each element, slow on random conditions."""
    if condition.size == 1:
        np.copyto(out, a if condition.item() else b)
        return
    bits = bits_of(out)
    if _is_nothing(a, bits.dtype):
        condition, a, b = ~condition, b, a
    if _is_nothing(b, bits.dtype):
        np.bitwise_and(a.view(bits.dtype), all_ones(condition, bits.dtype), out=bits)
        return
    np.bitwise_xor(a.view(bits.dtype), b.view(bits.dtype), out=bits)
    np.bitwise_and(bits, all_ones(condition, bits.dtype), out=bits)
    np.bitwise_xor(bits, b.view(bits.dtype), out=bits)


def _is_nothing(array: Array, dtype: np.dtype[Any]) -> bool:
    """Whether it is a single number, 0 in all its bits, as where a gradient is cut off."""
    return not array.ndim and not array.view(dtype)


where: Function = table.elementwise(
    "where",
    "The second argument where the condition holds, else the third.",
    forward=lambda xp, condition, a, b: xp.where(condition, a, b),
    operands="condition input other",
    takes_numbers=("input", "other"),
    takes=ANY,
    conditions=1,
    branches=True,
    chain=(
        None,
        lambda change, y, condition, a, b: where(condition, change, 0.0),
        lambda change, y, condition, a, b: where(condition, 0.0, change),
    ),
    cuda="{0} ? {1} : {2}",
    latex=r"\begin{{cases}} {1} & {0} \\ {2} & \text{{else}} \end{{cases}}",
    receiver=1,
    demands={
        "condition": Demand(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {Type}",
            ("bool", "uint8"),
        )
    },
    into=_where_into,
    plain=lambda condition, a, b: a if condition else b,
    kink="the branch that is not selected gets no gradient at all, so 0 * inf cannot arise",
    numpy="np.where",
    torch="torch.where",
    cost=4,
    exact=True,
    cell="IF({0}<>0,{1},{2})",
    overloaded=True,
)
maximum = table.elementwise(
    "maximum",
    "The larger of two elements; nan if one is nan.",
    confused=("minimum",),
    operands="a b",
    takes=ANY,
    chain=(
        lambda change, y, a, b: where(a < b, 0.0, where(eq(a, b), change / 2, change)),
        lambda change, y, a, b: where(b < a, 0.0, where(eq(a, b), change / 2, change)),
    ),
    textbook=("(x > n)", "(n > x)"),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : max({0}, {1}))",
    latex=r"\max({0}, {1})",
    edge=lambda xp, a, b: a - b,
    kink="at a tie each side gets half",
    elsewhere=everywhere("0.5, 0.5", tensorflow="1, 0"),
    cost=4,
    cell="MAX({0},{1})",
)
minimum = table.elementwise(
    "minimum",
    "The smaller of two elements; nan if one is nan.",
    confused=("maximum",),
    operands="a b",
    takes=ANY,
    chain=(
        lambda change, y, a, b: where(a > b, 0.0, where(eq(a, b), change / 2, change)),
        lambda change, y, a, b: where(b > a, 0.0, where(eq(a, b), change / 2, change)),
    ),
    textbook=("(x < n)", "(n < x)"),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : min({0}, {1}))",
    latex=r"\min({0}, {1})",
    edge=lambda xp, a, b: a - b,
    kink="at a tie each side gets half",
    elsewhere=everywhere("0.5, 0.5", tensorflow="1, 0"),
    cost=4,
    cell="MIN({0},{1})",
)
fmax = table.elementwise(
    "fmax",
    "The larger of two elements; the other one where one is nan.",
    operands="a b",
    takes=ANY,
    chain=(
        lambda change, y, a, b: where(logical_or(a >= b, isnan(b)), change, 0.0),
        lambda change, y, a, b: where(logical_or(a >= b, isnan(b)), 0.0, change),
    ),
    latex=r"\max({0}, {1})",
    formula="maximum(a, b)",
    edge=lambda xp, a, b: a - b,
    kink="at a tie the first gets all",
    elsewhere={"torch": "1, 0", "jax": "0, 1", "numpy": "0.5, 0.5"},
    cell="MAX({0},{1})",
)
fmin = table.elementwise(
    "fmin",
    "The smaller of two elements; the other one where one is nan.",
    operands="a b",
    takes=ANY,
    chain=(
        lambda change, y, a, b: where(logical_or(a <= b, isnan(b)), change, 0.0),
        lambda change, y, a, b: where(logical_or(a <= b, isnan(b)), 0.0, change),
    ),
    latex=r"\min({0}, {1})",
    formula="minimum(a, b)",
    edge=lambda xp, a, b: a - b,
    kink="at a tie the first gets all",
    elsewhere={"torch": "1, 0", "jax": "0, 1", "numpy": "0.5, 0.5"},
    cell="MIN({0},{1})",
)
clamp_min = table.elementwise(
    "clamp_min",
    "x, but at least `min`.",
    forward="maximum",
    operands="x min",
    takes_numbers=("min",),
    takes=ANY,
    chain=(
        lambda change, y, x, bound: where(x > bound, change, 0.0),
        lambda change, y, x, bound: where(x < bound, change, 0.0),
    ),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : max({0}, {1}))",
    latex=r"\max({0}, {1})",
    cell="MAX({0},{1})",
    formula="maximum(x, min)",
    edge=lambda xp, x, bound: x - bound,
    kink="0 at the bound",
    elsewhere=everywhere("1", jax="0.5 (jnp.clip)", numpy="0 (np.clip)"),
    cost=4,
    overloaded=True,
)
clamp_max = table.elementwise(
    "clamp_max",
    "x, but at most `max`.",
    forward="minimum",
    operands="x max",
    takes_numbers=("max",),
    takes=ANY,
    chain=(
        lambda change, y, x, bound: where(x < bound, change, 0.0),
        lambda change, y, x, bound: where(x > bound, change, 0.0),
    ),
    cuda="{0} != {0} ? {0} : ({1} != {1} ? {1} : min({0}, {1}))",
    latex=r"\min({0}, {1})",
    cell="MIN({0},{1})",
    formula="minimum(x, max)",
    edge=lambda xp, x, bound: x - bound,
    kink="0 at the bound",
    elsewhere=everywhere("1", jax="0.5 (jnp.clip)", numpy="0 (np.clip)"),
    cost=4,
    overloaded=True,
)


@table.function(
    aliases=("clip",),
    cases=[
        Case("clamp(x, -0.7, 0.9)"),
        Case("clamp(x, min=-0.7)"),
        Case("clamp(x, max=y)", {"x": (2, 3), "y": (3,)}),
    ],
    formula="minimum(maximum(x, min), max)",
    kink="0 at a bound (the subgradient of least norm); PyTorch 2.13 gives 1",
    elsewhere=everywhere("1", jax="0.5 (jnp.clip)", numpy="0 (np.clip)"),
    overloaded=True,
    order="kept",
    keeps_integers=True,
)
def clamp(x: Node, min: Node | None = None, max: Node | None = None) -> Node:
    """x, cut off at `min` below and at `max` above; either may be left out."""
    if min is max is None:
        said = "torch.clamp: At least one of 'min' or 'max' must not be None"
        raise RefusedError(("RuntimeError", said), "type", "clamp needs min or max",
                           hint="x.clamp(min=0) cuts off at 0 below")  # fmt: skip
    if min is not None:
        x = clamp_min(x, min)
    return x if max is None else clamp_max(x, max)


sign: Function = table.elementwise(
    "sign",
    "-1, 0 or 1 with the sign of x.",
    confused=("abs",),
    aliases=("sgn",),
    takes=ANY,
    whole=lambda op, x: x if x.kind == "bool" else x.graph.apply(op, (x,)),
    cuda="{0} != {0} ? {0} : ({T})(({0} > 0) - ({0} < 0))",
    edge=lambda xp, x: x,
    smooth=False,
    kink="the derivative is 0 everywhere",
    elsewhere=everywhere("0"),
    cost=4,
    exact=True,
    cell="SIGN({0})",
)
abs_ = table.elementwise(
    "abs",
    "Absolute value.",
    confused=("sign",),
    forward="absolute",
    aliases=("absolute", "fabs"),
    takes=NUMBERS,
    chain=lambda change, y, x: scale(sign(x), change),
    latex=r"\left| {0} \right|",
    edge=lambda xp, x: x,
    kink="0 at 0",
    elsewhere=everywhere("0", jax="1"),
    cost=1,
    exact=True,
    textbook=("sign(x)",),
    cell="ABS({0})",
)
angle = table.elementwise(
    "angle",
    "The angle of a real number in the complex plane: pi where x is negative, else 0.",
    forward=lambda xp, x: xp.where(
        xp.isnan(x), x, xp.where(x < 0, xp.full((), math.pi, x.dtype), xp.zeros((), x.dtype))
    ),
    cuda="{0} != {0} ? {0} : {0} < 0 ? ({T})3.141592653589793 : ({T})0",
    formula="where(x < 0, pi, 0)",
    edge=lambda xp, x: x,
    smooth=False,
    kink="the derivative is 0 everywhere",
    unlike={"np.angle": "angle(x), where the angle of -0.0 is 0", "jnp.angle": "angle(x)"},
    cost=4,
    torch="torch.angle",
    cell="IF({0}<0,PI(),0)",
)
copysign = table.elementwise(
    "copysign",
    "The size of a with the sign of b.",
    operands="a b",
    takes_numbers=("b",),
    chain=(lambda change, y, a, b: scale(sign(a) * sign(y), change), None),
    formula="abs(a) * sign(b)",
    edge=lambda xp, a, b: xp.stack(xp.broadcast_arrays(a, b)),
    domain=(0.3, 2.0),
    kink="0 where a is 0",
    elsewhere={"torch": "0, 0", "jax": "1, 0"},
    cell="IF({1}<0,-1,1)*ABS({0})",
    overloaded=True,
)
nextafter = table.elementwise(
    "nextafter",
    "The floating-point number behind `input` in the direction of `other`.",
    operands="input other",
    chain=(lambda change, y, x, other: where(eq(x, other), 0.0, change), None),
    cuda="nextafter({0}, {1})",
    edge=lambda xp, x, other: x - other,
    kink="0 where both are equal",
    exact=True,
    demands={"input, other": kernel("nextafter_cpu")},
)
heaviside = table.elementwise(
    "heaviside",
    "0 below 0, 1 above, and `values` at 0.",
    operands="input values",
    torch="",  # its heaviside has no gradient
    takes=ANY,
    whole=lambda op, x, values: where(eq(x, 0.0), values, cast(x > 0, x.kind)),
    cuda="{0} != {0} ? {0} : {0} == 0 ? {1} : ({T})({0} > 0)",
    latex=r"H({0})",
    formula="where(input == 0, values, input > 0)",
    edge=lambda xp, x, values: x,
    smooth=False,
    kink="the derivative is 0 everywhere, by `values` too",
    cell="IF({0}=0,{1},IF({0}>0,1,0))",
)


_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
"""The largest numbers of what a run computes in float64, as IEEE 754 has them."""


def _largest(dtypes: Sequence[str], given: Mapping[str, Any]) -> Mapping[str, float]:
    most = _LARGEST.get(dtypes[0]) if dtypes else None
    if most is None:
        return {}
    limits = {"posinf": most, "neginf": -most}
    return {name: limit for name, limit in limits.items() if given.get(name) is None}


@table.function(
    by_dtype=_largest,
    cases=[Case("nan_to_num(x)"), Case("nan_to_num(log(x), nan=2)", domain=(0.3, 3.0))],
    formula="where(isfinite(x), x, …)",
    kink="0 where x is replaced",
    order="kept",
)
def nan_to_num(
    x: Node, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Node:
    """x with nan and infinities replaced; infinities by the largest numbers unless given."""
    if x.kind != "float":
        return x
    largest = float(np.finfo(x.graph.dtype("float")).max)
    above = largest if posinf is None else posinf
    below = -largest if neginf is None else neginf
    other = where(isnan(x), nan, where(x > 0, above, below))
    return where(isfinite(x), x, other)


@table.function(
    "np.nan_to_num",
    by_dtype=_largest,
    cases=[Case("np.nan_to_num(x)"), Case("np.nan_to_num(log(x), True, 2)", domain=(0.3, 3.0))],
    formula="where(isfinite(x), x, …)",
    kink="0 where x is replaced",
)
def numpy_nan_to_num(
    x: Node,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Node:
    """`nan_to_num` as NumPy has it; whether x is copied makes no difference here."""
    return nan_to_num(x, nan, posinf, neginf)
