"""Classes of errors that the program makes of Python's: `class NoFit(ValueError)`."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from gradcli.trace.caught import made_of
from gradcli.trace.classes import Class, Instance
from gradcli.trace.modules import Method
from gradcli.trace.objects import BuiltIn, ClassName, Given, Object
from gradcli.trace.values import Value, Values

LIBRARY_ERRORS = {
    "_LinAlgError": ("RuntimeError",), "GradcheckError": ("RuntimeError",),
    "OutOfMemoryError": ("RuntimeError",), "LinAlgError": ("ValueError",),
    "AxisError": ("ValueError", "IndexError"), "JSONDecodeError": ("ValueError",),
    "FrozenInstanceError": ("AttributeError",),
}  # fmt: skip
"""What classes of errors of PyTorch, NumPy and Python's libraries are made from."""


def is_error(name: str) -> bool:
    """Whether Python has a class of errors of that name."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def class_of_errors(name: str, written: Callable[..., str]) -> ClassName:
    """A class of Python's errors as a value, which may be called."""
    return ClassName(name, make=lambda arguments: made_of(name, arguments, written))


def kinds_of(name: str) -> frozenset[str]:
    """A class of errors, and those that it is made from."""
    if not is_error(name):
        roots = LIBRARY_ERRORS.get(name, ("Exception",))
        also = ("LinAlgError",) if name == "_LinAlgError" else ()  # torch.linalg's name of it
        return frozenset((name, *also)).union(*map(kinds_of, roots))
    return frozenset(each.__name__ for each in getattr(builtins, name).__mro__)


class OwnError(Instance):
    """An error of a class of the program."""

    what = "an error"

    def __init__(self, values: Values, made_by: Class) -> None:
        super().__init__(values, made_by)
        self.given: tuple[Value, ...] | None = None
        """What it was made of."""
        self.cause: Any = None
        """The error that it was raised from."""

    def kinds(self) -> frozenset[str]:
        """The classes by which it is caught."""
        own = {each.name for each in self.made_by.order}
        return frozenset(own.union(*map(kinds_of, self.made_by.roots)))

    def begin(self, arguments: list[Value], keywords: Given) -> None:
        self.given = tuple(arguments)

    def attribute(self, name: str) -> Any:
        if name == "args":
            return self.given or ()
        if name in ("__cause__", "__context__", "__traceback__"):
            return self.cause if name == "__cause__" else None
        return super().attribute(name)

    def methods(self) -> dict[str, Method]:
        return {**super().methods(), "__init__": self.begin}

    def special(self, name: str) -> Object | None:
        own = super().special(name)
        return BuiltIn(name, self._said) if own is None and name == "__str__" else own

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        if not quoted or self in self.values.texts:
            return None
        inside: list[tuple[Any, bool]] = []
        for each in self.given or ():
            inside += [*([(", ", False)] if inside else []), (each, True)]
        return [(f"{self.made_by.name}(", False), *inside, (")", False)]

    def _said(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        """Its only argument, or all of them as a tuple."""
        given = self.given or ("",)
        return given[0] if len(given) == 1 else given
