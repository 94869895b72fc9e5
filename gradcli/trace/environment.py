"""What cells ask of Python's installation, `sys` and `importlib.metadata`, and `operator`."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.imports import constant_of
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import COMPARE, METHODS, binary, comparison
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_PATHS = ("append", "insert", "extend", "remove")


class Environment:
    """The functions by name. Where Python looks for modules has no meaning here."""

    def __init__(self, autograd: Autograd) -> None:
        self.values = autograd.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"sys.path.{name}": lambda *_: None for name in _PATHS},
            "sys.stdout.flush": lambda *_: None,
            "importlib.metadata.version": self._version,
            **dict.fromkeys(
                ("packaging.version.Version", "packaging.version.parse"), self._numbers_of_version
            ),
            **{f"operator.{name}": partial(self._operate, symbol)
               for symbol, name in METHODS.items()},
            "operator.getitem": lambda given, _: self.values.subscript(given[0], given[1:]),
            "operator.itemgetter": self._getter,
        }  # fmt: skip

    def _version(self, arguments: list[Value], keywords: Given) -> Value:
        (name,) = bind_names("version", ("distribution_name",), arguments, keywords).values()
        module = {"torch": "torch", "numpy": "np"}.get(name) if isinstance(name, str) else None
        if module is None:
            raise GradcliError(
                "name",
                f"gradcli knows no version of {name}",
                hint="leave out the line: there are the versions of torch and numpy",
            )
        return str(constant_of(f"{module}.__version__"))

    def _numbers_of_version(self, arguments: list[Value], keywords: Given) -> Value:
        """`Version("2.4.0")`: the numbers, which are compared."""
        (text,) = bind_names("Version", ("version",), arguments, keywords).values()
        whole = str(text).partition("+")[0]
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9}){0,9}", whole):
            raise GradcliError("value", f"{whole[:20]!r} is no version", hint="Version('2.4.0')")
        return tuple(self.values.plain(int(each)) for each in whole.split("."))

    def _operate(self, symbol: str, arguments: list[Value], keywords: Given) -> Value:
        a, b = bind_names(METHODS[symbol], ("a", "b"), arguments, keywords).values()
        apply = comparison if symbol in COMPARE else binary
        return apply(self.values, symbol, a, b)

    def _getter(self, arguments: list[Value], keywords: Given) -> Value:
        """A function of the elements at these places, as `key=` of `sorted` may be."""

        def get(_: str, given: list[Value], __: Given) -> Any:
            (owner,) = given
            found = [self._element(owner, place) for place in arguments]
            return found[0] if len(found) == 1 else tuple(found)

        if not arguments:
            raise GradcliError("type", "itemgetter needs a place", hint="itemgetter(1)")
        return BuiltIn("itemgetter", get)

    def _element(self, owner: Value, place: Value) -> Value:
        found = owner.item([place]) if isinstance(owner, Object) else None
        return self.values.subscript(owner, [place]) if found is None else found
