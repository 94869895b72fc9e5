"""Values of Python's library that never change: dates, spans of time, paths of files."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value, Values, describe


class PosixPath(PurePosixPath):
    """A path, of which no file is looked at."""

    __slots__ = ()


_DATES = ("year", "month", "day"), (
    "strftime", "isoformat", "weekday", "isoweekday", "replace", "toordinal",
)  # fmt: skip
_KNOWN: dict[type[Any], tuple[tuple[str, ...], tuple[str, ...]]] = {
    datetime: (
        (*_DATES[0], "hour", "minute", "second", "microsecond"),
        (*_DATES[1], "date", "timestamp", "ctime"),
    ),
    date: _DATES,
    timedelta: (("days", "seconds", "microseconds"), ("total_seconds",)),
    PosixPath: (
        ("name", "stem", "suffix", "suffixes", "parent", "parts", "anchor", "root"),
        ("joinpath", "with_suffix", "with_name", "with_stem", "as_posix", "is_absolute",
         "relative_to", "match"),
    ),
}  # fmt: skip
"""By kind, the attributes and the methods that programs may ask for."""
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    f"__{name}__": getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge")
}
_TURNED: dict[str, Callable[[Any, Any], Any]] = {
    f"__r{name}__": getattr(operator, name) for name in ("add", "mul", "truediv")
}
_LONGEST = 2**16
"""Of a text that is made: paths could grow without end."""


class HeldValue(Object):
    """One of them."""

    def __init__(self, values: Values, value: Any) -> None:
        self._values = values
        self.value = value
        self._attributes, self._methods = _KNOWN[type(value)]
        self.title = type(value).__name__

    @property
    def what(self) -> str:  # type: ignore[override]
        """In words."""
        return {"PosixPath": "a path", "timedelta": "a span of time"}.get(self.title, "a date")

    def attribute(self, name: str) -> Any:
        if name not in self._attributes:
            raise self.has_no("attribute", name)
        return self._seen(getattr(self.value, name))

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        known: dict[str, Callable[[list[Any], Given], Any]] = {
            name: partial(self._asked, getattr(self.value, name)) for name in self._methods
        }
        if isinstance(self.value, PosixPath):
            known |= dict.fromkeys(("exists", "is_file", "is_dir"), self._is_never)
            known["mkdir"] = lambda *_: None
            known["resolve"] = known["absolute"] = known["expanduser"] = lambda *_: self
        return known

    def _is_never(self, arguments: list[Value], keywords: Given) -> Value:
        """A program sees no files."""
        return self._values.graph.constant(False)

    def _asked(self, method: Callable[..., Any], arguments: list[Value], keywords: Given) -> Value:
        given = [plain_of(self._values, each) for each in arguments]
        named = {name: plain_of(self._values, each) for name, each in keywords.items()}
        return self._seen(computed(method, *given, **named))

    def special(self, name: str) -> Object | None:
        if name in _OPERATORS:
            return BuiltIn(name, partial(self._operated, _OPERATORS[name], turned=False))
        if name in _TURNED:
            return BuiltIn(name, partial(self._operated, _TURNED[name], turned=True))
        return None

    def _operated(
        self, function: Callable[[Any, Any], Any], _: str, arguments: list[Value],
        keywords: Given, *, turned: bool,
    ) -> Value:  # fmt: skip
        other = plain_of(self._values, arguments[0])
        sides = (other, self.value) if turned else (self.value, other)
        return self._seen(computed(function, *sides))

    def _seen(self, found: Any) -> Value:
        return held(self._values, found)

    def asked(self, name: str, *arguments: Any) -> Any:
        method = self.special(name)
        return None if method is None else method.call(list(arguments), {})

    def equals(self, other: Any) -> bool | None:
        return isinstance(other, HeldValue) and bool(self.value == other.value)

    def key(self) -> Any:
        return ("held", self.value)

    def formatted(self, specification: str) -> str | None:
        if isinstance(self.value, date):
            return str(computed(self.value.strftime, specification))
        return None

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        return [(repr(self.value) if quoted else str(self.value), False)]

    def shown(self) -> str:
        return str(self.value)


def held(values: Values, found: Any) -> Value:
    """What Python's library gives, as a value of the program."""
    if isinstance(found, tuple | list):
        return tuple(held(values, each) for each in found)
    if type(found) in _KNOWN:
        if isinstance(found, PosixPath):
            _check_length(str(found))
        return HeldValue(values, found)
    if isinstance(found, bool):
        return values.graph.constant(found)
    if isinstance(found, int | float):
        return values.plain(found)
    _check_length(found)
    return found  # type: ignore[no-any-return]


def plain_of(values: Values, value: Value) -> Any:
    """A value of the program as Python's."""
    if isinstance(value, HeldValue):
        return value.value
    if isinstance(value, Node) and not value.shape:
        number = values.evaluator.value(value).item()
        is_whole = isinstance(number, float) and number.is_integer() and value.attributes == ()
        return int(number) if is_whole else number
    if value is None or isinstance(value, str):
        return value
    raise GradcliError("type", f"{describe(value)} is no date, path, number or string")


def computed(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a function of Python's library gives. Raises `value` and `type`."""
    try:
        return function(*arguments, **keywords)
    except TypeError as error:
        raise GradcliError("type", str(error)) from None
    except ZeroDivisionError:
        raise GradcliError("value", "division by zero") from None
    except (ValueError, OverflowError, OSError, re.error) as error:
        raise GradcliError("value", str(error)) from None


def _check_length(text: str) -> None:
    if len(text) > _LONGEST:
        raise GradcliError("limit-memory", f"a path or date of {len(text):,} characters",
                           hint=f"at most {_LONGEST:,} are made")  # fmt: skip
