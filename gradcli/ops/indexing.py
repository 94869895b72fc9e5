"""Indexing: `x[...]` as PyTorch reads it. Adjoint pairs: slice ↔ embed, index ↔ put_add."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Graph, Node, Shape
from gradcli.language.construct import WHOLE, call, number, numbers, subscript
from gradcli.language.construct import index as as_index
from gradcli.language.syntax import Expression
from gradcli.ops.kinds import Linear
from gradcli.ops.shapes import Axes, broadcast, show
from gradcli.ops.shaping import reshape, take_slices
from gradcli.ops.sums import add_at, wide_copies

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

BYTES_A_PLACE = 24
"""Bytes of an int64 and of the temporary arrays for it."""

# --- places named by index arrays ----------------------------------------------------------


def _places(xp: ArrayNamespace, indices: Sequence[Array], axes: Axes, ndim: int) -> tuple[Any, ...]:
    """What to put between the brackets: the arrays at their axes, `:` elsewhere."""
    places: list[Any] = [slice(None)] * ndim
    for axis, index in zip(axes, indices, strict=True):
        places[axis] = index
    return tuple(places)


def _indexed_shape(x: Node, *rest: Any) -> Shape:
    *indices, axes = rest
    shapes = [index.shape for index in indices]
    try:
        found = broadcast("index", shapes)
    except GradcliError as error:
        listed = ", ".join(str([*each]) for each in shapes)
        said = (
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        )
        told = error.diagnostic
        raise RefusedError(("IndexError", said), "shape", told.message, told.hint) from None
    if are_neighbours(axes):  # the axes of the result stand there
        first = axes[0] + x.ndim
        return (*x.shape[:first], *found, *x.shape[first + len(axes) :])
    return (*found, *(n for i, n in enumerate(x.shape) if i - x.ndim not in axes))


def are_neighbours(axes: Axes) -> bool:
    """Whether no other axis lies between these: otherwise the axes of the result come first."""
    return axes[-1] - axes[0] == len(axes) - 1


def _index(xp: ArrayNamespace, x: Array, *rest: Any) -> Array:
    *indices, axes = rest
    check_bounds(x.shape, indices, axes)
    return x[_places(xp, indices, axes, x.ndim)]  # type: ignore[no-any-return]


def check_bounds(shape: Shape, indices: Sequence[Array], axes: Axes, what: str = "") -> None:
    for axis, index in zip(axes, indices, strict=True):
        length = shape[axis]
        # Without a sign what is below the first place is above the last: one comparison for both.
        if index.size and (index + length).view(np.uint64).max() >= 2 * length:
            wrong = (index < -length) | (index >= length)
            raise GradcliError(
                "index",
                f"{what}index {int(index[wrong].flat[0])} is out of range for an axis of {length}",
                hint=_range_hint(length),
            )


def _range_hint(length: int) -> str:
    return f"indices are from {-length} to {length - 1}" if length else "this axis is empty"


def _put_add(xp: ArrayNamespace, change: Array, *rest: Any) -> Array:
    *indices, shape, axes = rest
    check_bounds(shape, indices, axes)
    places = _places(xp, indices, axes, len(shape))
    return add_at(xp, xp.zeros(shape, change.dtype), places, change)


def _index_spelled(node: Node, x: Expression, *indices: Expression) -> Expression:
    items: list[Any] = [WHOLE] * node.inputs[0].ndim
    for axis, index in zip(node.attributes[0], indices, strict=True):
        items[axis] = as_index(index)
    return subscript(x, items)


def _put_add_spelled(node: Node, x: Expression, *indices: Expression) -> Expression:
    shape, axes = node.attributes
    dims = [axis + len(shape) for axis in axes]
    if len(indices) == 1 and node.inputs[1].ndim == 1:
        zeros = call("zeros", *map(number, shape))
        return call("index_add", zeros, number(dims[0]), as_index(indices[0]), x)
    return call("put_add", x, numbers(shape), numbers(dims), *map(as_index, indices))


INDEX: Linear = Linear(
    "index",
    infer=_indexed_shape,
    forward=_index,
    refuses=True,
    adjoints=(
        lambda change, y, x, *rest: x.graph.apply(
            PUT_ADD, (change, *rest[:-1]), (x.shape, rest[-1])
        ),
    ),
    batched=lambda y, x, *rest: (
        x.graph.apply(INDEX, (x, *rest[:-1]), rest[-1:]) if are_neighbours(rest[-1]) else None
    ),
    selects=True,
    spell=_index_spelled,
)
PUT_ADD: Linear = Linear(
    "put_add",
    infer=lambda change, *rest: rest[-2],
    forward=_put_add,
    refuses=True,
    adjoints=(lambda change, y, x, *rest: x.graph.apply(INDEX, (change, *rest[:-2]), (rest[-1],)),),
    work=wide_copies,
    batched=lambda y, x, *rest: (
        x.graph.apply(PUT_ADD, (x, *rest[:-2]), ((x.shape[0], *rest[-2]), rest[-1]))
        if are_neighbours(rest[-1])
        else None
    ),
    spell=_put_add_spelled,
)


def check_places(graph: Graph, name: str, count: int) -> None:
    """Raise `limit-memory` if an index is too long for an array made while the graph is built."""
    graph.ledger.require(count * BYTES_A_PLACE, f"{name}, with an index of {count:,} places,")


def index_along(x: Node, axis: int, index: Node) -> Node:
    """The elements of x at places along one axis; the index's axes stand in that axis's place."""
    return x.graph.apply(INDEX, (x, index), ((axis,),))


Item: TypeAlias = "int | slice | EllipsisType | Node | None"
"""One subscript: `x[3]`, `x[1:10:2]`, `x[...]`, `x[None]`, `x[[0, 2]]`, `x[x > 0]`.

Bounds of slices are plain integers or None. A node holds integers, or truth values, which the
caller has turned into integers: one node for every axis of the mask, as `nonzero` gives them.
"""


def getitem(x: Node, items: Sequence[Item]) -> Node:
    """`x[items]`, as PyTorch reads it: single integers first, then arrays of integers together."""
    slices: list[tuple[int, int, int]] = []
    shape: list[int] = []
    arrays: dict[int, Node] = {}  # axis of the sliced tensor to its index array
    for item in _spread(items, x):
        if item is None:
            shape.append(1)
            continue
        length = x.shape[len(slices)]
        if isinstance(item, int):
            slices.append((_checked(item, length, len(slices)), 1, 1))
        elif isinstance(item, slice):
            start, stop, step = _bounds(item, length)
            slices.append((start, len(range(start, stop, step)), step))
            shape.append(slices[-1][1])
        else:
            assert isinstance(item, Node)
            arrays[len(shape)] = item
            slices.append((0, length, 1))
            shape.append(length)
    result = reshape(take_slices(x, tuple(slices)), tuple(shape))
    if not arrays:
        return result
    axes = tuple(place - result.ndim for place in arrays)
    return x.graph.apply(INDEX, (result, *arrays.values()), (axes,))


def _spread(items: Sequence[Item], x: Node) -> list[Item]:
    """The subscripts with `...`, and what is left out at the end, written as `:`."""
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > x.ndim:
        raise GradcliError(
            "index",
            f"{used} indices for {x.ndim} dimension{'' if x.ndim == 1 else 's'}: "
            f"this tensor is {show(x.shape)}",
            hint="None makes an axis, : keeps one: x[:, None]"
            if x.ndim
            else "a single value has no elements: leave the index out",
        )
    dots = [place for place, item in enumerate(items) if item is Ellipsis]
    behind = items[dots[1] :] if len(dots) > 1 and used < x.ndim else ()
    if any(item is not None and item is not Ellipsis for item in behind):
        raise GradcliError(
            "index",
            "only one ... may stand between the brackets before other indices",
            hint="write : for one axis",
        )
    full: list[Item] = [slice(None)] * (x.ndim - used)
    spread: list[Item] = []
    for place, item in enumerate(items):
        if item is not Ellipsis:
            spread.append(item)
        elif place == dots[0]:
            spread += full
    return spread if dots else spread + full


def _checked(index: int, length: int, axis: int) -> int:
    """The index counted from the left."""
    if not -length <= index < length:
        raise GradcliError(
            "index",
            f"index {index} is out of range for axis {axis}, which has {length} elements",
            hint=_range_hint(length),
        )
    return index % length


def _bounds(item: slice, length: int) -> tuple[int, int, int]:
    if item.step == 0:
        raise GradcliError("value", "the step of a slice is 0", hint="x[::1] is every element")
    return item.indices(length)
