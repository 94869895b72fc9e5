"""Which part of a program made which nodes: calls of functions, loops and their passes.

Nodes are numbered as they are made, so that a part of the program is a range of numbers. It is
remembered only where somebody wants to tell a run in the program's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from gradcli.diagnostics import Span
from gradcli.graph import EMPTY, Node
from gradcli.ops.table import Function
from gradcli.tuples import NamedTuple

PassageKind: TypeAlias = Literal["call", "function", "loop", "pass", "passes", "write", "grad"]
"""A call of a function of the language, or of one of the program's; a loop, one pass of it, or some
that are told together; a write into a tensor, `y[0] = 10`; a call of `autograd.grad`.
"""


class Passage(NamedTuple):
    """A part of the program that has run, and the nodes that it made."""

    kind: PassageKind
    title: str
    """The function's name, `for` or `while`, the number of a pass, or of several: `2-19`."""
    span: Span | None
    first: int
    """The index of its first node."""
    end: int
    """The index behind its last node."""
    arguments: Mapping[str, Any] = EMPTY
    """Of a call, by parameter, without those that were left out: nodes and plain values."""
    result: Any = None
    """Of a call its value, of a loop the number of passes."""
    function: Function | None = None
    """The function of the language that was called."""


class Passages:
    """The parts of a program in the order in which they ended, and the names that were bound."""

    def __init__(self) -> None:
        self.ended: list[Passage] = []
        self.names: list[tuple[str, Node]] = []
        """Every binding of a name to a node, in functions too, in order."""

    def add(
        self,
        kind: PassageKind,
        title: str,
        span: Span | None,
        made: range,
        arguments: Mapping[str, Any] = EMPTY,
        result: Any = None,
        function: Function | None = None,
    ) -> None:
        """Remember a part that `made` the nodes of these indices, unless it made none."""
        if made:
            section = Passage(kind, title, span, made.start, made.stop, arguments, result, function)
            self.ended.append(section)

    def mark(self) -> tuple[int, int]:
        """How much is remembered, for `forget`."""
        return len(self.ended), len(self.names)

    def forget(self, mark: tuple[int, int]) -> None:
        """Forget what was remembered since then."""
        ended, names = mark
        del self.ended[ended:], self.names[names:]
