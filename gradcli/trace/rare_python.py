"""What few cells use of `operator`, `itertools`, `statistics`, `collections` and `types`."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import contains, identity, is_same
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.python_functions import PythonFunctions
from gradcli.trace.python_library import Namespace
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

Call: TypeAlias = Callable[[str, list[Any], dict[str, Any]], Any]
_OF_ONE_ROW = ("mode", "multimode", "geometric_mean", "harmonic_mean", "median_low", "median_high")
_OF_TWO_ROWS = ("correlation", "covariance", "linear_regression")


class ComparedBy(Object):
    """A key whose order to others a function tells by the sign of what it gives."""

    what = "a key"
    title = "KeyWrapper"

    def __init__(self, values: Values, held: Value, sign: Callable[[Value, Value], float]) -> None:
        self._values, self.held, self._sign = values, held, sign

    def asked(self, name: str, *arguments: Any) -> Value:
        if name not in ("__lt__", "__gt__") or not isinstance(arguments[0], ComparedBy):
            return None
        found = self._sign(self.held, arguments[0].held)
        return self._values.graph.constant(found < 0 if name == "__lt__" else found > 0)

    def equals(self, other: Any) -> bool:
        return isinstance(other, ComparedBy) and self._sign(self.held, other.held) == 0


class RarePython:
    """The functions by name."""

    def __init__(
        self, values: Values, python: PythonFunctions, call: Call, run: Callable[[Any], Value]
    ) -> None:
        """`call` calls a function by its name, `run` runs a call of the program's own."""
        self.values = values
        self._run = run
        self._python = python
        self._numbers = PrintedNumbers(values)
        self._call = call
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "operator.contains": self._of(2, lambda a, b: self._truth(contains(values, a, b))),
            "operator.is_": self._of(2, lambda a, b: identity(values, "is", a, b)),
            "operator.is_not": self._of(2, lambda a, b: identity(values, "is not", a, b)),
            "operator.not_": self._of(1, lambda a: self._truth(not values.truth(a))),
            "operator.truth": self._of(1, lambda a: self._truth(values.truth(a))),
            "operator.abs": partial(call, "abs"),
            "operator.pos": self._of(1, lambda a: a),
            "operator.countOf": self._count,
            "operator.indexOf": self._index,
            "operator.methodcaller": self._method_caller,
            "itertools.filterfalse": self._refused,
            "functools.cmp_to_key": self._comparing,
            "types.ModuleType": self._module,
            "collections.ChainMap": self._chain,
            **{f"statistics.{name}": partial(self._of_rows, name, 1) for name in _OF_ONE_ROW},
            **{f"statistics.{name}": partial(self._of_rows, name, 2) for name in _OF_TWO_ROWS},
            "statistics.quantiles": self._quantiles,
        }

    def _of(self, count: int, compute: Callable[..., Value]) -> Special:
        """A function of so many values, which have no names."""

        def called(arguments: list[Value], keywords: Given) -> Value:
            if len(arguments) != count or keywords:
                raise GradcliError("type", f"this function of operator takes {count} values")
            return compute(*arguments)

        return called

    def _truth(self, found: bool) -> Value:
        return self.values.graph.constant(found)

    def _count(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("countOf", ("a", "b"), arguments, keywords)
        items = self.values.elements(given["a"])
        return self.values.plain(sum(is_same(self.values, each, given["b"]) for each in items))

    def _index(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("indexOf", ("a", "b"), arguments, keywords)
        for place, each in enumerate(self.values.elements(given["a"])):
            if is_same(self.values, each, given["b"]):
                return self.values.plain(place)
        said = "sequence.index(x): x not in sequence"
        raise RefusedError(("ValueError", said), "value", said)

    def _method_caller(self, arguments: list[Value], keywords: Given) -> Value:
        """`methodcaller("upper")`: a function that calls the method of what it is given."""
        if not arguments or not isinstance(arguments[0], str):
            raise GradcliError("type", "methodcaller takes the name of a method",
                               hint="methodcaller('upper')")  # fmt: skip
        name, *rest = arguments

        def call(_: str, given: list[Value], __: Given) -> Any:
            return self._call("builtins.method", [name, *given, *rest], keywords)

        return BuiltIn("methodcaller", call)

    def _comparing(self, arguments: list[Value], keywords: Given) -> Value:
        """`cmp_to_key(f)`: keys that are in the order that f tells of."""
        (compare,) = bind_names("cmp_to_key", ("mycmp",), arguments, keywords).values()
        if not isinstance(compare, Object):
            raise GradcliError("type", "cmp_to_key takes a function of two values")
        function = compare

        def sign(one: Value, other: Value) -> float:
            return self.values.number(self._run(function.call([one, other], {})), "an order")

        return BuiltIn("cmp_to_key", lambda _, given, __: ComparedBy(self.values, given[0], sign))

    def _refused(self, arguments: list[Value], keywords: Given) -> Any:
        """The items that a function, or their own truth, is not true of."""
        given = bind_names("filterfalse", ("function", "iterable"), arguments, keywords)
        function, found = given["function"], []
        if not isinstance(function, Object) and function is not None:
            raise GradcliError("type", "filterfalse takes a function, or None, and a list")
        for each in self.values.elements(given["iterable"]):
            told = (yield function.call([each], {})) if isinstance(function, Object) else each
            if not self.values.truth(told):
                found.append(each)
        return Items(found)

    def _module(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("name", "doc")
        given = bind_names("ModuleType", names, arguments, keywords, names[1:])
        fields = {"__name__": given["name"], "__doc__": given.get("doc")}
        return Namespace(self.values, fields, self._python.written, "module")

    def _chain(self, arguments: list[Value], keywords: Given) -> Value:
        """`ChainMap(a, b)` as it is read: the first dictionary that has a key tells."""
        found = Dictionary(self.values)
        for each in reversed(arguments):
            if not isinstance(each, Dictionary):
                raise GradcliError("type", "ChainMap is of dictionaries")
            found.become([*found.pairs(), *each.pairs()])
        return found

    # --- statistics ---

    def _row(self, value: Value) -> list[float]:
        nodes = [self.values.tensor(each, "data") for each in self.values.elements(value)]
        return [
            int(number) if self._numbers.is_integer(node) else number
            for node in nodes
            for number in [self.values.evaluator.value(node).item()]
        ]

    def _of_rows(self, name: str, count: int, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(name, ("data", "y")[:count], arguments, keywords)
        texts = [each for row in given.values() for each in self.values.elements(row)]
        is_text = bool(texts) and all(isinstance(each, str) for each in texts)
        rows = [texts] if is_text else [self._row(each) for each in given.values()]
        return self._computed(getattr(statistics, name), *rows)

    def _quantiles(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("data", "n", "method")
        given = bind_names("quantiles", names, arguments, keywords, names[1:])
        count = self.values.integer(given["n"], "n") if "n" in given else 4
        self.values.graph.check_room(max(0, count))
        method: Any = given.get("method", "exclusive")
        compute = partial(statistics.quantiles, n=count, method=method)
        return self._computed(compute, self._row(given["data"]))

    def _computed(self, compute: Callable[..., Any], *rows: Any) -> Value:
        try:
            found = compute(*rows)
        except (statistics.StatisticsError, ValueError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "value", str(error)) from None
        if isinstance(found, tuple):
            return tuple(map(self.values.plain, found))
        if isinstance(found, list):
            return Items([each if isinstance(each, str) else self.values.plain(each)
                          for each in found])  # fmt: skip
        return found if isinstance(found, str) else self.values.plain(found)
