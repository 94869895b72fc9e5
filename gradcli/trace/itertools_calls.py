"""Functions of Python's `itertools` that choose and combine: each gives its whole list."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.trace.arguments import bind_names
from gradcli.trace.objects import Given
from gradcli.trace.series import ITERATOR, passed
from gradcli.trace.values import Value, Values


class ItertoolsCalls:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self.values = values
        choose = {
            "combinations": itertools.combinations,
            "permutations": itertools.permutations,
            "combinations_with_replacement": itertools.combinations_with_replacement,
        }
        own: dict[str, Callable[[list[Value], Given], Any]] = {
            **{name: partial(self._chosen, of) for name, of in choose.items()},
            "product": self._product,
            "chain": self._chain,
        }
        self.functions = {f"itertools.{name}": function for name, function in own.items()}

    def _product(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("product", ("repeat",), (), keywords, ("repeat",))
        repeat = self.values.integer(given["repeat"], "repeat") if given else 1
        rows = [self.values.elements(each) for each in arguments] * max(0, repeat)
        room = 1
        for row in rows:
            room *= len(row)
            self.values.graph.check_room(room)
        return passed(self.values, ITERATOR, list(itertools.product(*rows)))

    def _chain(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("chain", (), (), keywords)
        return passed(
            self.values,
            ITERATOR,
            [item for each in arguments for item in self.values.elements(each)],
        )

    def _chosen(
        self, choose: Callable[[list[Value], int], Any], arguments: list[Value], keywords: Given
    ) -> Value:
        given = bind_names("this", ("iterable", "r"), arguments, keywords, ("r",))
        items = self.values.elements(given["iterable"])
        count = self.values.integer(given["r"], "r") if "r" in given else len(items)
        found: list[Value] = []
        for each in choose(items, max(0, count)):
            found.append(each)
            self.values.graph.check_room(len(found) * max(1, count))
        return passed(self.values, ITERATOR, found)
