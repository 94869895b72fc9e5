"""The methods of lists, tuples and strings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError, nearest
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary, check_no_cycle
from gradcli.trace.items import Items, NumpyText
from gradcli.trace.objects import Given
from gradcli.trace.operators import is_same
from gradcli.trace.special import Size
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values, describe

_ON_TEXT = (
    "upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "split", "replace",
    "startswith", "endswith", "isdigit", "isalpha", "count", "find", "index", "center",
    "ljust", "rjust", "zfill", "isupper", "islower", "isalnum", "isspace", "splitlines", "swapcase",
    "rsplit", "rfind", "expandtabs", "casefold", "isnumeric", "istitle", "isidentifier", "rindex",
    "isdecimal", "isascii", "removeprefix", "removesuffix", "partition", "rpartition",
)  # fmt: skip
"""Methods of strings that do what Python's do."""
_OF_RECORDS = ("_asdict", "_replace")
LONGEST = 10_000
"""The most characters of a string that is padded."""


class Sequences:
    """The methods by kind of value."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self._first = values.graph.constant(0.0)
        self._of_lists: dict[str, Callable[[Items, list[Value], Given], Value]] = {
            "append": self._append,
            "extend": self._extend,
            "insert": self._insert,
            "pop": self._pop,
            "appendleft": lambda items, given, _: self._insert(items, [self._first, *given], {}),
            "popleft": lambda items, *_: self._pop(items, [self._first], {}),
            "remove": self._remove,
            "reverse": lambda items, *_: items.become(list(items)[::-1]),
            "clear": lambda items, *_: items.become([]),
            "copy": lambda items, *_: Items(list(items)),
            "index": self._index,
            "count": self._count,
        }

    def method(self, owner: Value, name: str) -> Callable[[list[Value], Given], Value] | None:
        """The method of a list, tuple or string; None where another kind of value has it."""
        if isinstance(owner, Items | tuple | str) and name == "__getitem__":
            return lambda given, _: subscript(self.values, owner, given)
        if isinstance(owner, Items) and name in self._of_lists:
            self.values.check_change(owner)
            return partial(self._of_lists[name], owner)
        if isinstance(owner, tuple) and name in ("index", "count"):
            return partial(self._of_lists[name], Items(list(owner)))
        if isinstance(owner, Size) and name == "numel":
            count = math.prod(self.values.integers(owner, "a shape"))
            return lambda *_: self.values.plain(count)
        if name in _OF_RECORDS and hasattr(owner, "_fields"):
            return partial(self._of_record, name, owner)
        if isinstance(owner, NumpyText) and name in ("item", "tolist"):
            return lambda *_: str(owner)
        if isinstance(owner, str) and name == "encode":
            from gradcli.trace.byte_strings import encoded  # few programs have bytes

            return partial(encoded, self.values, owner)
        if isinstance(owner, str) and name == "translate":
            return partial(self._translate, owner)
        if isinstance(owner, str) and name == "join":
            return partial(self._join, owner)
        if isinstance(owner, str) and name in _ON_TEXT:
            return partial(self._of_text, owner, name)
        if isinstance(owner, str) and name != "format":
            guess = nearest(name, _ON_TEXT)
            raise GradcliError(
                "name",
                f"a string has no method {name!r}",
                hint=f"did you mean {guess!r}?" if guess else f"there are {', '.join(_ON_TEXT)}",
            )
        return None

    def _of_record(self, name: str, owner: Any, arguments: list[Value], keywords: Given) -> Value:
        """`p._asdict()` and `p._replace(x=3)`."""
        pairs = dict(zip(owner._fields, owner, strict=True))
        if name == "_asdict":
            bind_names(name, (), arguments, keywords)
            return Dictionary(self.values, pairs.items())
        pairs |= bind_names(name, owner._fields, arguments, keywords, owner._fields)
        from gradcli.trace.collections_calls import record

        return record(owner.title, owner._fields, list(pairs.values()))

    def _translate(self, text: str, arguments: list[Value], keywords: Given) -> Value:
        (table,) = bind_names("translate", ("table",), arguments, keywords).values()
        if not isinstance(table, Dictionary):
            raise GradcliError("type", "translate takes a table", hint="str.maketrans('ab', 'cd')")
        changes = {str(key): "" if new is None else str(new) for key, new in table.pairs()}
        return "".join([changes.get(each, each) for each in text])

    def set_element(self, items: Items, places: Sequence[object], value: Value) -> None:
        """`xs[i] = value`, also of a slice. Raises `index`, `value`."""
        store = list(items)
        if len(places) != 1:
            raise GradcliError("type", "a list has one index", hint="xs[0][1] = v")
        place = places[0]
        if isinstance(place, slice):
            store[place] = self.values.elements(value)
        else:
            store[self._place(items, place)] = value  # type: ignore[arg-type]
        check_no_cycle(items, value)
        items.become(store)

    def delete_element(self, items: Items, places: Sequence[object]) -> None:
        """`del xs[i]`, also of a slice. Raises `index`."""
        store = list(items)
        if len(places) != 1:
            raise GradcliError("type", "a list has one index", hint="del xs[0][1]")
        place = places[0]
        del store[place if isinstance(place, slice) else self._place(items, place)]  # type: ignore[arg-type]
        items.become(store)

    def _place(self, items: Sequence[object], value: Value) -> int:
        place = self.values.place(value, "an index")
        if not -len(items) <= place < len(items):
            from gradcli.trace.index_errors import out_of_range  # a mistake

            raise out_of_range(place, len(items), "a list")
        return place

    # --- lists ---

    def _append(self, items: Items, arguments: list[Value], keywords: Given) -> None:
        (item,) = bind_names("append", ("item",), arguments, keywords).values()
        check_no_cycle(items, item)
        items.append(item)

    def _extend(self, items: Items, arguments: list[Value], keywords: Given) -> None:
        (more,) = bind_names("extend", ("items",), arguments, keywords).values()
        for each in self.values.elements(more):
            self._append(items, [each], {})

    def _insert(self, items: Items, arguments: list[Value], keywords: Given) -> None:
        given = bind_names("insert", ("index", "item"), arguments, keywords)
        check_no_cycle(items, given["item"])
        store = list(items)
        store.insert(self.values.place(given["index"], "an index"), given["item"])
        items.become(store)

    def _pop(self, items: Items, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("pop", ("index",), arguments, keywords, ("index",))
        if not len(items):
            raise RefusedError(("IndexError", "pop from empty list"), "index",
                               "pop: the list is empty", hint="while xs: xs.pop()")  # fmt: skip
        last = self.values.graph.constant(-1.0)
        store = list(items)
        found: Value = store.pop(self._place(items, given.get("index", last)))
        items.become(store)
        return self.values.now(found)

    def _remove(self, items: Items, arguments: list[Value], keywords: Given) -> None:
        place = self._found("remove", items, arguments, keywords)
        items.become([each for i, each in enumerate(items) if i != place])

    def _index(self, items: Items, arguments: list[Value], keywords: Given) -> Node:
        return self.values.graph.constant(float(self._found("index", items, arguments, keywords)))

    def _found(self, name: str, items: Items, arguments: list[Value], keywords: Given) -> int:
        (item,) = bind_names(name, ("item",), arguments, keywords).values()
        for place, each in enumerate(items):
            if is_same(self.values, each, item):
                return place
        raise GradcliError("value", f"{name}: {describe(item)} is not in the list")

    def _count(self, items: Items, arguments: list[Value], keywords: Given) -> Node:
        (item,) = bind_names("count", ("item",), arguments, keywords).values()
        return self.values.graph.constant(
            float(sum(is_same(self.values, each, item) for each in items))
        )

    # --- strings ---

    def _join(self, text: str, arguments: list[Value], keywords: Given) -> str:
        (parts,) = bind_names("join", ("strings",), arguments, keywords).values()
        strings = self.values.elements(parts)
        for each in strings:
            if not isinstance(each, str):
                raise GradcliError(
                    "type", f"join takes strings, not {describe(each)}", hint="str(x) for x in xs"
                )
        self.values.graph.ledger.take(
            4 * sum(len(str(each)) + len(text) for each in strings), "a string"
        )
        return text.join(map(str, strings))

    def _of_any(
        self, text: str, name: str, parts: Sequence[Value], bounds: Sequence[Value]
    ) -> Value:
        """Whether it begins or ends with one of several."""
        found = (self._of_text(text, name, [part, *bounds], {}) for part in parts)
        return self.values.graph.constant(any(map(self.values.truth, found)))

    def _of_text(self, text: str, name: str, arguments: list[Value], keywords: Given) -> Value:
        if keywords:
            raise GradcliError("type", f"{name} takes arguments without names")
        if name in ("startswith", "endswith") and arguments and isinstance(arguments[0], tuple):
            return self._of_any(text, name, arguments[0], arguments[1:])
        given = [
            each if isinstance(each, str) else self.values.integer(each, name) for each in arguments
        ]
        size = max([len(text), *(each for each in given if isinstance(each, int))])
        if size > max(LONGEST, len(text)):
            raise GradcliError("value", f"{name}: more than {LONGEST:,} characters")
        self.values.graph.ledger.take(4 * (len(text) + 1) * (1 + sum(
            len(each) for each in given if isinstance(each, str))), "a string")  # fmt: skip
        try:
            found = getattr(text, name)(*given)
        except (TypeError, ValueError) as error:
            raise GradcliError("type", f"{name}: {error}") from None
        if isinstance(found, list):
            return Items(found)
        is_text = isinstance(found, str | tuple)
        return found if is_text else self.values.graph.constant(found)
