"""A gradient as people write it: simplified, with constants folded."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.graph import CONSTANT, Array, Node, ancestors
from gradcli.ops.selection import where
from gradcli.simplify import rebuilt, simplify


def plain(node: Node, value: Callable[[Node], Array | None]) -> Node:
    """The node without arithmetic on numbers and without cases that constants decide."""
    done = simplify([node])[node]
    folded: dict[Node, Node] = {}
    known: set[Node] = set()
    for each in ancestors([done]):
        if each.op is CONSTANT:
            known.add(each)
        elif each.inputs and all(operand in known for operand in each.inputs):
            known.add(each)
            number = value(each) if each.size == 1 else None
            if number is not None:
                constant = number.astype(each.graph.dtype(each.kind)).reshape(each.shape)
                folded[each] = each.graph.constant(constant)
    (done,) = rebuilt([done], folded)
    decided = {}
    for each in ancestors([done]):
        condition = each.inputs[0] if each.op is where.op else None
        if condition is not None and condition.known is not None and not condition.shape:
            chosen = each.inputs[1 if condition.known else 2]
            if chosen.shape == each.shape:
                decided[each] = chosen
    (done,) = rebuilt([done], decided)
    return done
