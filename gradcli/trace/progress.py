"""`tqdm`: loops as they are; no bar is drawn, and what a bar writes is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_SETTINGS = (
    "iterable", "desc", "total", "leave", "disable", "unit", "ncols", "position", "dynamic_ncols",
    "initial", "mininterval", "file", "ascii", "smoothing", "unit_scale", "miniters", "colour",
    "bar_format", "postfix", "maxinterval", "unit_divisor", "write_bytes", "lock_args", "nrows",
    "delay", "gui",
)  # fmt: skip
_SILENT = (
    "set_description", "set_postfix", "set_description_str", "set_postfix_str", "close", "refresh",
    "reset", "clear", "display", "unpause",
)  # fmt: skip
"""Methods of progress bars, which show nothing here."""
_HOMES = ("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm")


class Bar(Object):
    """What `tqdm(xs)` gives: a loop over the same, which may be told what to show."""

    what = "a progress bar"
    is_row = True
    title = "tqdm.std.tqdm"

    def __init__(self, values: Values, items: Value, total: Value, write: Special) -> None:
        self._values = values
        self._items = items
        self._total = total
        self._write = write
        self._count = 0.0

    def elements(self) -> Any:
        return self._items

    def looped(self) -> Any:
        return self._items

    def length(self) -> int:
        items = self._items
        if isinstance(items, Object):
            return items.length()
        return items.shape[0] if isinstance(items, Node) else len(items or ())

    def special(self, name: str) -> Object | None:
        known = {"__enter__": self, "__exit__": None}
        if name not in known:
            return None
        return BuiltIn(name, lambda *_: known[name])

    def attribute(self, name: str) -> Any:
        if name == "total" and self._total is not None:
            return self._total
        if name == "n" and self._items is None:
            return self._values.plain(int(self._count))
        return super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        silent = dict.fromkeys(_SILENT, lambda *_: None)
        return {**silent, "update": self._update, "write": self._write}

    def _update(self, arguments: list[Value], keywords: Given) -> None:
        given = bind_names("update", ("n",), arguments, keywords, ("n",))
        self._count += self._values.number(given["n"], "n") if given else 1


class ProgressBars:
    """The functions by name."""

    def __init__(self, values: Values, tell: Special) -> None:
        """`tell` prints."""
        self._values = values
        self._tell = tell
        self.functions: dict[str, Special] = {
            **dict.fromkeys(_HOMES, self._bar),
            **{f"{home}.write": self._write for home in _HOMES},
            **{f"{home.removesuffix('tqdm')}trange": self._of_range for home in _HOMES},
        }

    def _bar(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("tqdm", _SETTINGS, arguments, keywords, _SETTINGS)
        return Bar(self._values, given.get("iterable"), given.get("total"), self._write)

    def _of_range(self, arguments: list[Value], keywords: Given) -> Value:
        bounds = [self._values.integer(each, "trange") for each in arguments]
        if not 0 < len(bounds) < 4 or bounds[2:] == [0]:
            raise GradcliError("value", "trange takes what range takes", hint="trange(10)")
        return Bar(self._values, range(*bounds), None, self._write)

    def _write(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("s", "file", "end", "nolock")
        given = bind_names("write", names, arguments, keywords, names[1:])
        options: Given = {name: given[name] for name in ("file", "end") if name in given}
        return self._tell([given["s"]], options)
