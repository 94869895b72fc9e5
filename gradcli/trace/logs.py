"""`logging`: what is logged to the standard output is printed; the rest is seen by no one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

NUMBERS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_LEVELS = {name.lower(): name for name in NUMBERS if name != "NOTSET"} | {
    "warn": "WARNING", "exception": "ERROR",
}  # fmt: skip
"""By method, what is logged by it; that of errors without the lines that they came through."""
_SHOWN = "sys.stdout"
_BASIC = "%(levelname)s:%(name)s:%(message)s"
_NOW = "2026-01-01 00:00:00"
"""The time of all that is logged: no two runs of a program agree in it."""


class Formatter(Object):
    """How a line is written: `logging.Formatter("%(levelname)s %(message)s")`."""

    what = "a formatter"

    def __init__(self, pattern: str, date: str) -> None:
        self.pattern, self.date = pattern, date


class LogHandler(Object):
    """Where lines go: `logging.StreamHandler(sys.stdout)`."""

    what = "a handler"
    title = "StreamHandler"

    def __init__(self, logs: Logs, *, is_shown: bool) -> None:
        self._logs = logs
        self.is_shown = is_shown
        self.level = 0
        self.formatter: Formatter | None = None

    def methods(self) -> dict[str, Special]:
        ignored = dict.fromkeys(("flush", "close"), lambda *_: None)
        return {"setLevel": self._set_level, "setFormatter": self._set_formatter, **ignored}

    def _set_level(self, arguments: list[Value], keywords: Given) -> None:
        self.level = self._logs.level("setLevel", arguments, keywords)

    def _set_formatter(self, arguments: list[Value], keywords: Given) -> None:
        (given,) = bind_names("setFormatter", ("fmt",), arguments, keywords).values()
        self.formatter = given if isinstance(given, Formatter) else None


def _as_handler(value: Value) -> LogHandler:
    """One of a logger's handlers, which the program may have put into the list. Raises `type`."""
    if isinstance(value, LogHandler):
        return value
    raise GradcliError("type", f"{describe(value)} is no handler of what is logged")


class Logger(Object):
    """`logging.getLogger(name)`: it gives what is logged to its handlers, and to those above."""

    what = "a logger"
    title = "Logger"

    def __init__(self, logs: Logs, name: str) -> None:
        self._logs = logs
        self.name = name
        self.level = 0 if name != "root" else NUMBERS["WARNING"]
        self.handlers = Items([])
        self.passes_on = True

    def attribute(self, name: str) -> Value:
        values = self._logs.values
        known: Given = {
            "name": self.name,
            "level": values.plain(self.level),
            "handlers": self.handlers,
            "propagate": values.graph.constant(self.passes_on),
        }
        return known.get(name) if name in known else super().attribute(name)

    def set(self, name: str, value: Value) -> None:
        if name != "propagate":
            raise self.has_no("attribute", name)
        self.passes_on = self._logs.values.truth(value)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            **{name: partial(self.log, NUMBERS[kind]) for name, kind in _LEVELS.items()},
            "setLevel": self._set_level,
            "addHandler": self._add,
            "removeHandler": self._remove,
            "hasHandlers": lambda *_: self._logs.values.graph.constant(any(self._reached())),
        }

    def _add(self, arguments: list[Value], keywords: Given) -> None:
        (handler,) = bind_names("addHandler", ("hdlr",), arguments, keywords).values()
        if not isinstance(handler, LogHandler):
            raise GradcliError("type", f"{describe(handler)} is no handler of what is logged",
                               hint="logging.StreamHandler(sys.stdout)")  # fmt: skip
        if handler not in list(self.handlers):
            self.handlers.append(handler)

    def _remove(self, arguments: list[Value], keywords: Given) -> None:
        (handler,) = bind_names("removeHandler", ("hdlr",), arguments, keywords).values()
        self.handlers.become([each for each in self.handlers if each is not handler])

    def _set_level(self, arguments: list[Value], keywords: Given) -> None:
        self.level = self._logs.level("setLevel", arguments, keywords)

    def _above(self) -> Iterator[Logger]:
        """The logger, and those above it."""
        logger: Logger | None = self
        while logger is not None:
            yield logger
            logger = self._logs.above(logger.name)

    def _reached(self) -> Iterator[LogHandler]:
        for logger in self._above():
            yield from map(_as_handler, logger.handlers)
            if not logger.passes_on:
                return

    def log(self, number: int, arguments: list[Value], keywords: Given) -> Any:
        """Give what is logged to the handlers that show it."""
        least = next((each.level for each in self._above() if each.level), 0)
        if number < max(least, self._logs.disabled + 1):
            return
        text = self._logs.text(arguments)
        for handler in self._reached():
            if handler.is_shown and number >= handler.level:
                yield self._logs.show([self._logs.line(handler, self.name, number, text)], {})


class Logs:
    """The functions by name."""

    def __init__(
        self,
        values: Values,
        written: Callable[[Value], str],
        percent: Callable[[str, Value], str],
        show: Special,
    ) -> None:
        """`written` gives values as print writes them, `percent` fills a text with them, and
        `show` is print.
        """
        self.values = values
        self.show = show
        self.disabled = 0
        """Nothing up to this level is logged."""
        self._written, self._percent = written, percent
        self._loggers = {"root": Logger(self, "root")}
        self._names = {number: name for name, number in NUMBERS.items()}
        self.constants: dict[str, Value] = {
            f"logging.{name}": values.plain(number) for name, number in NUMBERS.items()
        }
        self.functions: dict[str, Special] = {
            **{
                f"logging.{name}": partial(self._log_at_root, NUMBERS[kind])
                for name, kind in _LEVELS.items()
            },
            "logging.getLogger": self._logger,
            "logging.basicConfig": self._configure,
            "logging.disable": self._disable,
            "logging.StreamHandler": self._handler,
            "logging.NullHandler": lambda *_: LogHandler(self, is_shown=False),
            "logging.Formatter": self._formatter,
        }

    # --- what loggers ask ---

    def above(self, name: str) -> Logger | None:
        """The next logger above the one of that name; None above the root."""
        while "." in name:
            name = name.rpartition(".")[0]
            if name in self._loggers:
                return self._loggers[name]
        return None if name == "root" else self._loggers["root"]

    def level(self, name: str, arguments: list[Value], keywords: Given) -> int:
        """A level that is given by its number or its name."""
        (given,) = bind_names(name, ("level",), arguments, keywords).values()
        if isinstance(given, str):
            if given not in NUMBERS:
                raise GradcliError("value", f"Unknown level: {given!r}", hint="logging.INFO")
            return NUMBERS[given]
        return self.values.integer(given, "a level")

    def text(self, arguments: list[Value]) -> str:
        """What is logged: a text that others fill, or a value as it is written."""
        first, *given = arguments or [""]
        text = self._written(first)
        if not given:
            return text
        return self._percent(text, given[0] if isinstance(given[0], Dictionary) else tuple(given))

    def line(self, handler: LogHandler, name: str, number: int, text: str) -> str:
        """A line as a handler writes it."""
        pattern, date = "%(message)s", _NOW
        if handler.formatter is not None:
            pattern, date = handler.formatter.pattern, handler.formatter.date
        parts: list[tuple[Value, Value]] = [
            ("message", text), ("name", name), ("levelname", self._names.get(number, str(number))),
            ("levelno", self.values.plain(number)), ("asctime", date),
        ]  # fmt: skip
        return self._percent(pattern, Dictionary(self.values, parts))

    # --- functions ---

    def _logger(self, arguments: list[Value], keywords: Given) -> Value:
        name = bind_names("getLogger", ("name",), arguments, keywords, ("name",)).get("name")
        title = name if isinstance(name, str) and name else "root"
        return self._loggers.setdefault(title, Logger(self, title))

    def _log_at_root(self, number: int, arguments: list[Value], keywords: Given) -> Any:
        return self._loggers["root"].log(number, arguments, keywords)

    def _disable(self, arguments: list[Value], keywords: Given) -> None:
        self.disabled = self.level("disable", arguments, keywords) if arguments else 50

    def _handler(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("StreamHandler", ("stream",), arguments, keywords, ("stream",))
        return self._writing(given.get("stream"))

    def _writing(self, stream: Value) -> LogHandler:
        """A handler that writes to a stream: the standard output is printed, the standard error is
        not.
        """
        if isinstance(stream, Object):
            raise GradcliError("type", f"what is logged is not written into {describe(stream)}",
                               hint="logging.StreamHandler(sys.stdout)")  # fmt: skip
        return LogHandler(self, is_shown=stream == _SHOWN)

    def _formatter(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("fmt", "datefmt", "style")
        given = bind_names("Formatter", names, arguments, keywords, names)
        if given.get("style", "%") != "%":
            raise GradcliError("value", "a format of what is logged is one of %",
                               hint="'%(levelname)s %(message)s'")  # fmt: skip
        pattern = given.get("fmt") or "%(message)s"
        return Formatter(str(pattern), _NOW if "datefmt" in given else f"{_NOW},000")

    def _configure(self, arguments: list[Value], keywords: Given) -> None:
        names = ("level", "format", "datefmt", "style", "stream", "handlers", "force", "filename",
                 "filemode", "encoding")  # fmt: skip
        given = bind_names("basicConfig", names, arguments, keywords, names)
        root = self._loggers["root"]
        is_forced = "force" in given and self.values.truth(given["force"])
        if len(root.handlers) and not is_forced:
            return
        handlers = self.values.elements(given["handlers"]) if "handlers" in given else [
            self._writing(given.get("stream"))
        ]  # fmt: skip
        root.handlers.become([each for each in handlers if isinstance(each, LogHandler)])
        asked = {"fmt": given.get("format", _BASIC)}
        asked |= {name: given[name] for name in ("datefmt", "style") if name in given}
        formatter = self._formatter([], asked)
        for handler in map(_as_handler, root.handlers):
            if handler.formatter is None and isinstance(formatter, Formatter):
                handler.formatter = formatter
        if "level" in given:
            root.level = self.level("basicConfig", [given["level"]], {})
