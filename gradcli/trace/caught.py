"""What `raise` raises, and what `except … as e` binds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError


class Caught(str):
    """The message of an error, and the name of its class."""

    __slots__ = ("args", "cause", "given", "kind")
    args: tuple[Any, ...]
    """What it was made of, where that is not its message alone."""
    kind: str
    cause: Any
    """The error that it was raised from."""
    given: str
    """How what it was made of is written, where that is no string alone."""

    def __repr__(self) -> str:
        said = str(self) if self.kind == "KeyError" else repr(str(self)) if self else ""
        return f"{self.kind}({getattr(self, 'given', said)})"


class RaisedError(GradcliError):
    """What `raise` raises, of the class `name`."""

    def __init__(self, name: str, message: str, value: Any = None) -> None:
        """`value` is the error of a class of the program. Without a message it is told by name."""
        super().__init__("assertion", message or name or "an error")
        self.said = message
        self.made: Caught | None = None
        """What the program has made and raised, if it has."""
        self.cause: Any = None
        self.name = name
        self.value = value


def nothing_to_raise() -> RefusedError:
    """The error of `raise` alone outside an `except`."""
    said = "No active exception to reraise"
    return RefusedError(("RuntimeError", said), "value", "raise stands alone: no error is handled",
                        hint="raise ValueError('…')")  # fmt: skip


def made_of(kind: str, given: Sequence[Any], written: Callable[..., str]) -> Caught:
    """An error of Python's that a program makes: `ValueError("no", 3)`."""
    only = given[0] if len(given) == 1 else tuple(given)
    made = Caught(written(only, quoted=kind == "KeyError") if given else "")
    made.kind, made.cause, made.args = kind, None, tuple(given)
    if given and not (len(given) == 1 and isinstance(only, str)):
        made.given = ", ".join(written(each, quoted=True) for each in given)
    return made
