"""Forward mode: one walk from the leaves to the outputs, adding graph as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.differentiate.product import multiply, scale
from gradcli.graph import OPERATORS, Node, ancestors, dependents


def jvp(
    outputs: Sequence[Node],
    wrt: Sequence[Node],
    tangents: Sequence[Node],
    selected: Iterable[Node] = (),
) -> list[Node | None]:
    """Tangents of the outputs, J·t each in its node's shape; None where no path leads.

    `tangents` belong to the nodes `wrt` and have their shapes. Those of `selected` ones select
    elements: those with 0 change nothing, not even by 0·inf.
    """
    order = ancestors(outputs)
    linked = dependents(order, wrt)
    selected = set(selected)
    changes: dict[Node, Node] = dict(zip(wrt, tangents, strict=True))
    graph = outputs[0].graph
    for node in order:
        if node in linked and node not in changes:
            op = node.op
            graph.origin, graph.span = node, node.span
            parts = [
                changes.get(operand) if op.differentiable(node, position) else None
                for position, operand in enumerate(node.inputs)
            ]
            selects = not selected.isdisjoint(node.inputs)
            change = op.jvp(node, parts, scale if selects else multiply)
            if selects and not op.contracts:
                selected.add(node)
            if change is not None:
                fits = change.shape == node.shape
                changes[node] = change if fits else OPERATORS["expand"](change, node.shape)
    graph.origin = None
    return [changes.get(output) for output in outputs]
