"""Numbers in a program's text: constants, or literals for which later runs may have others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import MAX_RANK, Node, Shape
from gradcli.language import syntax
from gradcli.trace.items import Items
from gradcli.trace.values import Values


class Numerals:
    """Makes nodes of numbers, and of lists of numbers."""

    def __init__(self, values: Values, text: str, places: Mapping[int, int]) -> None:
        """`places` numbers those that become literals, by where they begin in the text."""
        self._graph = values.graph
        self._values = values
        self.text = text
        self._places = places
        self._array: syntax.List | None = None
        """The last list that was one of numbers."""

    def number(self, expression: syntax.Number) -> Node:
        """The node of a number."""
        self._graph.span = expression.span
        place = self._places.get(expression.span[0])
        if place is None:
            return self._plain(expression, expression.value)
        return self._graph.literal(expression.value, [place])

    def _plain(self, expression: syntax.Number, value: float) -> Node:
        """A number: whether it is an integer or a float in Python is how it is written."""
        is_whole = self._values.is_python and value.is_integer()
        if is_whole and not is_decimal(self.text[slice(*expression.span)]):
            return self._graph.decimal(value)
        return self._graph.constant(value)

    def items(self, expression: syntax.List) -> Items | None:
        """A list of numbers in equal rows as lists of numbers; None for other lists."""
        found = numeric(expression)
        if found is None:
            return None
        shape, items = found
        level: list[Any] = []
        for item in items:
            self._graph.span = item.span
            number: Any = item.operand if isinstance(item, syntax.Unary) else item
            sign = 1.0 if number is item else -1.0
            level.append(self._plain(number, sign * number.value))
        for length in reversed(shape):
            level = [Items(level[i : i + length]) for i in range(0, len(level), length)]
        return level[0]  # type: ignore[no-any-return]

    def is_array(self, expression: syntax.List) -> bool:
        """Whether a list holds only numbers in equal rows."""
        return expression is self._array or numeric(expression) is not None

    def array(self, expression: syntax.List) -> Node | None:
        """The node of a list that holds only numbers in equal rows; None for other lists."""
        found = numeric(expression)
        if found is None:
            return None
        self._array = expression
        self._graph.span = expression.span
        shape, items = found
        values, places = [], []
        for item in items:
            number: Any = item.operand if isinstance(item, syntax.Unary) else item
            negative = number is not item
            values.append(-number.value if negative else number.value)
            place = self._places.get(number.span[0])
            if place is not None:
                places.append(place - len(self._places) if negative else place)
        array = np.array(values).reshape(shape)
        if len(places) < len(values):
            return self._graph.constant(array)
        return self._graph.literal(array, places)


def is_decimal(written: str) -> bool:
    """Whether a number is written as an integer: `1000` or `1_000`."""
    if written.isdecimal() or written.replace("_", "").isdecimal():
        return True
    return written[1:2] in tuple("xXoObB")  # 0xff


def numeric(
    expression: syntax.List,
) -> tuple[Shape, list[syntax.Number | syntax.Unary]] | None:
    """Shape and elements of a literal that holds nothing but numbers in equal rows, else None.

    Level by level, so that no nesting is too deep.
    """
    shape: list[int] = []
    level: list[Any] = [expression]
    while type(level[0]) is syntax.List:
        length = len(level[0].items)
        for row in level:
            if type(row) is not syntax.List or len(row.items) != length:
                return None
        if not length:
            return None
        shape.append(length)
        level = [item for row in level for item in row.items]
    if len(shape) > MAX_RANK:
        raise GradcliError(
            "shape", f"{len(shape)} dimensions; there can be {MAX_RANK}", span=expression.span
        )
    if not all(map(_is_number, level)):
        return None
    return tuple(shape), level


def _is_number(item: syntax.Expression) -> bool:
    """Whether it is a number, perhaps with a minus."""
    if type(item) is syntax.Unary and item.operator == "-":
        item = item.operand
    return type(item) is syntax.Number
