"""How far the values of a run are from where their ops are not smooth, as entries tell it.

`eval` looks here in every run, so that nothing is imported that it does not need anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node, ancestors
from gradcli.session import Prepared
from gradcli.tuples import NamedTuple

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
    if sum(node.size for node in order) > SMALL:
        return False
    edged = edged_nodes(order, prepared.leaves.values())
    if not edged:
        return False
    value = Evaluator(feeds, prepared.graph.ledger).computed
    return any(
        each.suspect and tells(each.node, value) for each in all_nearest(order, edged, value)
    )


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
            if node.op.edge is not None and any(each.kind == "float" for each in node.inputs):
                found.append(node)
    return found


def all_nearest(
    order: Iterable[Node], edged: Iterable[Node], value: Callable[[Node], Array]
) -> Iterator[Nearest]:
    """The nearest element of each node that has one, of all nodes. Raises what ops raise."""
    sources = [value(node) for node in order if not node.inputs and node.kind == "float"]
    sizes = [np.max(np.abs(each), initial=0.0, where=np.isfinite(each)) for each in sources]
    size = float(max(sizes, default=1.0))
    for node in edged:
        operands = [value(each) for each in node.inputs]
        distances = np.abs(distances_of(node, operands)).reshape(-1)
        if np.isfinite(distances).any():
            place = int(np.nanargmin(distances))
            near = float(distances[place]) <= SUSPECT * size
            yield Nearest(node, float(distances[place]), place, near)


def distances_of(node: Node, operands: Sequence[Array]) -> Array:
    """The signed distances that the op's entry tells."""
    assert node.op.edge is not None
    with np.errstate(all="ignore"):
        found = node.op.edge(np, *operands, *node.attributes)
    return np.asarray(found, np.float64)
