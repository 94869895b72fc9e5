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

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.graph import Graph, Node
from gradcli.ops.loops import Unlike, built_of, made_since
from gradcli.trace.items import Items
from gradcli.trace.tensor_state import OptimisedParameter, Remembered, TensorState
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.schedulers import Scheduler

FIRST, FIRST_UNKNOWN = 2, 8
"""How many passes are traced before: of a loop whose passes are counted, and of another one."""
LAST = 2
"""How many passes are traced after."""
CHANGES_MORE = "catches errors, or changes lists, dictionaries or objects"
"""What a loop may do that is not one node."""
USES_MORE = "may use objects that keep more than tensors from pass to pass"
"""What it may have instead."""


class GradOf(NamedTuple):
    """The place of a grad."""

    tensor: Node


Place: TypeAlias = "str | Node | GradOf | Remembered"
"""What holds a tensor from pass to pass: a name, a tensor that changes in place, a `.grad`, an
optimiser.
"""


class Changed(NamedTuple):
    """What a pass has changed."""

    tensors: dict[Place, Node]
    """What now is where a tensor is that is another one after each pass."""
    lists: dict[str, tuple[Node, ...]]
    """What was appended to lists, by name."""
    lengths: dict[str, int]
    """How long these lists are now."""
    rebound: set[str]
    """The names of what is no tensor, and another one after each pass: each is to bind them before
    it reads them.
    """
    counts: dict[OptimisedParameter, tuple[int, int]]
    """The counts of steps of optimisers: how many there were, and are made in each pass."""
    schedules: dict[Scheduler, int]
    """How many steps schedulers make in each pass."""
    in_place: set[str]
    """The lists that are the same as before, with more items."""
    made: list[Node]
    """The nodes that it made for all these."""
    draws: int
    """How many random draws there were."""


class Rolling:
    """What is known of a loop while its passes are traced."""

    def __init__(self, length: int | None, alone: Collection[int], reason: str) -> None:
        """`length` is how many passes there are, if that is known; those that are to stay `alone`,
        counted from 1, are no part of a loop. There is a `reason` why it may not be one node.
        """
        self._length = length
        self._alone = sorted(alone)
        self._due = FIRST_UNKNOWN if length is None else FIRST
        self.rolled = False
        self.reason = reason
        """Why the passes so far were traced one by one."""
        self._before: dict[str, Any] = {}
        self._lists: dict[str, Items] = {}
        self.start = 0
        """How many nodes there were before the pass that is compared with the next one."""
        self._graph: Graph
        self._draws = self._refusing = 0
        self._effects: tuple[Any, ...] = ()
        self._state: TensorState
        self._wait = self._due
        """How many passes are traced one by one after an attempt that fails."""

    def left(self, done: int, steps: int) -> int:
        """How many of the passes after the first `done` a loop may have: `steps` at most."""
        ends = [each - 1 for each in self._alone if each > done][:1]
        if self._length is not None:
            ends.append(self._length - LAST)
        return min([steps, *(end - done for end in ends)])

    def watches(self, done: int) -> bool:
        """Whether the next pass is the last one before an attempt."""
        return done == self._due - 1

    def watch(
        self,
        values: Mapping[str, Any],
        graph: Graph,
        effects: tuple[Any, ...],
        state: TensorState,
    ) -> None:
        """Remember how things stand before a pass."""
        self._before, self.start, self._effects = dict(values), graph.count, effects
        self._graph, self._draws, self._refusing = graph, graph.draws, len(graph.refusing)
        self._state = state
        self._lists = {
            name: value.seen() for name, value in values.items() if isinstance(value, Items)
        }

    def is_due(self, done: int) -> bool:
        """Whether it is time for an attempt."""
        return done == self._due

    def wait(self, done: int) -> None:
        """Too few passes are left before one that is to stay alone: try again behind it."""
        behind = [each for each in self._alone if each > done][:1]
        self._due = behind[0] + FIRST if behind else self._due

    def later(self, done: int, reason: str) -> None:
        """Try again when as many passes more have been made."""
        self.reason = reason
        self._due = done + self._wait
        self._wait *= 2

    def again(self, done: int) -> None:
        """Passes have become a loop, up to `done`: more may become another one."""
        self.rolled = True
        self._due = done + FIRST
        self._wait = FIRST

    def changed(
        self,
        values: Mapping[str, Any],
        effects: tuple[Any, ...],
        state: TensorState,
        current: Callable[[Node], Node],
    ) -> Changed:
        """What the last pass has changed. Raises `Unlike` where it did what no node can do."""
        if effects != self._effects:
            raise Unlike("it prints or makes leaves")
        in_place = state.changed_since(self._state, self.start, current)
        tensors: dict[Place, Node] = {node: node for node in in_place}
        tensors.update(state.remembered_since(self._state).items())
        counts = state.counts_since(self._state)
        lists, left, rebound = {}, set[Node](), set[str]()
        for name, value in values.items():
            before = self._before.get(name)
            seen = self._lists.get(name)
            if isinstance(value, Items) and seen is not None:
                if value.has_grown(seen) or value is not before:
                    added = _appended(value, seen)
                    if added:
                        lists[name] = added
                    elif value is before:
                        raise Unlike(f"{name} does not get tensors in each pass")
                    else:
                        rebound.add(name)
            elif value is before:
                continue
            elif not isinstance(value, Node):
                rebound.add(name)
            elif not isinstance(before, Node) or (before.shape, before.kind) != (
                value.shape, value.kind
            ):  # fmt: skip
                raise Unlike(f"{name} has another shape in each pass")
            elif current(value) not in tensors:
                tensors[name] = current(value)
                left.add(current(before))
        held = {current(value) for value in values.values() if isinstance(value, Node)}
        left = set() if lists else left - held
        grads = state.grads_since(self._state, self.start, left, current)
        tensors |= {GradOf(node): grad for node, grad in grads.items()}
        older = {value for value in self._before.values() if isinstance(value, Node)}
        for name, added in lists.items():
            older.update(self._lists[name].entries()[-len(added) :])
        results = [
            *tensors.values(),
            *chain(*lists.values()),
            *self._graph.refusing[self._refusing :],
        ]
        made = made_since(results, older.__contains__, self.start, built_of)
        same = {name for name in lists if values[name] is self._before[name]}
        lengths = {name: len(values[name]) for name in lists}
        draws, schedules = self._graph.draws - self._draws, state.schedules_since(self._state)
        return Changed(tensors, lists, lengths, rebound, counts, schedules, same, made, draws)


def _appended(items: Items, before: Items) -> tuple[Node, ...]:
    """The tensors that a list has more than before; none if it has others."""
    added = items.behind(before)
    return tuple(added) if added and all(isinstance(each, Node) for each in added) else ()
