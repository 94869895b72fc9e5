"""Functions of Python's `itertools`. Each gives its whole list: none is without an end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.operators import binary, is_same
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
            "chain.from_iterable": lambda given, _: self._chain(self.values.elements(given[0]), {}),
            "repeat": self._repeat,
            "islice": self._slice,
            "zip_longest": self._zip_longest,
            "starmap": self._starmap,
            "accumulate": self._accumulate,
            "groupby": self._groupby,
            "pairwise": self._pairwise,
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
        return Items(list(itertools.product(*rows)))

    def _chain(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("chain", (), (), keywords)
        return Items([item for each in arguments for item in self.values.elements(each)])

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
        return Items(found)

    def _repeat(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("repeat", ("object", "times"), arguments, keywords, ("times",))
        if "times" not in given:
            raise GradcliError("value", "repeat has no end here", hint="itertools.repeat(x, 3)")
        count = max(0, self.values.integer(given["times"], "times"))
        self.values.graph.check_room(count)
        return Items([given["object"]] * count)

    def _slice(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("islice", (), (), keywords)
        items, *bounds = arguments or [None]
        places = [None if each is None else self.values.integer(each, "islice") for each in bounds]
        if not 0 < len(places) < 4 or any(each is not None and each < 0 for each in places):
            raise GradcliError("value", "islice takes an end, or a start and an end, and a step")
        return Items(list(itertools.islice(self.values.elements(items), *places)))

    def _zip_longest(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("zip_longest", ("fillvalue",), (), keywords, ("fillvalue",))
        rows = [self.values.elements(each) for each in arguments]
        return Items(list(itertools.zip_longest(*rows, fillvalue=given.get("fillvalue"))))

    def _starmap(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("starmap", ("function", "iterable"), arguments, keywords)
        function = self._function("starmap", given["function"])
        found: list[Value] = []
        for each in self.values.elements(given["iterable"]):
            found += [(yield function.call(list(self.values.elements(each)), {}))]
        return Items(found)

    def _accumulate(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("iterable", "func", "initial")
        given = bind_names("accumulate", names, arguments, keywords, names[1:])
        items = list(self.values.elements(given["iterable"]))
        if given.get("initial") is not None:
            items.insert(0, given["initial"])
        function = given.get("func")
        if function is not None:
            function = self._function("accumulate", function)
        found: list[Value] = items[:1]
        for each in items[1:]:
            total = found[-1]
            if function is None:
                found.append(binary(self.values, "+", total, each))
            else:
                found.append((yield function.call([total, each], {})))
        return Items(found)

    def _groupby(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("groupby", ("iterable", "key"), arguments, keywords, ("key",))
        key = given.get("key")
        groups: list[tuple[Value, list[Value]]] = []
        for each in self.values.elements(given["iterable"]):
            if key is None:
                own = each
            else:
                own = yield self._function("groupby", key).call([each], {})
            if groups and is_same(self.values, groups[-1][0], own):
                groups[-1][1].append(each)
            else:
                groups.append((own, [each]))
        return Items([(own, Items(group)) for own, group in groups])

    def _pairwise(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("pairwise", ("iterable",), arguments, keywords).values()
        return Items(list(itertools.pairwise(self.values.elements(given))))

    def _function(self, name: str, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError("type", f"{name} takes a function", hint="the name of f without ( )")
        return value
