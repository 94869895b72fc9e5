"""Forward mode: one walk from the leaves to the outputs, adding graph as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradcli.differentiate.product import multiply, scale
from gradcli.graph import OPERATORS, Node, ancestors, dependents


def jvp(
    outputs: Sequence[Node],
    wrt: Sequence[Node],
    tangents: Sequence[Node],
    selected: Iterable[Node] = (),
) -> list[Node | None]:
    """Tangents of the outputs, J·t each in its node's shape; None where no path leads.

    `tangents` belong to the nodes `wrt` and have their shapes. The tangents of `selected` nodes
    select elements: those with 0 change nothing, not even by 0·inf. A node in `wrt` that depends
    on others moves with them, too, as cotangents flow through it in reverse mode.
    """
    order = ancestors(outputs)
    linked = dependents(order, wrt)
    selected = set(selected)
    changes: dict[Node, Node] = {}
    given = dict(zip(wrt, tangents, strict=True))
    graph = outputs[0].graph
    for node in order:
        change = given.get(node)
        if node in linked:
            graph.origin, graph.span = node, node.span
            moved = _moved(node, changes, selected)
            if moved is not None:
                change = moved if change is None else change + moved
        if change is not None:
            changes[node] = change
    graph.origin = None
    return [changes.get(output) for output in outputs]


def _moved(node: Node, changes: Mapping[Node, Node], selected: set[Node]) -> Node | None:
    """How a node changes with its operands; adds nodes that change by selection to `selected`."""
    op = node.op
    parts = [
        changes.get(operand) if op.differentiable(node, position) else None
        for position, operand in enumerate(node.inputs)
    ]
    if not any(parts):
        return None
    selects = not selected.isdisjoint(node.inputs)
    if selects and not op.contracts:
        selected.add(node)
    change = op.jvp(node, parts, scale if selects else multiply)
    if change is None or change.shape == node.shape:
        return change
    return OPERATORS["expand"](change, node.shape)
