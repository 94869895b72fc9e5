"""Syntax trees of a text that has moved: the same trees, with other places."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from gradcli.language.syntax import Syntax

_Rows = TypeVar("_Rows", bound=tuple[object, ...])


def moved(trees: _Rows, by: int) -> _Rows:
    """A copy of trees in rows, or rows of rows, so many characters further on. What two trees have
    in common they have in common again.
    """
    copies: dict[Syntax, Syntax] = {}
    waiting: list[Syntax] = []

    def copied(value: Any) -> Any:
        """A field's value in the copy. Rows of rows are as deep as the grammar says."""
        if type(value) is tuple:
            return tuple([copied(each) for each in value])
        if not isinstance(value, Syntax):
            return value
        if value in copies:
            return copies[value]
        copy = copies[value] = object.__new__(type(value))
        waiting.append(value)
        return copy

    rows: _Rows = copied(trees)
    while waiting:
        node = waiting.pop()
        copy = copies[node]
        places, parts = _fields(type(node))
        for read, write in places:
            start, end = read(node)
            write(copy, (start + by, end + by))
        for read, write in parts:
            value = read(node)
            write(copy, value if type(value) in _PLAIN else copied(value))
    return rows


_PLAIN = frozenset({str, float, bool, type(None)})

_Slots = list[tuple[Callable[[Any], Any], Callable[[Any, Any], None]]]


@cache
def _fields(kind: type[Syntax]) -> tuple[_Slots, _Slots]:
    """What reads and writes the places in the text that a node has, and its other fields."""
    places: _Slots = []
    parts: _Slots = []
    for name in kind.__slots__:
        slot = getattr(kind, name)
        (places if name.endswith("span") else parts).append((slot.__get__, slot.__set__))
    return places, parts
