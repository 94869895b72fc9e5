"""What `raise` raises, and what `except … as e` binds."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError


class Caught(str):
    """The message of an error, and the name of its class."""

    __slots__ = ("kind",)
    kind: str

    def __repr__(self) -> str:
        return f"{self.kind}({str(self)!r})" if self else f"{self.kind}()"


class RaisedError(GradcliError):
    """What `raise` raises, of the class `name`."""

    def __init__(self, name: str, message: str, value: Any = None) -> None:
        """`value` is the error of a class of the program. Without a message it is told by name."""
        super().__init__(
            "assertion", message or name or "an error", hint="the program raises this error itself"
        )
        self.said = message
        self.name = name
        self.value = value
