"""Places in a syntax tree, and the tree with another expression at one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from gradcli.diagnostics import Span
from gradcli.language.construct import NOWHERE
from gradcli.language.syntax import (
    Attribute,
    Call,
    Comprehension,
    Expression,
    Keyword,
    Lambda,
    Name,
    Syntax,
)  # fmt: skip

_Part = TypeVar("_Part", bound=Syntax)


class Place(NamedTuple):
    """A part of a tree, and how it is reached from the whole."""

    part: Syntax
    above: Place | None
    field: str
    """The field of the part above that holds it,"""
    position: int | None
    """and where it stands in there if that is a tuple."""

    @property
    def is_value(self) -> bool:
        """Whether the part has a value of its own: the name of a function has none, nor what a
        comprehension binds.
        """
        named = self.above is not None and self.field in ("callee", "target")
        return isinstance(self.part, Expression) and not named

    @property
    def binds(self) -> bool:
        """Whether the part stands where names may have other values than outside."""
        place = self.above
        while place is not None and not isinstance(place.part, Comprehension | Lambda):
            place = place.above
        return place is not None

    @property
    def whole(self) -> Expression:
        """The tree that the place is in."""
        place = self
        while place.above is not None:
            place = place.above
        assert isinstance(place.part, Expression)
        return place.part

    @property
    def span(self) -> Span:
        """The text that the part comes from, or what it stands in comes from."""
        place = self
        while place.part.span == NOWHERE and place.above is not None:
            place = place.above
        return place.part.span


def places(expression: Expression) -> Iterator[Place]:
    """Every part of a tree, the whole first."""
    waiting = [Place(expression, None, "", None)]
    while waiting:
        place = waiting.pop()
        yield place
        for field in reversed(place.part.__slots__):
            held = getattr(place.part, field)
            if isinstance(held, Syntax):
                waiting.append(Place(held, place, field, None))
            elif isinstance(held, tuple):
                waiting += [
                    Place(each, place, field, position)
                    for position, each in reversed(list(enumerate(held)))
                    if isinstance(each, Syntax)
                ]


def replaced(place: Place, part: Syntax) -> Expression:
    """The whole tree with another part at a place."""
    while place.above is not None:
        if place.position is None:
            held: object = part
        else:
            before = getattr(place.above.part, place.field)
            held = (*before[: place.position], part, *before[place.position + 1 :])
        part = changed(place.above.part, **{place.field: held})
        place = place.above
    return part  # type: ignore[return-value]


def with_values(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """The tree with an expression in the place of each of these names."""

    def named(place: Place) -> bool:
        return isinstance(place.part, Name) and place.is_value and place.part.id in values

    while found := next(filter(named, places(expression)), None):
        assert isinstance(found.part, Name)
        expression = replaced(found, values[found.part.id])
    return expression


def changed(part: _Part, **fields: object) -> _Part:
    """A part with other values in some of its fields."""
    return type(part)(*(fields.get(each, getattr(part, each)) for each in part.__slots__))


def called(call: Call) -> tuple[str, list[Expression]]:
    """The name of the function and its operands, `sum` and `x, y` of `sum(x, y)` or `x.sum(y)`."""
    if isinstance(call.callee, Attribute):
        return call.callee.name, [call.callee.value, *call.arguments]
    return getattr(call.callee, "id", ""), list(call.arguments)


def keyword(call: Call, *names: str) -> Keyword | None:
    """The keyword argument of one of these names."""
    return next((each for each in call.keywords if each.name in names), None)
