"""Indexing: `x[...]` as in PyTorch, places along an axis, triangles and diagonals.

Adjoint pairs: index ↔ put_add, gather ↔ scatter_add, diagonal ↔ diag_embed, tril, triu ↔ itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.shaping import expand, flatten, permute, reshape, take_slices
from gradcli.ops.table import (
    Axes,
    Case,
    Index,
    Linear,
    broadcast,
    function,
    normalize_axis,
    show,
)

# --- places named by index arrays ----------------------------------------------------------


def _places(xp: Any, indices: Sequence[Array], axes: Axes, ndim: int) -> tuple[Any, ...]:
    """What to put between the brackets: the arrays at their axes, `:` elsewhere."""
    places: list[Any] = [slice(None)] * ndim
    for axis, index in zip(axes, indices, strict=True):
        places[axis] = index
    return tuple(places)


def _indexed_shape(x: Node, *rest: Any) -> Shape:
    *indices, axes = rest
    found = broadcast("index", [index.shape for index in indices])
    if axes[-1] - axes[0] == len(axes) - 1:  # neighbours: the found axes stand in their place
        first = axes[0] + x.ndim
        return (*x.shape[:first], *found, *x.shape[first + len(axes) :])
    return (*found, *(n for i, n in enumerate(x.shape) if i - x.ndim not in axes))


def _index(xp: Any, x: Array, *rest: Any) -> Array:
    *indices, axes = rest
    _check_bounds(x.shape, indices, axes)
    return x[_places(xp, indices, axes, x.ndim)]  # type: ignore[no-any-return]


def _check_bounds(shape: Shape, indices: Sequence[Array], axes: Axes) -> None:
    for axis, index in zip(axes, indices, strict=True):
        length = shape[axis]
        wrong = (index < -length) | (index >= length)
        if wrong.any():
            raise GradcliError(
                "index",
                f"index {int(index[wrong].flat[0])} is out of range for an axis of {length}",
                hint=f"indices are from {-length} to {length - 1}" if length else None,
            )


def _put_add(xp: Any, change: Array, *rest: Any) -> Array:
    *indices, shape, axes = rest
    result = xp.zeros(shape, change.dtype)
    xp.add.at(result, _places(xp, indices, axes, len(shape)), change)
    return result  # type: ignore[no-any-return]


INDEX: Linear = Linear(
    "index",
    infer=_indexed_shape,
    forward=_index,
    adjoints=(
        lambda change, y, x, *rest: x.graph.apply(
            PUT_ADD, (change, *rest[:-1]), (x.shape, rest[-1])
        ),
    ),
    selects=True,
)
PUT_ADD: Linear = Linear(
    "put_add",
    infer=lambda change, *rest: rest[-2],
    forward=_put_add,
    adjoints=(lambda change, y, x, *rest: x.graph.apply(INDEX, (change, *rest[:-2]), (rest[-1],)),),
)

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
        )
    dots = sum(item is Ellipsis for item in items)
    if dots > 1:
        raise GradcliError("index", "only one ... may stand between the brackets")
    full: list[Item] = [slice(None)] * (x.ndim - used)
    spread: list[Item] = []
    for item in items:
        spread.extend(full if item is Ellipsis else [item])
    return spread if dots else spread + full


def _checked(index: int, length: int, axis: int) -> int:
    """The index counted from the left."""
    if not -length <= index < length:
        raise GradcliError(
            "index",
            f"index {index} is out of range for axis {axis}, which has {length} elements",
            hint=f"indices are from {-length} to {length - 1}" if length else None,
        )
    return index % length


def _bounds(item: slice, length: int) -> tuple[int, int, int]:
    if item.step == 0:
        raise GradcliError("value", "the step of a slice is 0")
    return item.indices(length)


# --- places along one axis -----------------------------------------------------------------


def _grid(xp: Any, index: Array, axis: int) -> tuple[Any, ...]:
    """Index arrays that address, for each place of `index`, that place with `axis` replaced."""
    places: list[Any] = []
    for i, length in enumerate(index.shape):
        around = [1] * index.ndim
        around[i] = length
        places.append(xp.reshape(xp.arange(length), tuple(around)))
    places[axis] = index
    return tuple(places)


def _gather(xp: Any, x: Array, index: Array, axis: int) -> Array:
    _check_bounds(x.shape, [index], (axis,))
    return x[_grid(xp, index, axis)]  # type: ignore[no-any-return]


def _scatter_add(xp: Any, change: Array, index: Array, shape: Shape, axis: int) -> Array:
    result = xp.zeros(shape, change.dtype)
    xp.add.at(result, _grid(xp, index, axis), change)
    return result  # type: ignore[no-any-return]


GATHER: Linear = Linear(
    "gather",
    infer=lambda x, index, axis: index.shape,
    forward=_gather,
    adjoints=(
        lambda change, y, x, index, axis: x.graph.apply(
            SCATTER_ADD, (change, index), (x.shape, axis)
        ),
    ),
    selects=True,
)
SCATTER_ADD: Linear = Linear(
    "scatter_add",
    infer=lambda change, index, shape, axis: shape,
    forward=_scatter_add,
    adjoints=(
        lambda change, y, x, index, shape, axis: x.graph.apply(GATHER, (change, index), (axis,)),
    ),
)


@function(
    "gather",
    "indexing",
    op=GATHER,
    cases=[
        Case("gather(x, 1, [[0, 2], [1, 1]])"),
        Case("x.gather(0, [[0, 1, 1]])"),
    ],
)
def gather(x: Node, dim: int, index: Index) -> Node:
    """The elements of x whose place along `dim` is in `index`; other places are the index's own."""
    axis = normalize_axis("gather", dim, x.ndim)
    fits = index.ndim == x.ndim and all(
        a <= b or i - x.ndim == axis
        for i, (a, b) in enumerate(zip(index.shape, x.shape, strict=True))
    )
    if not fits:
        raise GradcliError(
            "shape", f"gather: an index of {show(index.shape)} does not fit in {show(x.shape)}"
        )
    return x.graph.apply(GATHER, (x, index), (axis,))


@function(
    "take_along_dim",
    "indexing",
    aliases=("take_along_axis",),
    cases=[Case("take_along_dim(x, [[0], [2]], dim=1)")],
)
def take_along_dim(x: Node, indices: Index, dim: int | None = None) -> Node:
    """As `gather`, with x and the indices broadcast against each other beside `dim`."""
    if dim is None:
        return gather(flatten(x), 0, flatten(indices))
    axis = normalize_axis("take_along_dim", dim, x.ndim)
    if indices.ndim != x.ndim:
        raise GradcliError(
            "shape",
            f"take_along_dim: {show(indices.shape)} and {show(x.shape)} must have equally many "
            "dimensions",
        )

    def without_axis(shape: Shape) -> Shape:
        return (*shape[: len(shape) + axis], 1, *shape[len(shape) + axis + 1 :])

    around = list(broadcast("take_along_dim", [without_axis(x.shape), without_axis(indices.shape)]))

    def widened(node: Node) -> Node:
        around[axis] = node.shape[axis]
        return expand(node, tuple(around))

    return gather(widened(x), axis, widened(indices))


# --- triangles and diagonals ---------------------------------------------------------------

TRIL: Linear = Linear(
    "tril",
    infer=lambda x, diagonal: x.shape,
    forward=lambda xp, x, diagonal: xp.tril(x, k=diagonal),
    adjoints=(lambda change, y, x, diagonal: x.graph.apply(TRIL, (change,), (diagonal,)),),
    selects=True,
)
TRIU: Linear = Linear(
    "triu",
    infer=lambda x, diagonal: x.shape,
    forward=lambda xp, x, diagonal: xp.triu(x, k=diagonal),
    adjoints=(lambda change, y, x, diagonal: x.graph.apply(TRIU, (change,), (diagonal,)),),
    selects=True,
)


@function("tril", "indexing", op=TRIL, cases=[Case("tril(x)"), Case("tril(x, diagonal=-1)")])
def tril(x: Node, diagonal: int = 0) -> Node:
    """x on and below a diagonal of its last two axes, 0 above it."""
    _check_matrix("tril", x)
    return x.graph.apply(TRIL, (x,), (diagonal,))


@function("triu", "indexing", op=TRIU, cases=[Case("triu(x)"), Case("triu(x, diagonal=1)")])
def triu(x: Node, diagonal: int = 0) -> Node:
    """x on and above a diagonal of its last two axes, 0 below it."""
    _check_matrix("triu", x)
    return x.graph.apply(TRIU, (x,), (diagonal,))


def _check_matrix(name: str, x: Node) -> None:
    if x.ndim < 2:
        raise GradcliError("shape", f"{name} needs at least 2 dimensions; this is {show(x.shape)}")


def _diagonal_length(shape: Shape, offset: int) -> int:
    rows, columns = shape[-2:]
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


def _diag_embed(xp: Any, x: Array, rows: int, columns: int, offset: int) -> Array:
    result = xp.zeros((*x.shape[:-1], rows, columns), x.dtype)
    places = xp.arange(x.shape[-1])
    result[..., places - min(offset, 0), places + max(offset, 0)] = x
    return result  # type: ignore[no-any-return]


DIAGONAL: Linear = Linear(
    "diagonal",
    infer=lambda x, offset: (*x.shape[:-2], _diagonal_length(x.shape, offset)),
    forward=lambda xp, x, offset: xp.diagonal(x, offset, -2, -1),
    adjoints=(
        lambda change, y, x, offset: x.graph.apply(DIAG_EMBED, (change,), (*x.shape[-2:], offset)),
    ),
    selects=True,
    view=True,
)
DIAG_EMBED: Linear = Linear(
    "diag_embed",
    infer=lambda x, rows, columns, offset: (*x.shape[:-1], rows, columns),
    forward=_diag_embed,
    adjoints=(
        lambda change, y, x, rows, columns, offset: x.graph.apply(DIAGONAL, (change,), (offset,)),
    ),
)


@function(
    "diagonal",
    "indexing",
    op=DIAGONAL,
    cases=[
        Case("diagonal(x)"),
        Case("diagonal(x, 1)"),
        Case("diagonal(x, -1, dim1=0, dim2=2)", {"x": (3, 2, 3)}),
    ],
)
def diagonal(x: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    """The diagonal over the axes `dim1` and `dim2`, as a new last axis."""
    _check_matrix("diagonal", x)
    rows = normalize_axis("diagonal", dim1, x.ndim)
    columns = normalize_axis("diagonal", dim2, x.ndim)
    if rows == columns:
        raise GradcliError("axis", "diagonal: dim1 and dim2 are the same axis")
    others = (axis for axis in range(-x.ndim, 0) if axis not in (rows, columns))
    return x.graph.apply(DIAGONAL, (permute(x, (*others, rows, columns)),), (offset,))


@function(
    "diag_embed",
    "indexing",
    op=DIAG_EMBED,
    cases=[Case("diag_embed(x)"), Case("diag_embed(x, offset=-1)")],
)
def diag_embed(x: Node, offset: int = 0) -> Node:
    """Matrices that are 0 but for the last axis of x on a diagonal."""
    if not x.shape:
        raise GradcliError("shape", "diag_embed needs at least one dimension")
    length = x.shape[-1] + abs(offset)
    return x.graph.apply(DIAG_EMBED, (x,), (length, length, offset))


@function(
    "diag",
    "indexing",
    cases=[Case("diag(x)"), Case("diag(x, 1)"), Case("diag(x, -1)", {"x": (3,)})],
)
def diag(x: Node, diagonal: int = 0) -> Node:
    """The diagonal of a matrix; of a vector, the matrix that has it as its diagonal."""
    if x.ndim == 1:
        return diag_embed(x, diagonal)
    if x.ndim != 2:
        raise GradcliError(
            "shape",
            f"diag takes a vector or a matrix; this is {show(x.shape)}",
            hint="use diagonal(x, dim1=…, dim2=…) for more dimensions",
        )
    return x.graph.apply(DIAGONAL, (x,), (diagonal,))
