"""The kinds of op that the table's entries are made of.

An op states a derivative once, as a local derivative or as an adjoint. Reverse mode, forward
mode, documentation and tests all follow from it. Rules build graph nodes and never mention
broadcasting: the walks in `gradcli.differentiate` reduce and expand. The commonest kind has a room
of its own, `gradcli.ops.elementwise`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradcli.graph import (
    KINDS,
    OPERATORS,
    Array,
    Attributes,
    Kind,
    Multiply,
    Node,
    Op,
    Operand,
    Shape,
)
from gradcli.language.construct import call, compare, listed, number
from gradcli.language.syntax import Expression
from gradcli.ops import splits
from gradcli.ops.shapes import Axes, reduced

if TYPE_CHECKING:
    from typing import TypeGuard, Unpack

    from gradcli.graph import ArrayNamespace, Facts

Rule: TypeAlias = Callable[..., Node]
"""A derivative in nodes; its arguments depend on the kind of op."""

Work: TypeAlias = Callable[[Node], float]
"""Memory in addition to operands and result: see `Op.work`."""

Edge: TypeAlias = Callable[..., Array]
"""Distance to where an op is not smooth: see `Op.edge`."""

Spelling: TypeAlias = Callable[..., Expression | None]
"""How the language writes a node: see `Op.spell`."""

Fields: TypeAlias = Callable[[Node], Sequence[tuple[str, Shape]]]
"""The names and shapes of packed results: see `Op.fields`."""

BatchingRule: TypeAlias = Callable[..., Node | None]
"""`(y, *operands, *attributes)`: y where an operand has a batch axis in front, or None."""


ANY = frozenset(KINDS)
WHOLE: frozenset[Kind] = frozenset({"bool", "int"})
NUMBERS: frozenset[Kind] = frozenset({"int", "float"})
FLOATS: frozenset[Kind] = frozenset({"float"})
"""The kinds that an op takes: see `Op.takes`."""


def _linear_cells(node: Node, *operands: Array) -> Array:
    from gradcli.ops.cells import linear  # only sheets ask for it

    return linear(node, *operands)


class Adjoint(Op):
    """An op with a forward function, and an adjoint for each operand that has a derivative."""

    forward: Callable[..., Array]
    adjoints: tuple[Rule | None, ...]
    """`adjoints[i](cotangent, y, *operands, *attributes)` gives the cotangent of operand i."""

    def __init__(
        self,
        name: str,
        forward: Callable[..., Array],
        adjoints: tuple[Rule | None, ...],
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, **facts)
        self.forward = forward
        self.adjoints = adjoints

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        adjoint = self.adjoints[operand]
        if adjoint is None:
            return None
        return adjoint(cotangent, node, *node.inputs, *node.attributes)


# --- linear ------------------------------------------------------------------------------


class Linear(Adjoint):
    """Linear in each operand that has an adjoint, the others held fixed.

    `adjoint(cotangent, y, *operands, *attributes)` gives the operand's cotangent. Forward mode is
    the op itself with the tangent in the operand's place. So it is for an operand with a batch axis
    in front, without a rule `batched`: axes in the attributes count from the right.
    """

    cell = staticmethod(_linear_cells)

    def __init__(
        self,
        name: str,
        infer: Callable[..., Shape],
        forward: Callable[..., Array],
        adjoints: tuple[Rule | None, ...],
        *,
        batched: BatchingRule | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, forward, adjoints, **facts)
        self._infer = infer
        self._batched = batched

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        kind: Kind = inputs[0].kind
        return self._infer(*inputs, *attributes), kind

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        total: Node | None = None
        for operand, tangent in enumerate(tangents):
            if tangent is not None:
                inputs = (*node.inputs[:operand], tangent, *node.inputs[operand + 1 :])
                part = node.graph.apply(self, inputs, node.attributes)
                total = part if total is None else total + part
        return total

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if self._batched is not None:
            return self._batched(node, *inputs, *node.attributes)
        return node.graph.apply(self, inputs, node.attributes)


def _joined(node: Node, *operands: Expression) -> Expression:
    """`cat([a, b], dim=0)`."""
    return call(node.op.name, listed(operands), dim=number(node.attributes[0] + node.ndim))


class JointlyLinear(Op):
    """Linear in all operands together, any number of them, as joining arrays is.

    `adjoint(cotangent, y, operand, *attributes)` gives the cotangent of operand number `operand`.
    """

    spell = staticmethod(_joined)
    cell = staticmethod(_linear_cells)

    def __init__(
        self,
        name: str,
        infer: Callable[..., Shape],
        forward: Callable[..., Array],
        adjoint: Callable[..., Node],
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, **facts)
        self._infer = infer
        self._forward = forward
        self.adjoint = adjoint

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return self._infer(inputs, *attributes), inputs[0].kind

    def forward(self, xp: ArrayNamespace, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        return self.adjoint(cotangent, node, operand, *node.attributes)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        inputs = tuple(
            zeros_like(operand) if tangent is None else tangent
            for operand, tangent in zip(node.inputs, tangents, strict=True)
        )
        return node.graph.apply(self, inputs, node.attributes)

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        pairs = list(zip(inputs, node.inputs, strict=True))
        (count,) = {new.shape[0] for new, old in pairs if new is not old}
        whole = (
            new if new is not old else OPERATORS["expand"](old, (count, *old.shape))
            for new, old in pairs
        )
        return node.graph.apply(self, tuple(whole), node.attributes)


# --- reductions --------------------------------------------------------------------------


class Reduction(Op):
    """Many elements along axes to one, by a local derivative of the operand's shape.

    `derivative(y, x, *attributes)` sees y with the reduced axes kept at length 1; it is None where
    y does not change with x. Attributes are (axes, keepdim) and whatever else the forward function
    takes.
    """

    takes = FLOATS
    splits = staticmethod(splits.reduction)

    def __init__(
        self,
        name: str,
        forward: Callable[..., Array],
        derivative: Callable[..., Node | None],
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, **facts)
        self._forward = forward
        self.derivative = derivative
        if not self.combine:
            self.work = lambda node: 4.0 * node.inputs[0].size  # temporary arrays

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        axes, keepdim = attributes[:2]
        return reduced(inputs[0].shape, axes, keepdim), inputs[0].kind

    def forward(self, xp: ArrayNamespace, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        change = restore_axes(cotangent, node.inputs[0].shape, node.attributes[0])
        return self._apply(node, change, multiply)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        (tangent,) = tangents
        if tangent is None:
            return None
        change = self._apply(node, tangent, multiply)
        if change is None:
            return None
        return OPERATORS["sum"](change, node.attributes[0], node.attributes[1])

    def _apply(self, node: Node, change: Node, multiply: Multiply) -> Node | None:
        (x,) = node.inputs
        y = restore_axes(node, x.shape, node.attributes[0])
        local = self.derivative(y, x, *node.attributes)
        if local is None:
            return None
        return OPERATORS["scale"](local, change) if self.selects else multiply(change, local)


# --- anything else -----------------------------------------------------------------------


class General(Adjoint):
    """An op with rules of its own.

    `adjoints[i](cotangent, y, *operands, *attributes)` is operand i's cotangent, and
    `forward_rule(tangents, y, *operands, *attributes)` the tangent of y.
    """

    def __init__(
        self,
        name: str,
        infer: Callable[..., tuple[Shape, Kind]],
        forward: Callable[..., Array],
        adjoints: tuple[Rule | None, ...] = (),
        forward_rule: Rule | None = None,
        *,
        batched: BatchingRule | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, forward, adjoints, **facts)
        self._infer = infer
        self._batched = batched
        self.forward_rule = forward_rule

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return self._infer(*inputs, *attributes)

    def differentiable(self, node: Node, operand: int) -> bool:
        return bool(self.adjoints) and super().differentiable(node, operand)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        if self.forward_rule is None:
            return None
        return self.forward_rule(tangents, node, *node.inputs, *node.attributes)

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return None if self._batched is None else self._batched(node, *inputs, *node.attributes)


# --- operands ----------------------------------------------------------------------------


def are_floats(operands: tuple[Operand, ...]) -> TypeGuard[tuple[Node, ...]]:
    """Whether all are floating-point nodes."""
    for each in operands:  # quicker than `all` of two
        if each.__class__ is not Node:
            return False
        if each.kind != "float":
            return False
    return True


def lift(operands: Sequence[Operand]) -> list[Node]:
    """Numbers among the operands become constants of the graph that the nodes belong to."""
    for operand in operands:
        if isinstance(operand, Node):
            graph = operand.graph
            return [o if isinstance(o, Node) else graph.constant(o) for o in operands]
    raise TypeError("at least one operand must be a node")


def cast(node: Node, kind: Kind) -> Node:
    """The node as another kind; nonzero is true."""
    return node if node.kind == kind else node.graph.apply(CAST, (node,), (kind,))


def _converted(node: Node, x: Expression) -> Expression:
    if node.kind == "bool":
        return compare("!=", x, number(0.0))
    return call("float" if node.kind == "float" else "long", x)


def _truth(node: Node, x: Array) -> Array:
    """The cells: truth is 1 and 0, and a whole number has no fraction."""
    from gradcli.ops.cells import formed  # only sheets ask for it

    if node.kind == "bool":
        return formed("IF({0}<>0,1,0)", node, (x,))
    return x if is_promotion(node) else formed("TRUNC({0})", node, (x,))


def _copied(x: Array, out: Array) -> None:
    np.copyto(out, x, casting="unsafe")


class Cast(Op):
    """Conversion between kinds. Gradients stop here: one side is not a float."""

    typed = True
    cost = 1
    splits = staticmethod(splits.each_element)
    into = staticmethod(_copied)
    cuda = "{0}"
    cell = staticmethod(_truth)
    spell = staticmethod(_converted)
    edge = staticmethod(lambda xp, x, kind: x)  # truth changes at 0

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return inputs[0].shape, attributes[0]

    def forward(self, xp: ArrayNamespace, *arguments: Any) -> Array:
        array, dtype = arguments
        return xp.asarray(array).astype(dtype)


CAST = Cast("cast")


def is_promotion(node: Node) -> bool:
    """Whether a node has its operand's values as another kind, all of them the same."""
    if node.op is not CAST:
        return False
    return KINDS.index(node.kind) >= KINDS.index(node.inputs[0].kind)


def needs_values(node: Node) -> bool:
    """Whether the cotangents of a node's operands are computed of values, too, which PyTorch saves:
    those of the operands or the result.
    """
    is_linear = isinstance(node.op, Linear) and len(node.inputs) == 1
    is_sum = isinstance(node.op, JointlyLinear) or node.op.name in ("add", "sub", "neg")
    return not (is_linear or is_sum)


# --- what the kinds above share ----------------------------------------------------------


def restore_axes(node: Node, shape: Shape, axes: Axes) -> Node:
    """A reduced node with its axes back at length 1, so that it broadcasts against `shape`."""
    if node.shape and len(node.shape) < len(shape):
        return OPERATORS["reshape"](node, reduced(shape, axes, keepdim=True))
    return node


def aligned(node: Node, ndim: int) -> Node:
    """The node with at least `ndim` axes behind its batch axis: new ones have length 1."""
    more = max(0, ndim + 1 - node.ndim)
    shape = (node.shape[0], *(1,) * more, *node.shape[1:])
    return OPERATORS["reshape"](node, shape) if more else node


def zeros_like(node: Node) -> Node:
    """Zeros of the node's shape."""
    return OPERATORS["expand"](node.graph.constant(0.0), node.shape)
