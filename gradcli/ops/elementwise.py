"""Elementwise ops: one call of `elementwise` is the whole entry of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.graph import Array, Attributes, Kind, Multiply, Node, Op, Shape
from gradcli.ops.kinds import FLOATS, Rule, aligned, cast
from gradcli.ops.promotion import promoted
from gradcli.ops.shapes import broadcast
from gradcli.ops.splits import each_element

if TYPE_CHECKING:
    from typing import Unpack

    from gradcli.graph import ArrayNamespace, Facts

Derivative: TypeAlias = Rule | float | None
"""A local derivative: a rule `(y, *operands, *attributes)`, a plain factor, or None for zero."""
Whole: TypeAlias = Callable[..., Node]
"""A function `(op, *operands)` that builds a call without floats."""


class Elementwise(Op):
    """One result element from one element of each operand, with broadcasting."""

    takes = FLOATS
    splits = staticmethod(each_element)

    def __init__(
        self,
        name: str,
        forward: str | Callable[..., Array],
        partials: tuple[Derivative, ...],
        chain: tuple[Rule | None, ...] | None,
        conditions: int,
        result_kind: Kind | None,
        whole: Whole | None,
        arrays: float = 3.0,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, **facts)
        self.partials = partials
        self.chain = chain
        self.selects = chain is not None
        self.flat = chain is None and not any(partials)
        self.conditions = conditions
        """How many of the operands, from the first on, are read as truth values."""
        self.result_kind = result_kind
        """The kind of the result; None if it is that of the operands."""
        self.whole = whole
        self.ufunc = forward if isinstance(forward, str) else None
        """The name of the NumPy function that does it in one call, if there is one."""
        self._forward = forward
        if self.ufunc is None:
            self.work = lambda node: arrays * node.size

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        kind: Kind = self.result_kind or inputs[-1].kind
        shape = inputs[0].shape
        for node in inputs:
            if node.shape != shape:
                return broadcast(self.infix or self.name, [each.shape for each in inputs]), kind
        return shape, kind

    def forward(self, xp: ArrayNamespace, *arguments: Any) -> Array:
        if self.ufunc is not None:
            return getattr(xp, self.ufunc)(*arguments)  # type: ignore[no-any-return]
        return self._forward(xp, *arguments)  # type: ignore[operator]

    def on(self, nodes: Sequence[Node]) -> Node:
        """The node of operands of any kinds, which are promoted."""
        conditions = [cast(each, "bool") for each in nodes[: self.conditions]]
        operands = promoted(self, nodes[self.conditions :])
        if self.whole is not None and operands[0].kind != "float":
            return self.whole(self, *conditions, *operands)
        return nodes[0].graph.apply(self, (*conditions, *operands))

    def vjp(self, node: Node, operand: int, change: Node, multiply: Multiply) -> Node | None:
        """A cotangent (or tangent) `change` times the derivative by one operand."""
        if self.chain is not None:
            rule = self.chain[operand]
            return None if rule is None else rule(change, node, *node.inputs)
        partial = self.partials[operand]
        if callable(partial):
            return multiply(change, partial(node, *node.inputs))
        if partial is None:
            return None
        return change if partial == 1 else multiply(change, partial)

    _moved = vjp  # forward mode does not go through the rule backward: one may be wrong alone

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        total: Node | None = None
        for operand, tangent in enumerate(tangents):
            if tangent is not None:
                part = self._moved(node, operand, tangent, multiply)
                if part is not None:
                    total = part if total is None else total + part
        return total

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        operands = (
            new if new is old else aligned(new, node.ndim)
            for new, old in zip(inputs, node.inputs, strict=True)
        )
        return node.graph.apply(self, tuple(operands), node.attributes)
