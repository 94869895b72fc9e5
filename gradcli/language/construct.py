"""Expressions of the language that are not read from text: names, numbers, calls, subscripts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from gradcli.graph import Array
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Expression,
    Index,
    Keyword,
    List,
    Name,
    Number,
    Slice,
    String,
    Syntax,
    Tuple,
    Unary,
)

Item: TypeAlias = Expression | Slice

NOWHERE = (0, 0)
"""The span of nodes that are not from a text."""
WHOLE = Slice(None, None, None, NOWHERE)
"""`:`, all of an axis."""


def name(text: str) -> Name:
    return Name(text, NOWHERE)


def number(value: float) -> Expression:
    """A number as the language writes it, where a minus is an operator. `inf` and `nan` become
    numbers and not names, as a program may bind these names to something else.
    """
    size = Number(abs(value), NOWHERE)
    negative = math.copysign(1.0, value) < 0 and not math.isnan(value)
    return Unary("-", size, NOWHERE) if negative else size


def numbers(values: Iterable[float]) -> Tuple:
    return Tuple(tuple(map(number, values)), NOWHERE)


def argument(value: Any) -> Expression:
    """A plain Python value: a number, a truth value, None, a string or a tuple of these."""
    if isinstance(value, bool) or value is None:
        return Constant(value, NOWHERE)
    if isinstance(value, tuple):
        return Tuple(tuple(map(argument, value)), NOWHERE)
    if isinstance(value, str):
        return String(value, NOWHERE)
    return number(value)


def quotients(part: Any) -> Any:
    """A part of a tree with infinities and nan as `1 / 0` and `0 / 0`, which mean the same where
    `inf` or `nan` is a name of something else. Recurses: trees that come from no text are shallow.
    """
    match part:
        case Number(value=value) if not math.isfinite(value):
            return binary("/", number(float(not math.isnan(value))), number(0.0))
        case tuple():
            return tuple(map(quotients, part))
        case Syntax():
            return type(part)(*(quotients(getattr(part, each)) for each in part.__slots__))
    return part


def literal(array: Array) -> Expression:
    """An array as nested lists; one without elements as `zeros(0, 3)`. Recurses over its axes."""
    if not array.size:
        return call("zeros", *map(number, array.shape))
    if array.ndim:
        return List(tuple(literal(part) for part in array), NOWHERE)
    if array.dtype.kind == "b":
        return Constant(bool(array), NOWHERE)
    return number(float(array))


def constant(array: Array) -> Expression:
    """An array as an expression of its kind."""
    return call("long", literal(array)) if array.dtype.kind == "i" else literal(array)


def index(expression: Expression) -> Expression:
    """An expression as an index: the numbers of a list need no conversion to integers."""
    match expression:
        case Call(callee=Name(id="long"), arguments=(List() as listing,)):
            return listing
    return expression


def call(function: str, *arguments: Expression, **keywords: Expression) -> Call:
    named = tuple(Keyword(key, value, NOWHERE) for key, value in keywords.items())
    return Call(name(function), arguments, named, NOWHERE)


def attribute(value: Expression, field: str) -> Attribute:
    return Attribute(value, field, NOWHERE, NOWHERE)


def binary(symbol: Any, left: Expression, right: Expression) -> Binary:
    return Binary(symbol, left, right, NOWHERE, NOWHERE)


def unary(symbol: Any, operand: Expression) -> Unary:
    return Unary(symbol, operand, NOWHERE)


def compare(symbol: Any, left: Expression, right: Expression) -> Compare:
    return Compare((symbol,), (left, right), NOWHERE)


def listed(items: Iterable[Expression]) -> List:
    return List(tuple(items), NOWHERE)


def subscript(value: Expression, items: Sequence[Item]) -> Index:
    """`value[items]`, without each `:` at its end, which would change nothing."""
    kept = list(items)
    while len(kept) > 1 and kept[-1] is WHOLE:
        kept.pop()
    return Index(value, tuple(kept), NOWHERE)


def places(first: int, count: int, step: int, length: int) -> Slice:
    """`first:stop:step`, as many places as `count`, on an axis of a length; its ends are not
    written where they are those of the axis.
    """
    stop = first + count * step if count else first
    to_the_end = stop == length if step == 1 else stop < 0
    return Slice(
        None if first == 0 and step == 1 else number(first),
        None if count and to_the_end else number(stop),
        None if step == 1 else number(step),
        NOWHERE,
    )
