"""`locals()` and `globals()`: what names are bound to at that place."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.frames import Frame
from gradcli.trace.objects import Given
from gradcli.trace.values import Value, Values


class NamesWithValues(Dictionary):
    """Names and their values, to be read: what is put there gives no name a value."""

    def __init__(self, values: Values, frame: Frame) -> None:
        self._is_made = False
        super().__init__(values, [*frame.functions.items(), *frame.values.items()])
        self._imports = frame.imports if frame.outer is None else {}
        self._is_made = True

    def put(self, key: Value, value: Value) -> None:
        if self._is_made:
            raise GradcliError("type", "globals() and locals() are read here, and give no name a "
                               "value", hint="write the assignment itself: x = …")  # fmt: skip
        super().put(key, value)

    def contains(self, value: Any) -> bool:
        return super().contains(value) or value in self._imports


def names_with_values(
    name: str, values: Values, frame: Frame, arguments: list[Value], keywords: Given
) -> NamesWithValues:
    """The names of the whole program (`globals`), or of the body that is run (`locals`)."""
    bind_names(name, (), arguments, keywords)
    *_, whole = frame
    return NamesWithValues(values, whole if name == "globals" else frame.of_body)
