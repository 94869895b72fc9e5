"""What is asked of a program that is swept over: every machine makes the same nodes for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from gradcli.data.parts import Far
from gradcli.differentiate.forward import jvp
from gradcli.graph import OPERATORS, Array, Node
from gradcli.ops.kinds import zeros_like
from gradcli.ops.reductions import sum_
from gradcli.ops.selection import abs_
from gradcli.planned import Planned
from gradcli.session import Prepared

Given: TypeAlias = "Array | Far"
"""An array that the client has, or one in a store."""


class Asked(NamedTuple):
    """Nodes that are wanted, and planned."""

    planned: Planned
    wanted: Sequence[Node]
    more: Mapping[Node, Given]
    """Inputs in addition to those of the program, and what they are given."""


class SweepQuestion(Protocol):
    """What is asked."""

    def ask(self, prepared: Prepared) -> Asked:
        """The nodes for a program as this machine has prepared it."""


class Gradients(NamedTuple):
    """The values and gradients of `session.evaluate`."""

    def ask(self, prepared: Prepared) -> Asked:
        """See `SweepQuestion`."""
        wanted = [*prepared.shown.values(), *grads_of(prepared).values(), *prepared.printed.nodes]
        wanted += [node for each in prepared.backwards for node in each.retained.values()]
        return Asked(prepared.planned, wanted, {})


class Tangents(NamedTuple):
    """J·t, an array for each output."""

    along: Mapping[str, Given]
    """By leaf, in shapes that are broadcast; leaves without a tangent stay where they are."""

    def ask(self, prepared: Prepared) -> Asked:
        """See `SweepQuestion`."""
        seeds = _seeds(prepared, self.along)
        moved = [prepared.leaves[name] for name in self.along]
        tangents = _expanded(prepared, self.along, seeds)
        wanted = _changes([*floats(prepared).values()], moved, tangents)
        return _planned(prepared, wanted, seeds)


class Weighed(NamedTuple):
    """v·outputs: one number."""

    def ask(self, prepared: Prepared) -> Asked:
        """See `SweepQuestion`."""
        return _planned(prepared, [_weighed(prepared, [*floats(prepared).values()])], {})


class Slopes(NamedTuple):
    """How v·outputs changes along a tangent of each leaf alone: by forward mode, by reverse mode,
    and the sum of the absolute terms of the latter. Three numbers for each leaf.
    """

    along: Mapping[str, Given]

    def ask(self, prepared: Prepared) -> Asked:
        """See `SweepQuestion`."""
        seeds = _seeds(prepared, self.along)
        outputs, grads = [*floats(prepared).values()], grads_of(prepared)
        wanted = []
        tangents = _expanded(prepared, self.along, seeds)
        for name, tangent in zip(self.along, tangents, strict=True):
            changes = _changes(outputs, [prepared.leaves[name]], [tangent])
            terms = grads[name] * tangent
            wanted += [_weighed(prepared, changes), sum_(terms), sum_(abs_(terms))]
        return _planned(prepared, wanted, seeds)


def floats(prepared: Prepared) -> dict[str, Node]:
    """The outputs that have a derivative."""
    return {name: node for name, node in prepared.outputs.items() if node.kind == "float"}


def grads_of(prepared: Prepared) -> dict[str, Node]:
    """The gradients by leaf."""
    return prepared.backwards[-1].grads if prepared.backwards else prepared.grads


def _seeds(prepared: Prepared, along: Mapping[str, Given]) -> dict[Node, Given]:
    """Inputs for the tangents of leaves, in the shapes that they are given in."""
    return {
        prepared.graph.input(f"tangent of {name}", given.shape, "float"): given
        for name, given in along.items()
    }


def _expanded(prepared: Prepared, along: Mapping[str, Given], seeds: Iterable[Node]) -> list[Node]:
    """The tangents in the shapes of the leaves."""
    shapes = [prepared.leaves[name].shape for name in along]
    return [
        seed if seed.shape == shape else OPERATORS["expand"](seed, shape)
        for seed, shape in zip(seeds, shapes, strict=True)
    ]


def _changes(outputs: Sequence[Node], leaves: Sequence[Node], seeds: Sequence[Node]) -> list[Node]:
    return [
        zeros_like(output) if change is None else change
        for output, change in zip(outputs, jvp(outputs, leaves, seeds), strict=True)
    ]


def _weighed(prepared: Prepared, values: Sequence[Node]) -> Node:
    """Values, one for each output, weighed by the gradients of the only pass, and added up."""
    cotangents = prepared.backwards[-1].cotangents
    weights = [cotangents[name] for name in floats(prepared)]
    first, *rest = [sum_(w * value) for w, value in zip(weights, values, strict=True)]
    total = first
    for each in rest:
        total = total + each
    return total


def _planned(prepared: Prepared, wanted: Sequence[Node], more: Mapping[Node, Given]) -> Asked:
    """Other nodes than the program's own."""
    elsewhere = {*prepared.inputs.values(), *more, *prepared.graph.held, *wanted}
    planned = Planned(prepared.graph, wanted, elsewhere, prepared.looked, {}, prepared.options)
    return Asked(planned, wanted, more)
