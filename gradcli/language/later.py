"""Assignments that know their place alone until another field is asked for: of those that a long
text writes many times in a row, most are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import Span
from gradcli.language.syntax import Assign

FEW = 64
"""So many are built as they are asked for; then all others are, as that takes less long."""


class Later:
    """Such statements, which are built in the same way."""

    __slots__ = ("_asked", "_build", "statements")

    def __init__(
        self,
        places: Sequence[int],
        spans: Sequence[Span],
        build: Callable[[Sequence[int]], Sequence[Any]],
    ) -> None:
        """`build` gives the whole statements at some of the places."""
        self._asked, self._build = 0, build
        self.statements: list[Any] = [object.__new__(Assign) for _ in places]
        fill = self._fill
        for statement, place, span in zip(self.statements, places, spans, strict=True):
            statement.span = span
            statement.moved_from = fill, None, place

    def _fill(self, statement: Any, _: None, _place: int) -> None:
        """Give a statement its fields, and the others theirs if many were asked for."""
        self._asked += 1
        asked = [statement]
        if self._asked > FEW:
            asked = [each for each in self.statements if hasattr(each, "moved_from")]
        wholes = self._build([each.moved_from[2] for each in asked])
        for each, whole in zip(asked, wholes, strict=True):
            each.target, each.value = whole.target, whole.value
            del each.moved_from
