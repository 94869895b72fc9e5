"""Reverse mode: one walk from the outputs to the leaves, adding graph as it goes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from gradcli.differentiate.product import Gathered, add, multiply, scale
from gradcli.graph import OPERATORS, Node, Shape
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.loops import Loop, place, results_of
from gradcli.tuples import NamedTuple
from gradcli.walks import dependents, sources, upstream

Rules: TypeAlias = Callable[[Node, Node, Container[Node], set[Node]], Iterable[tuple[int, Node]]]
"""What `contributions` is."""


class Between(NamedTuple):
    """What gradients pass from outputs to the nodes that these are differentiated by."""

    order: Sequence[Node]
    """The outputs and what gradients flow back to from them, operands first."""
    linked: Container[Node]
    """Those from which they reach one of these nodes."""


def between(outputs: Sequence[Node], wrt: Sequence[Node]) -> Between:
    order = upstream(outputs, oldest=min((node.index for node in wrt), default=0))
    return Between(order, dependents(order, wrt))


def vjp(
    outputs: Sequence[Node],
    cotangents: Sequence[Node],
    wrt: Sequence[Node],
    selected: Iterable[Node] = (),
    rules: Rules | None = None,
    passed: Between | None = None,
) -> list[Node | None]:
    """Cotangents of the nodes `wrt`, vᵀ·J each in its node's shape; None where no path leads.

    `cotangents` are the v of the outputs, of shapes that broadcast to them. A node in `wrt` is
    not a barrier: gradients flow on through it to the others, as in PyTorch. The cotangents of
    `selected` outputs select elements: those with 0 get no gradient, not even 0·inf. `rules`
    replaces `contributions`, to find what a walk with other rules would give. `passed` is what lies
    `between` the outputs and `wrt`, if that is known.

    On its way a cotangent may have any shape that broadcasts to its node's: that of a `sum` is
    one number until an op needs it in full.
    """
    order, linked = passed or between(outputs, wrt)
    changes: dict[Node, Node] = {}
    selected = set(selected)  # nodes are added whose cotangent has passed an op that selects
    for output, cotangent in zip(outputs, cotangents, strict=True):
        if output in linked:
            add(changes, output, cotangent)
    with outputs[0].graph.derivatives():
        walk_back(order, changes, linked, selected, rules or contributions)
    return [
        None if (change := changes.get(node)) is None else _expand(change, node.shape)
        for node in wrt
    ]


def walk_back(
    order: Sequence[Node],
    changes: dict[Node, Node],
    linked: Container[Node],
    selected: set[Node],
    rules: Rules,
) -> None:
    """Take cotangents from nodes to their operands, from the last node on."""
    gathered = Gathered(changes)
    add_change, change_of = gathered.add, gathered.of
    loops = results_of(order)
    has_loops = bool(loops)
    if has_loops:
        order = sorted(order, key=place)
    for node in reversed(order):
        if has_loops and isinstance(node.op, Loop):
            results = loops.pop(node.op, ())
            gathered.settle()
            if not changes.keys().isdisjoint(results):
                from gradcli.differentiate.loops import pull_back

                inside = partial(walk_back, rules=rules)
                pull_back(node.op, results, changes, linked, selected, inside)
            continue
        change = changes.get(node) or change_of(node)
        if change is None:
            continue
        graph, inputs = node.graph, node.inputs
        graph.origin, graph.span = node, node.span
        for position, part in rules(node, change, linked, selected):
            add_change(inputs[position], part)
    gathered.settle()


def contributions(
    node: Node, change: Node, linked: Container[Node], selected: set[Node]
) -> list[tuple[int, Node]]:
    """The cotangents that the cotangent `change` of a node adds to those of its `linked` operands.

    Operands are given by position. `selected` holds the nodes whose cotangent has passed an op
    that selects; more are added.
    """
    op, shape = node.op, node.shape
    found: list[tuple[int, Node]] = []
    if node.kind != "float":
        return found
    elementwise = isinstance(op, Elementwise)
    if not elementwise:
        change = _expand(change, shape)
    is_selected = node in selected
    product = scale if is_selected else multiply
    selects = op.selects or (is_selected and not op.contracts)
    holds_back = len(sources(node)) < len(node.inputs)
    for position, operand in enumerate(node.inputs):
        if operand not in linked:
            continue
        if holds_back and not op.differentiable(node, position):
            continue
        part = op.vjp(node, position, change, product)
        if part is None:
            continue
        if elementwise and operand.shape != shape:
            part = OPERATORS["sum_to"](_expand(part, shape), operand.shape)
        if selects:
            selected.add(operand)
        found.append((position, part))
    return found


def _expand(node: Node, shape: Shape) -> Node:
    return node if node.shape == shape else OPERATORS["expand"](node, shape)
