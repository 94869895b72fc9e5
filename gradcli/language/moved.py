"""Syntax trees of a text that has moved: the same trees, with other places."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from gradcli.language import syntax
from gradcli.language.syntax import Syntax

_Rows = TypeVar("_Rows", bound=tuple[object, ...])

_WHOLE = frozenset((syntax.Assign, syntax.ChainedAssign, syntax.AugmentedAssign, syntax.Evaluate))
"""Statements without a body: nothing else refers to their parts."""


def moved(trees: _Rows, by: int) -> _Rows:
    """A copy of trees in rows, or rows of rows, so many characters further on. What two trees have
    in common they have in common again.

    Most statements know their place alone until another field is asked for: those that do not run
    need no other.
    """
    move = _Move(by)
    rows: _Rows = move.copied(trees)
    move.finish()
    return rows


class _Move:
    """Copies nodes, and what is inside them."""

    def __init__(self, by: int) -> None:
        self._by = by
        self._copies: dict[Syntax, Any] = {}
        self._waiting: list[tuple[Any, Syntax]] = []
        """Copies that have no fields yet, and what they are copies of."""

    def copied(self, value: Any) -> Any:
        """A field's value in the copy. Rows of rows are as deep as the grammar says."""
        if type(value) is tuple:
            return tuple([self.copied(each) for each in value])
        if not isinstance(value, Syntax):
            return value
        if value in self._copies:
            return self._copies[value]
        copy = self._copies[value] = object.__new__(type(value))
        if type(value) in _WHOLE:
            self._place(copy, value)
        else:
            self._waiting.append((copy, value))
        return copy

    def _place(self, copy: Any, statement: Any) -> None:
        """Let the copy of a statement know its place, and where its other fields come from."""
        start, end = statement.span
        copy.span = (start + self._by, end + self._by)
        by = self._by
        fill, origin, moved_by = getattr(statement, "moved_from", (None, None, 0))
        if fill is _fill:
            statement, by = origin, by + moved_by
        copy.moved_from = (_fill, statement, by)

    def fill(self, copy: Syntax, node: Syntax) -> None:
        """Give the copy of a node its fields."""
        places, parts = _fields(type(node))
        for read, write in places:
            start, end = read(node)
            write(copy, (start + self._by, end + self._by))
        for read, write in parts:
            value = read(node)
            write(copy, value if type(value) in _PLAIN else self.copied(value))

    def finish(self) -> None:
        """Fill all copies that were made."""
        while self._waiting:
            self.fill(*self._waiting.pop())


def _fill(copy: Syntax, statement: Any, by: int) -> None:
    """Give a copy of a statement its fields."""
    _ = statement.value  # it may know its place alone, too
    move = _Move(by)
    move.fill(copy, statement)
    move.finish()


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
