"""What is the same for all seeds is computed once, and not in each run of a plan."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gradcli.graph import INPUT, Node
from gradcli.ops.loops import Loop
from gradcli.simplify import rebuilt
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors


class ComputedOnce(NamedTuple):
    """Nodes with others in the place of what does not depend on some inputs."""

    nodes: list[Node]
    fixed: list[Node]
    """What does not."""
    inputs: list[Node]
    """Inputs of the graph for their values."""


def computed_once(nodes: Sequence[Node], moving: Collection[Node]) -> ComputedOnce:
    """The nodes, with inputs for what does not depend on `moving` ones and is more than an input or
    a constant. The passes of a loop that is one node stay as they are.
    """
    order = ancestors(nodes)
    moved = set(moving)
    fixed: dict[Node, None] = {}
    for node in order:
        if isinstance(node.op, Loop):
            return ComputedOnce([*nodes], [], [])
        if node not in moved and not moved.isdisjoint(node.inputs):
            moved.add(node)
            fixed.update({each: None for each in node.inputs if each not in moved})
    found = [node for node in fixed if node.known is None and node.op is not INPUT]
    inputs = [node.graph.input("fixed", node.shape, node.kind) for node in found]
    return ComputedOnce(rebuilt(nodes, dict(zip(found, inputs, strict=True))), found, inputs)
