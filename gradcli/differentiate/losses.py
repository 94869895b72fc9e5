"""Where gradients are lost on their way back to a leaf: at ops that stop them or are flat."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.graph import Node
from gradcli.walks import ancestors


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
