"""Walks through the graph, none of which recurses: what values are computed from, and where their
gradients flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from gradcli.graph import Node

_index = attrgetter("index")
"""What sorts nodes into topological order."""


def ancestors(outputs: Iterable[Node]) -> list[Node]:
    """The outputs and all nodes that they are computed from, operands first."""
    seen = set(outputs)
    found = list(seen)
    for node in found:  # which grows by what they are computed from
        for operand in node.inputs:
            if operand not in seen:
                seen.add(operand)
                found.append(operand)
    found.sort(key=_index)
    return found


def descendants(node: Node, order: Iterable[Node]) -> set[Node]:
    """A node and all those of `order`, operands first, that are computed from it."""
    found = {node}
    for each in order:
        if not found.isdisjoint(each.inputs):
            found.add(each)
    return found


def upstream(outputs: Iterable[Node], oldest: int = 0) -> list[Node]:
    """The outputs and all nodes that a gradient can flow back to from them, operands first.

    Nodes of an index below `oldest` are left out: they depend on nothing that came later.
    """
    seen = set(outputs)
    found = list(seen)
    for node in found:  # which grows by their sources
        # The call is saved where they are known: walks go by most nodes several times.
        for operand in sources(node) if node.sources is None else node.sources:
            if operand not in seen and operand.index >= oldest:
                seen.add(operand)
                found.append(operand)
    found.sort(key=_index)
    return found


def receivers(outputs: Iterable[Node], order: Sequence[Node]) -> set[Node]:
    """The nodes of `order`, operands first, that a walk back from the outputs brought a gradient
    to, were it 0: all but those that every path withholds one from.
    """
    if not any(node.op.withheld() for node in order):
        return set(order)
    found = set(outputs)
    for node in reversed(order):
        if node in found:
            withheld = node.op.withheld()
            given = (each for place, each in enumerate(node.inputs) if place not in withheld)
            found.update(given if withheld else sources(node))
    return found


def sources(node: Node) -> Sequence[Node]:
    """The operands that a gradient can flow back to from a node: always the same ones, so that each
    node is looked at once.
    """
    found = node.sources
    if found is None:
        found = node.sources = _sources(node)
    return found


def _sources(node: Node) -> Sequence[Node]:
    op, inputs = node.op, node.inputs
    if op.holds_back:
        return [each for place, each in enumerate(inputs) if op.differentiable(node, place)]
    if node.kind != "float":
        return ()
    for each in inputs:
        if each.kind != "float":
            return [each for each in inputs if each.kind == "float"]
    return inputs


def dependents(nodes: Sequence[Node], ends: Iterable[Node]) -> set[Node]:
    """Those of `nodes` (in topological order) that a gradient links to one of the `ends`."""
    ends = set(ends)
    found = {node for node in ends if node.kind == "float"}
    for node in nodes:
        if not found.isdisjoint(sources(node) if node.sources is None else node.sources):
            found.add(node)
    return found | ends


def reached(outputs: Iterable[Node]) -> set[Node]:
    """The nodes that some gradient of the outputs comes back to."""
    found = set(outputs)
    stack = list(found)
    while stack:
        node = stack.pop()
        if node.op.flat:
            continue
        for operand in sources(node):
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return found
