"""`io.StringIO` and `redirect_stdout`: text in memory, which print may write into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe


class TextBuffer(Object):
    """`io.StringIO()`."""

    what = "a text in memory"
    title = "StringIO"
    python_class = "_io.StringIO"

    def __init__(self, values: Values, text: str) -> None:
        self._values = values
        self._text, self._place = text, 0

    def write(self, text: str) -> None:
        """Put a text at the place where the file stands."""
        self._values.check_set(self)
        self._values.graph.ledger.take(len(text), "a text in memory")
        end = self._place + len(text)
        if self._place == len(self._text):
            self._text += text
        else:
            self._text = f"{self._text[: self._place]}{text}{self._text[end:]}"
        self._place = end

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {
            "write": self._write,
            "getvalue": lambda *_: self._text,
            "read": lambda *_: self._rest(),
            "readlines": lambda *_: Items(self._rest().splitlines(keepends=True)),
            "seek": self._seek,
            "tell": lambda *_: self._values.plain(self._place),
            "truncate": self._truncate,
            "flush": lambda *_: None,
            "close": lambda *_: None,
        }

    def special(self, name: str) -> Object | None:
        known = {"__enter__": self, "__exit__": None}
        return BuiltIn(name, lambda *_: known[name]) if name in known else None

    def elements(self) -> Items:
        return Items(self._rest().splitlines(keepends=True))

    def _write(self, arguments: list[Value], keywords: Given) -> Value:
        (text,) = bind_names("write", ("s",), arguments, keywords).values()
        if not isinstance(text, str):
            raise GradcliError("type", f"write takes a text, not {describe(text)}", hint="str(x)")
        self.write(text)
        return self._values.plain(len(text))

    def _rest(self) -> str:
        self._values.check_set(self)
        rest, self._place = self._text[self._place :], len(self._text)
        return rest

    def _seek(self, arguments: list[Value], keywords: Given) -> Value:
        (place,) = bind_names("seek", ("cookie",), arguments, keywords).values()
        self._values.check_set(self)
        self._place = min(max(0, self._values.integer(place, "a place")), len(self._text))
        return place

    def _truncate(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("truncate", ("pos",), arguments, keywords, ("pos",))
        self._values.check_set(self)
        length = self._values.integer(given["pos"], "pos") if "pos" in given else self._place
        self._text = self._text[: max(0, length)]
        return self._values.plain(length)


class Redirection(Object):
    """What `with redirect_stdout(f):` begins: print writes into f until it ends."""

    what = "a block's setting"

    def __init__(self, values: Values, into: TextBuffer) -> None:
        self._values, self._into = values, into
        self._before: list[Any] = []

    def special(self, name: str) -> Object | None:
        known = {"__enter__": self._begin, "__exit__": self._end}
        return BuiltIn(name, known[name]) if name in known else None

    def _begin(self, *_: Any) -> Value:
        self._values.check_set(self)
        self._before.append(self._values.printed_into)
        self._values.printed_into = self._into.write
        return self._into

    def _end(self, *_: Any) -> Value:
        self._values.printed_into = self._before.pop()
        return None


class TextFiles:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "io.StringIO": self._buffer,
            "contextlib.redirect_stdout": self._redirect,
        }

    def _buffer(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("initial_value", "newline")
        text = bind_names("StringIO", names, arguments, keywords, names).get("initial_value", "")
        if not isinstance(text, str):
            raise GradcliError("type", f"StringIO begins with a text, not {describe(text)}")
        return TextBuffer(self._values, text)

    def _redirect(self, arguments: list[Value], keywords: Given) -> Value:
        (into,) = bind_names("redirect_stdout", ("new_target",), arguments, keywords).values()
        if not isinstance(into, TextBuffer):
            raise GradcliError("type", f"redirect_stdout takes a text in memory, not "
                               f"{describe(into)}", hint="f = io.StringIO()")  # fmt: skip
        return Redirection(self._values, into)
