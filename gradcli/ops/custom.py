"""A function whose derivative the program states: `class F(torch.autograd.Function)`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import Attributes, Kind, Multiply, Node, Op, Shape

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

Backward: TypeAlias = Callable[[Node], Sequence[Node | None]]
"""The cotangents of the operands, for the cotangent of the result."""
Forward: TypeAlias = Callable[[Sequence[Node | None]], Node | None]
"""The tangent of the result, for those of the operands."""


class Custom(Op):
    """The value of its first operand; cotangents go to the others, as a rule says.

    An op of its own for each call, as each has its own rule.
    """

    def __init__(self, title: str, backward: Backward, tangent: Forward | None = None) -> None:
        super().__init__(title, unique=True, view=True, spell=lambda node, x, *_: x)
        self._backward = backward
        self._tangent = tangent
        self._found: dict[Node, Sequence[Node | None]] = {}
        self._withheld: Collection[int] = ()

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return inputs[0].shape, inputs[0].kind

    def forward(self, xp: ArrayNamespace, *arguments: Any) -> Any:
        return arguments[0]

    def differentiable(self, node: Node, operand: int) -> bool:
        return operand > 0 and super().differentiable(node, operand)

    def withheld(self) -> Collection[int]:
        return self._withheld

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        if cotangent not in self._found:
            self._found[cotangent] = found = self._backward(cotangent)
            self._withheld = {place for place, each in enumerate(found, 1) if each is None}
        return self._found[cotangent][operand - 1]

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        if self._tangent is not None:
            return self._tangent(tangents[1:])
        raise GradcliError(
            "not-differentiable",
            f"{self.name} states its backward alone: forward mode does not know its derivative",
            hint="@staticmethod def jvp(ctx, *tangents): …; or use backward, grad, jacobian",
        )
