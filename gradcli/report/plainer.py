"""Rules of ops in the words that users know: `outer(a, b)` for a product of reshaped vectors.

Each rewrite is about the form of an expression alone, so that it may be wrong for the shapes and
numbers at hand. What comes out is computed before it is told, as every sentence is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.graph import Shape
from gradcli.language.construct import attribute, binary, call, listed, number, numbers
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Expression,
    Keyword,
    List,
    Name,
    Number,
    Syntax,
    Tuple,
)
from gradcli.ops.shaping import padding

ShapeOf = Callable[[Expression], Shape | None]
"""The shape of an expression over names, None where it has none."""


def plainer(part: Any, shape_of: ShapeOf) -> Any:
    """A part of a tree with the rewrites in it. It recurses: sentences are short."""
    match part:
        case Name() | Number():
            return part
        case Call(callee=Name(id=function)):
            arguments, keywords = plainer((part.arguments, part.keywords), shape_of)
            found = Call(part.callee, arguments, keywords, part.span)
            rewrite = CALLS.get(function)
            return (rewrite and rewrite(found, shape_of)) or found
        case Call() | Keyword():
            fields = [getattr(part, each) for each in part.__slots__]
            return type(part)(*(plainer(each, shape_of) for each in fields))
        case Attribute(value=value, name="mT"):
            return attribute(plainer(value, shape_of), "T")
        case Binary(operator=operator, left=left, right=right):
            left, right = plainer(left, shape_of), plainer(right, shape_of)
            plain = _product(operator, left, right) or _twice(operator, left, right)
            return plain or binary(operator, left, right)
        case tuple():
            return tuple(plainer(each, shape_of) for each in part)
        case Syntax():
            fields = [getattr(part, each) for each in part.__slots__]
            return type(part)(*(plainer(each, shape_of) for each in fields))
    return part


def _product(operator: str, left: Expression, right: Expression) -> Expression | None:
    """`reshape(a, n, 1) * b` is `outer(a, b)`, and `x / a / b` is `x / (a * b)`."""
    match operator, left:
        case "/", _ if isinstance(right, Number) and right.value == 1:
            return left
        case "*", Call(callee=Name(id="reshape"), arguments=(a, Number(), Number(value=1.0))):
            return call("outer", a, _unraised(right))
        case "/", Binary(operator="/", left=x, right=a) if not isinstance(a, Number):
            return binary("/", x, binary("*", a, right))
        case "/", Binary(operator="/", left=x, right=Number() as a) if not isinstance(
            right, Number
        ):
            return binary("/", x, binary("*", a, right))
    return None


def _twice(operator: str, left: Expression, right: Expression) -> Expression | None:
    """`a * b + a * b` is `2 * a * b`."""
    alike = operator == "+" and print_expression(left) == print_expression(right)
    return binary("*", number(2.0), left) if alike else None


def _unraised(row: Expression) -> Expression:
    """A vector, where it is written as a matrix of one row."""
    match row:
        case Call(callee=Name(id="reshape"), arguments=(vector, Number(value=1.0), Number())):
            return vector
    return row


def _scale(product: Call, _: ShapeOf) -> Expression | None:
    """A product that is 0 where its first factor is."""
    match product.arguments:
        case (a, b):
            return binary("*", a, b)
    return None


def _embed(embedded: Call, shape_of: ShapeOf) -> Expression | None:
    """Zeros around a tensor: a unit vector, or padding."""
    match embedded.arguments:
        case (x, Tuple(items=lengths), Tuple(items=starts)):
            pass
        case _:
            return None
    sizes, first = ([_integer(each) for each in items] for items in (lengths, starts))
    placed = _placed(x, first, sizes)
    if placed is not None:
        return placed
    own_shape = shape_of(x)
    if own_shape is None or len(own_shape) != len(sizes):
        return None
    return call("pad", x, numbers(padding(sizes, first, own_shape)))


def _pad(padded: Call, _: ShapeOf) -> Expression | None:
    """Zeros around a tensor by how many there are: a unit vector, where that says the same."""
    match padded.arguments:
        case (Call(callee=Name(id="reshape"), arguments=(_, *shape)) as x, Tuple(items=counts)):
            around = [_integer(each) for each in counts] + [0] * (2 * len(shape) - len(counts))
            first = around[::2][::-1]
            behind = around[1::2][::-1]
            own = map(_integer, shape)
            sizes = [sum(each) for each in zip(first, own, behind, strict=True)]
            return _placed(x, first, sizes)
    return None


def _placed(x: Expression, first: Sequence[int], sizes: Sequence[int]) -> Expression | None:
    """A number, row or column at a place among zeros: by unit vectors."""
    match x:
        case Call(callee=Name(id="reshape"), arguments=(inner, *shape)):
            own = [_integer(each) for each in shape]
            if own == [1]:
                return binary("*", inner, _unit(first[0], sizes[0]))
            if len(own) == 2 and own[0] == 1 and own[1] == sizes[1]:
                return call("outer", _unit(first[0], sizes[0]), inner)
            if len(own) == 2 and own[1] == 1 and own[0] == sizes[0]:
                return call("outer", inner, _unit(first[1], sizes[1]))
            if own == [1, 1]:
                units = (_unit(k, n) for k, n in zip(first, sizes, strict=True))
                return binary("*", inner, call("outer", *units))
    return None


def _unit(place: int, length: int) -> Expression:
    return call("one_hot", number(place), number(length))


def _put_add(put: Call, _: ShapeOf) -> Expression | None:
    """Zeros to which values are added at places along one axis."""
    match put.arguments:
        case (x, Tuple(items=lengths), Tuple(items=(axis,)), places):
            sizes = [_integer(each) for each in lengths]
            dim = _integer(axis) % max(1, len(sizes))
            at = places if isinstance(places, List) else _unlisted(places)
            return call("index_add", call("zeros", *map(number, sizes)), number(dim), at, x)
    return None


def _unlisted(places: Expression) -> Expression:
    """A single place as a list."""
    return listed([places]) if isinstance(places, Number) else places


def _diagonal(embedded: Call, _: ShapeOf) -> Expression | None:
    """One number on the diagonal: a multiple of the identity."""
    match embedded.arguments:
        case (Call(callee=Name(id="expand"), arguments=(x, Number() as n)),):
            return binary("*", x, call("eye", n))
        case (x,):
            return call("diag", x)
    return None


def _integer(part: Any) -> int:
    return int(part.value) if isinstance(part, Number) else -int(part.operand.value)


CALLS: dict[str, Callable[[Call, ShapeOf], Expression | None]] = {
    "scale": _scale,
    "embed": _embed,
    "pad": _pad,
    "put_add": _put_add,
    "diag_embed": _diagonal,
}
"""By function: another way to say it."""
