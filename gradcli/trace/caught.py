"""What `raise` raises, and what `except … as e` binds."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError


class Caught(str):
    """The message of an error, and the name of its class."""

    __slots__ = ("cause", "kind")
    kind: str
    cause: Any
    """The error that it was raised from."""

    def __repr__(self) -> str:
        said = str(self) if self.kind == "KeyError" else repr(str(self))
        return f"{self.kind}({said})" if self else f"{self.kind}()"


class RaisedError(GradcliError):
    """What `raise` raises, of the class `name`."""

    def __init__(self, name: str, message: str, value: Any = None) -> None:
        """`value` is the error of a class of the program. Without a message it is told by name."""
        super().__init__("assertion", message or name or "an error")
        self.said = message
        self.cause: Any = None
        self.name = name
        self.value = value
