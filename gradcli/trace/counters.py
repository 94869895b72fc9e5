"""`collections.Counter`: how often each value occurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given
from gradcli.trace.values import Value, Values


class Occurrences(Dictionary):
    """The counts by value; that of what does not occur is 0."""

    what = "a Counter"

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
        return super().methods() | {"most_common": self._most_common, "update": self._update}

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
