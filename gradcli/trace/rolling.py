"""Loops that stay loops: passes that build the same graph again become one node.

The first passes of a loop are traced as they are. The next one is traced with nodes that stand for
what it got from the pass before (`CARRIED`) and for what differs from pass to pass by a count
(`ROW`). If it has built the graph that the pass before has built, it is the body of a `Loop`, which
runs all further passes but the last two. These are traced as they are again: a derivative is then
the same in all passes of the loop, as whatever is different at its ends lies outside.

Whatever the trace looks at in that pass has to be the same in all passes: they are run by the
engine to know how many these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcli.graph import Graph, Node
from gradcli.ops.loops import made_since
from gradcli.trace.values import Value

LEAST = 64
"""Fewer passes are not worth a loop."""
FIRST, FIRST_UNKNOWN = 2, 8
"""How many passes are traced before: of a loop whose passes are counted, and of another one."""
LAST = 2
"""How many passes are traced after."""


class Unlike(Exception):  # noqa: N818 (no error: a pass is traced as it is)
    """A pass is not one of many that could be one node."""


class Rolling:
    """What is known of a loop while its passes are traced."""

    def __init__(self, length: int | None) -> None:
        """`length` is how many passes there are, if that is known."""
        self._length = length
        self._due = FIRST_UNKNOWN if length is None else FIRST
        self.rolled = False
        self.reason = ""
        """Why the passes so far were traced one by one."""
        self._before: dict[str, Value] = {}
        self._start = 0
        self._effects: tuple[Any, ...] = ()

    def left(self, done: int, steps: int) -> int:
        """How many of the passes after the first `done` a loop may have: `steps` at most."""
        return steps if self._length is None else min(steps, self._length - done - LAST)

    def watches(self, done: int) -> bool:
        """Whether the next pass is the last one before an attempt."""
        return done == self._due - 1

    def watch(self, values: Mapping[str, Value], graph: Graph, effects: tuple[Any, ...]) -> None:
        """Remember how things stand before a pass."""
        self._before, self._start, self._effects = dict(values), graph.count, effects

    def is_due(self, done: int) -> bool:
        """Whether it is time for an attempt."""
        return done == self._due

    def later(self, done: int, reason: str) -> None:
        """Try again when as many passes more have been made."""
        self.reason = reason
        self._due = 2 * done

    def again(self, done: int) -> None:
        """Passes have become a loop, up to `done`: more may become another one."""
        self.rolled = True
        self._due = done + FIRST

    def changed(
        self, values: Mapping[str, Value], effects: tuple[Any, ...]
    ) -> tuple[dict[str, Node], list[Node]]:
        """The names that the last pass has changed, and the nodes that it made for them.

        Raises `Unlike` where it did what no node can do.
        """
        if effects != self._effects:
            raise Unlike("it prints, differentiates or makes leaves")
        found = {}
        for name, value in values.items():
            before = self._before.get(name)
            if value is not before:
                if not isinstance(value, Node):
                    raise Unlike(f"{name} is not a tensor")
                if not isinstance(before, Node) or (before.shape, before.kind) != (
                    value.shape, value.kind
                ):  # fmt: skip
                    raise Unlike(f"{name} has another shape in each pass")
                found[name] = value
        older = {value for value in self._before.values() if isinstance(value, Node)}
        return found, made_since(found.values(), older.__contains__, self._start)
