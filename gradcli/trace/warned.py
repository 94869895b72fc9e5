"""`warnings`: what a program warns of, and what PyTorch would, where that is kept or an error."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.caught import Caught, RaisedError
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, ClassName, Given, Object
from gradcli.trace.own_errors import OwnError, is_error, kinds_of
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_ACTIONS = ("default", "error", "ignore", "always", "module", "once", "all")
_USUAL = "UserWarning"


class Filter(NamedTuple):
    """What is done with warnings of a class whose message begins so."""

    action: str
    kind: str = "Warning"
    message: str = ""
    """Of what regular expressions have, `.*` alone has a meaning: no other is run here."""

    def takes(self, message: str) -> bool:
        """Whether a message begins with the filter's."""
        begin, *others = self.message.replace("\\", "").lower().split(".*")
        text, place = message.lower(), len(begin)
        if not text.startswith(begin):
            return False
        for each in others:
            found = text.find(each, place)
            if found < 0:
                return False
            place = found + len(each)
        return True


class KeptWarning(Object):
    """A warning that was kept: `w[0].message`, `w[0].category`."""

    what = "a warning"
    title = "WarningMessage"

    def __init__(self, fields: Given) -> None:
        self._fields = fields

    def attribute(self, name: str) -> Any:
        return self._fields[name] if name in self._fields else super().attribute(name)


class WarnedBlock(Object):
    """`with warnings.catch_warnings(record=True) as w:`; what is set in it ends with it."""

    what = "a block's setting"

    def __init__(self, warnings: Warnings, records: bool) -> None:
        self._warnings = warnings
        self._records = records
        self._before: tuple[list[Filter], Items | None] = ([], None)

    def special(self, name: str) -> Object | None:
        known = {"__enter__": self._begin, "__exit__": self._end}
        return BuiltIn(name, known[name]) if name in known else None

    def _begin(self, *_: object) -> Value:
        self._before = [*self._warnings.filters], self._warnings.kept
        if self._records:
            self._warnings.kept = Items([])
            return self._warnings.kept
        return None

    def _end(self, *_: object) -> Value:
        self._warnings.filters, self._warnings.kept = self._before
        return None


class Warnings:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._values = autograd.values
        self.filters: list[Filter] = []
        self.kept: Items | None = None
        """Where warnings are kept; nothing is printed of others."""
        self._told: set[tuple[str, str, int]] = set()
        self.functions: dict[str, Special] = {
            "warnings.warn": self._warn,
            "warnings.simplefilter": self._filter,
            "warnings.filterwarnings": self._filter_by_message,
            "warnings.resetwarnings": lambda *_: self.filters.clear(),
            "warnings.catch_warnings": self._block,
        }
        autograd.warn = self.tell

    def tell(self, kind: str, message: str, made: Any = None) -> None:
        """Keep a warning, or raise it, as the filters have it."""
        line = self._autograd.line()
        action = self._action(kind, message)
        if action == "error":
            raise RaisedError(kind, message, made).hinted("a filter makes errors of warnings")
        place = (kind, message, 0 if action == "once" else line)
        if action == "ignore" or (action not in ("always", "all") and place in self._told):
            return
        self._told.add(place)
        if self.kept is not None:
            said: Any = made
            if made is None:
                said = Caught(message)
                said.kind, said.cause = kind, None
            category = ClassName(kind, made) if made is not None else ClassName(kind)
            self.kept.append(KeptWarning({
                "message": said, "category": category, "lineno": self._values.plain(line),
                "filename": self._autograd.source.name, "line": None,
            }))  # fmt: skip

    def _action(self, kind: str, message: str) -> str:
        kinds = kinds_of(kind) if is_error(kind) else {kind, _USUAL, "Warning"}
        for each in self.filters:
            if each.kind in kinds and each.takes(message):
                return each.action
        return "default"

    def _warn(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("message", "category", "stacklevel", "source")
        given = bind_names("warn", names, arguments, keywords, names[1:])
        message = given["message"]
        if isinstance(message, OwnError):
            self.tell(message.made_by.name, str(message.asked("__str__") or ""), message)
        elif isinstance(message, Caught):
            self.tell(message.kind, str(message))
        else:
            category = given.get("category")
            kind = _USUAL if category is None else _name_of(category)
            self.tell(kind, str(message))
        return None

    def _filter(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("action", "category", "lineno", "append")
        return self._add(bind_names("simplefilter", names, arguments, keywords, names[1:]))

    def _filter_by_message(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("action", "message", "category", "module", "lineno", "append")
        return self._add(bind_names("filterwarnings", names, arguments, keywords, names[1:]))

    def _add(self, given: Given) -> Value:
        action = given["action"]
        if action not in _ACTIONS:
            raise GradcliError("value", f"a filter's action is one of {', '.join(_ACTIONS)}")
        kind = _name_of(given["category"]) if "category" in given else "Warning"
        added = Filter(str(action), kind, str(given.get("message") or ""))
        is_last = "append" in given and self._values.truth(given["append"])
        self.filters.insert(len(self.filters) if is_last else 0, added)
        return None

    def _block(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("record", "module", "action", "category", "lineno", "append")
        given = bind_names("catch_warnings", names, arguments, keywords, names)
        records = "record" in given and self._values.truth(given["record"])
        if "action" in given:
            self._add({name: given[name] for name in ("action", "category") if name in given})
        return WarnedBlock(self, records)


def _name_of(category: Value) -> str:
    name = getattr(category, "name", None)
    if not isinstance(name, str):
        raise GradcliError("type", "a category is a class of warnings", hint="UserWarning")
    return name
