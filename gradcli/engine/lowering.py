"""What is computed in place of what was traced: composite ops over large values in elementary ones,
which regions sweep over in blocks, and equal nodes once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from gradcli.engine.regions import LARGE
from gradcli.graph import Attributes, Node, Op
from gradcli.ops.comparison import isfinite, logical_and
from gradcli.ops.exponential import exp, log
from gradcli.ops.extremes import amax, amin
from gradcli.ops.kinds import cast
from gradcli.ops.powers import sqrt, square
from gradcli.ops.reductions import mean, sum_
from gradcli.ops.selection import abs_, where
from gradcli.ops.shapes import Axes
from gradcli.ops.shaping import reshape
from gradcli.ops.statistics import freedom_of


def is_composite(node: Node) -> bool:
    """Whether a node is large and made of elementary ops."""
    return node.op.name in PARTS and node.inputs[0].size >= LARGE


def is_product(node: Node) -> bool:
    """Whether a node is a large third or fourth power, whose gradient shares its square."""
    return node.op.name == "pow" and node.size >= LARGE and _exponent(node) in (3, 4)


def _exponent(node: Node) -> float | None:
    exponent = node.inputs[1]
    known = None if exponent.shape else node.graph.look(exponent)
    return None if known is None else float(known)


def lower(order: Iterable[Node], done: dict[Node, Node]) -> None:
    """Add to `done` what is computed in place of each node that is composite, equal to an earlier
    one or depends on such a node.

    `order` has operands first; what `done` holds already stays. Nodes are equal where the graph
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
        if inputs != node.inputs or is_composite(node) or is_product(node):
            done[node] = _in_place_of(node, inputs)


def _in_place_of(node: Node, inputs: tuple[Node, ...]) -> Node:
    """What is computed in place of a node, whose operands are now `inputs`."""
    graph = node.graph
    place = graph.span, graph.origin  # the program may be in the middle of being traced
    graph.span, graph.origin = node.span, node.origin
    try:
        if is_composite(node):
            return reshape(PARTS[node.op.name](*inputs, *node.attributes), node.shape)
        if is_product(node):
            square = inputs[0] ** 2.0
            return square * (inputs[0] if _exponent(node) == 3 else square)
        return graph.apply(node.op, inputs, node.attributes)
    finally:
        graph.span, graph.origin = place


def _logsumexp(x: Node, axes: Axes, _keepdim: bool) -> Node:
    largest = amax(x, axes, True)
    shift = where(isfinite(largest), largest, 0.0)
    return log(sum_(exp(x - shift), axes, True)) + shift


def _norm(x: Node, axes: Axes, _keepdim: bool, p: float) -> Node:
    size = abs_(x)
    if math.isinf(p):
        return amax(size, axes, True) if p > 0 else amin(size, axes, True)
    if p == 0:
        return sum_(cast(cast(size, "bool"), "float"), axes, True)
    if p == 1:
        return sum_(size, axes, True)
    largest = amax(size, axes, True)
    unit = where(logical_and(largest > 0, isfinite(largest)), largest, 1.0)
    total = sum_((size / unit) ** p, axes, True)
    return (sqrt(total) if p == 2 else total ** (1 / p)) * unit


def _softmax(x: Node, axis: int) -> Node:
    powers = exp(x - amax(x, (axis,), True))
    return powers / sum_(powers, (axis,), True)


def _var(x: Node, axes: Axes, _keepdim: bool, correction: float) -> Node:
    squares = square(x - mean(x, axes, True))
    return sum_(squares, axes, True) / freedom_of(x.shape, axes, correction)


PARTS: dict[str, Callable[..., Node]] = {
    "logsumexp": _logsumexp,
    "norm": _norm,
    "softmax": _softmax,
    "var": _var,
}
"""The forward functions of composite ops, on nodes; reduced axes are kept at length 1."""
