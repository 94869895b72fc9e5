"""Elements at places that inputs hold: `x[k]` by unit vectors, `x[arange(n), y]` by `one_hot`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.elements import units
from gradcli.algebra.terms import (
    BOUND,
    SINGLE,
    Applied,
    Factor,
    Place,
    Symbol,
    Tensor,
    Term,
    digest,
)
from gradcli.graph import Node, Shape
from gradcli.ops.classes import ONE_HOT
from gradcli.ops.creation import ARANGE
from gradcli.ops.indexing import are_neighbours
from gradcli.ops.kinds import CAST
from gradcli.ops.shaping import reshape


def indexed(algebra: Algebra, node: Node, x: Tensor, *indices: Tensor) -> Tensor | None:
    """`x[k]`, or an element of each row, as `x[arange(n), y]`."""
    axes = [axis + x.ndim for axis in node.attributes[0]]
    places = _named_places(indices, axes, x.ndim)
    row = _row(node, axes, x.shape)
    if places is not None:
        free = iter(range(node.ndim))
        labels = [next(free) if place is None else BOUND + i for i, place in enumerate(places)]
        return algebra.product(node.shape, (x, labels), *units(x.shape, places, BOUND))
    if row is None:
        return None
    first = axes[0] if are_neighbours(node.attributes[0]) else 0
    free = (axis for axis in range(node.ndim) if axis != first)
    labels = [BOUND + axis if axis in axes else next(free) for axis in range(x.ndim)]
    labels[row] = first
    chosen = _one_hots(algebra, node, indices, axes, x.shape)
    return algebra.product(
        node.shape, (x, labels), *((hot, (first, BOUND + axis)) for axis, hot in chosen)
    )


def put(algebra: Algebra, node: Node, x: Tensor, *indices: Tensor) -> Tensor | None:
    """Zeros but at a place, or at one of each row."""
    shape, negative = node.attributes
    axes = [axis + len(shape) for axis in negative]
    places = _named_places(indices, axes, len(shape))
    row = _row(node, axes, shape)
    if places is not None:
        free = [axis for axis, place in enumerate(places) if place is None]
        return algebra.product(shape, (x, free), *units(shape, places, 0))
    if row is None:
        return None
    labels = [axis for axis in range(len(shape)) if axis not in axes]
    labels.insert(axes[0] if are_neighbours(negative) else 0, row)
    chosen = _one_hots(algebra, node, indices, axes, shape)
    return algebra.product(shape, (x, labels), *((hot, (row, axis)) for axis, hot in chosen))


def _named_places(
    indices: Sequence[Tensor], axes: Sequence[int], ndim: int
) -> list[Place | None] | None:
    """The place along each axis; None if some index is no single number with a name."""
    found: list[Place | None] = [None] * ndim
    for axis, index in zip(axes, indices, strict=True):
        match index:
            case Tensor(shape=(), terms=(Term(factors=(Factor(atom=Symbol() as place),)),)):
                found[axis] = place
            case _:
                return None
    return found


def _row(node: Node, axes: Sequence[int], shape: Shape) -> int | None:
    """The one axis of which all places are asked for in turn, as in `x[arange(n), y]`."""
    indices = node.inputs[1:]
    rows = [axis for axis, index in zip(axes, indices, strict=True) if _counts(index, shape[axis])]
    if len(rows) != 1 or any(index.shape != (shape[rows[0]],) for index in indices):
        return None
    return rows[0]


def _counts(index: Node, length: int) -> bool:
    """Whether an index is 0, 1, … up to a length."""
    while index.op is CAST:
        (index,) = index.inputs
    return index.op is ARANGE and index.attributes[:3] == (0.0, length, 1.0)


def _one_hots(
    algebra: Algebra, node: Node, indices: Sequence[Tensor], axes: Sequence[int], shape: Shape
) -> Iterator[tuple[int, Tensor]]:
    """By axis: for each row, where 1 stands along the axis."""
    for axis, index, operand in zip(axes, node.inputs[1:], indices, strict=True):
        if not _counts(index, shape[axis]):
            yield axis, _one_hot(algebra, index, operand, shape[axis])


def _one_hot(algebra: Algebra, index: Node, operand: Tensor, length: int) -> Tensor:
    hot = index.graph.apply(ONE_HOT, (index,), (length,))
    key = digest(hot.op, hot.attributes, [operand.key])
    return algebra.atom(Applied(hot.shape, key, node=hot, operands=(operand,)))


def gathered(algebra: Algebra, node: Node, x: Tensor, index: Tensor) -> Tensor | None:
    """`gather(x, 1, y[:, None])`: one element along an axis for each place along the others."""
    found = _along(algebra, node, index, x.shape, node.attributes[0])
    if found is None:
        return None
    hot, axis, others = found
    labels = [BOUND if i == axis else i for i in range(x.ndim)]
    return algebra.product(node.shape, (x, labels), (hot, (*others, BOUND)))


def scattered(algebra: Algebra, node: Node, x: Tensor, index: Tensor) -> Tensor | None:
    """Zeros but at one place along an axis, for each place along the others."""
    shape, negative = node.attributes
    found = _along(algebra, node, index, shape, negative)
    if found is None:
        return None
    hot, axis, others = found
    labels = [SINGLE if i == axis else i for i in range(x.ndim)]
    return algebra.product(shape, (x, labels), (hot, (*others, axis)))


def _along(
    algebra: Algebra, node: Node, index: Tensor, shape: Shape, negative: int
) -> tuple[Tensor, int, Sequence[int]] | None:
    """Where 1 stands along an axis, the axis and the others; None if the index has several
    places, or not all of the others, or one of length 1.
    """
    axis = negative + len(shape)
    others = [i for i in range(len(shape)) if i != axis]
    lengths = tuple(shape[i] for i in others)
    if index.shape != (*shape[:axis], 1, *shape[axis + 1 :]) or 1 in lengths:
        return None
    flat = reshape(node.inputs[1], lengths)
    operand = index.onto([i - (i > axis) for i in range(index.ndim)], lengths)
    return _one_hot(algebra, flat, operand, shape[axis]), axis, others
