"""`itertools` and `heapq`, `bisect`, `operator`: what few cells use of Python's library."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining, taken
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.series import ITERATOR, passed
from gradcli.trace.special import Special
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values

Operate = Callable[[str, Value, Value], Any]
"""The value of an operator on two values, or the visitor that finds it."""
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


class IterationTools:
    """The functions by name."""

    def __init__(self, values: Values, operate: Operate) -> None:
        self.values = values
        self._operate = operate
        self.functions: dict[str, Special] = {
            "itertools.chain.from_iterable": self._chained,
            "itertools.accumulate": self._accumulated,
            "itertools.islice": self._slice,
            "itertools.count": self._count,
            "itertools.cycle": self._cycle,
            "itertools.repeat": self._repeat,
            "itertools.zip_longest": self._zip_longest,
            "itertools.starmap": self._starmap,
            "itertools.takewhile": partial(self._while, True),
            "itertools.dropwhile": partial(self._while, False),
            "itertools.pairwise": self._pairs,
            "itertools.groupby": self._groups,
            "itertools.compress": self._compress,
            "itertools.tee": self._tee,
            **{f"operator.{name}": partial(self._operated, name) for name in _OPERATORS},
            "operator.getitem": lambda given, _: self._element(*given),
            "operator.itemgetter": self._getter,
            "operator.attrgetter": self._attribute_getter,
            "operator.neg": lambda given, _: self.values.plain(0) - self.values.tensor(given[0]),
        }

    def _row(self, value: Value) -> list[Value]:
        return self.values.elements(value)

    def _lazy(self, items: Iterator[Value]) -> Remaining:
        return Remaining(self.values, items)

    def _whole(self, number: float) -> Node:
        return self.values.graph.constant(number)

    # --- itertools ---

    def _chained(self, arguments: list[Value], keywords: Given) -> Value:
        (rows,) = bind_names("from_iterable", ("iterable",), arguments, keywords).values()
        return self._lazy(e for row in taken(self.values, rows) for e in taken(self.values, row))

    def _accumulated(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("iterable", "func", "initial")
        given = bind_names("accumulate", names, arguments, keywords, names[1:])
        function = given.get("func")
        found = [given["initial"]] if given.get("initial") is not None else []
        for each in self._row(given["iterable"]):
            if not found:
                found.append(each)
            elif isinstance(function, Object):
                found += [(yield function.call([found[-1], each], {}))]
            else:
                found += [(yield self._operate("+", found[-1], each))]
        return passed(self.values, ITERATOR, found)

    def _slice(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("islice", ("iterable", "start", "stop", "step"), arguments, keywords,
                           ("stop", "step"))  # fmt: skip
        bounds = [
            None if each is None else max(0, self.values.integer(each, "islice"))
            for each in list(given.values())[1:]
        ]
        if bounds[2:] == [0]:
            raise GradcliError("value", "islice: the step is 0")
        return self._lazy(itertools.islice(taken(self.values, given["iterable"]), *bounds))

    def _count(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("count", ("start", "step"), arguments, keywords, ("start", "step"))
        start, step = (
            self.values.number(given[name], name) if name in given else default
            for name, default in (("start", 0.0), ("step", 1.0))
        )
        is_whole = start.is_integer() and step.is_integer()
        make: Callable[[float], Node] = self._whole if is_whole else self.values.plain
        return self._lazy(make(start + step * i) for i in itertools.count())

    def _cycle(self, arguments: list[Value], keywords: Given) -> Value:
        (row,) = bind_names("cycle", ("iterable",), arguments, keywords).values()
        return self._lazy(itertools.cycle(taken(self.values, row)))

    def _repeat(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("repeat", ("object", "times"), arguments, keywords, ("times",))
        if "times" not in given:
            return self._lazy(itertools.repeat(given["object"]))
        times = max(0, self.values.integer(given["times"], "times"))
        return self._lazy(itertools.repeat(given["object"], times))

    def _zip_longest(self, arguments: list[Value], keywords: Given) -> Value:
        filling = bind_names("zip_longest", ("fillvalue",), (), keywords, ("fillvalue",))
        rows = map(self._row, arguments)
        longest = itertools.zip_longest(*rows, fillvalue=filling.get("fillvalue"))
        return passed(self.values, ITERATOR, list(longest))

    def _starmap(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("starmap", ("function", "iterable"), arguments, keywords)
        found: list[Value] = []
        for row in self._row(given["iterable"]):
            function = self._function("starmap", given["function"])
            found += [(yield function.call(self._row(row), {}))]
        return passed(self.values, ITERATOR, found)

    def _while(self, takes: bool, arguments: list[Value], keywords: Given) -> Any:
        """What stands before the first that a function refuses, or that and what is behind it."""
        given = bind_names("takewhile", ("predicate", "iterable"), arguments, keywords)
        function = self._function("takewhile", given["predicate"])
        found: list[Value] = []
        rest = taken(self.values, given["iterable"])
        for each in rest:
            if not self.values.truth((yield function.call([each], {}))):
                return passed(self.values, ITERATOR, found if takes else [each, *rest])
            found.append(each)
            self.values.graph.check_room(len(found))
        return passed(self.values, ITERATOR, found if takes else [])

    def _pairs(self, arguments: list[Value], keywords: Given) -> Value:
        (row,) = bind_names("pairwise", ("iterable",), arguments, keywords).values()
        return passed(self.values, ITERATOR, list(itertools.pairwise(self._row(row))))

    def _groups(self, arguments: list[Value], keywords: Given) -> Any:
        """Neighbours of one key."""
        given = bind_names("groupby", ("iterable", "key"), arguments, keywords, ("key",))
        key = given.get("key")
        groups: list[tuple[Value, list[Value]]] = []
        for each in self._row(given["iterable"]):
            found = (yield key.call([each], {})) if isinstance(key, Object) else each
            if groups and is_same(self.values, groups[-1][0], found):
                groups[-1][1].append(each)
            else:
                groups.append((found, [each]))
        return passed(self.values, ITERATOR, [(key, Items(group)) for key, group in groups])

    def _compress(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("compress", ("data", "selectors"), arguments, keywords)
        pairs = zip(self._row(given["data"]), self._row(given["selectors"]), strict=False)
        return passed(
            self.values, ITERATOR, [each for each, kept in pairs if self.values.truth(kept)]
        )

    def _tee(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("tee", ("iterable", "n"), arguments, keywords, ("n",))
        count = max(0, self.values.integer(given["n"], "n")) if "n" in given else 2
        row = self._row(given["iterable"])
        self.values.graph.check_room(count * max(1, len(row)))
        return tuple(Remaining(self.values, row) for _ in range(count))

    def _function(self, name: str, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError("type", f"{name} takes a function", hint=f"{name}(f, xs)")
        return value

    # --- operator ---

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        a, b = bind_names(name, ("a", "b"), arguments, keywords).values()
        return self._operate(_OPERATORS[name], a, b)

    def _getter(self, arguments: list[Value], keywords: Given) -> Value:
        """A function of the elements at these places, as `key=` of `sorted` may be."""
        if not arguments:
            raise GradcliError("type", "itemgetter needs a place", hint="itemgetter(1)")

        def chosen(_: str, given: list[Value], __: Given) -> Any:
            (owner,) = given
            found = [self._element(owner, place) for place in arguments]
            return found[0] if len(found) == 1 else tuple(found)

        return BuiltIn("itemgetter", chosen)

    def _element(self, owner: Any, place: Value) -> Value:
        found = owner.item([place]) if isinstance(owner, Object) else None
        whole = owner.elements() if isinstance(owner, Object) else owner
        return subscript(self.values, whole, [place]) if found is None else found

    def _attribute_getter(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("attrgetter", (), (), keywords)

        def at(owner: Value, path: str) -> Value:
            for name in path.split("."):
                if not isinstance(owner, Object):
                    raise GradcliError("type", "attrgetter is for objects")
                owner = owner.attribute(name)
            return owner

        def found(_: str, given: list[Value], __: Given) -> Any:
            several = tuple(at(given[0], str(path)) for path in arguments)
            return several if len(several) > 1 else several[0]

        return BuiltIn("attrgetter", found)
