"""Numbers in a program's text: constants, or literals for which later runs may have others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import MAX_RANK, Graph, Node, Shape
from gradcli.language import syntax


class Numerals:
    """Makes nodes of numbers, and of lists of numbers."""

    def __init__(self, graph: Graph, places: Mapping[int, int]) -> None:
        """`places` numbers those that become literals, by where they begin in the text."""
        self._graph = graph
        self._places = places

    def number(self, expression: syntax.Number) -> Node:
        """The node of a number."""
        self._graph.span = expression.span
        place = self._places.get(expression.span[0])
        if place is None:
            return self._graph.constant(expression.value)
        return self._graph.literal(expression.value, [place])

    def array(self, expression: syntax.List) -> Node | None:
        """The node of a list that holds only numbers in equal rows; None for other lists."""
        found = numeric(expression)
        if found is None:
            return None
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
