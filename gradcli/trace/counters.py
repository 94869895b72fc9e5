"""`collections.Counter`: how often each value occurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value, Values, describe

_SIGNS = {"__add__": 1.0, "__sub__": -1.0}
"""What operators are of counters."""


class Occurrences(Dictionary):
    """The counts by value; that of what does not occur is 0."""

    what = "a Counter"
    title = "Counter"

    def item(self, items: Sequence[Any]) -> Any:
        key = items[0] if len(items) == 1 else tuple(items)
        return super().item(items) if self.contains(key) else self.values_.graph.constant(0.0)

    def __init__(self, values: Values, elements: Sequence[Value] = ()) -> None:
        super().__init__(values)
        self.values_ = values
        self.add(elements)

    def add(self, elements: Sequence[Value]) -> None:
        """Count more elements."""
        one = self.values_.graph.constant(1.0)
        for each in elements:
            self.put(each, self.item([each]) + one)

    def ordered(self) -> list[tuple[Value, Node]]:
        """Values and their counts, the commonest first."""
        counts = [(key, self.values_.tensor(count)) for key, count in self.pairs()]
        return sorted(counts, key=lambda pair: -self.values_.number(pair[1], "a count"))

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return super().methods() | {
            "most_common": self._most_common,
            "update": self._update,
            "elements": lambda *_: Items(
                [key for key, count in self.counted() for _ in range(count)]
            ),
            "total": lambda *_: self.values_.graph.constant(
                float(sum(count for _, count in self.counted()))
            ),
        }

    def counted(self) -> list[tuple[Value, int]]:
        """Values, and how often they occur."""
        counts = [(key, self.values_.integer(count, "a count")) for key, count in self.pairs()]
        self.values_.graph.check_room(sum(max(0, count) for _, count in counts))
        return counts

    def special(self, name: str) -> Object | None:
        """`a + b` and `a - b`: of two counters, what occurs in both or is left."""
        return BuiltIn(name, self._operated) if name in _SIGNS else super().special(name)

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        (other,) = arguments
        if not isinstance(other, Occurrences):
            raise GradcliError("type", f"the other side must be a Counter, not {describe(other)}")
        made = Occurrences(self.values_)
        for key in dict.fromkeys([k for k, _ in (*self.pairs(), *other.pairs())]):
            count = self.item([key]) + self.values_.tensor(other.item([key])) * _SIGNS[name]
            if self.values_.number(count, "a count") > 0:
                made.put(key, count)
        return made

    def _most_common(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("most_common", ("n",), arguments, keywords, ("n",))
        count = self.length() if given.get("n") is None else self.values_.integer(given["n"], "n")
        return Items(list(self.ordered()[: max(0, count)]))

    def _update(self, arguments: list[Value], keywords: Given) -> Value:
        (more,) = bind_names("update", ("iterable",), arguments, keywords).values()
        self.add(self.values_.elements(more))
        return None


def counter(values: Values, arguments: list[Value], keywords: Given) -> Value:
    """`Counter(iterable)`."""
    given = bind_names("Counter", ("iterable",), arguments, keywords, ("iterable",))
    return Occurrences(values, values.elements(given["iterable"]) if given else ())
