"""What few cells ask NumPy for besides arrays: shapes, texts of numbers, how a block prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object, Recording
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_WIDEST = 1000
"""The most digits that are asked for."""


class PrintOptions(Recording):
    """`with np.printoptions(precision=2):`."""

    def __init__(self, values: Values, setter: Callable[[], Any]) -> None:
        super().__init__(None)
        self._values, self._setter = values, setter
        self._before: list[Any] = []

    def begin(self) -> None:
        self._before.append(dict(self._values.array_options))
        self._setter()

    def end(self) -> None:
        self._values.array_options = self._before.pop()


class ArraySettings:
    """The functions by name."""

    def __init__(
        self, arrays: ArrayCalls, call: Callable[[str, list[Any], dict[str, Any]], Any]
    ) -> None:
        """`call` calls a function by its name."""
        self._values = arrays.values
        self._call = call
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "np.printoptions": self._print_options,
            "np.errstate": lambda *_: Recording(None),
            "np.iterable": self._iterable,
            "np.broadcast_shapes": self._broadcast_shapes,
            "np.binary_repr": partial(self._digits, "binary_repr", ("num", "width")),
            "np.base_repr": partial(self._digits, "base_repr", ("number", "base", "padding")),
            "np.require": self._require,
            "np.fromiter": self._from_items,
            **dict.fromkeys(("np.shares_memory", "np.may_share_memory"), self._share),
        }

    def _print_options(self, arguments: list[Value], keywords: Given) -> Value:
        setter = partial(self._call, "np.set_printoptions", arguments, keywords)
        return PrintOptions(self._values, setter)

    def _iterable(self, arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("iterable", ("y",), arguments, keywords).values()
        has_none = isinstance(value, Node) and not value.shape
        if isinstance(value, Object):
            has_none = type(value).elements is Object.elements
        return self._values.graph.constant(not (has_none or value is None))

    def _broadcast_shapes(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("broadcast_shapes", (), (), keywords)
        shapes = [tuple(self._values.integers(each, "a shape")) for each in arguments]
        try:
            return tuple(map(self._values.plain, np.broadcast_shapes(*shapes)))
        except ValueError as error:
            raise GradcliError("shape", f"np.broadcast_shapes: {error}") from None

    def _digits(
        self, name: str, names: tuple[str, ...], arguments: list[Value], keywords: Given
    ) -> Value:
        """A whole number as text."""
        given = bind_names(name, names, arguments, keywords, names[1:])
        numbers = {key: self._values.integer(each, key) for key, each in given.items()}
        if any(abs(each) > _WIDEST for each in list(numbers.values())[1:]):
            raise GradcliError("value", f"np.{name}: a text has at most {_WIDEST} digits here")
        try:
            found: str = getattr(np, name)(**numbers)
        except ValueError as error:
            raise GradcliError("value", f"np.{name}: {error}") from None
        return found

    def _require(self, arguments: list[Value], keywords: Given) -> Value:
        """The array in a dtype; how it lies in memory is not asked for."""
        names = ("a", "dtype", "requirements")
        given = bind_names("require", names, arguments, keywords, names[1:])
        dtype = {"dtype": given["dtype"]} if given.get("dtype") is not None else {}
        found: Value = self._call("asarray", [given["a"]], dtype)
        if isinstance(found, Node):
            self._values.arrays.add(found)
        return found

    def _from_items(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("iter", "dtype", "count")
        given = bind_names("fromiter", names, arguments, keywords, names[2:])
        items = self._values.elements(given["iter"])
        if "count" in given and (count := self._values.integer(given["count"], "count")) >= 0:
            items = items[:count]
        found: Value = self._call("array", [Items([*items])], {"dtype": given["dtype"]})
        if isinstance(found, Node):
            self._values.arrays.add(found)
        return found

    def _share(self, arguments: list[Value], keywords: Given) -> Value:
        """Whether two arrays lie in the memory of one."""
        names = ("a", "b", "max_work")
        given = bind_names("shares_memory", names, arguments, keywords, names[2:])
        bases = [
            self._values.current(self._values.storage(self._values.tensor(given[each]))[0])
            for each in names[:2]
        ]
        return self._values.graph.constant(bases[0] is bases[1])
