"""Where gradients are lost on their way back to a leaf: at ops that stop them or are flat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.graph import Node, ancestors, sources


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


def losses(outputs: Sequence[Node], leaf: Node) -> list[Node]:
    """The ops that a leaf's gradient gets no farther back than, the first in the program first.

    Empty where some gradient reaches the leaf, or where the outputs do not depend on it.
    """
    order = ancestors(outputs)
    alive = {leaf}
    lost: list[Node] = []
    for node in order:
        touched = [place for place, each in enumerate(node.inputs) if each in alive]
        if node is leaf or not touched:
            continue
        passes = any(node.op.differentiable(node, place) for place in touched)
        if passes and not node.op.flat:
            alive.add(node)
        else:
            lost.append(node)
    return [] if any(each in alive for each in outputs) else lost
