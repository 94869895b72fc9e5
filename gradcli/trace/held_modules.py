"""Modules as values: `lib = torch if torch.is_tensor(x) else np`, `def f(x, lib=np)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import Span
from gradcli.language import syntax
from gradcli.trace.callee import MODULES
from gradcli.trace.objects import Object

_CALLED = {"np": "numpy", "F": "torch.nn.functional"}
"""What modules call themselves that have another name here."""


class HeldModule(Object):
    """A module that a name, a list or an argument stands for."""

    what = "a module"
    title = "module"

    def __init__(self, path: str, member: Callable[[str], Any]) -> None:
        """`member` finds what it has of a name, or the visitor that does so."""
        self.module = path
        self._member = member

    def attribute(self, name: str) -> Any:
        return self._name if name == "__name__" else self._member(name)

    def is_same(self, other: Any) -> bool:
        return isinstance(other, HeldModule) and self._name == other._name

    def key(self) -> Any:
        return "module", self._name

    def shown(self) -> str:
        return f"<module {self._name!r}>"

    @property
    def _name(self) -> str:
        home = MODULES.get(self.module, self.module)
        return _CALLED.get(home, home)


def is_module(path: str) -> bool:
    """Whether it is the path of a module, and not of a class that has members of its own."""
    return path in MODULES and path.rpartition(".")[2].islower()


def member_of(path: str, imports: dict[str, str], name: str, span: Span | None) -> syntax.Attribute:
    """A module's member as it is written behind a name that no program gives to anything else."""
    root = f"<{path}>"
    imports[root] = path
    span = span or (0, 0)
    return syntax.Attribute(syntax.Name(root, span), name, span, span)
