"""The op table: what an entry says, and the kinds of op that entries are made of.

An entry states a derivative once, as a local derivative or as an adjoint. Reverse mode, forward
mode, documentation and tests all follow from it. Rules build graph nodes and never mention
broadcasting: the walks in `gradcli.differentiate` reduce and expand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import (
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

Rule: TypeAlias = Callable[..., Node]
Derivative: TypeAlias = Rule | float | None
"""A local derivative: a rule `(y, *operands, *attributes)`, a plain factor, or None for zero."""

Edge: TypeAlias = Callable[..., Array]
"""Distance to where an op is not smooth: see `Op.edge`."""

Axes: TypeAlias = tuple[int, ...]
"""Axes counted from the right (-1 is the last), ascending, so that a leading axis changes none."""
FLOAT: Kind = "float"
Index: TypeAlias = Node
"""As an annotation: an operand whose values are integers."""
Known: TypeAlias = Node
"""As an annotation: an operand that is looked at while tracing, so that it comes as a constant."""
KnownIndex: TypeAlias = Node
"""As an annotation: the same, looked at while tracing, so that `data` holds the values."""


# --- what users call -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """An example call over inputs of given shapes: tests and documentation are made from it."""

    program: str
    shapes: Mapping[str, Shape] = field(default_factory=lambda: {"x": (2, 3)})
    domain: tuple[float, float] = (-2.0, 2.0)
    """Inputs are drawn from this open interval, away from kinks."""
    smooth: bool = True
    """False where the derivative does not exist or is zero by nature (counts, comparisons)."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: str
    """The annotation of the building function: `Node`, `int`, `Axes`, … (see `gradcli.trace`)."""
    required: bool
    default: Any = None
    variadic: bool = False
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language: its names, parameters, doc, and what builds its nodes."""

    name: str
    build: Callable[..., Any]
    group: str
    doc: str
    aliases: tuple[str, ...] = ()
    op: Op | None = None
    """The op behind it; None for a derived function."""
    operands: tuple[str, ...] = ()
    """Names of the operands of an elementwise op, whose building function takes `*operands`."""
    cases: tuple[Case, ...] = ()
    formula: str = ""
    kink: str = ""
    """What the derivative is where there is none, in words."""
    torch: str = ""
    """PyTorch's name for the same thing, where it differs."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Node:
        return self.build(*arguments, **keywords)  # type: ignore[no-any-return]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a call may pass, read off the building function (without `inspect`: it is slow)."""
        if self.operands:
            return tuple(Parameter(name, "Node", required=True) for name in self.operands)
        code = self.build.__code__
        annotations: dict[str, str] = self.build.__annotations__
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        names = code.co_varnames
        defaults: tuple[Any, ...] = getattr(self.build, "__defaults__", None) or ()
        keyword_defaults: dict[str, Any] = getattr(self.build, "__kwdefaults__", None) or {}
        first_default = count - len(defaults)
        parameters = [
            Parameter(
                name, annotations[name], i < first_default, *defaults[i - first_default :][:1]
            )
            if i >= first_default
            else Parameter(name, annotations[name], required=True)
            for i, name in enumerate(names[:count])
        ]
        if code.co_flags & 0x04:  # CO_VARARGS
            name = names[count + keyword_only]
            parameters.append(Parameter(name, annotations[name], required=False, variadic=True))
        parameters += [
            Parameter(
                name,
                annotations[name],
                required=name not in keyword_defaults,
                default=keyword_defaults.get(name),
                keyword_only=True,
            )
            for name in names[count : count + keyword_only]
        ]
        return tuple(parameters)


FUNCTIONS: dict[str, Function] = {}
"""Every name and alias that a program may call."""


def register(function: Function) -> Function:
    """Put a function into the table under its name and aliases."""
    for name in (function.name, *function.aliases):
        if name in FUNCTIONS:
            raise ValueError(f"two entries of the op table are called {name!r}")
        FUNCTIONS[name] = function
    return function


def function(
    name: str,
    group: str,
    *,
    aliases: tuple[str, ...] = (),
    op: Op | None = None,
    cases: Sequence[Case] = (),
    formula: str = "",
    kink: str = "",
    torch: str = "",
) -> Callable[[Callable[..., Any]], Function]:
    """Register a Python function that checks its arguments and builds nodes.

    Its parameters become those of the language's function, its docstring the documentation.
    """

    def decorate(build: Callable[..., Any]) -> Function:
        doc = (build.__doc__ or "").strip()
        entry = Function(
            name, build, group, doc, aliases, op, (), tuple(cases), formula, kink, torch
        )
        return register(entry)

    return decorate


# --- shapes --------------------------------------------------------------------------------


def broadcast(name: str, shapes: Sequence[Shape]) -> Shape:
    """The shape that `shapes` broadcast to; the error `shape` names the axis that does not fit."""
    result = shapes[0]
    for shape in shapes[1:]:
        if shape != result and shape:
            result = _broadcast_pair(name, result, shape) if result else shape
    return result


def _broadcast_pair(name: str, a: Shape, b: Shape) -> Shape:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    offset = len(long) - len(short)
    result = list(long)
    for axis, length in enumerate(short, offset):
        if result[axis] == 1:
            result[axis] = length
        elif length not in (1, result[axis]):
            raise GradcliError(
                "shape",
                f"{name}: shapes {show(a)} and {show(b)} do not broadcast: "
                f"axis {axis - len(long)} (from the right) has {a[axis - len(long)]} and "
                f"{b[axis - len(long)]} elements",
                hint="lengths must be equal, or one of them 1",
            )
    return tuple(result)


def show(shape: Shape) -> str:
    """A shape as users read it: `(2, 3)`, `(4,)`, `()`."""
    return str(tuple(shape))


def normalize_axis(name: str, axis: int, ndim: int) -> int:
    """The axis counted from the right; the error `axis` shows what is allowed."""
    if not -ndim <= axis < ndim:
        if ndim == 0:
            if axis in (0, -1):  # as in PyTorch, a single value may be addressed as a vector
                return -1
            raise GradcliError("axis", f"{name}: dim {axis} of a single value: it has no axes")
        raise GradcliError(
            "axis",
            f"{name}: dim {axis} is out of range for {ndim} dimension{'s' if ndim > 1 else ''}",
            hint=f"dim is from {-ndim} to {ndim - 1}",
        )
    return axis if axis < 0 else axis - ndim


def normalize_axes(name: str, dim: int | Sequence[int] | None, ndim: int) -> Axes:
    """Ascending axes counted from the right; None means all of them."""
    if dim is None:
        return tuple(range(-ndim, 0))
    wanted = (dim,) if isinstance(dim, int) else tuple(dim)
    axes = sorted(normalize_axis(name, axis, ndim) for axis in wanted)
    if len(set(axes)) < len(axes):
        raise GradcliError("axis", f"{name}: dim {tuple(wanted)} names an axis twice")
    return tuple(axes) if ndim else ()


def reduced(shape: Shape, axes: Axes, keepdim: bool) -> Shape:
    """The shape that is left when `axes` (from the right) are reduced."""
    ndim = len(shape)
    if keepdim:
        return tuple(1 if i - ndim in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i - ndim not in axes)


# --- operands ------------------------------------------------------------------------------


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


class Cast(Op):
    """Conversion between kinds. Gradients stop here: one side is not a float."""

    typed = True
    edge = staticmethod(lambda xp, x, kind: x)  # truth changes at 0

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return inputs[0].shape, attributes[0]

    def forward(self, xp: Any, *arguments: Any) -> Array:
        array, dtype = arguments
        return xp.asarray(array).astype(dtype)  # type: ignore[no-any-return]


CAST = Cast("cast")


# --- elementwise ---------------------------------------------------------------------------


class Elementwise(Op):
    """One result element from one element of each operand, with broadcasting."""

    def __init__(
        self,
        name: str,
        forward: str | Callable[..., Array],
        partials: tuple[Derivative, ...],
        chain: tuple[Rule | None, ...] | None,
        operand_kinds: tuple[Kind, ...],
        result_kind: Kind,
        cuda: str,
        latex: str,
        infix: str,
        edge: Edge | None,
    ) -> None:
        super().__init__(name)
        self.edge = edge
        self.partials = partials
        self.chain = chain
        self.selects = chain is not None
        self.operand_kinds = operand_kinds
        self.result_kind: Kind = result_kind
        self.ufunc = forward if isinstance(forward, str) else None
        """The name of the NumPy function that does it in one call, if there is one."""
        self._forward = forward
        self.cuda = cuda
        self.latex = latex
        self.infix = infix

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        if len(inputs) == 1:
            return inputs[0].shape, self.result_kind
        return broadcast(self.infix or self.name, [node.shape for node in inputs]), self.result_kind

    def forward(self, xp: Any, *arguments: Any) -> Array:
        if self.ufunc is not None:
            return getattr(xp, self.ufunc)(*arguments)  # type: ignore[no-any-return]
        return self._forward(xp, *arguments)  # type: ignore[operator]

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


def elementwise(
    name: str,
    doc: str,
    forward: str | Callable[..., Array],
    derivative: Derivative | tuple[Derivative, ...] = None,
    *,
    operands: str = "x",
    group: str = "elementwise",
    chain: Rule | tuple[Rule | None, ...] | None = None,
    kinds: tuple[Kind, ...] | None = None,
    result: Kind = "float",
    cuda: str = "",
    latex: str = "",
    infix: str = "",
    formula: str = "",
    domain: tuple[float, float] = (-2.0, 2.0),
    smooth: bool = True,
    cases: Sequence[Case] = (),
    aliases: tuple[str, ...] = (),
    kink: str = "",
    edge: Edge | None = None,
    torch: str = "",
) -> Function:
    """Register an elementwise function: this one call is the whole entry.

    `forward` is the name of a NumPy function, or a function `(xp, *arrays)`. `derivative` gives
    the local derivative by each operand. Ops that select elements give `chain` instead: rules
    `(change, y, *operands)` that are linear in `change`, built with `where`.
    """
    names = tuple(operands.split())
    count = len(names)
    partials: tuple[Derivative, ...] = (
        derivative if isinstance(derivative, tuple) else (derivative,) * count
    )
    chains = chain if isinstance(chain, tuple) or chain is None else (chain,) * count
    operand_kinds = kinds or (FLOAT,) * count
    op = Elementwise(
        name, forward, partials, chains, operand_kinds, result, cuda, latex, infix, edge
    )

    def build(*values: Operand) -> Node:
        nodes = lift(values)
        for i, kind in enumerate(operand_kinds):
            if nodes[i].kind != kind:
                nodes[i] = cast(nodes[i], kind)
        return nodes[0].graph.apply(op, tuple(nodes))

    shown = tuple(cases) or _broadcasting_cases(name, names, domain, smooth)
    return register(
        Function(name, build, group, doc, aliases, op, names, shown, formula, kink, torch)
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


# --- linear --------------------------------------------------------------------------------


class Linear(Op):
    """Linear in each operand that has an adjoint, the others held fixed.

    `adjoint(cotangent, y, *operands, *attributes)` gives the operand's cotangent. Forward mode is
    the op itself with the tangent in the operand's place.
    """

    def __init__(
        self,
        name: str,
        infer: Callable[..., Shape],
        forward: Callable[..., Array],
        adjoints: tuple[Rule | None, ...],
        *,
        selects: bool = False,
        contracts: bool = False,
        view: bool = False,
        unique: bool = False,
        combine: str = "",
        averages: bool = False,
    ) -> None:
        super().__init__(name)
        self._infer = infer
        self._forward = forward
        self.adjoints = adjoints
        self.selects = selects
        self.contracts = contracts
        self.view = view
        self.unique = unique
        self.combine = combine
        self.averages = averages

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        kind: Kind = inputs[0].kind
        return self._infer(*inputs, *attributes), kind

    def forward(self, xp: Any, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        adjoint = self.adjoints[operand]
        if adjoint is None:
            return None
        return adjoint(cotangent, node, *node.inputs, *node.attributes)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        total: Node | None = None
        for operand, tangent in enumerate(tangents):
            if tangent is not None:
                inputs = (*node.inputs[:operand], tangent, *node.inputs[operand + 1 :])
                part = node.graph.apply(self, inputs, node.attributes)
                total = part if total is None else total + part
        return total


class JointlyLinear(Op):
    """Linear in all operands together, any number of them, as joining arrays is.

    `adjoint(cotangent, y, operand, *attributes)` gives the cotangent of operand number `operand`.
    """

    def __init__(
        self,
        name: str,
        infer: Callable[..., Shape],
        forward: Callable[..., Array],
        adjoint: Callable[..., Node],
        *,
        selects: bool = False,
    ) -> None:
        super().__init__(name)
        self._infer = infer
        self._forward = forward
        self.adjoint = adjoint
        self.selects = selects

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return self._infer(inputs, *attributes), inputs[0].kind

    def forward(self, xp: Any, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        return self.adjoint(cotangent, node, operand, *node.attributes)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        inputs = tuple(
            zeros_like(operand) if tangent is None else tangent
            for operand, tangent in zip(node.inputs, tangents, strict=True)
        )
        return node.graph.apply(self, inputs, node.attributes)


# --- reductions ----------------------------------------------------------------------------


class Reduction(Op):
    """Many elements along axes to one, by a local derivative of the operand's shape.

    `derivative(y, x, *attributes)` sees y with the reduced axes kept at length 1. Attributes are
    (axes, keepdim) and whatever else the forward function takes.
    """

    def __init__(
        self,
        name: str,
        forward: Callable[..., Array],
        derivative: Rule,
        *,
        selects: bool = False,
        combine: str = "",
        edge: Edge | None = None,
    ) -> None:
        super().__init__(name)
        self.edge = edge
        self._forward = forward
        self.derivative = derivative
        self.selects = selects
        self.combine = combine

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        axes, keepdim = attributes[:2]
        return reduced(inputs[0].shape, axes, keepdim), "float"

    def forward(self, xp: Any, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def _local(self, node: Node) -> Node:
        (x,) = node.inputs
        y = restore_axes(node, x.shape, node.attributes[0])
        return self.derivative(y, x, *node.attributes)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        change = restore_axes(cotangent, node.inputs[0].shape, node.attributes[0])
        if self.selects:
            return OPERATORS["scale"](self._local(node), change)
        return multiply(change, self._local(node))

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        (tangent,) = tangents
        if tangent is None:
            return None
        change = (
            OPERATORS["scale"](self._local(node), tangent)
            if self.selects
            else multiply(tangent, self._local(node))
        )
        return OPERATORS["sum"](change, node.attributes[0], node.attributes[1])


# --- anything else -------------------------------------------------------------------------


class General(Op):
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
        selects: bool = False,
        contracts: bool = False,
        view: bool = False,
        unique: bool = False,
        typed: bool = False,
        edge: Edge | None = None,
    ) -> None:
        super().__init__(name)
        self.edge = edge
        self._infer = infer
        self._forward = forward
        self.adjoints = adjoints
        self.forward_rule = forward_rule
        self.selects = selects
        self.contracts = contracts
        self.view = view
        self.unique = unique
        self.typed = typed

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return self._infer(*inputs, *attributes)

    def forward(self, xp: Any, *arguments: Any) -> Array:
        return self._forward(xp, *arguments)

    def differentiable(self, node: Node, operand: int) -> bool:
        return bool(self.adjoints) and super().differentiable(node, operand)

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        adjoint = self.adjoints[operand]
        if adjoint is None:
            return None
        return adjoint(cotangent, node, *node.inputs, *node.attributes)

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        if self.forward_rule is None:
            return None
        return self.forward_rule(tangents, node, *node.inputs, *node.attributes)


def attribute_names(node: Node) -> tuple[str, ...]:
    """What a node's attributes are called: the forward function's parameters behind the operands.

    Empty where it takes them together, as `*rest`.
    """
    if isinstance(node.op, JointlyLinear):
        return ("axis",)
    code = getattr(getattr(node.op, "_forward", None), "__code__", None)
    return code.co_varnames[: code.co_argcount][1 + len(node.inputs) :] if code else ()


# --- what the kinds above share ------------------------------------------------------------


def restore_axes(node: Node, shape: Shape, axes: Axes) -> Node:
    """A reduced node with its axes back at length 1, so that it broadcasts against `shape`."""
    if node.shape and len(node.shape) < len(shape):
        return OPERATORS["reshape"](node, reduced(shape, axes, keepdim=True))
    return node


def zeros_like(node: Node) -> Node:
    """Zeros of the node's shape."""
    return OPERATORS["expand"](node.graph.constant(0.0), node.shape)
