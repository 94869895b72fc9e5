"""What few cells use of Python's library: json, os.path, heapq, statistics, SimpleNamespace."""

from __future__ import annotations

import bisect
import heapq
import json
import math
import os
import posixpath
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary, Fields
from gradcli.trace.enumerations import Auto
from gradcli.trace.frames import Bound
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.orders import sorting_keys
from gradcli.trace.pretty import blanks
from gradcli.trace.printing import OVERHEAD, PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

_DEEPEST = 100
"""Lists in lists of JSON."""


class Namespace(Object):
    """`SimpleNamespace(lr=0.1)`: attributes and nothing else."""

    what = "a namespace"
    title = "SimpleNamespace"

    def __init__(
        self,
        values: Values,
        fields: Given,
        written: Callable[..., str],
        shown_as: str = "namespace",
    ) -> None:
        self._values = values
        self.fields = dict(fields)
        self._written = written
        self._shown_as = shown_as

    def attribute(self, name: str) -> Value:
        if name == "__dict__":
            return Fields(self._values, self.fields)
        if name not in self.fields:
            raise self.has_no("attribute", name)
        found: Value = self.fields[name]
        return found

    def set(self, name: str, value: Value) -> None:
        self.fields[name] = value

    def shown(self) -> str:
        parts = (f"{k}={self._written(v, quoted=True)}" for k, v in self.fields.items())
        return f"{self._shown_as}({', '.join(parts)})"

    def contains(self, value: Value) -> bool:
        return value in self.fields

    def special(self, name: str) -> Object | None:
        return BuiltIn(name, self._compared) if name == "__eq__" else None

    def _compared(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        (other,) = arguments
        own = self.fields
        same = isinstance(other, Namespace) and own.keys() == other.fields.keys() and all(
            is_same(self._values, each, other.fields[name]) for name, each in own.items()
        )  # fmt: skip
        return self._values.graph.constant(same)


class EmptyEnvironment(Dictionary):
    """`os.environ`, `sys.modules`: empty, as a program sees nothing of where it runs."""


class PythonLibrary:
    """The functions by name."""

    def __init__(
        self, values: Values, numbers: PrintedNumbers, written: Callable[..., str]
    ) -> None:
        """`written` gives values as print writes them."""
        self.values = values
        self._numbers = numbers
        self._written = written
        environment = EmptyEnvironment(values)
        self.constants: dict[str, Value] = {
            "os.environ": environment,
            "os.sep": "/",
            "os.path.sep": "/",
            "os.pardir": "..",
            "os.curdir": ".",
            "sys.modules": environment,
        }
        self.functions: dict[str, Special] = {
            "json.dumps": self._to_json,
            "json.loads": self._from_json,
            **{f"unicodedata.{name}": partial(self._of_characters, name)
               for name in ("normalize", "category", "name", "combining")},
            "types.MethodType": _method_of,
            "types.SimpleNamespace": lambda _, fields: Namespace(values, fields, written),
            "enum.auto": lambda *_: Auto(),
            **{f"enum.{name}": _not_called for name in ("Enum", "IntEnum", "StrEnum")},
            **{
                f"os.path.{name}": partial(self._path, name)
                for name in ("join", "basename", "dirname", "splitext", "normpath", "split")
            },
            **{f"os.path.{name}": partial(self._path, "normpath")
               for name in ("abspath", "realpath")},
            **{f"os.path.{name}": lambda *_: values.graph.constant(False)
               for name in ("exists", "isfile", "isdir")},
            **{f"os.{name}": lambda *_: None for name in ("makedirs", "mkdir")},
            "os.getenv": environment.method("get"),
            "os.cpu_count": lambda *_: values.plain(os.cpu_count() or 1),
            "heapq.heappush": self._push,
            "heapq.heappop": self._pop,
            "heapq.heapify": self._heapify,
            "heapq.nlargest": partial(self._some, heapq.nlargest),
            "heapq.nsmallest": partial(self._some, heapq.nsmallest),
            **{f"bisect.{name}": partial(self._place, getattr(bisect, name)) for name in (
                "bisect", "bisect_left", "bisect_right")},
            **{f"statistics.{name}": partial(self._statistic, getattr(statistics, name))
               for name in ("mean", "median", "stdev", "pstdev", "variance", "pvariance", "fmean")},
        }  # fmt: skip

    # --- characters ---

    def _of_characters(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`unicodedata.normalize("NFD", text)`, and what it knows of a character."""
        import unicodedata  # few programs need its tables

        if not all(isinstance(each, str) for each in arguments) or keywords:
            raise GradcliError("type", f"unicodedata.{name} takes strings")
        self.values.graph.check_room(18 * sum(map(len, map(str, arguments))))
        try:
            found = getattr(unicodedata, name)(*map(str, arguments))
        except (TypeError, ValueError) as error:
            elsewhere = type(error).__name__, str(error)
            raise RefusedError(elsewhere, "value", f"unicodedata.{name}: {error}") from None
        return found if isinstance(found, str) else self.values.plain(found)

    # --- json ---

    def _to_json(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("dumps", ("obj", "indent", "sort_keys"), arguments, keywords,
                           ("indent", "sort_keys"))  # fmt: skip
        indent = given.get("indent")
        sorts = "sort_keys" in given and self.values.truth(given["sort_keys"])
        width = None if indent is None else blanks(self.values, indent, "indent")
        text = json.dumps(self._plain(given["obj"], 0), indent=width, sort_keys=sorts)
        self.values.graph.ledger.take(4 * len(text), "a string")
        return text

    def _plain(self, value: Value, depth: int) -> Any:
        """Dictionaries, lists, numbers and strings as Python's, at most so deep in each other."""
        if depth > _DEEPEST:
            raise GradcliError("limit-depth", f"JSON is at most {_DEEPEST} lists deep here")
        self.values.graph.ledger.take(OVERHEAD, "JSON")  # lists may be in each other many times
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, Dictionary):
            pairs = value.pairs()
            return {self._plain(k, depth + 1): self._plain(v, depth + 1) for k, v in pairs}
        if isinstance(value, Items | tuple):
            return [self._plain(each, depth + 1) for each in value]
        if isinstance(value, Node) and value in self.values.listed:
            return [self._plain(each, depth + 1) for each in self.values.elements(value)]
        if isinstance(value, Node) and value in self._numbers and not value.shape:
            return self._number(value)
        raise GradcliError("type", f"{describe(value)} is not JSON serializable",
                           hint="x.tolist(), x.item()")  # fmt: skip

    def _number(self, node: Node) -> float | bool:
        found: float | bool = self.values.evaluator.value(node).item()
        is_whole = self._numbers.is_integer(node) and not isinstance(found, bool)
        return int(found) if is_whole and math.isfinite(found) else found

    def _from_json(self, arguments: list[Value], keywords: Given) -> Value:
        (text,) = bind_names("loads", ("s",), arguments, keywords).values()
        if not isinstance(text, str) or max(text.count("["), text.count("{")) > 100_000:
            raise GradcliError("type", "json.loads takes a string")
        self.values.graph.check_room(len(text))
        try:
            return self._value(json.loads(text), 0)
        except (ValueError, RecursionError) as error:
            elsewhere = type(error).__name__, str(error)
            raise RefusedError(elsewhere, "value", f"this is no JSON: {error}") from None

    def _value(self, found: Any, depth: int) -> Value:
        if depth > _DEEPEST:
            raise GradcliError("limit-depth", f"JSON is at most {_DEEPEST} lists deep here")
        if isinstance(found, dict):
            pairs = [(key, self._value(each, depth + 1)) for key, each in found.items()]
            return Dictionary(self.values, pairs)
        if isinstance(found, list):
            return Items([self._value(each, depth + 1) for each in found])
        if isinstance(found, bool):
            return self.values.graph.constant(found)
        if isinstance(found, int | float):
            return self.values.plain(found)
        return found  # type: ignore[no-any-return]

    # --- paths ---

    def _path(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """What a path is made of: no file is looked at, and a relative one stays so."""
        parts = [each.shown() if isinstance(each, Object) else each for each in arguments]
        if not parts or not all(isinstance(each, str) for each in parts):
            raise GradcliError("type", f"os.path.{name} takes strings")
        self.values.graph.ledger.take(4 * sum(map(len, parts)), "a string")  # type: ignore[arg-type]
        found: Value = getattr(posixpath, name)(*parts)
        return found

    # --- heaps and order ---

    def _keys(self, row: Sequence[Value]) -> list[Any]:
        return sorting_keys(self.values, self._numbers, row)

    def _heap(self, value: Value, *new: Value) -> tuple[Items, list[Any]]:
        """A list, and what its heap is made of, with what is new last: keys, places that tell
        equal ones, and items.
        """
        if not isinstance(value, Items):
            raise GradcliError("type", "a heap is a list", hint="heap = []")
        self.values.check_change(value)
        items = [*value, *new]
        return value, [
            _Entry((key, place, item))
            for place, (key, item) in enumerate(zip(self._keys(items), items, strict=True))
        ]

    def _push(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("heappush", ("heap", "item"), arguments, keywords)
        row, (*heap, new) = self._heap(given["heap"], given["item"])
        heapq.heappush(heap, new)
        row.become([entry.item for entry in heap])
        return None

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        row, heap = self._heap(bind_names("heappop", ("heap",), arguments, keywords)["heap"])
        if not heap:
            raise GradcliError("index", "index out of range: the heap is empty")
        found: Value = heapq.heappop(heap).item
        row.become([entry.item for entry in heap])
        return found

    def _heapify(self, arguments: list[Value], keywords: Given) -> Value:
        row, heap = self._heap(bind_names("heapify", ("x",), arguments, keywords)["x"])
        heapq.heapify(heap)
        row.become([entry.item for entry in heap])
        return None

    def _some(self, choose: Callable[..., Any], arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("nlargest", ("n", "iterable", "key"), arguments, keywords, ("key",))
        items = self.values.elements(given["iterable"])
        sorted_by, key = list(items), given.get("key")
        if isinstance(key, Object):
            for place, each in enumerate(items):
                sorted_by[place] = yield key.call([each], {})
        keys = self._keys(sorted_by)
        count = max(0, self.values.integer(given["n"], "n"))
        places: list[int] = choose(count, range(len(items)), key=keys.__getitem__)
        return Items([items[place] for place in places])

    def _place(self, find: Callable[..., int], arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("bisect", ("a", "x"), arguments, keywords)
        keys = self._keys([*self.values.elements(given["a"]), given["x"]])
        return self.values.graph.constant(float(find(keys[:-1], keys[-1])))

    # --- statistics ---

    def _statistic(
        self, compute: Callable[..., Any], arguments: list[Value], keywords: Given
    ) -> Value:
        (row,) = bind_names("statistics", ("data",), arguments, keywords).values()
        nodes = [self.values.tensor(each, "data") for each in self.values.elements(row)]
        try:
            return self.values.plain(compute([self._number(node) for node in nodes]))
        except statistics.StatisticsError as error:
            raise GradcliError("value", str(error)) from None


def _method_of(arguments: list[Value], keywords: Given) -> Value:
    """`types.MethodType(f, obj)`: a function as the method of an object."""
    given = bind_names("method", ("func", "obj"), arguments, keywords)
    if not isinstance(given["func"], Object):
        raise RefusedError(("TypeError", "first argument must be callable"), "type",
                           f"a method is a function, not {describe(given['func'])}")  # fmt: skip
    return Bound(given["func"], given["obj"])


def _not_called(*_: object) -> Value:
    raise GradcliError("type", "this class is made from, not called",
                       hint="class Colour(Enum): RED = 1")  # fmt: skip


class _Entry(tuple[Any, ...]):
    """An item of a heap, which is compared by its key alone."""

    __slots__ = ()

    @property
    def item(self) -> Any:
        return self[2]

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        return bool(self[0] < other[0])
