"""`b"abc"`: rows of numbers below 256, which Python writes like strings."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.caught import RaisedError
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value, Values, describe

_ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
              "utf-32-le", "utf-32-be", "cp1252", "iso-8859-1")  # fmt: skip
_LIKE_TEXT = (
    "upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "split", "replace",
    "startswith", "endswith", "isdigit", "isalpha", "count", "find", "index", "center", "ljust",
    "rjust", "zfill", "isupper", "islower", "isalnum", "isspace", "splitlines", "swapcase",
    "rsplit", "rfind", "removeprefix", "removesuffix", "partition", "rpartition", "hex",
)  # fmt: skip
"""Methods that do what Python's do."""
_LONGEST = 10_000
"""The most that padding makes."""
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge")
}


class RowOfBytes(Object):
    """A row of numbers below 256."""

    what = "a bytes object"
    title = "bytes"

    def __init__(self, values: Values, held: bytes) -> None:
        values.graph.ledger.take(len(held) + 64, "a bytes object")
        self.values = values
        self.held = held

    def _again(self, held: bytes) -> RowOfBytes:
        return RowOfBytes(self.values, held)

    def is_same(self, other: Any) -> bool:
        return isinstance(other, RowOfBytes) and self.held == other.held

    def equals(self, other: Any) -> bool | None:
        return self.is_same(other)

    def key(self) -> Any:
        return self.held

    def truth(self) -> bool:
        return bool(self.held)

    def length(self) -> int:
        return len(self.held)

    def elements(self) -> Items:
        self.values.graph.check_room(len(self.held))
        return Items([self.values.plain(each) for each in self.held])

    def item(self, items: Sequence[Any]) -> Value:
        if len(items) == 1 and isinstance(items[0], slice):
            return self._again(self.held[items[0]])
        return None

    def contains(self, value: Any) -> bool:
        if isinstance(value, RowOfBytes):
            return value.held in self.held
        return self.values.integer(value, "what is sought in bytes") in self.held

    def shown(self) -> str:
        return repr(self.held)

    # --- operators ---

    def special(self, name: str) -> Object | None:
        known = name in _OPERATORS or name in ("__add__", "__mul__", "__rmul__", "__mod__")
        return BuiltIn(name, self._operated) if known else None

    def asked(self, name: str, *arguments: Any) -> Any:
        return self._operated(name, list(arguments), {}) if name in _OPERATORS else None

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        other = arguments[0]
        if name in ("__mul__", "__rmul__"):
            count = max(0, self.values.place(other, "how often bytes are repeated"))
            self.values.graph.ledger.take(len(self.held) * count, "a bytes object")
            return self._again(self.held * count)
        if name == "__mod__":
            raise GradcliError("type", "bytes have no % here", hint="('…' % x).encode()")
        if not isinstance(other, RowOfBytes):
            raise GradcliError("type", f"the other side must be bytes, not {describe(other)}",
                               hint="text.encode()")  # fmt: skip
        if name == "__add__":
            return self._again(self.held + other.held)
        return self.values.graph.constant(_OPERATORS[name](self.held, other.held))

    # --- methods ---

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "decode": self._decode,
            "join": self._join,
            **{name: partial(self._like_text, name) for name in _LIKE_TEXT},
        }

    def _decode(self, arguments: list[Value], keywords: Given) -> Value:
        encoding, errors = _named("decode", arguments, keywords)
        self.values.graph.ledger.take(4 * len(self.held), "a string")
        try:
            return self.held.decode(encoding, errors)
        except UnicodeError as error:
            raise RaisedError(type(error).__name__, str(error)) from None

    def _join(self, arguments: list[Value], keywords: Given) -> Value:
        (parts,) = bind_names("join", ("iterable",), arguments, keywords).values()
        held = [each.held for each in self.values.elements(parts) if isinstance(each, RowOfBytes)]
        if len(held) < len(self.values.elements(parts)):
            raise GradcliError("type", "join takes bytes", hint="text.encode()")
        size = sum(len(self.held) + len(each) for each in held)
        self.values.graph.ledger.take(size, "a bytes object")
        return self._again(self.held.join(held))

    def _like_text(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        if keywords:
            raise GradcliError("type", f"{name} takes arguments without names")
        given = [each.held if isinstance(each, RowOfBytes) else each if isinstance(each, str)
                 else self.values.integer(each, name) for each in arguments]  # fmt: skip
        if any(isinstance(each, int) and each > max(_LONGEST, len(self.held)) for each in given):
            raise GradcliError("value", f"{name}: more than {_LONGEST:,} bytes")
        size = sum(len(each) for each in given if isinstance(each, bytes))
        self.values.graph.ledger.take((len(self.held) + 1) * (1 + size), "a bytes object")
        try:
            return self._value(getattr(self.held, name)(*given))
        except (TypeError, ValueError) as error:
            is_type = isinstance(error, TypeError)
            raise GradcliError("type" if is_type else "value", f"{name}: {error}") from None

    def _value(self, found: Any) -> Value:
        if isinstance(found, bytes):
            return self._again(found)
        if isinstance(found, list | tuple):
            parts = map(self._again, found)
            return Items(list(parts)) if isinstance(found, list) else tuple(parts)
        return found if isinstance(found, str) else self.values.plain(found)


def encoded(values: Values, text: str, arguments: list[Value], keywords: Given) -> RowOfBytes:
    """`text.encode()`."""
    encoding, errors = _named("encode", arguments, keywords)
    values.graph.ledger.take(4 * len(text), "a bytes object")
    try:
        return RowOfBytes(values, text.encode(encoding, errors))
    except UnicodeError as error:
        raise RaisedError(type(error).__name__, str(error)) from None


def made(values: Values, arguments: list[Value], keywords: Given) -> RowOfBytes:
    """`bytes(…)`: of a string and its encoding, of numbers, or so many zeros."""
    if not arguments:
        return RowOfBytes(values, b"")
    first, *rest = arguments
    if isinstance(first, str):
        if not rest and not keywords:
            raise GradcliError("type", "string argument without an encoding", hint="text.encode()")
        return encoded(values, first, rest, keywords)
    if isinstance(first, RowOfBytes):
        return first
    if isinstance(first, Node) and not first.shape:
        count = values.integer(first, "how many bytes")
        values.graph.ledger.take(max(0, count), "a bytes object")
        if count < 0:
            raise GradcliError("value", "negative count")
        return RowOfBytes(values, bytes(count))
    numbers = [values.integer(each, "a byte") for each in values.elements(first)]
    if not all(0 <= each < 256 for each in numbers):
        raise GradcliError("value", "bytes must be in range(0, 256)")
    return RowOfBytes(values, bytes(numbers))


def from_hex(values: Values, arguments: list[Value], keywords: Given) -> RowOfBytes:
    """`bytes.fromhex('ff00')`."""
    (text,) = bind_names("fromhex", ("string",), arguments, keywords).values()
    try:
        return RowOfBytes(values, bytes.fromhex(str(text)))
    except ValueError as error:
        raise GradcliError("value", str(error)) from None


def _named(name: str, arguments: list[Value], keywords: Given) -> tuple[str, str]:
    """The encoding, and what is done with what it does not have."""
    names = ("encoding", "errors")
    given = bind_names(name, names, arguments, keywords, names)
    encoding = str(given.get("encoding", "utf-8"))
    usual = encoding.lower().replace("_", "-").replace("utf8", "utf-8").replace("latin1", "latin-1")
    if usual not in _ENCODINGS:
        raise GradcliError("value", f"the encoding {encoding!r} is not known here",
                           hint=f"there are {', '.join(_ENCODINGS)}")  # fmt: skip
    errors = str(given.get("errors", "strict"))
    if errors not in ("strict", "ignore", "replace"):
        raise GradcliError("value", f"errors={errors!r} is not known here",
                           hint="strict, ignore or replace")  # fmt: skip
    return usual, errors
