"""Steps of reverse mode: what each multiplies a cotangent by."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.differentiate.product import multiply
from gradcli.graph import CONSTANT, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.exponential import log
from gradcli.ops.kinds import CAST, Linear, Reduction, restore_axes
from gradcli.ops.reductions import SUM
from gradcli.ops.shaping import expand, sum_to


@dataclass(frozen=True, slots=True)
class ReverseStep:
    """One step of reverse mode: from a node to the operand at one position."""

    node: Node
    position: int

    @property
    def operand(self) -> Node:
        return self.node.inputs[self.position]

    @property
    def averages(self) -> bool:
        return isinstance(self.node.op, Linear) and self.node.op.averages

    @property
    def divides_by_count(self) -> bool:
        """Whether the step is through the mean at the end of a loss."""
        if self.node.op.infix != "/":
            return False
        below = self.node.inputs[1]
        if below.op is CAST:
            (below,) = below.inputs
        counts = below.op is SUM and below.inputs[0].op is CAST
        inside = below.span == self.node.span and below.size == 1
        return inside and (counts or below.op is CONSTANT)

    @property
    def normalises(self) -> bool:
        """Whether the step is, inside of a function, to scores from which the logarithm of a sum is
        taken off.
        """
        total, inside = self.node.inputs[-1], self.node.inputs[-1].span == self.node.span
        is_log = total.op is log.op and total.inputs[0].op is SUM
        return self.node.op.infix == "-" and self.position == 0 and is_log and inside

    def local(self) -> Node | None:
        """The local derivative, if the step multiplies by one."""
        if not isinstance(self.node.op, Elementwise | Reduction) and not self.averages:
            return None
        one = self.spread(self.node.graph.constant(1.0))
        return self.node.op.vjp(self.node, self.position, one, multiply)

    def spread(self, change: Node) -> Node:
        """A cotangent of the node, reshaped to broadcast with the local derivative."""
        if isinstance(self.node.op, Elementwise):
            return change
        whole = expand(change, *self.node.shape)
        return restore_axes(whole, self.operand.shape, self.node.attributes[0])

    def summed(self, change: Node) -> Node:
        """A cotangent of the node, summed over what an elementwise op had broadcast."""
        shape = self.operand.shape
        if not isinstance(self.node.op, Elementwise):
            return expand(change, *shape)
        if shape == self.node.shape:
            return change
        return sum_to(expand(change, *self.node.shape), *shape)
