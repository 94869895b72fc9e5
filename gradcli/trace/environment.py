"""What cells ask of Python's installation: `sys` and `importlib.metadata`."""

from __future__ import annotations

import re

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.imports import constant_of
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_PATHS = ("append", "insert", "extend", "remove")


class Environment:
    """The functions by name. Where Python looks for modules has no meaning here."""

    def __init__(self, autograd: Autograd, show: Special) -> None:
        """`show` is print."""
        self.values = autograd.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"sys.path.{name}": lambda *_: None for name in _PATHS},
            **{f"sys.{name}.flush": lambda *_: None for name in ("stdout", "stderr")},
            "sys.stdout.write": lambda given, _: show(given, {"end": ""}),
            "sys.stderr.write": lambda *_: None,
            "importlib.metadata.version": self._version,
            **dict.fromkeys(
                ("packaging.version.Version", "packaging.version.parse"), self._numbers_of_version
            ),
        }

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
