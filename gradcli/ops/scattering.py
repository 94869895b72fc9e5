"""Places along one axis: gathering from them and scattering to them.

Adjoint pair: gather ↔ scatter_add.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import call, number, numbers
from gradcli.language.construct import index as as_index
from gradcli.language.syntax import Expression
from gradcli.ops.comparison import eq
from gradcli.ops.creation import arange
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_bounds
from gradcli.ops.kinds import General, Linear
from gradcli.ops.selection import where
from gradcli.ops.shapes import broadcast, normalize_axis, show
from gradcli.ops.shaping import expand, flatten, part, reshape
from gradcli.ops.splits import along_others
from gradcli.ops.sums import add_at, wide_copies
from gradcli.ops.table import Case, Index, whole

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("indexing")


def _grid(xp: ArrayNamespace, index: Array, axis: int) -> tuple[Any, ...]:
    """Index arrays that address, for each place of `index`, that place with `axis` replaced."""
    places: list[Any] = []
    for i, length in enumerate(index.shape):
        around = [1] * index.ndim
        around[i] = length
        places.append(xp.reshape(xp.arange(length), tuple(around)))
    places[axis] = index
    return tuple(places)


def _numbers(index: Array, shape: Shape, axis: int) -> Array:
    """The same places as numbers of elements in C order: with one array of them, NumPy takes a
    quarter of the time.
    """
    step = math.prod(shape[len(shape) + axis + 1 :])
    numbers: Array = np.multiply(index, step, order="C")
    if (index < 0).any():
        numbers += (index < 0) * (shape[axis] * step)
    step = 1
    for i in range(-1, -len(shape) - 1, -1):
        if i != axis:
            numbers += (np.arange(index.shape[i]) * step).reshape(-1, *[1] * (-1 - i))
        step *= shape[i]
    return numbers


def _gather(xp: ArrayNamespace, x: Array, index: Array, axis: int) -> Array:
    check_bounds(x.shape, [index], (axis,), f"dim {axis + x.ndim} of gather: ")
    others = [i for i in range(-x.ndim, 0) if i != axis]
    if x.size and not any(x.strides[i] for i in others if x.shape[i] > 1):  # all lines are alike
        first = xp.moveaxis(x, axis, -1)[(0,) * len(others)]
        return xp.take(first, index)
    if xp is np and x.size and x.flags.c_contiguous:  # else the row would be a copy
        return x.reshape(-1).take(_numbers(index, x.shape, axis))
    return x[_grid(xp, index, axis)]  # type: ignore[no-any-return]


def _scatter_add(xp: ArrayNamespace, change: Array, index: Array, shape: Shape, axis: int) -> Array:
    check_bounds(shape, [index], (axis,), f"dim {axis + len(shape)} of scatter: ")
    if xp is np and change.size:
        zeros = np.zeros(math.prod(shape), change.dtype)
        places = _numbers(index, shape, axis).reshape(-1)
        return add_at(xp, zeros, (places,), change.reshape(-1)).reshape(shape)
    return add_at(xp, xp.zeros(shape, change.dtype), _grid(xp, index, axis), change)


def _gather_spelled(node: Node, x: Expression, index: Expression) -> Expression:
    return call("gather", x, number(node.attributes[0] + node.ndim), as_index(index))


def _scatter_spelled(node: Node, x: Expression, index: Expression) -> Expression:
    """`put_add` at every place of the index, its number along the axis replaced."""
    shape, axis = node.attributes
    given = node.inputs[1]
    places: list[Expression] = []
    for i, length in enumerate(given.shape):
        around = [1] * given.ndim
        around[i] = length
        places.append(call("reshape", call("arange", number(length)), *map(number, around)))
    places[axis] = as_index(index)
    return call("put_add", x, numbers(shape), numbers(range(len(shape))), *places)


def _wrapped(xp: ArrayNamespace, index: Array, length: int) -> Array:
    check_bounds((length,), [index], (0,))
    return xp.where(index < 0, index + length, index)


WRAPPED = General(
    "wrapped",
    infer=lambda index, length: (index.shape, index.kind),
    forward=_wrapped,
    refuses=True,
)
"""Places along an axis of a length, counted from its start."""


def _scatter_add_parts(change: Node, index: Node, shape: Shape, axis: int) -> Node | None:
    """One number for each line along the axis, which stands where the line's place is its own: a
    region sweeps over that with what it is added to.
    """
    lines = tuple(1 if i - len(shape) == axis else n for i, n in enumerate(shape))
    if not change.shape == index.shape == lines:
        return None
    length = shape[axis]
    places = reshape(arange(change.graph, length), -1, *[1] * (-1 - axis))
    here = eq(places, change.graph.apply(WRAPPED, (index,), (length,)))
    return where(here, change, 0.0)


GATHER: Linear = Linear(
    "gather",
    infer=lambda x, index, axis: index.shape,
    forward=_gather,
    refuses=True,
    adjoints=(
        lambda change, y, x, index, axis: x.graph.apply(
            SCATTER_ADD, (change, index), (x.shape, axis)
        ),
    ),
    batched=lambda y, x, index, axis: x.graph.apply(GATHER, (x, _repeated(index, x)), (axis,)),
    selects=True,
    work=lambda node: node.size,
    splits=along_others,
    spell=_gather_spelled,
)
SCATTER_ADD: Linear = Linear(
    "scatter_sum",
    infer=lambda change, index, shape, axis: shape,
    forward=_scatter_add,
    refuses=True,
    adjoints=(
        lambda change, y, x, index, shape, axis: x.graph.apply(GATHER, (change, index), (axis,)),
    ),
    work=lambda node: wide_copies(node) + node.inputs[1].size,
    batched=lambda y, x, index, shape, axis: x.graph.apply(
        SCATTER_ADD, (x, _repeated(index, x)), ((x.shape[0], *shape), axis)
    ),
    shaped=True,
    parts=_scatter_add_parts,
    splits=along_others,
    spell=_scatter_spelled,
)


def _repeated(index: Node, x: Node) -> Node:
    """The same index for each place of x's first axis."""
    return expand(index, (x.shape[0], *index.shape))


@table.function(
    op=GATHER,
    cases=[
        Case("gather(x, 1, [[0, 2], [1, 1]])"),
        Case("x.gather(0, [[0, 1, 1]])"),
    ],
    torch="torch.gather",
    demands={"index": whole("gather(): Expected dtype int32/int64 for index")},
)
def gather(x: Node, dim: int, index: Index) -> Node:
    """The elements of x whose place along `dim` is in `index`; other places are the index's own."""
    axis = normalize_axis("gather", dim, x.ndim)
    if not index.size:
        return reshape(part(flatten(x), -1, 0, 0), index.shape)
    if x.ndim + index.ndim < 2:  # a single value may be addressed as a vector, and by one
        return reshape(gather.build(flatten(x), 0, flatten(index)), index.shape)
    fits = index.ndim == x.ndim and all(
        a <= b or i - x.ndim == axis
        for i, (a, b) in enumerate(zip(index.shape, x.shape, strict=True))
    )
    if not fits:
        raise GradcliError(
            "shape", f"gather: an index of {show(index.shape)} does not fit in {show(x.shape)}"
        )
    return x.graph.apply(GATHER, (x, index), (axis,))


@table.function(
    aliases=("take_along_axis",),
    cases=[Case("take_along_dim(x, [[0], [2]], dim=1)")],
    demands={
        "indices": whole("torch.take_along_dim(): dtype of indices should be Long but got {Type}")
    },
)
def take_along_dim(x: Node, indices: Index, dim: int | None = None) -> Node:
    """As `gather`, with x and the indices broadcast against each other in axes other than `dim`."""
    if dim is None:
        return gather(flatten(x), 0, flatten(indices))
    if not x.ndim:
        raise GradcliError("axis", f"take_along_dim: dim {dim} of a single value: it has no axes")
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
