"""Which nodes an explanation tells of."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence

from gradcli.graph import CONSTANT, INPUT, Node
from gradcli.ops.control import LEAF
from gradcli.ops.kinds import is_promotion
from gradcli.trace.passages import Passage


def _told(outputs: Iterable[Node], barriers: Container[Node]) -> list[Node]:
    """The outputs and all that they are computed from, back to the barriers."""
    found = set(outputs)
    stack = list(found)
    while stack:
        node = stack.pop()
        for operand in () if node in barriers else node.inputs:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return sorted(found, key=lambda node: node.index)


def with_gradients(
    outputs: Iterable[Node], barriers: Container[Node], passages: Sequence[Passage]
) -> tuple[list[Node], dict[Node, tuple[tuple[Node, ...], Node]]]:
    """What is told; and the gradients in it that the program takes with `autograd.grad`, of what,
    which is told as well, and by what. Those inside calls and loops belong to these.
    """
    outer = [each for each in passages if each.kind in ("loop", "function")]
    order = _told(outputs, barriers)
    told, found = set(order), dict[Node, tuple[tuple[Node, ...], Node]]()
    for each in reversed(passages):  # one may be of another, which is before it
        inside = any(x.first <= each.first and each.end <= x.end for x in outer)
        if each.kind != "grad" or inside:
            continue
        of = each.arguments["outputs"]
        mine = {
            grad: (of, by)
            for grad, by in zip(each.result, each.arguments["inputs"], strict=True)
            if grad in told
        }
        if mine:
            found |= mine
            order = _told([*order, *of], barriers)
            told = set(order)
    return order, found


def without_constants(
    order: list[Node], named: Container[Node], outputs: Collection[Node]
) -> list[Node]:
    """Without constants that are no outputs, and what is computed from constants alone and has no
    name; and without what makes the first value of a leaf, as numbers that are drawn for weights.
    """
    before = _before_leaves(order, named)
    varying: set[Node] = set()
    for node in order:
        starts = node in named or _is_leaf(node) or (node.op.unique and not node.inputs)
        if starts or any(operand in varying for operand in node.inputs):
            varying.add(node)
    return [
        node
        for node in order
        if node in outputs
        or (
            (node in varying and node.op is not CONSTANT)
            and (node in named or not (is_promotion(node) or node in before))
        )
    ]


def _before_leaves(order: Sequence[Node], named: Container[Node]) -> set[Node]:
    """The nodes without a name of which nothing but the first values of leaves are made: of those
    that take a gradient, and of tensors that take none, such as data that are drawn.
    """
    leaves = {node for node in order if _is_leaf(node) or (node.op is LEAF and node in named)}
    told: set[Node] = set()  # an input, a leaf or what has a name, and what depends on one
    first: set[Node] = set()
    for node in order:
        depends = any(operand in told for operand in node.inputs)
        if node in leaves and not depends:
            first.add(node)
        if depends or node.op is INPUT or node in leaves or node in named:
            told.add(node)
    used: set[Node] = set()
    for node in reversed(order):
        if node not in first and (node in named or node in used or node in told):
            used.update(node.inputs)
    behind = {operand for node in first for operand in node.inputs}
    for node in reversed(order):
        if node in behind and node not in used and node not in named:
            behind.update(node.inputs)
    return {node for node in behind if node not in used and node not in named}


def _is_leaf(node: Node) -> bool:
    return node.op is LEAF and bool(node.attributes[0])
