"""How the walks multiply a change by a local derivative."""

from __future__ import annotations

from typing import Any

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


class Gathered:
    """Adds to changes. Constants that come together are added up as numbers: their sum becomes a
    node when it is asked for, not each sum on the way to it.
    """

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._sums: dict[Node, Any] = {}
        """Those that are no nodes yet, where `changes` has nothing."""

    def add(self, node: Node, change: Node) -> None:
        """Add to the change of a node."""
        changes, sums = self._changes, self._sums
        before = changes.get(node)
        if before is None:
            total = sums.get(node)
            if total is None:
                changes[node] = change
                return
            if change.op is CONSTANT and not change.shape:
                sums[node] = total + _number(change)
                return
            before = self._settled(node)
        if change.op is CONSTANT and before.op is CONSTANT and not (change.shape or before.shape):
            del changes[node]
            sums[node] = _number(before) + _number(change)
        else:
            changes[node] = before + change

    def of(self, node: Node) -> Node | None:
        """The change of a node."""
        return self._settled(node) if node in self._sums else self._changes.get(node)

    def settle(self) -> None:
        """Let all sums be nodes."""
        for node in [*self._sums]:
            self._settled(node)

    def _settled(self, node: Node) -> Node:
        """The sum of a node as a node."""
        total = self._changes[node] = node.graph.constant(self._sums.pop(node))
        return total


def add(changes: Changes, node: Node, change: Node) -> None:
    """Add to the change of a node."""
    if node not in changes:
        changes[node] = change
        return
    gathered = Gathered(changes)
    gathered.add(node, change)
    gathered.settle()


def _number(constant: Node) -> Any:
    """A constant's value as NumPy's scalar: to add an array to one takes six times as long."""
    return constant.known[()]  # type: ignore[index]


def _is_one(node: Node) -> bool:
    known = node.known
    if known is None or node.shape or known.item() != 1:  # to make the constant takes long
        return False
    return node is node.graph.constant(1.0)
