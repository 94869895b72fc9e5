"""What is computed in place of what was traced: composite ops over large values in elementary ones,
which regions sweep over in blocks, and equal nodes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradcli.engine.swept import LARGE
from gradcli.graph import Attributes, Node, Op
from gradcli.ops.shaping import SLICE, Slices, reshape
from gradcli.ops.writing import are_numbers, numbers_in


def lower(order: Iterable[Node], done: dict[Node, Node]) -> None:
    """Add to `done` what is computed in place of each node that is composite, equal to an earlier
    one or depends on such a node.

    `order` has operands first; entries of `done` are kept. Nodes are equal where the graph
    does not share them itself, because `backward` frees what it has passed.
    """
    first: dict[tuple[Op, tuple[Node, ...], Attributes], Node] = {}
    for node in order:
        if node in done:
            continue
        inputs = tuple([done.get(each, each) for each in node.inputs]) if done else node.inputs
        if inputs and not node.graph.shares and not node.op.unique:
            earlier = first.setdefault((node.op, inputs, node.attributes), node)
            if earlier is not node:
                done[node] = done.get(earlier, earlier)
                continue
        instead = _replacement(node, inputs)
        if instead is not node:
            done[node] = instead


def _replacement(node: Node, inputs: tuple[Node, ...]) -> Node:
    """What is computed in place of a node, whose operands are now `inputs`."""
    parts: Callable[..., Node | None] | None = node.op.parts
    if node.op is SLICE:
        parts = _of_numbers
    if inputs == node.inputs and (parts is None or inputs[0].size < LARGE):
        return node
    graph = node.graph
    # The program may be in the middle of being traced; what may refuse is looked for among its own.
    place, refusing = (graph.span, graph.origin), len(graph.refusing)
    graph.span, graph.origin = node.span, node.origin
    try:
        if parts is not None and inputs[0].size >= LARGE:
            made = parts(*inputs, *node.attributes)
            if made is not None:
                return reshape(made, node.shape)
        return node if inputs == node.inputs else graph.apply(node.op, inputs, node.attributes)
    finally:
        graph.span, graph.origin = place
        del graph.refusing[refusing:]


def _of_numbers(x: Node, slices: Slices) -> Node | None:
    """Of the elements' numbers, as a write into a part needs them, those of that part alone."""
    return numbers_in(x.shape, slices, x.graph) if are_numbers(x) else None
