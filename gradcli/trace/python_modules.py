"""Parts of Python's library that cells import: functools, itertools, time, dataclasses, tqdm."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class
from gradcli.trace.dataclass import DefaultField, make_dataclass
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value, describe

TICK = 1e-3
"""Seconds that the clock goes on each time that it is looked at."""


class Partial(Object):
    """`partial(f, …)`: a function that has some of its arguments already."""

    what = "a function"

    def __init__(self, function: Object, arguments: list[Value], keywords: Given) -> None:
        self.function = function
        self.arguments = arguments
        self.keywords = keywords

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self.function.call([*self.arguments, *arguments], {**self.keywords, **keywords})


class PythonModules:
    """The functions by name."""

    def __init__(self, autograd: Autograd, written: Callable[[Value], str]) -> None:
        """`written` gives values as print writes them."""
        self._written = written
        self.autograd = autograd
        self.values = autograd.values
        self._looks = 0
        self.functions: dict[str, Callable[[list[Value], Given], Any]] = {
            "functools.partial": self._partial,
            "functools.reduce": self._reduce,
            "functools.wraps": self._unchanged,
            "functools.lru_cache": self._unchanged,
            "functools.cache": lambda given, _: given[0],
            "itertools.product": self._product,
            "itertools.chain": self._chain,
            "itertools.combinations": partial(self._chosen, itertools.combinations),
            "itertools.permutations": partial(self._chosen, itertools.permutations),
            **dict.fromkeys(
                ("time.time", "time.perf_counter", "time.process_time", "time.monotonic"),
                self._time,
            ),
            **dict.fromkeys(
                (
                    "time.sleep",
                    "warnings.filterwarnings",
                    "warnings.simplefilter",
                    "warnings.warn",
                    "gc.collect",
                ),
                lambda *_: None,
            ),
            **dict.fromkeys(("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"), self._progress),
            "tqdm.trange": self._progress_of_range,
            "dataclasses.dataclass": self._dataclass,
            "dataclasses.field": self._field,
        }

    def _function(self, name: str, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError("type", f"{name} takes a function, not {describe(value)}",
                               hint=f"{name}(f, …): the name of f without ( )")  # fmt: skip
        return value

    # --- functools ---

    def _partial(self, arguments: list[Value], keywords: Given) -> Value:
        function, *given = arguments or [None]
        return Partial(self._function("partial", function), given, dict(keywords))

    def _reduce(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("function", "iterable", "initial")
        given = bind_names("reduce", names, arguments, keywords, names[2:])
        function = self._function("reduce", given["function"])
        items = [*([given["initial"]] if "initial" in given else []),
                 *self.values.elements(given["iterable"])]  # fmt: skip
        if not items:
            raise GradcliError("value", "reduce: there are no elements", hint="reduce(f, xs, 0)")
        total = items[0]
        for each in items[1:]:
            total = yield function.call([total, each], {})
        return total

    def _unchanged(self, arguments: list[Value], keywords: Given) -> Value:
        """A decorator that gives the function as it is."""
        return BuiltIn("decorator", lambda _, given, __: given[0])

    # --- itertools ---

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

    # --- time ---

    def _time(self, arguments: list[Value], keywords: Given) -> Node:
        """A clock that goes on by the same time at each look, so that runs can be repeated."""
        bind_names("time", (), arguments, keywords)
        note = Note("time", f"a program's clock goes on by {TICK} s each time it is looked at, so "
                    "that runs can be repeated")  # fmt: skip
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)
        self._looks += 1
        return self.values.graph.constant(self._looks * TICK)

    # --- tqdm ---

    def _progress(self, arguments: list[Value], keywords: Given) -> Value:
        """What a loop runs over, as it is: there is no bar."""
        names = ("iterable", "desc", "total", "leave", "disable", "unit", "ncols")
        return bind_names("tqdm", names, arguments, keywords, names[1:])["iterable"]

    def _progress_of_range(self, arguments: list[Value], keywords: Given) -> Value:
        bounds = [self.values.integer(each, "trange") for each in arguments]
        if not 0 < len(bounds) < 4 or bounds[2:] == [0]:
            raise GradcliError("value", "trange takes what range takes", hint="trange(10)")
        return range(*bounds)

    # --- dataclasses ---

    def _dataclass(self, arguments: list[Value], keywords: Given) -> Value:
        """`@dataclass`, and `@dataclass(frozen=True)`."""
        if not arguments:
            return BuiltIn("dataclass", lambda _, given, __: self._dataclass(given, {}))
        (made,) = arguments
        if not isinstance(made, Class):
            raise GradcliError("type", f"dataclass is for classes, not {describe(made)}",
                               hint="@dataclass above class Name: …")  # fmt: skip
        make_dataclass(made, self.values, self._written)
        return made

    def _field(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("default", "default_factory", "repr", "init", "compare")
        given = bind_names("field", names, arguments, keywords, names)
        return DefaultField(given.get("default"), given.get("default_factory"))
