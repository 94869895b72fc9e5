"""`collections.namedtuple` and `collections.deque`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import EMPTY, Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary, check_no_cycle
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe


class Record(tuple[Any, ...]):
    """A tuple whose values have names."""

    title: str
    _fields: tuple[str, ...]

    def _make(self, items: Sequence[Any]) -> Record:
        """Other values under the same names."""
        return record(self.title, self._fields, items)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(name)
        return self[self._fields.index(name)]


def record(title: str, fields: tuple[str, ...], items: Sequence[Any]) -> Record:
    """The values under these names."""
    made = Record(items)
    made.title, made._fields = title, fields
    return made


class RecordClass(Object):
    """What `namedtuple(…)` gives."""

    what = "a class of named tuples"

    def __init__(
        self,
        values: Values,
        title: str,
        fields: tuple[str, ...],
        defaults: Mapping[str, Value] = EMPTY,
    ) -> None:
        self.values = values
        self.title = title
        self.fields = fields
        self.defaults = defaults

    def call(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(self.title, self.fields, arguments, keywords, self.defaults)
        values = {**self.defaults, **given}
        return record(self.title, self.fields, [values[name] for name in self.fields])

    def attribute(self, name: str) -> Value:
        if name == "_fields":
            return self.fields
        if name == "_field_defaults":
            return Dictionary(self.values, self.defaults.items())
        return self.title if name == "__name__" else super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"_make": self._make}

    def _make(self, arguments: list[Value], keywords: Given) -> Value:
        (items,) = bind_names("_make", ("iterable",), arguments, keywords).values()
        return self.call(self.values.elements(items), {})


class Deque(Object):
    """A list that forgets its other end where it would grow longer than `most`."""

    what = "a deque"
    title = "collections.deque"
    is_row = True

    def __init__(self, values: Values, items: Sequence[Any], most: int | None) -> None:
        self.values = values
        self.most = most
        self._items: list[Any] = []
        for each in items:
            self._append([each], {})

    def elements(self) -> Items:
        return Items(list(self._items))

    def length(self) -> int:
        return len(self._items)

    def within(self) -> Sequence[Any]:
        return self._items

    def parts(self, quoted: bool) -> list[tuple[Any, bool]]:
        end = ")" if self.most is None else f", maxlen={self.most})"
        return [("deque(", False), (self.elements(), False), (end, False)]

    def truth(self) -> bool:
        return bool(self._items)

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        place = self.values.integer(items[0], "an index")
        if not -len(self._items) <= place < len(self._items):
            raise GradcliError("index", "deque index out of range")
        check_no_cycle(self, value)
        self._items[place] = value

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {
            "append": self._append,
            "appendleft": self._append_left,
            "extend": partial(self._extend, self._append),
            "extendleft": partial(self._extend, self._append_left),
            "insert": self._insert,
            "remove": self._remove,
            "count": self._count,
            "index": self._index,
            "pop": lambda *_: self._pop(-1),
            "popleft": lambda *_: self._pop(0),
            "clear": lambda *_: self._items.clear(),
            "rotate": self._rotate,
            "reverse": lambda *_: self._items.reverse(),
            "copy": lambda *_: Deque(self.values, self._items, self.most),
        }

    def attribute(self, name: str) -> Any:
        if name == "maxlen":
            return None if self.most is None else self.values.graph.constant(float(self.most))
        return super().attribute(name)

    def _append(self, arguments: list[Any], keywords: Given) -> None:
        (item,) = bind_names("append", ("x",), arguments, keywords).values()
        self._hold(item)
        self._items.append(item)
        if self.most is not None and len(self._items) > self.most:
            del self._items[0]

    def _append_left(self, arguments: list[Any], keywords: Given) -> None:
        (item,) = bind_names("appendleft", ("x",), arguments, keywords).values()
        self._hold(item)
        self._items.insert(0, item)
        if self.most is not None and len(self._items) > self.most:
            self._items.pop()

    def _hold(self, item: Value) -> None:
        """Check that an item may be held."""
        self.values.check_change_of_deque()
        check_no_cycle(self, item)
        self.values.graph.check_room(len(self._items) + 1)

    def _rotate(self, arguments: list[Any], keywords: Given) -> None:
        given = bind_names("rotate", ("n",), arguments, keywords, ("n",))
        self.values.check_change_of_deque()
        if self._items:
            n = (self.values.integer(given["n"], "n") if given else 1) % len(self._items)
            self._items = self._items[-n:] + self._items[:-n] if n else self._items

    def _extend(
        self, append: Callable[[list[Any], Given], None], arguments: list[Any], keywords: Given
    ) -> None:
        (more,) = bind_names("extend", ("iterable",), arguments, keywords).values()
        for each in self.values.elements(more):
            append([each], {})

    def contains(self, value: Any) -> bool:
        return any(is_same(self.values, each, value) for each in self._items)

    def _count(self, arguments: list[Any], keywords: Given) -> Value:
        (item,) = bind_names("count", ("x",), arguments, keywords).values()
        return self.values.plain(sum(is_same(self.values, each, item) for each in self._items))

    def _index(self, arguments: list[Any], keywords: Given) -> Value:
        return self.values.plain(self._place("index", arguments, keywords))

    def _remove(self, arguments: list[Any], keywords: Given) -> None:
        place = self._place("remove", arguments, keywords)
        self.values.check_change(Items([]))
        del self._items[place]

    def _place(self, name: str, arguments: list[Any], keywords: Given) -> int:
        (item,) = bind_names(name, ("x",), arguments, keywords).values()
        for place, each in enumerate(self._items):
            if is_same(self.values, each, item):
                return place
        raise GradcliError("value", f"{name}: {describe(item)} is not in the deque")

    def _insert(self, arguments: list[Any], keywords: Given) -> None:
        place, item = bind_names("insert", ("index", "object"), arguments, keywords).values()
        if self.most is not None and len(self._items) >= self.most:
            raise GradcliError("index", "deque already at its maximum size")
        self._hold(item)
        self._items.insert(self.values.integer(place, "an index"), item)

    def _pop(self, place: int) -> Any:
        if not self._items:
            raise GradcliError("index", "pop from an empty deque")
        self.values.check_change_of_deque()
        return self.values.now(self._items.pop(place))


class Collections:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "collections.namedtuple": self._namedtuple,
            "collections.deque": self._deque,
        }

    def _namedtuple(self, arguments: list[Value], keywords: Given) -> Value:
        options = ("rename", "defaults", "module")
        given = bind_names(
            "namedtuple", ("typename", "field_names", *options), arguments, keywords, options
        )
        names = given["field_names"]
        listed: list[Value] = (
            [*names.replace(",", " ").split()]
            if isinstance(names, str)
            else self.values.elements(names)
        )
        title, *fields = [
            each if isinstance(each, str) and each.isidentifier() and each[0] != "_" else ""
            for each in (given["typename"], *listed)
        ]
        if not all((title, *fields)) or len(set(fields)) < len(fields):
            raise GradcliError(
                "value",
                "the names of a namedtuple are different words that begin with a letter",
                hint="namedtuple('Point', ('x', 'y'))",
            )
        last = given.get("defaults") or ()
        ends = self.values.elements(self.values.listing(last) if isinstance(last, Node) else last)
        if len(ends) > len(fields):
            raise GradcliError("type", "a namedtuple has more defaults than fields")
        defaults = dict(zip(fields[len(fields) - len(ends) :], ends, strict=True))
        return RecordClass(self.values, title, tuple(fields), defaults)

    def _deque(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("iterable", "maxlen")
        given = bind_names("deque", names, arguments, keywords, names)
        most = given.get("maxlen")
        items = self.values.elements(given["iterable"]) if "iterable" in given else []
        count = None if most is None else max(0, self.values.integer(most, "maxlen"))
        return Deque(self.values, items, count)
