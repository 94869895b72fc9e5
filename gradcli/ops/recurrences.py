"""Linear recurrences along an axis, of which running products and their derivatives consist."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Op, Shape
from gradcli.ops.axes import flip
from gradcli.ops.exponential import exp
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General
from gradcli.ops.promotion import promoted
from gradcli.ops.shapes import normalize_axis, reduced, show
from gradcli.ops.shaping import expand, part
from gradcli.ops.sums import wide, wide_copies
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("scan")

WIDE = 1 << 11
"""With this many elements in a call, NumPy works efficiently."""


def delayed(x: Node, axis: int, first: float) -> Node:
    """x one place later along an axis: `first`, then all of x but its last place."""
    if not x.shape[axis]:
        return x
    start = expand(x.graph.constant(first), reduced(x.shape, (axis,), keepdim=True))
    return cat([start, part(x, axis, 0, x.shape[axis] - 1)], axis)


def scan(op: Op, x: Node, dim: int) -> Node:
    """A node of an op that goes along one axis."""
    axis = normalize_axis(op.name, dim, x.ndim)
    (x,) = promoted(op, (x,))
    return x.graph.apply(op, (x,), (axis,)) if x.ndim else x


def _recurrence(xp: ArrayNamespace, factor: Array, x: Array, axis: int) -> Array:
    """y[k] = x[k] + factor[k] · y[k-1]."""
    if xp.__name__ != "numpy":
        return _by_doubling(xp, factor, x, axis)
    y = np.array(x, wide(x.dtype))
    pieces = _pieces(y.shape, axis)
    places = np.moveaxis(y, axis, 0)
    factors = np.moveaxis(np.broadcast_to(factor, y.shape), axis, 0)
    if pieces > 1:
        _join_pieces(factors, places, pieces)
    elif y.size:
        _step(factors, places)
    return y.astype(x.dtype, copy=False)


def _pieces(shape: Shape, axis: int) -> int:
    """The number of pieces of the axis to compute in parallel."""
    length = shape[axis]
    around = math.prod(shape) // max(1, length)
    return min(math.isqrt(length), WIDE // around) if around else 0


def _step(factor: Array, y: Array) -> None:
    """The recurrence in place, along the first axis, index by index."""
    before = np.empty_like(y[0])
    for k in range(1, len(y)):
        np.multiply(factor[k], y[k - 1], out=before)
        np.add(y[k], before, out=y[k, ...])


def _join_pieces(factor: Array, y: Array, count: int) -> None:
    """The same where there are few elements at each index: pieces of the axis are computed in
    parallel, as if each began with 0; then the last value of the piece before is added, times the
    running products.
    """
    length = -(-len(y) // count)

    def side_by_side(x: Array) -> Array:
        padded = np.zeros((count * length, *y.shape[1:]), y.dtype)
        padded[: len(y)] = x
        return np.moveaxis(padded.reshape(count, length, *y.shape[1:]), 0, 1).copy()

    pieces, factors = side_by_side(y), side_by_side(factor)
    _step(factors, pieces)
    np.multiply.accumulate(factors, axis=0, out=factors)
    for k in range(1, count):
        pieces[-1, k] += _times(factors[-1, k], pieces[-1, k - 1])
    pieces[:-1, 1:] += _times(factors[:-1, 1:], pieces[-1, :-1])
    y[...] = np.moveaxis(pieces, 1, 0).reshape(count * length, *y.shape[1:])[: len(y)]


def _times(product: Array, before: Array) -> Array:
    """product · before; 0 stays 0 where a product of many factors overflows."""
    found = np.asarray(product * before)
    np.copyto(found, 0.0, where=(before == 0) & np.isinf(product))
    return found


def _by_doubling(xp: ArrayNamespace, factor: Array, x: Array, axis: int) -> Array:
    """The same in few rounds, each of which doubles the length of the spans."""
    y = xp.array(xp.moveaxis(x, axis, -1), wide(x.dtype))
    product = xp.array(xp.moveaxis(factor, axis, -1), y.dtype)
    span = 1
    while span < y.shape[-1]:
        y[..., span:] += product[..., span:] * y[..., :-span]
        product[..., span:] = product[..., span:] * product[..., :-span]
        span *= 2
    return xp.moveaxis(y, -1, axis).astype(x.dtype, copy=False)


class Recurrence(General):
    """y[k] = x[k] + f(factor)[k] · y[k-1] along an axis, and its adjoint, which runs backwards."""

    def __init__(
        self,
        name: str,
        function: Callable[[Any, Array], Array],
        derivative: Callable[[Node], Node | float],
        made: int = 0,
    ) -> None:
        """`function` is f, which gets arrays in the type of sums, and `derivative` is f'; `made` is
        how many arrays f makes.
        """

        def forward(xp: ArrayNamespace, factor: Array, x: Array, axis: int) -> Array:
            factor = factor.astype(wide(factor.dtype), copy=False)
            return _recurrence(xp, function(xp, factor), x, axis)

        super().__init__(
            name,
            infer=lambda factor, x, axis: (x.shape, "float"),
            forward=forward,
            adjoints=(
                lambda change, y, factor, x, axis: (
                    self.backwards(factor, change, axis)
                    * delayed(y, axis, 0.0)
                    * derivative(factor)
                ),
                lambda change, y, factor, x, axis: self.backwards(factor, change, axis),
            ),
            forward_rule=self._tangent,
            batched=lambda y, factor, x, axis: self.of(factor, x, axis),
            work=lambda node: _work(node) + made * node.inputs[0].size,
        )
        self._derivative = derivative

    def of(self, factor: Node, x: Node, axis: int) -> Node:
        return x.graph.apply(self, (factor, x), (axis,))

    def backwards(self, factor: Node, change: Node, axis: int) -> Node:
        """s[k] = change[k] + f(factor)[k+1] · s[k+1]."""
        later = delayed(flip(factor, axis), axis, 0.0)
        return flip(self.of(later, flip(change, axis), axis), axis)

    def _tangent(
        self, tangents: Sequence[Node | None], y: Node, factor: Node, x: Node, axis: int
    ) -> Node:
        """t[k] = x'[k] + f(factor)'[k] · y[k-1] + f(factor)[k] · t[k-1]."""
        by_factor, by_x = tangents
        if by_factor is None:
            assert by_x is not None, "one of the operands has a tangent"
            return self.of(factor, by_x, axis)
        change = by_factor * delayed(y, axis, 0.0) * self._derivative(factor)
        return self.of(factor, change if by_x is None else by_x + change, axis)


def _work(node: Node) -> float:
    pieces = 3 * node.size if _pieces(node.shape, node.attributes[0]) > 1 else 0
    return pieces + wide_copies(node)


RECURRENCE = Recurrence("recurrence", lambda xp, factor: factor, lambda factor: 1.0)
DECAY = Recurrence("decay", lambda xp, exponent: xp.exp(exponent), exp.build, made=1)


@table.function(
    op=RECURRENCE,
    cases=[
        Case("recurrence(a, x, 1)", {"a": (2, 4), "x": (2, 4)}),
        Case("recurrence(a, x, 0)", {"a": (5, 2), "x": (5, 2)}),
    ],
    formula="y[k] = x[k] + factor[k] * y[k-1]",
)
def recurrence(factor: Node, x: Node, dim: int) -> Node:
    """The linear recurrence y[k] = x[k] + factor[k] * y[k-1] along `dim`; factor[0] is not used."""
    return _called(RECURRENCE, factor, x, dim)


@table.function(
    op=DECAY,
    cases=[Case("decay(a, x, 1)", {"a": (2, 4), "x": (2, 4)})],
    formula="y[k] = x[k] + exp(exponent[k]) * y[k-1]",
)
def decay(exponent: Node, x: Node, dim: int) -> Node:
    """`recurrence` with the factors exp(exponent): near 1 they keep all digits of the exponent."""
    return _called(DECAY, exponent, x, dim)


def _called(op: Recurrence, factor: Node, x: Node, dim: int) -> Node:
    if factor.shape != x.shape:
        raise GradcliError(
            "shape", f"{op.name}: shapes {show(factor.shape)} and {show(x.shape)} must be equal"
        )
    axis = normalize_axis(op.name, dim, x.ndim)
    return op.of(factor, x, axis) if x.ndim else x
