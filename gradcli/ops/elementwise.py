"""Elementwise ops: one call of `elementwise` is the whole entry of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, Unpack

from gradcli.graph import Array, Attributes, Facts, Kind, Multiply, Node, Op, Operand, Shape
from gradcli.ops.kinds import FLOATS, Rule, aligned, cast, lift
from gradcli.ops.promotion import promoted
from gradcli.ops.shapes import broadcast
from gradcli.ops.splits import each_element
from gradcli.ops.table import Case, Function, register

Derivative: TypeAlias = Rule | float | None
"""A local derivative: a rule `(y, *operands, *attributes)`, a plain factor, or None for zero."""
Whole: TypeAlias = Callable[..., Node]
"""What builds a call without floats: `(op, *operands)`."""


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
        arrays: float,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(name, **facts)
        self.partials = partials
        self.chain = chain
        self.selects = chain is not None
        self.conditions = conditions
        """How many of the operands, from the first on, are read as truth values."""
        self.result_kind = result_kind
        """None where it is that of the operands."""
        self.whole = whole
        self.ufunc = forward if isinstance(forward, str) else None
        """The name of the NumPy function that does it in one call, if there is one."""
        self._forward = forward
        if self.ufunc is None:
            self.work = lambda node: arrays * node.size

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        kind: Kind = self.result_kind or inputs[-1].kind
        if len(inputs) == 1:
            return inputs[0].shape, kind
        return broadcast(self.infix or self.name, [node.shape for node in inputs]), kind

    def forward(self, xp: Any, *arguments: Any) -> Array:
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

    def _apply(self, node: Node, operand: int, change: Node, multiply: Multiply) -> Node | None:
        """A cotangent (or tangent) `change` times the derivative by one operand."""
        if self.chain is not None:
            rule = self.chain[operand]
            return None if rule is None else rule(change, node, *node.inputs)
        partial = self.partials[operand]
        if partial is None:
            return None
        factor = partial if isinstance(partial, int | float) else partial(node, *node.inputs)
        return multiply(change, factor)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        return self._apply(node, operand, cotangent, multiply)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        total: Node | None = None
        for operand, tangent in enumerate(tangents):
            if tangent is not None:
                part = self._apply(node, operand, tangent, multiply)
                if part is not None:
                    total = part if total is None else total + part
        return total

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        operands = (
            new if new is old else aligned(new, node.ndim)
            for new, old in zip(inputs, node.inputs, strict=True)
        )
        return node.graph.apply(self, tuple(operands), node.attributes)


def elementwise(
    name: str,
    doc: str,
    forward: str | Callable[..., Array],
    derivative: Derivative | tuple[Derivative, ...] = None,
    *,
    operands: str = "x",
    group: str = "elementwise",
    chain: Rule | tuple[Rule | None, ...] | None = None,
    conditions: int = 0,
    result: Kind | None = None,
    whole: Whole | None = None,
    formula: str = "",
    domain: tuple[float, float] = (-2.0, 2.0),
    smooth: bool = True,
    cases: Sequence[Case] = (),
    aliases: tuple[str, ...] = (),
    kink: str = "",
    arrays: float = 3.0,
    numpy: str = "",
    torch: str | None = None,
    jax: str | None = "",
    receiver: int = 0,
    variant: Callable[..., Node] | None = None,
    unlike: Mapping[str, str] = MappingProxyType({}),
    **facts: Unpack[Facts],
) -> Function:
    """Register an elementwise function: this one call is the whole entry.

    `forward` is the name of a NumPy function, or a function `(xp, *arrays)`. `derivative` gives
    the local derivative by each operand. Ops that select elements give `chain` instead: rules
    `(change, y, *operands)` that are linear in `change`, built with `where`. `arrays` is how many
    of the result's size a `forward` of several calls makes on the way, at most. `variant` builds
    calls with keywords; its parameters are the operands, then the keywords.

    The first `conditions` operands are read as truth values. The others are promoted to a kind that
    the op `takes`, all to the same; the result is of that kind unless `result` gives another.
    `whole` builds a call that holds no floats, where that is another one.
    """
    names = tuple(operands.split())
    count = len(names)
    partials: tuple[Derivative, ...] = (
        derivative if isinstance(derivative, tuple) else (derivative,) * count
    )
    chains = chain if isinstance(chain, tuple) or chain is None else (chain,) * count
    op = Elementwise(name, forward, partials, chains, conditions, result, whole, arrays, **facts)
    plain = "float" in op.takes and not conditions

    def build(*values: Operand) -> Node:
        nodes = lift(values)
        for node in nodes:
            if node.kind != "float" or not plain:
                return op.on(nodes)
        return nodes[0].graph.apply(op, tuple(nodes))

    shown = tuple(cases) or _broadcasting_cases(name, names, domain, smooth)
    return register(
        Function(
            name,
            build,
            group,
            doc,
            aliases,
            op,
            names,
            shown,
            formula,
            kink,
            numpy or (f"np.{op.ufunc}" if op.ufunc else ""),
            (f"torch.{name}" if op.ufunc else "") if torch is None else torch,
            jax,
            receiver,
            variant,
            unlike=unlike,
        )
    )


def _broadcasting_cases(
    name: str, operands: tuple[str, ...], domain: tuple[float, float], smooth: bool
) -> tuple[Case, ...]:
    """The plain call on equal shapes, single values, and shapes that broadcast."""
    program = f"{name}({', '.join(operands)})"
    shapes: list[dict[str, Shape]] = [dict.fromkeys(operands, (2, 3)), dict.fromkeys(operands, ())]
    if len(operands) > 1:
        shapes += [
            dict(zip(operands, [(2, 1), (3,), (2, 3)], strict=False)),
            dict(zip(operands, [(3,), (2, 1), ()], strict=False)),
        ]
    return tuple(Case(program, shape, domain, smooth) for shape in shapes)
