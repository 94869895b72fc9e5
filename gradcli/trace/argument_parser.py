"""`argparse`: what the parser of a program without arguments gives, or of those in a list."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.python_library import Namespace
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_SETTINGS = (
    "action", "nargs", "const", "default", "type", "choices", "required", "help", "metavar", "dest",
)  # fmt: skip
_ACTIONS = ("store", "store_true", "store_false", "store_const", "append", "count")
_CLASSES = ("ArgumentDefaultsHelpFormatter", "RawTextHelpFormatter", "HelpFormatter",
            "RawDescriptionHelpFormatter", "BooleanOptionalAction", "SUPPRESS")  # fmt: skip
_ABSENT = object()


class _ReaderOfWords(argparse.ArgumentParser):
    """Python's own parser of strings, which raises where it would end the program."""

    def error(self, message: str) -> NoReturn:
        raise GradcliError("value", f"argparse: {message}", hint="parser.parse_args([]) has none")


class ArgumentReader(Object):
    """`argparse.ArgumentParser()`; strings become values here, as functions of the program may say
    how.
    """

    what = "an argument parser"
    title = "ArgumentParser"

    def __init__(self, values: Values, written: Callable[..., str]) -> None:
        self._values = values
        self._written = written
        self._reader = _ReaderOfWords(add_help=False)
        self._defaults: dict[str, Value] = {}
        self._kinds: dict[str, Value] = {}
        self._choices: dict[str, Value] = {}

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "add_argument": self._add,
            "parse_args": self._parse,
            "parse_known_args": self._parse_known,
            "set_defaults": self._set_defaults,
            **dict.fromkeys(
                ("add_argument_group", "add_mutually_exclusive_group"), lambda *_: self
            ),
        }

    def _add(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("add_argument", _SETTINGS, (), keywords, _SETTINGS)
        names = [each for each in arguments if isinstance(each, str)]
        if not names or len(names) < len(arguments):
            raise GradcliError("type", "add_argument takes names", hint="add_argument('--lr')")
        action = given.get("action", "store")
        is_switch = isinstance(action, Object)  # argparse.BooleanOptionalAction
        if not is_switch and action not in _ACTIONS:
            raise GradcliError("value", "argparse: this action is not known here",
                               hint=f"there are {', '.join(_ACTIONS)}")  # fmt: skip
        options: dict[str, Any] = {
            "action": argparse.BooleanOptionalAction if is_switch else action,
            "default": None if action in ("count", "append") else _ABSENT,
        }
        for name in ("dest", "metavar"):
            if isinstance(given.get(name), str):
                options[name] = given[name]
        if "nargs" in given and given["nargs"] is not None:
            nargs = given["nargs"]
            options["nargs"] = nargs if isinstance(nargs, str) else self._whole(nargs)
        if action in ("store_const",) or ("const" in given and not is_switch):
            options["const"] = given.get("const")
        if "required" in given:
            options["required"] = self._values.truth(given["required"])
        if action != "store" and not is_switch:
            options.pop("metavar", None)
        place = self._added(names, options).dest
        usual = self._values.graph.constant(action == "store_false")
        absent = usual if action in ("store_true", "store_false") else None
        self._defaults.setdefault(place, given.get("default", absent))
        self._kinds[place] = given.get("type")
        self._choices[place] = given.get("choices")
        return None

    def _whole(self, value: Value) -> int:
        count = self._values.integer(value, "nargs")
        self._values.graph.check_room(count)
        return count

    def _added(self, names: list[str], options: dict[str, Any]) -> argparse.Action:
        try:
            return self._reader.add_argument(*names, **options)
        except (ValueError, TypeError, argparse.ArgumentError) as error:
            raise GradcliError("value", f"argparse: {error}") from None

    def _set_defaults(self, arguments: list[Value], keywords: Given) -> Value:
        self._defaults |= keywords
        return None

    def _parse(self, arguments: list[Value], keywords: Given) -> Any:
        found, rest = yield self._parse_known(arguments, keywords)
        if rest:
            raise GradcliError("value", f"argparse: unrecognized arguments: {' '.join(rest)}")
        return found

    def _parse_known(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("args", "namespace")
        given = bind_names("parse_args", names, arguments, keywords, names)
        words = self._values.elements(given["args"]) if given.get("args") is not None else []
        if not all(isinstance(each, str) for each in words):
            raise GradcliError("type", "parse_args takes a list of strings", hint="['--lr', '1']")
        read, rest = self._reader.parse_known_args([str(each) for each in words])
        fields: dict[str, Value] = {}
        for name, text in vars(read).items():
            is_given = text is not _ABSENT and text is not None
            value = text if is_given else self._defaults.get(name)
            is_read = is_given or isinstance(value, str)
            fields[name] = (yield self._converted(name, value)) if is_read else value
        return self._namespace(fields), Items(rest)

    def _namespace(self, fields: dict[str, Value]) -> Namespace:
        return Namespace(self._values, self._defaults | fields, self._written, "Namespace")

    def _converted(self, name: str, value: Any) -> Any:
        """Strings as the argument's type makes values of them."""
        if isinstance(value, list):
            found = []
            for each in value:
                one = yield self._converted(name, each)
                found.append(one)
            return Items(found)
        if isinstance(value, bool | int):
            return self._values.plain(value)
        kind = self._kinds.get(name)
        if isinstance(kind, Object) and isinstance(value, str):
            value = yield kind.call([value], {})
        choices = self._choices.get(name)
        if choices is not None:
            shown = [self._written(each, quoted=True) for each in self._values.elements(choices)]
            if self._written(value, quoted=True) not in shown:
                raise GradcliError("value", f"argparse: argument {name}: invalid choice: "
                                   f"{self._written(value, quoted=True)}",
                                   hint=f"there are {', '.join(shown)}")  # fmt: skip
        return value


class ArgumentParsers:
    """The functions by name."""

    def __init__(self, values: Values, written: Callable[..., str]) -> None:
        """`written` gives values as print writes them."""
        self.functions: dict[str, Special] = {
            "argparse.ArgumentParser": lambda *_: ArgumentReader(values, written),
            "argparse.Namespace": lambda _, fields: Namespace(values, fields, written, "Namespace"),
            **{f"argparse.{name}": _not_called for name in _CLASSES},
        }


def _not_called(*_: object) -> Value:
    raise GradcliError("type", "this is given to a parser, not called",
                       hint="formatter_class=argparse.HelpFormatter")  # fmt: skip
