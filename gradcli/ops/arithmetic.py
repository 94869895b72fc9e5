"""Arithmetic: sums, products and quotients."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.bits import all_ones, bits_of
from gradcli.ops.group import Group
from gradcli.ops.kinds import ANY, NUMBERS, cast
from gradcli.ops.promotion import together
from gradcli.ops.table import Alike, Case, Demand, Function, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("arithmetic")

WORTH_A_LOOK = 1 << 16
"""From this many elements on, a faster way is used for which the plan depends on the number."""


def _add(a: Node, b: Node, *, alpha: float = 1) -> Node:
    return add(a, times(alpha, b))


add: Function = table.elementwise(
    "add",
    "Sum of two tensors; the second is taken `alpha` times.",
    (1, 1),
    operands="a b",
    takes_numbers=("a", "b"),
    variant=_add,
    takes=ANY,
    infix="+",
    plain=operator.add,
    cuda="{0} + {1}",
    latex="{0} + {1}",
    cost=1,
    exact=True,
    cell="{0}+{1}",
)


def _sub(a: Node, b: Node, *, alpha: float = 1) -> Node:
    return sub(a, times(alpha, b))


def times(factor: float, x: Node) -> Node:
    """x times a factor; a whole factor keeps integers."""
    if factor == 1:
        return x
    number = x.graph.constant(factor)
    return mul(cast(number, "int") if factor.is_integer() and x.kind != "float" else number, x)


_NOT_BOOL = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)
_OF_A_BOOL = Demand(
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
    "invert a mask, use the `~` or `logical_not()` operator instead.",
    _NOT_BOOL,
)
sub: Function = table.elementwise(
    "sub",
    "Difference of two tensors; the second is taken `alpha` times.",
    (1, -1),
    forward="subtract",
    operands="a b",
    takes_numbers=("a", "b"),
    variant=_sub,
    demands={
        "a, b": Demand(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead.",
            _NOT_BOOL,
        ),
        "a": _OF_A_BOOL,
        "b": _OF_A_BOOL,
    },
    takes=NUMBERS,
    aliases=("subtract",),
    infix="-",
    plain=operator.sub,
    cuda="{0} - {1}",
    latex="{0} - {1}",
    cost=1,
    exact=True,
    cell="{0}-{1}",
)


@table.function(
    takes_numbers=("other",),
    cases=[Case("rsub(x, y, alpha=2)", {"x": (2, 3), "y": (3,)})],
    overloaded=True,
)
def rsub(x: Node, other: Node, *, alpha: float = 1.0) -> Node:
    """`other`, less x, which is taken `alpha` times."""
    return sub(other, times(alpha, x))


mul = table.elementwise(
    "mul",
    "Product, element by element.",
    (lambda y, a, b: b, lambda y, a, b: a),
    forward="multiply",
    operands="a b",
    takes_numbers=("a", "b"),
    aliases=("multiply",),
    takes=ANY,
    infix="*",
    plain=operator.mul,
    cuda="{0} * {1}",
    latex=r"{0} \cdot {1}",
    cost=1,
    exact=True,
    cell="{0}*{1}",
)


def _div(a: Node, b: Node, *, rounding_mode: str | None = None) -> Node:
    from gradcli.ops.rounding import (
        floor_divide,
        fmod,
        trunc,
    )  # most programs do not round

    if rounding_mode is None:
        return div(a, b)
    if rounding_mode == "floor":
        return floor_divide(a, b)
    if rounding_mode == "trunc":
        if together((a, b))[0].kind == "float":
            return trunc(div(a, b))
        return floor_divide(a - fmod(a, b), b)
    raise GradcliError(
        "value", f"div: rounding_mode is 'floor', 'trunc' or None, not {rounding_mode!r}"
    )


def _by_power_of_two(node: Node) -> Callable[..., Any] | None:
    """The product with the inverse, which is equally exact."""
    divisor = node.inputs[1]
    if divisor.shape or node.size < WORTH_A_LOOK:
        return None
    known = node.graph.look(divisor)
    if known is None:
        return None
    mantissa, exponent = math.frexp(float(known))
    if abs(mantissa) != 0.5 or abs(exponent) > 100:
        return None
    inverse = 1 / known
    return lambda x, out=None: np.multiply(x, inverse, out=out)


def _quotient(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        return float(np.divide(a, b))


div: Function = table.elementwise(
    "div",
    "Quotient, element by element; `rounding_mode` may be 'floor' or 'trunc'.",
    (lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
    forward="divide",
    operands="a b",
    takes_numbers=("a", "b"),
    variant=_div,
    aliases=("divide", "true_divide"),
    infix="/",
    cuda="{0} / {1}",
    latex=r"\frac{{{0}}}{{{1}}}",
    edge=lambda xp, a, b: b,
    domain=(0.5, 2.0),
    by_number=_by_power_of_two,
    plain=_quotient,
    cost=1,
    exact=True,
    cell="{0}/{1}",
)
neg = table.elementwise(
    "neg",
    "Negative.",
    -1,
    demands={
        "x": Demand(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead.",
            _NOT_BOOL,
        )
    },
    forward="negative",
    aliases=("negative",),
    takes=NUMBERS,
    infix="-",
    plain=operator.neg,
    cuda="-{0}",
    latex="-{0}",
    cost=1,
    exact=True,
    cell="-{0}",
)


@table.function(cases=[Case("positive(x)")], passes_on=True, numpy="np.positive", order="kept")
def positive(x: Node) -> Node:
    """x as it is: `+x`."""
    return x


@table.function(
    aliases=("conj_physical", "conjugate", "resolve_conj", "resolve_neg", "real"),
    cases=[Case("conj(x)")],
    passes_on=True,
    order="kept",
)
def conj(x: Node) -> Node:
    """x as it is: all numbers are real here."""
    return x


@table.function(cases=[Case("alias_copy(x)")])
def alias_copy(x: Node) -> Node:
    """A tensor with the elements of x."""
    return x


def _scale_into(a: Array, b: Array, out: Array) -> None:
    np.multiply(a, b, out=out)
    nonzero = np.not_equal(a, 0)
    if not nonzero.all():
        bits = bits_of(out)
        np.bitwise_and(bits, all_ones(nonzero, bits.dtype), out=bits)


def _scale(xp: ArrayNamespace, a: Array, b: Array) -> Array:
    return xp.where(a == 0, xp.zeros((), b.dtype), a * b)


scale: Function = table.elementwise(
    "scale",
    "Product that is 0 wherever the first factor is exactly 0, even against inf or nan.",
    forward=_scale,
    operands="a b",
    chain=(lambda change, y, a, b: scale(change, b), lambda change, y, a, b: scale(a, change)),
    cuda="{0} == 0 ? 0 : {0} * {1}",
    latex=r"{0} \cdot {1}",
    formula="where(a == 0, 0, a * b)",
    domain=(0.2, 2.0),
    into=_scale_into,
    plain=lambda a, b: abs(a) if a == 0 else a * b,
    cost=4,
    exact=True,
    cell="IF({0}=0,0,{0}*{1})",
)

lerp = table.elementwise(
    "lerp",
    "The point between `input` and `end` at `weight`: 0 is `input`, 1 is `end`.",
    (
        lambda y, start, end, weight: 1 - weight,
        lambda y, start, end, weight: weight,
        lambda y, start, end, weight: end - start,
    ),
    forward=lambda xp, start, end, weight: xp.where(
        xp.abs(weight) < 0.5,
        start + weight * (end - start),
        end - (end - start) * (1 - weight),
    ),
    operands="input end weight",
    takes_numbers=("weight",),
    cuda="abs({2}) < ({T})0.5 ? {0} + {2} * ({1} - {0}) : {1} - ({1} - {0}) * (1 - {2})",
    latex=r"{0} + {2} \cdot ({1} - {0})",
    formula="input + weight * (end - input)",
    torch="torch.lerp",
    cell="{0}+{2}*({1}-{0})",
    demands={
        "end, input": kernel("lerp_kernel_scalar"),
        "input, end": Alike("expected dtype {type} for `end` but got dtype {other}"),
        "end, weight": Alike(
            "expected dtype {type} for `weight` but got dtype {other}", with_axes=True
        ),
    },
    overloaded=True,
)


def _whole_value(dtypes: Sequence[str], given: Mapping[str, Any]) -> Mapping[str, float]:
    """PyTorch cuts a fraction off where integers are added."""
    value = given.get("value")
    is_float = any("float" in each for each in dtypes)
    return {} if is_float or not isinstance(value, float) else {"value": math.trunc(value)}


@table.function(
    by_dtype=_whole_value,
    cases=[Case("addcmul(x, y, z, value=0.5)", {"x": (2, 3), "y": (3,), "z": (2, 1)})],
    formula="input + value * tensor1 * tensor2",
    overloaded=True,
    order="kept",
    keeps_integers=True,
)
def addcmul(input: Node, tensor1: Node, tensor2: Node, value: Node | None = None) -> Node:
    """A product of two tensors, times `value` (1), added to `input`."""
    product = tensor1 * tensor2
    return input + (product if value is None else value * product)


@table.function(
    cases=[Case("addcdiv(x, y, z, value=0.5)", {"x": (2, 3), "y": (3,), "z": (2, 1)}, (0.5, 2.0))],
    formula="input + value * tensor1 / tensor2",
    demands={
        "tensor1, tensor2": Demand(
            "Integer division with addcdiv is no longer supported, and in a future  release "
            "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
            "behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2))"
            ".to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
            "float inputs. The future addcdiv behavior is just the latter implementation: (input "
            "+ value * tensor1 / tensor2), for all dtypes."
        )
    },
    overloaded=True,
    order="kept",
)
def addcdiv(input: Node, tensor1: Node, tensor2: Node, value: Node | None = None) -> Node:
    """A quotient of two tensors, times `value` (1), added to `input`."""
    quotient = tensor1 / tensor2 if value is None else value * tensor1 / tensor2
    return input + quotient
