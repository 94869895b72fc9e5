"""How the walks multiply a change by a local derivative."""

from __future__ import annotations

from gradcli.graph import CONSTANT, OPERATORS, Node, Operand
from gradcli.ops.arithmetic import div

Changes = dict[Node, Node]
"""Cotangents or tangents by node."""


def multiply(change: Node, factor: Operand) -> Node:
    """change · factor; a factor 1 is left out, -1 becomes a minus, and 1/b a division."""
    if not isinstance(factor, Node):
        return change if factor == 1 else -change if factor == -1 else change * factor
    if _is_one(factor):
        return change
    if _is_one(change) and len(change.shape) <= len(factor.shape):
        return factor
    if factor.op is div.op and _is_one(factor.inputs[0]):
        return change / factor.inputs[1]
    return change * factor


def scale(change: Node, factor: Operand) -> Node:
    """change · factor below an op that selects: where nothing was selected the change is exactly 0,
    and it stays 0 even if the factor is infinite or nan.
    """
    if not isinstance(factor, Node) or factor.known is not None:
        return multiply(change, factor)
    return OPERATORS["scale"](change, factor)


def add(changes: Changes, node: Node, change: Node) -> None:
    """Add to the change of a node."""
    before = changes.get(node)
    if before is None:
        changes[node] = change
    elif before.op is CONSTANT and change.op is CONSTANT and not (before.shape or change.shape):
        changes[node] = node.graph.constant(before.known + change.known)  # type: ignore[operator]
    else:
        changes[node] = before + change


def _is_one(node: Node) -> bool:
    known = node.known
    if known is None or node.shape or known.item() != 1:  # to make the constant takes long
        return False
    return node is node.graph.constant(1.0)
