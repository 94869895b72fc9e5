"""The local Jacobian of a step: what one value does to the next, the others held fixed."""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np

from gradcli.analysis.explain import Explanation, Step
from gradcli.differentiate.forward import walk_forward
from gradcli.differentiate.vectorise import vectorise
from gradcli.graph import Array, Node

MOST = 64
"""The most entries of a Jacobian that is written out."""
COLUMNS = 16
"""The most of its columns."""


def operands(step: Step, shown: Container[Node]) -> list[Node]:
    """The values that a step is computed from, among those that are shown: directly, or by way of
    nodes that are not.
    """
    inside = set(step.stage.nodes)
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [each for node in reversed(step.stage.nodes) for each in reversed(node.inputs)]
    while stack:
        node = stack.pop()
        if node in seen or node in inside:
            continue
        seen.add(node)
        if node in shown:
            found[node] = None
        else:
            stack += reversed(node.inputs)
    return list(found)


def jacobians(told: Explanation, step: Step) -> Iterator[tuple[Node, Array | None]]:
    """For each operand of a step that a gradient flows to: the derivatives of the step's elements,
    in rows, by the operand's, in columns; None where there would be too many.
    """
    node = step.node
    for operand in operands(step, told.names):
        if node.kind != "float" or operand.kind != "float":
            continue
        if node.size * operand.size > MOST or not 0 < operand.size <= COLUMNS:
            yield operand, None
            continue
        matrix = _matrix(told, step, operand)
        if matrix is not None:
            yield operand, matrix


def _matrix(told: Explanation, step: Step, operand: Node) -> Array | None:
    """The derivatives by all elements of an operand; None where nothing flows."""
    graph = operand.graph
    seed = graph.input("seed", operand.shape, "float")
    changes = {operand: seed}
    walk_forward(step.stage.nodes, changes, set(), {*step.stage.nodes})
    if step.node not in changes or step.node is operand:
        return None
    count = operand.size
    (seeds,), (found,) = vectorise([changes[step.node]], [seed], count)
    ones = np.eye(count, dtype=graph.dtype("float"))
    told.run.feeds[seeds] = ones.reshape(count, *operand.shape)
    return np.asarray(told.value(found)).reshape(count, -1).T
