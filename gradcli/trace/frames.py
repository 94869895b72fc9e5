"""Where names are looked up."""

from __future__ import annotations

from gradcli.language import syntax
from gradcli.trace.values import Value


class Frame:
    """The names that one body can see: its own, then those of the body around it."""

    __slots__ = ("functions", "outer", "values")

    def __init__(self, outer: Frame | None = None) -> None:
        self.outer = outer
        self.values: dict[str, Value] = {}
        self.functions: dict[str, UserFunction] = {}

    def value(self, name: str) -> Value:
        """The value of a name; KeyError if it has none."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.values:
                return frame.values[name]
            frame = frame.outer
        raise KeyError(name)

    def function(self, name: str) -> UserFunction | None:
        """The user's function of that name, if there is one."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.functions:
                return frame.functions[name]
            frame = frame.outer
        return None


class UserFunction:
    """A function that the program defined, and the frame that its body sees."""

    __slots__ = ("definition", "frame")

    def __init__(self, definition: syntax.Function, frame: Frame) -> None:
        self.definition = definition
        self.frame = frame
