"""What NumPy sweeps over: members of a region that have another form for blocks are written out in
it, and what several of them have in common is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.graph import CONSTANT, Graph, Node
from gradcli.tuples import NamedTuple


class Swept(NamedTuple):
    """Nodes to compute, operands first; operands, reductions and results are those of a region."""

    operands: tuple[Node, ...]
    members: tuple[Node, ...]
    reductions: tuple[Node, ...]
    results: tuple[Node, ...]
    constants: tuple[Node, ...] = ()
    """What is needed besides the operands."""


def written_out(region: Swept) -> Swept:
    """The nodes of a region or, where a member has another form for blocks, those that are computed
    in their place, in a graph of their own.
    """
    precision = region.members[0].graph.precision if region.members else ""
    if precision != "float64" or not any(node.op.in_blocks for node in region.members):
        return region
    inside = Graph(precision)
    done = {node: _from_outside(node, inside) for node in region.operands}
    for node in (*region.members, *region.reductions):
        inputs = tuple([done[each] for each in node.inputs])
        made = node.op.in_blocks(*inputs) if node.op.in_blocks else None
        done[node] = made or inside.apply(node.op, inputs, node.attributes)
    operands, _, reductions, results, _ = (
        tuple([done[node] for node in nodes]) for nodes in region
    )
    if len(set(results)) < len(results):
        return region
    needed = _needed([*results, *(node.inputs[0] for node in reductions)], operands)
    constants = tuple([node for node in needed if node.op is CONSTANT])
    members = tuple([node for node in needed if node.op is not CONSTANT])
    return Swept(operands, members, reductions, results, constants)


def _from_outside(node: Node, inside: Graph) -> Node:
    """What stands for an operand: numbers stay known."""
    if node.op is CONSTANT and not node.shape and node.known is not None:
        return inside.constant(node.known)
    return inside.input("part", node.shape, node.kind)


def _needed(nodes: Sequence[Node], operands: Sequence[Node]) -> list[Node]:
    """All that some nodes are computed from, operands first, and themselves."""
    found: set[Node] = set()
    pending = [*nodes]
    while pending:
        node = pending.pop()
        if node not in found and node not in operands:
            found.add(node)
            pending += node.inputs
    return sorted(found, key=lambda node: node.index)
