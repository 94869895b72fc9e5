"""What is known of tensors at one time of a trace: what they have become in place, and their grads.

A pass of a loop that is traced to see whether it is one of many is undone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice
from typing import TYPE_CHECKING, Any

from gradcli.graph import Node
from gradcli.ops.control import LEAF
from gradcli.ops.loops import Unlike
from gradcli.trace.autograd import Autograd
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.optimisers import Optimiser
    from gradcli.trace.schedulers import Scheduler


class OptimisedParameter(NamedTuple):
    """A parameter of an optimiser, by its places."""

    optimiser: Optimiser
    key: tuple[int, int]


class Remembered(NamedTuple):
    """The place of what an optimiser remembers of a parameter."""

    parameter: OptimisedParameter
    name: str


class TensorState:
    """The state as it is now, which `restore` goes back to."""

    def __init__(self, autograd: Autograd, leaves: dict[Node, str]) -> None:
        """`leaves` are those that the program has made, with their names."""
        self._autograd, self._values = autograd, autograd.values
        self._live: tuple[dict[Node, Any], ...] = (
            self._values.latest,
            leaves,
            autograd.grads,
            autograd.names,
            autograd.written,
        )
        self._kept: list[dict[Node, Any]] = [dict(each) for each in self._live]
        self._calls, self._notes = len(autograd.calls), len(autograd.notes)
        self._optimisers = [*autograd.optimisers]
        self._modes = {**self._values.modes}
        self._schedulers = {each: each.progress() for each in self._values.schedulers}
        self._rates = [
            (group, group.item(["lr"]))
            for each in self._values.schedulers
            for group in each.optimiser.groups
        ]
        self._counts = {
            OptimisedParameter(each, key): count
            for each in self._optimisers
            for key, count in each.steps.items()
        }
        self._remembered = {
            Remembered(OptimisedParameter(each, key), name): node
            for each in self._optimisers
            for key, state in each.states.items()
            for name, node in state.items()
        }
        self._held = [
            (each, key, {**state}) for each in self._optimisers for key, state in each.held.items()
        ]
        self.freed = len(autograd.freed)
        """How many nodes were freed."""

    def restore(self) -> None:
        """Go back to this state; what is known of nodes made since then may stay."""
        for live, kept in zip(self._live, self._kept, strict=True):
            live.clear()
            live.update(kept)
        del self._autograd.calls[self._calls :], self._autograd.notes[self._notes :]
        self._autograd.optimisers[:] = self._optimisers
        for each in self._optimisers:
            each.steps_of_passes.clear()
            each.rates_of_passes.clear()
            each.steps.clear()
            each.states.clear()
            each.held.clear()
        del self._values.schedulers[len(self._schedulers) :]
        for scheduler, progress in self._schedulers.items():
            scheduler.go_back(progress)
        for group, rate in self._rates:
            group.put("lr", rate)
        for module, (was, _) in self._values.modes.items():
            module.training = self._modes[module][1] if module in self._modes else was
        self._values.modes = {**self._modes}
        for parameter, count in self._counts.items():
            parameter.optimiser.steps[parameter.key] = count
            parameter.optimiser.states[parameter.key] = {}
        for each, key, state in self._held:
            each.held[key] = state
        for (parameter, name), node in self._remembered.items():
            parameter.optimiser.states[parameter.key][name] = node

    def changed_since(
        self, before: TensorState, start: int, current: Callable[[Node], Node]
    ) -> list[Node]:
        """The tensors older than index `start` that have changed in place since then, as they are
        now. Views follow what they are views of.
        """
        newer = islice(self._kept[0], len(before._kept[0]), None)
        return [current(node) for node in newer if node.index < start and not self._is_view(node)]

    def grads_since(
        self,
        before: TensorState,
        start: int,
        left: Collection[Node],
        current: Callable[[Node], Node],
    ) -> dict[Node, Node]:
        """The grads that tensors older than index `start` have now, where they are other ones than
        then, by tensor as it is now. Nothing holds those that are `left` any more. Raises `Unlike`
        where a grad has come or gone.
        """
        then: dict[Node, Node] = {current(node): grad for node, grad in before._kept[2].items()}
        lines = {current(node): line for node, line in before._kept[4].items()}
        found: dict[Node, Node] = {}
        for node, grad in self._kept[2].items():
            old = then.pop(node, None)
            is_written_alike = lines.get(node) == self._kept[4].get(node)
            if (
                node in left
                or not self._is_older(node, start)
                or (old is grad and is_written_alike)
            ):
                continue
            if old is None or not is_written_alike:
                raise Unlike("it is the first that leaves a grad")
            found[node] = grad
        if not then.keys() <= set(left):
            raise Unlike("a grad is gone after it")
        return found

    def remembered_since(self, before: TensorState) -> dict[Remembered, Node]:
        """What optimisers remember now, where it is something else than then. Raises `Unlike`."""
        then = before._remembered
        if then.keys() != self._remembered.keys():
            raise Unlike("an optimiser begins to remember something")
        return {place: node for place, node in self._remembered.items() if then[place] is not node}

    def counts_since(self, before: TensorState) -> dict[OptimisedParameter, tuple[int, int]]:
        """The counts of steps that have grown since then, and by how many. Raises `Unlike`."""
        then = before._counts
        if then.keys() != self._counts.keys():
            raise Unlike("an optimiser makes its first step")
        grown = {each: (now, now - then[each]) for each, now in self._counts.items()}
        return {each: (now, more) for each, (now, more) in grown.items() if more}

    def schedules_since(self, before: TensorState) -> dict[Scheduler, int]:
        """The schedulers that have made steps since then, and how many. Raises `Unlike`."""
        found = {}
        for each, now in self._schedulers.items():
            then = before._schedulers.get(each)
            if then == now:
                continue
            if then is None or not each.is_foreseen:
                raise Unlike("a scheduler's learning rates are not foreseen")
            found[each] = now.steps - then.steps
            if now.epoch - then.epoch != found[each]:
                raise Unlike("a scheduler's epochs are not counted")
        return found

    def _is_view(self, node: Node) -> bool:
        return node.op.view and node.op is not LEAF and node not in self._values.copies

    def _is_older(self, node: Node, start: int) -> bool:
        return self._values.first.get(node, node).index < start
