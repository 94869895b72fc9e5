"""The order of elements that are sorted, as Python has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.items import Items
from gradcli.trace.kinds_of_values import kind_of
from gradcli.trace.objects import Object
from gradcli.trace.operators import comparison, is_same
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value, Values


def sorting_keys(values: Values, numbers: PrintedNumbers, items: Sequence[Value]) -> list[Any]:
    """What is compared of elements that are sorted: strings and numbers as they are."""
    if all(isinstance(each, str) for each in items):
        return list(items)
    if all(isinstance(each, Node) and not each.shape for each in items):
        return [values.number(each, "what is compared") for each in items]
    return [Sortable(values, numbers, each) for each in items]


_TURNED = {"<": ("__lt__", "__gt__"), ">": ("__gt__", "__lt__")}
"""The method that is asked for an order, and the one of the other side that is asked next."""


class Sortable:
    """An element among those that are sorted. Of rows the first parts that differ decide: those
    behind them may have no order.
    """

    def __init__(self, values: Values, numbers: PrintedNumbers, value: Value) -> None:
        self._values = values
        self._numbers = numbers
        self.value = value

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Sortable)
        return is_same(self._values, self.value, other.value)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Sortable) -> bool:
        return self._holds("<", other)

    def __gt__(self, other: Sortable) -> bool:
        return self._holds(">", other)

    def _holds(self, operator: str, other: Sortable) -> bool:
        left, right = self.value, other.value
        while (rows := (self._row(left), self._row(right))) != (None, None):
            if None in rows:
                raise self._unordered(operator, left, right)
            pairs = zip(*rows, strict=False)  # type: ignore[arg-type]
            differ = next((pair for pair in pairs if not is_same(self._values, *pair)), None)
            if differ is None:
                a, b = (len(row or ()) for row in rows)
                return a < b if operator == "<" else a > b
            left, right = differ
        if isinstance(left, str) and isinstance(right, str):
            return left < right if operator == "<" else left > right
        if isinstance(left, Object) or isinstance(right, Object):
            return self._asked(operator, left, right)
        if not isinstance(left, Node) or not isinstance(right, Node):
            raise self._unordered(operator, left, right)
        return self._values.truth(comparison(self._values, operator, left, right))

    def _row(self, value: Value) -> list[Value] | None:
        """The parts of a list or a tuple; None for others."""
        if isinstance(value, Node):
            value = self._values.listed.get(value)
        return self._values.elements(value) if isinstance(value, Items | tuple) else None

    def _asked(self, operator: str, left: Value, right: Value) -> bool:
        """What the class of one of them says."""
        for name, one, other in zip(_TURNED[operator], (left, right), (right, left), strict=True):
            answer: Any = one.asked(name, other) if isinstance(one, Object) else None
            if answer is not None:
                return self._values.truth(answer)
        raise self._unordered(operator, left, right)

    def _unordered(self, operator: str, left: Value, right: Value) -> GradcliError:
        from gradcli.trace.refusals import no_order  # a mistake

        kinds = (kind_of(each, self._numbers) for each in (left, right))
        return no_order(operator, *kinds)
