"""Forward mode: one walk from the leaves to the outputs, adding graph as it goes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from gradcli.differentiate.product import multiply, scale
from gradcli.graph import EMPTY, OPERATORS, Node
from gradcli.ops.loops import Loop, results_of
from gradcli.walks import ancestors, dependents


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
    given = dict(zip(wrt, tangents, strict=True))
    changes: dict[Node, Node] = {}
    with outputs[0].graph.derivatives():
        walk_forward(order, changes, set(selected), dependents(order, wrt), given)
    return [changes.get(output) for output in outputs]


def walk_forward(
    order: Sequence[Node],
    changes: dict[Node, Node],
    selected: set[Node],
    linked: Container[Node],
    given: Mapping[Node, Node] = EMPTY,
) -> None:
    """Take tangents from the operands of nodes to the nodes, from the first node on."""
    loops = results_of(order)
    for node in order:
        if isinstance(node.op, Loop):
            results = loops.pop(node.op, None)
            if results is not None and node in linked:
                from gradcli.differentiate.loops import push_forward

                push_forward(node.op, results, changes, selected, walk_forward)
            continue
        change = given.get(node)
        if node in linked:
            graph = node.graph
            graph.origin, graph.span = node, node.span
            more = moved(node, changes, selected)
            if more is not None:
                change = more if change is None else change + more
        if change is not None:
            changes[node] = change


def moved(node: Node, changes: Mapping[Node, Node], selected: set[Node]) -> Node | None:
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
