"""What `raise` raises, and what `except … as e` binds."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError


class Caught(str):
    """The message of an error, and the name of its class."""

    __slots__ = ("cause", "given", "kind")
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
        self.cause: Any = None
        self.name = name
        self.value = value
