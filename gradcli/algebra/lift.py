"""From nodes to index notation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite, prod
from typing import TypeAlias

import numpy as np

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.elements import picked, placed
from gradcli.algebra.indices import gathered, indexed, put, scattered
from gradcli.algebra.terms import (
    BOUND,
    Applied,
    Called,
    Delta,
    Symbol,
    Tensor,
    Term,
    delta,
    digest,
    scalar,
    whole,
)
from gradcli.graph import CONSTANT, LITERAL, Node, Op, Shape
from gradcli.language.construct import constant, name, number
from gradcli.ops.arithmetic import add, div, mul, neg, scale, sub
from gradcli.ops.axes import PERMUTE
from gradcli.ops.classes import CLASSES
from gradcli.ops.contractions import MATMUL
from gradcli.ops.control import BIND, DETACH, LEAF
from gradcli.ops.creation import EYE
from gradcli.ops.diagonals import DIAG_EMBED, DIAGONAL
from gradcli.ops.einsum import CONTRACT
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.indexing import INDEX, PUT_ADD
from gradcli.ops.kinds import CAST, Linear, Reduction
from gradcli.ops.powers import pow_, reciprocal, rsqrt, sqrt, square
from gradcli.ops.reductions import MEAN, SUM
from gradcli.ops.scattering import GATHER, SCATTER_ADD
from gradcli.ops.shapes import Axes
from gradcli.ops.shaping import EMBED, EXPAND, RESHAPE, SLICE, SUM_TO
from gradcli.ops.softmax import SOFTMAX
from gradcli.ops.systems import INV, SOLVE
from gradcli.walks import ancestors

PI = 3.141592653589793
LARGEST_HALF = 64
"""Numbers with this denominator or a smaller power of two are coefficients; others, as 0.1, are
factors that keep how they are written."""


class Lift:
    """Tensors for the nodes of one graph."""

    def __init__(self, algebra: Algebra, names: Mapping[Node, str]) -> None:
        """`names` are nodes that are not looked into."""
        self.algebra = algebra
        self._done = {
            node: algebra.atom(Symbol(node.shape, digest("name", title), text=name(title)))
            for node, title in names.items()
        }

    def let(self, node: Node, tensor: Tensor) -> None:
        """Take a node for a tensor, whatever it is."""
        self._done[node] = tensor

    def of(self, node: Node) -> Tensor:
        """The tensor of a node."""
        for each in ancestors([node]):
            if each not in self._done:
                self._done[each] = self._lifted(each)
        return self._done[node]

    def _lifted(self, node: Node) -> Tensor:
        operands = [self._done[each] for each in node.inputs]
        rule = RULES.get(node.op)
        if rule is not None:
            found = rule(self.algebra, node, *operands)
            if found is not None:
                return found
        if isinstance(node.op, Elementwise) or node.op is CAST:
            return elementwise(self.algebra, node, node.shape, operands)
        if isinstance(node.op, Reduction):
            return _reduced(self.algebra, node, operands[0])
        return _applied(self.algebra, node, operands)


# --- rules -----------------------------------------------------------------------------------


Rule: TypeAlias = Callable[..., "Tensor | None"]
"""`(algebra, node, *operands)`: the tensor of a node over those of its operands, or None."""


def number_of(algebra: Algebra, value: float) -> Tensor:
    """A number: a coefficient, a length that has a name, or a factor of its own."""
    if not isfinite(value):
        return whole(Symbol((), digest("number", value), text=number(value)))
    fraction = Fraction(value)
    if fraction.denominator == 1 and algebra.lengths:
        found, rest = scalar(1), int(fraction)
        for length in algebra.lengths:
            while rest and rest % length == 0:
                rest //= length
                found = algebra.multiply(found, algebra.length(length))
        near = next((each for each in algebra.lengths if abs(each - rest) == 1), None)
        if near is not None:
            more = algebra.add(algebra.length(near), scalar(rest - near))
            return algebra.multiply(found, more)
        return algebra.multiply(found, scalar(rest))
    if fraction.denominator <= LARGEST_HALF:
        return scalar(fraction)
    if abs(value) == PI:
        return algebra.times(
            whole(Symbol((), digest("number", PI), text=name("pi"))), 1 if value > 0 else -1
        )
    sign = -1 if value < 0 else 1
    return algebra.times(
        whole(Symbol((), digest("number", abs(value)), text=number(abs(value)))), sign
    )


def _known(algebra: Algebra, node: Node) -> Tensor:
    """A constant: one number everywhere, the identity, or what it is."""
    value = np.asarray(node.known)
    if not value.size or node.kind == "bool":
        text = constant(value)
        return whole(Symbol(node.shape, digest("constant", value.tobytes()), text=text))
    if (value == value.flat[0]).all():
        single = number_of(algebra, float(value.flat[0]))
        return Tensor(node.shape, single.terms)
    if value.ndim == 2 and np.array_equal(value, np.eye(*value.shape)):
        return whole(delta(len(value)))
    key = digest("constant", value.shape, value.dtype.kind, value.tobytes())
    return whole(Symbol(node.shape, key, text=constant(value)))


def _aligned(tensor: Tensor, shape: Shape) -> Tensor:
    """A tensor broadcast to a shape."""
    lead = len(shape) - tensor.ndim
    return tensor.onto(range(lead, len(shape)), shape)


def _product(algebra: Algebra, node: Node, *operands: Tensor) -> Tensor:
    return algebra.multiply(*(_aligned(each, node.shape) for each in operands))


def _quotient(algebra: Algebra, node: Node, a: Tensor, b: Tensor) -> Tensor:
    return _product(algebra, node, a, algebra.power(b, Fraction(-1)))


def _sum(algebra: Algebra, node: Node, *operands: Tensor) -> Tensor:
    return algebra.add(*(_aligned(each, node.shape) for each in operands))


def _power(algebra: Algebra, node: Node, base: Tensor, exponent: Tensor) -> Tensor | None:
    """A power whose exponent is a known number."""
    if exponent.terms and any(each.factors for each in exponent.terms):
        return None
    power = sum((each.coefficient for each in exponent.terms), Fraction(0))
    return algebra.power(_aligned(base, node.shape), power)


def _matmul(algebra: Algebra, node: Node, a: Tensor, b: Tensor) -> Tensor:
    batch = len(node.shape) - (a.ndim > 1) - (b.ndim > 1)
    left = [*range(batch - max(0, a.ndim - 2), batch), *([batch] if a.ndim > 1 else []), BOUND]
    right = [
        *range(batch - max(0, b.ndim - 2), batch),
        BOUND,
        *([node.ndim - 1] if b.ndim > 1 else []),
    ]
    return algebra.product(node.shape, (a, left), (b, right))


def _contract(algebra: Algebra, node: Node, a: Tensor, b: Tensor) -> Tensor:
    inputs, _, out = node.attributes[0].partition("->")
    left, _, right = inputs.partition(",")
    label = {each: BOUND + place for place, each in enumerate(dict.fromkeys(left + right))}
    label |= {each: axis for axis, each in enumerate(out)}
    return algebra.product(
        node.shape, (a, [label[c] for c in left]), (b, [label[c] for c in right])
    )


def _sum_over(algebra: Algebra, x: Tensor, axes: Axes, shape: Shape) -> Tensor:
    """The sum over axes, counted from the right, in a shape with or without these."""
    gone = sorted(axis % x.ndim for axis in axes) if x.ndim else []
    total = algebra.total(x, gone)
    return _reshaped(algebra, total, shape)


def _summed(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    return _sum_over(algebra, x, node.op.axes(node), node.shape)


def _mean(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    found = _summed(algebra, node, x)
    count = algebra.multiply(
        scalar(1), *(algebra.length(x.shape[axis]) for axis in node.attributes[0])
    )
    return _product(algebra, node, found, algebra.power(count, Fraction(-1)))


def _reshaped(algebra: Algebra, x: Tensor, shape: Shape) -> Tensor:
    """The same with other axes of length 1."""
    old = [axis for axis, length in enumerate(x.shape) if length != 1]
    new = [axis for axis, length in enumerate(shape) if length != 1]
    moved = dict(zip(old, new, strict=True))
    return Tensor(shape, tuple(each.relabelled(moved) for each in x.terms))


def _reshape(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    """Axes of length 1 come and go; where all is equal any shape will do."""
    if not x.used:
        return Tensor(node.shape, x.terms)
    if [n for n in x.shape if n != 1] == [n for n in node.shape if n != 1]:
        return _reshaped(algebra, x, node.shape)
    return _shaped_back(algebra, x, node.shape) or _split_identity(algebra, x, node.shape)


def _shaped_back(algebra: Algebra, x: Tensor, shape: Shape) -> Tensor | None:
    """Products of tensors that had this shape before they were reshaped, as they were."""
    found = []
    for term in x.terms:
        parts: list[tuple[Tensor, Sequence[int]]] = []
        numbers = tuple(each for each in term.factors if not each.labels)
        for each in term.factors:
            if each in numbers:
                continue
            atom = each.atom
            if not (isinstance(atom, Applied) and atom.node.op is RESHAPE):
                return None
            (before,) = atom.operands
            if before.shape != shape or each.labels != tuple(range(x.ndim)):
                return None
            parts.append((algebra.power(before, each.power), range(len(shape))))
        scaled = Tensor((), (Term(term.coefficient, numbers),))
        found.append(algebra.product(shape, (scaled, ()), *parts))
    return algebra.add(*found) if found else None


def _split_identity(algebra: Algebra, x: Tensor, shape: Shape) -> Tensor | None:
    """A number times the identity, each of its axes as several: identities along these."""
    several, rest = shape[: len(shape) // 2], shape[len(shape) // 2 :]
    if x.ndim != 2 or several != rest or prod(several) != x.shape[0] or len(x.terms) != 1:
        return None
    (term,) = x.terms
    axes = [each for each in term.factors if each.labels]
    if len(axes) != 1 or not isinstance(axes[0].atom, Delta):
        return None
    numbers = Term(term.coefficient, tuple(each for each in term.factors if not each.labels))
    parts = [
        (whole(delta(length)), (axis, axis + len(several))) for axis, length in enumerate(several)
    ]
    return algebra.product(shape, (Tensor((), (numbers,)), ()), *parts)


def _permute(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    return x.permuted([axis % x.ndim for axis in node.attributes[0]])


def _diagonal(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    if node.attributes[0] or x.shape[-1] != x.shape[-2]:
        return None
    last = x.ndim - 2
    return algebra.product(node.shape, (x, [*range(last), last, last]))


def _diag_embed(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    rows, columns, offset = node.attributes
    if offset or rows != columns or rows != x.shape[-1]:
        return None
    last = x.ndim - 1
    return algebra.product(node.shape, (x, range(x.ndim)), (whole(delta(rows)), (last, last + 1)))


def _identity(algebra: Algebra, node: Node) -> Tensor | None:
    rows, columns, _ = node.attributes
    return whole(delta(rows)) if rows == columns else None


def _inverse(algebra: Algebra, x: Tensor) -> Tensor:
    symmetric = x.ndim == 2 and x.permuted((1, 0)).key == x.key
    key = digest("inv", x.key)
    return algebra.atom(Called(x.shape, key, name="inv", operands=(x,), symmetric=symmetric))


def _solve(algebra: Algebra, node: Node, a: Tensor, b: Tensor) -> Tensor | None:
    if node.ndim != 2:
        return None
    columns = 1 if node.shape[1] != 1 else -1
    right = (BOUND, columns)
    return algebra.product(node.shape, (_inverse(algebra, a), (0, BOUND)), (b, right))


def _softmax(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    return softmax(algebra, x, node.attributes[0] % x.ndim)


def softmax(algebra: Algebra, x: Tensor, axis: int) -> Tensor:
    """Softmax along an axis."""
    key = digest("softmax", x.key, axis)
    dim = (("dim", axis if x.ndim > 1 else -1),)
    return algebra.atom(Called(x.shape, key, name="softmax", operands=(x,), keywords=dim))


def _same(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    return x


def _cast(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    """Whole numbers count as floats by themselves."""
    return x if node.kind == "float" and node.inputs[0].kind == "int" else None


RULES: dict[Op | None, Rule] = {
    add.op: _sum,
    sub.op: lambda algebra, node, a, b: _sum(algebra, node, a, algebra.times(b, -1)),
    neg.op: lambda algebra, node, a: algebra.times(a, -1),
    mul.op: _product,
    scale.op: _product,
    div.op: _quotient,
    pow_.op: _power,
    square.op: lambda algebra, node, x: algebra.power(x, Fraction(2)),
    sqrt.op: lambda algebra, node, x: algebra.power(x, Fraction(1, 2)),
    rsqrt.op: lambda algebra, node, x: algebra.power(x, Fraction(-1, 2)),
    reciprocal.op: lambda algebra, node, x: algebra.power(x, Fraction(-1)),
    MATMUL: _matmul,
    CONTRACT: _contract,
    SUM: _summed,
    SUM_TO: _summed,
    MEAN: _mean,
    EXPAND: lambda algebra, node, x: _aligned(x, node.shape),
    RESHAPE: _reshape,
    PERMUTE: _permute,
    SLICE: picked,
    EMBED: placed,
    INDEX: indexed,
    PUT_ADD: put,
    GATHER: gathered,
    SCATTER_ADD: scattered,
    CLASSES: _same,
    DIAGONAL: _diagonal,
    DIAG_EMBED: _diag_embed,
    EYE: _identity,
    INV: lambda algebra, node, x: _inverse(algebra, x),
    SOLVE: _solve,
    SOFTMAX: _softmax,
    BIND: _same,
    LEAF: _same,
    DETACH: _same,
    CAST: _cast,
    CONSTANT: _known,
    LITERAL: _known,
}
"""By op: what it is in index notation. Other ops are atoms."""


def elementwise(algebra: Algebra, node: Node, shape: Shape, operands: Sequence[Tensor]) -> Tensor:
    """The function of single elements that a node computes, on other operands, which broadcast to
    `shape`: an atom with the axes along which it changes.
    """
    aligned = [_aligned(each, shape) for each in operands]
    axes = sorted({axis for each in aligned for axis in each.used})
    kept = tuple(shape[axis] for axis in axes)
    labels = {axis: place for place, axis in enumerate(axes)}
    narrow = tuple(
        Tensor(kept, tuple(term.relabelled(labels) for term in each.terms)) for each in aligned
    )
    key = digest(node.op, node.attributes, [each.key for each in narrow])
    symmetric = len(kept) == 2 and all(x.permuted((1, 0)).key == x.key for x in narrow)
    atom = Applied(kept, key, node=node, operands=narrow, symmetric=symmetric)
    return algebra.atom(atom).onto(axes, shape)


def _reduced(algebra: Algebra, node: Node, x: Tensor) -> Tensor:
    """A reduction: an atom without the axes that it reduces."""
    axes, keepdim, *more = node.attributes
    plain = node.graph.apply(node.op, node.inputs, (axes, False, *more)) if keepdim else node
    return _reshaped(algebra, _applied(algebra, plain, [x]), node.shape)


def _applied(algebra: Algebra, node: Node, operands: Sequence[Tensor]) -> Tensor:
    number = _common(operands[0]) if isinstance(node.op, Linear) and operands else Fraction(1)
    if number != 1:
        operands = [_times(operands[0], 1 / number), *operands[1:]]
    key = digest(node.op, node.attributes, [each.key for each in operands])
    return _times(
        algebra.atom(Applied(node.shape, key, node=node, operands=tuple(operands))), number
    )


def _times(x: Tensor, number: Fraction) -> Tensor:
    return Tensor(x.shape, tuple(term.times(number) for term in x.terms))


def _common(x: Tensor) -> Fraction:
    """A number that all terms have as their coefficient, apart from signs; that of the first."""
    sizes = {abs(term.coefficient) for term in x.terms}
    return x.terms[0].coefficient if len(sizes) == 1 and 0 not in sizes else Fraction(1)
