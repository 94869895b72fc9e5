"""How far the values of a run are from where their ops are not smooth, as entries tell it.

`eval` looks here in every run, so that nothing is imported that it does not need anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node
from gradcli.ops.loops import Loop
from gradcli.session import Prepared
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors

SMALL = 10_000
"""Unasked, only programs with so few elements in all are searched: they are computed again."""
SUSPECT = 1e-5
"""What is nearer than this, relative to the inputs, may be only rounding away."""


class Nearest(NamedTuple):
    """The element of a node that is nearest to where its op is not smooth."""

    node: Node
    distance: float
    place: int
    """Of the element among the distances, flat."""
    suspect: bool
    """Whether it is so near that the distance may be rounding."""


def suspicious(prepared: Prepared, feeds: Mapping[Node, Array]) -> bool:
    """Whether a small program is at a kink or a tie, or almost."""
    order = ancestors(prepared.outputs.values())
    loops = list(all_loops(order))
    if sum(node.size for node in order) + sum(each.work for each in loops) > SMALL:
        return False
    edged = edged_nodes(order, prepared.leaves.values())
    inside = [(each, node) for each in loops for node in each.loop.steps if has_edge(node)]
    if not (edged or inside):
        return False
    value = Evaluator(feeds, prepared.graph.ledger).computed
    near = SUSPECT * _size(order, value)
    return any(
        each.suspect and tells(each.node, value) for each in all_nearest(order, edged, value)
    ) or any(each.comes_near(node, value, near) for each, node in inside if not node.op.flat)


def rolled(prepared: Prepared) -> bool:
    """Whether a program has loops that are one node."""
    return any(isinstance(node.op, Loop) for node in ancestors(prepared.outputs.values()))


class NestedLoop(NamedTuple):
    """A loop that is one node, and those around it, the innermost first."""

    loop: Loop
    around: tuple[Loop, ...]

    @property
    def times(self) -> int:
        """How many passes there are in all."""
        return math.prod(each.count for each in (self.loop, *self.around))

    @property
    def work(self) -> int:
        """The elements that are computed in all passes."""
        return self.times * sum(node.size for node in self.loop.steps)

    def comes_near(self, node: Node, value: Callable[[Node], Array], near: float) -> bool:
        """Whether a step of the body is, in some pass, at least so near to its edge."""
        operands = [value(self._in_all_passes(each)) for each in node.inputs]
        rows = [
            each.reshape(self.times, *of.shape)
            for each, of in zip(operands, node.inputs, strict=True)
        ]
        distances = (np.abs(distances_of(node, each)) for each in zip(*rows, strict=True))
        return any((each <= near).any() for each in distances)

    def _in_all_passes(self, node: Node) -> Node:
        for loop in (self.loop, *self.around):
            node = loop.every(node)
        return node


def all_loops(order: Iterable[Node]) -> Iterator[NestedLoop]:
    """The loops that are one node among some nodes, and those in their bodies."""
    met: set[Loop] = set()
    stack: list[tuple[Node, tuple[Loop, ...]]] = [(node, ()) for node in order]
    while stack:
        node, around = stack.pop()
        if isinstance(node.op, Loop) and node.op not in met:
            met.add(node.op)
            yield NestedLoop(node.op, around)
            stack += [(each, (node.op, *around)) for each in node.op.steps]


def tells(node: Node, value: Callable[[Node], Array]) -> bool:
    """Whether it is told unasked: steps as of `floor` have the derivative 0 on both sides, and
    where values are not finite another note says so.
    """
    return not (node.op.flat and node.kind == "float") and bool(np.isfinite(value(node)).all())


def edged_nodes(order: Sequence[Node], leaves: Iterable[Node]) -> list[Node]:
    """Those of the nodes, operands first, that have an edge and change with a leaf: conditions,
    which gradients do not pass, too.
    """
    moving = set(leaves)
    found = []
    for node in order:
        if not moving.isdisjoint(node.inputs):
            moving.add(node)
            if has_edge(node):
                found.append(node)
    return found


def has_edge(node: Node) -> bool:
    """Whether the distance of a node to where its op is not smooth can be told."""
    return node.op.edge is not None and node.op.has_edge(node)


def all_nearest(
    order: Sequence[Node], edged: Iterable[Node], value: Callable[[Node], Array]
) -> Iterator[Nearest]:
    """The nearest element of each node that has one, of all nodes. Raises what ops raise."""
    size = _size(order, value)
    for node in edged:
        operands = [value(each) for each in node.inputs]
        distances = np.abs(distances_of(node, operands)).reshape(-1)
        if np.isfinite(distances).any():
            place = int(np.nanargmin(distances))
            near = float(distances[place]) <= SUSPECT * size
            yield Nearest(node, float(distances[place]), place, near)


def _size(order: Iterable[Node], value: Callable[[Node], Array]) -> float:
    """That of the largest number that a program starts from."""
    sources = [value(node) for node in order if not node.inputs and node.kind == "float"]
    sizes = [np.max(np.abs(each), initial=0.0, where=np.isfinite(each)) for each in sources]
    return float(max(sizes, default=1.0))


def distances_of(node: Node, operands: Sequence[Array]) -> Array:
    """The signed distances that the op's entry tells."""
    assert node.op.edge is not None
    with np.errstate(all="ignore"):
        found = node.op.edge(np, *operands, *node.attributes)
    return np.asarray(found, np.float64)
