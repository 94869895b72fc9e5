"""Tensors with a part exchanged for another tensor: the part is a view, a mask, or some places.

Each numbers the elements of x, takes the part of the numbers, and writes where they say.
"""

from __future__ import annotations

from math import prod

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.creation import full_like
from gradcli.ops.diagonals import diagonal
from gradcli.ops.group import Group
from gradcli.ops.indexing import PUT_ADD, check_places, getitem, index_along
from gradcli.ops.kinds import cast
from gradcli.ops.parting import select
from gradcli.ops.promotion import together
from gradcli.ops.shapes import broadcast, normalize_axis, show
from gradcli.ops.shaping import expand, flatten, part, reshape
from gradcli.ops.table import Alike, Case, Index, Known, mask, whole
from gradcli.ops.writing import numbered, overwritten

table = Group("indexing")


def _exchanged(name: str, x: Node, places: Node, src: Node) -> Node:
    """x with `src`, as x's kind, at numbered places of its shape."""
    if src.shape != places.shape:
        raise GradcliError(
            "shape",
            f"{name}: the part of {show(x.shape)} is {show(places.shape)}, not {show(src.shape)}",
        )
    return overwritten(x, places, cast(src, x.kind))


@table.function(cases=[Case("select_scatter(x, y, 1, -1)", {"x": (2, 3), "y": (2,)})])
def select_scatter(x: Node, src: Node, dim: int, index: int) -> Node:
    """x with `src` as the slice at one place of an axis."""
    return _exchanged("select_scatter", x, select.build(numbered(x), dim, index), src)


@table.function(
    cases=[
        Case("slice_scatter(x, y, 1, 0, 3, 2)", {"x": (2, 3), "y": (2, 2)}),
        Case("slice_scatter(x, y, start=-1)", {"x": (2, 3), "y": (1, 3)}),
    ]
)
def slice_scatter(
    x: Node,
    src: Node,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Node:
    """x with `src` at the places of an axis from `start` up to `end`, every `step`."""
    at = normalize_axis("slice_scatter", dim, x.ndim) + x.ndim
    items = [*[slice(None)] * at, slice(start, end, step)]
    return _exchanged("slice_scatter", x, getitem(numbered(x), items), src)


@table.function(cases=[Case("diagonal_scatter(x, y, 1)", {"x": (2, 3), "y": (2,)})])
def diagonal_scatter(x: Node, src: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    """x with `src` on the diagonal over two axes."""
    places = diagonal.build(numbered(x), offset, dim1, dim2)
    return _exchanged("diagonal_scatter", x, places, src)


# --- strides -------------------------------------------------------------------------------


def _strided(name: str, x: Node, size: Shape, stride: Shape, first: int) -> Node:
    """The numbers of the elements that steps through the rows of x reach."""
    if len(size) != len(stride) or any(length < 0 for length in size):
        raise GradcliError(
            "shape", f"{name}: lengths {show(size)} need as many strides; these are {show(stride)}"
        )
    check_places(x.graph, name, prod(size))
    ends = [min(0, (n - 1) * step) for n, step in zip(size, stride, strict=True)]
    beyond = [max(0, (n - 1) * step) for n, step in zip(size, stride, strict=True)]
    if prod(size) and (first + sum(ends) < 0 or first + sum(beyond) >= x.size):
        raise GradcliError(
            "index",
            f"{name}: strides {show(stride)} leave the {x.size} elements of {show(x.shape)}",
        )
    places = np.full((), first)
    for length, step in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(length) * (step if length > 1 else 0)
    return x.graph.constant(places)


@table.function(
    aliases=("as_strided_copy",),
    cases=[
        Case("as_strided(x, (2, 2), (1, 2))"),
        Case("x.as_strided((3,), (1,), storage_offset=2)"),
    ],
)
def as_strided(
    x: Node,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    storage_offset: int | None = None,
) -> Node:
    """The elements of x that strides reach, where all of them lie row by row."""
    places = _strided("as_strided", x, size, stride, storage_offset or 0)
    return index_along(flatten(x), -1, places)


@table.function(
    cases=[
        Case("as_strided_scatter(x, y, (2, 2), (1, 2), 1)", {"x": (2, 3), "y": (2, 2)}),
    ],
    kink="where a place is named twice, only the last value counts and gets a gradient",
)
def as_strided_scatter(
    x: Node,
    src: Node,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    storage_offset: int | None = None,
) -> Node:
    """x with `src` at the elements that strides reach, where all of them lie row by row."""
    places = _strided("as_strided_scatter", x, size, stride, storage_offset or 0)
    return _exchanged("as_strided_scatter", x, places, src)


# --- anywhere ------------------------------------------------------------------------------


@table.function(
    cases=[
        Case("masked_scatter(x, x > 0, y)", {"x": (2, 3), "y": (6,)}),
        Case("x.masked_scatter([True, False, True], y)", {"x": (2, 3), "y": (2, 2)}),
    ],
    demands={
        "mask": mask("masked_scatter_ only supports boolean masks, but got mask with dtype {Type}"),
        "x, source": Alike(
            "masked_scatter: expected self and source to have same dtypes but got{Type} and {Other}"
        ),
    },
)
def masked_scatter(x: Node, mask: Known, source: Node) -> Node:
    """x with the elements of `source`, one after another, where the mask holds."""
    shape = broadcast("masked_scatter", [x.shape, mask.shape])
    check_places(x.graph, "masked_scatter", prod(shape))
    held = mask.graph.look(mask)
    assert held is not None, "the node is a constant"
    places = np.flatnonzero(np.broadcast_to(held, shape))
    if places.size > source.size:
        raise GradcliError(
            "shape",
            f"masked_scatter: {places.size} elements are wanted of a source of "
            f"{show(source.shape)}",
        )
    taken = part(flatten(source), -1, 0, places.size)
    return overwritten(expand(x, shape), x.graph.constant(places), taken)


@table.function(
    cases=[
        Case("put(x, [[0, 5], [-1, 2]], y, accumulate=True)", {"x": (2, 3), "y": (4,)}),
        Case("put(x, [4, 1], y)", {"x": (2, 3), "y": (2,)}),
    ],
    unlike={"np.put": "x = torch.put(x, indices, values)", "jnp.put": "torch.put(x, indices, v)"},
    kink="where a place is named twice, only the last value counts and gets a gradient",
    demands={
        "index": whole("put_(): Expected a long tensor for index, but got {Type}", "int64"),
        "x, source": Alike(
            "put_(): self and source expected to have the same dtype, but got "
            "self.dtype = {Type} and source.dtype = {Other}"
        ),
    },
    beyond="out of range: tried to access index {index} on a tensor of {length} elements.",
)
def put(x: Node, index: Index, source: Node, accumulate: bool = False) -> Node:
    """x with the elements of `source` at places counted row by row, or added there."""
    if index.size != source.size:
        raise GradcliError(
            "shape",
            f"put: an index of {show(index.shape)} does not fit a source of {show(source.shape)}",
        )
    x, source = together((x, flatten(source)))
    places = flatten(index)
    if not accumulate:
        return overwritten(x, index_along(flatten(numbered(x)), -1, places), source)
    added = x.graph.apply(PUT_ADD, (source, places), ((x.size,), (-1,)))
    return x + reshape(added, x.shape)


@table.function(
    takes_numbers=("value",),
    cases=[Case("x * fill(x, y)", {"x": (2, 3), "y": ()})],
    overloaded=True,
)
def fill(x: Node, value: Node) -> Node:
    """A tensor of the shape and kind of x, filled with one value."""
    if value.shape:
        raise GradcliError("shape", f"fill takes a single value; this is {show(value.shape)}")
    return full_like(x, value)
