"""Tensors with some elements replaced or added to. Values never change in place: each function
gives a new tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Graph, Node, Shape
from gradcli.language.construct import call
from gradcli.language.construct import index as as_index
from gradcli.ops.arithmetic import times
from gradcli.ops.comparison import eq, ge
from gradcli.ops.creation import ARANGE, arange, ones_like
from gradcli.ops.group import Group
from gradcli.ops.indexing import PUT_ADD, Item, check_places, getitem, index_along
from gradcli.ops.joining import cat
from gradcli.ops.kinds import CAST, General, cast, zeros_like
from gradcli.ops.promotion import filling, together
from gradcli.ops.scattering import SCATTER_ADD, gather
from gradcli.ops.selection import where
from gradcli.ops.shapes import broadcast, normalize_axis, show
from gradcli.ops.shaping import RESHAPE, Slices, expand, flatten, part, reshape, take_slices
from gradcli.ops.sorting import argsort
from gradcli.ops.table import Alike, Case, Index, Known, mask, whole

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("indexing")

# --- which write comes last ----------------------------------------------------------------

SCATTERED = Alike("scatter(): Expected self.dtype to be equal to src.dtype")


def _writers(xp: ArrayNamespace, places: Array, count: int) -> Array:
    written = xp.full((count,), -1, dtype=xp.int64)
    xp.maximum.at(written, xp.reshape(places, (-1,)), xp.arange(places.size))
    return written


WRITERS = General("writers", infer=lambda places, count: ((count,), "int"), forward=_writers)
"""For each of `count` places the number of the last of `places` that names it, or -1."""


def numbered(x: Node) -> Node:
    """The elements' numbers, row by row, in the shape of x."""
    return reshape(cast(arange(x.graph, x.size), "int"), x.shape)


def overwritten(x: Node, places: Node, values: Node) -> Node:
    """x with `values` at numbered places; where one is named twice, the last value stays."""
    if not values.size:
        return x
    if places.size == 1:
        return replaced(x, places, values)
    x, values = together((x, values))
    writers = x.graph.apply(WRITERS, (places,), (x.size,))
    written = ge(writers, 0.0)
    last = cast(where(written, writers, 0.0), "int")
    replacing = where(written, index_along(flatten(values), -1, last), flatten(x))
    return reshape(replacing, x.shape)


# --- places that are all different ---------------------------------------------------------


def _put(xp: ArrayNamespace, x: Array, places: Array, values: Array) -> Array:
    changed = xp.array(x, xp.result_type(x, values), order="C")
    xp.reshape(changed, (-1,))[places] = values
    return changed


def _put_over(xp: ArrayNamespace, x: Array, places: Array, values: Array) -> Array:
    if not x.flags.c_contiguous or xp.result_type(x, values) != x.dtype:
        return _put(xp, x, places, values)
    xp.reshape(x, (-1,))[places] = values
    return x


def _put_rows(y: Node, x: Node, places: Node, values: Node) -> Node | None:
    if places is not y.inputs[1]:
        return None
    count = x.shape[0] if x is not y.inputs[0] else values.shape[0]
    if x is y.inputs[0]:
        x = expand(x, (count, *x.shape))
    if values is y.inputs[2]:
        values = expand(values, (count, *values.shape))
    return x.graph.apply(PUT, (x, _in_each(count, y.size, places), values))


def _in_each(count: int, size: int, places: Node) -> Node:
    """The same places in each of so many tensors that stand one behind the other."""
    starts = cast(arange(places.graph, count) * size, "int")
    return reshape(starts, count, *[1] * places.ndim) + places


PUT: General = General(
    "put",
    infer=lambda x, places, values: (x.shape, x.kind),
    forward=_put,
    adjoints=(
        lambda change, y, x, places, values: change.graph.apply(
            PUT, (change, places, zeros_like(values))
        ),
        None,
        lambda change, y, x, places, values: taken(change, places),
    ),
    forward_rule=lambda tangents, y, x, places, values: y.graph.apply(
        PUT,
        (
            zeros_like(x) if tangents[0] is None else tangents[0],
            places,
            zeros_like(values) if tangents[2] is None else tangents[2],
        ),
    ),
    batched=_put_rows,
    over_first=_put_over,
    spell=lambda node, x, places, values: call("put", x, as_index(places), values),
)
"""x with other elements at numbered places, none of which is named twice."""

TAKE: General = General(
    "take",
    infer=lambda x, places: (places.shape, x.kind),
    forward=lambda xp, x, places: xp.reshape(x, (-1,))[places],
    adjoints=(
        lambda change, y, x, places: change.graph.apply(PUT, (zeros_like(x), places, change)),
        None,
    ),
    forward_rule=lambda tangents, y, x, places: taken(tangents[0], places),
    batched=lambda y, x, places: (
        taken(x, _in_each(x.shape[0], y.inputs[0].size, places)) if places is y.inputs[1] else None
    ),
    spell=lambda node, x, places: call("take", x, as_index(places)),
)
"""The elements of x at numbered places, none of which is named twice."""


def replaced(x: Node, places: Node, values: Node) -> Node:
    """x with `values` at numbered places, all of which are different ones."""
    if not values.size:
        return x
    x, values = together((x, values))
    return x.graph.apply(PUT, (x, places, values))


def taken(x: Node, places: Node) -> Node:
    """The elements of x at numbered places, all of which are different ones."""
    return places if are_numbers(x) else x.graph.apply(TAKE, (x, places))


def are_numbers(x: Node) -> bool:
    """Whether the elements of x are their own numbers."""
    if x.kind != "int":
        return False
    size = x.size
    while x.op is RESHAPE or x.op is CAST:
        x = x.inputs[0]
    return x.op is ARANGE and x.attributes[:3] == (0.0, size, 1.0)


def numbers_in(shape: Shape, slices: Slices, graph: Graph) -> Node:
    """The numbers, counted row by row over a shape, of the elements that slices of it choose: none
    of the others is made.
    """
    start, stride = 0, 1
    axes: list[tuple[int, int]] = []  # counts and steps, the last axis first
    for length, (first, count, step) in zip(reversed(shape), reversed(slices), strict=True):
        start += first * stride
        if axes and axes[-1][0] * axes[-1][1] == step * stride:  # as one axis, if that is whole
            axes[-1] = axes[-1][0] * count, axes[-1][1]
        elif count > 1:
            axes.append((count, step * stride))
        stride *= length
    numbers = reshape(graph.constant(float(start)), *[1] * len(axes))
    for axis, (count, step) in enumerate(axes):
        row = graph.apply(ARANGE, (), (0.0, count, float(step), "float"))
        numbers = numbers + reshape(row, count, *[1] * axis)
    return cast(numbers, "int")


# --- along one axis ------------------------------------------------------------------------

PLACES = "[[0, 2], [1, 1]]"


@table.function(
    cases=[
        Case("scatter(x, 1, [[0, 2], [1, 0]], y)", {"x": (2, 3), "y": (2, 2)}),
        Case("x.scatter(0, [[1, 0, 1]], 5)"),
        Case("scatter(x, 0, [1, 1], y)", {"x": (3,), "y": (2,)}),
        Case("scatter(x, 0, [1, 2, 1, 1], y, reduce='multiply')", {"x": (3,), "y": (4,)}),
        Case("scatter(x, 1, [[0, 0], [2, 0]], y, reduce='multiply')", {"x": (2, 3), "y": (2, 2)}),
    ],
    kink="where a place is named twice, only the last value counts and gets a gradient",
    own_memory=True,
    demands={
        "index": whole("scatter(): Expected dtype int32/int64 for index"),
        "x, src": SCATTERED,
    },
    overloaded=True,
    keeps_integers=True,
)
def scatter(
    x: Node,
    dim: int,
    index: Index,
    src: Node | None = None,
    *,
    value: Node | None = None,
    reduce: str | None = None,
) -> Node:
    """x with the elements of `src` (or one `value`) at the places along `dim` that `index` names.

    With reduce='add' they are added to what is there, with reduce='multiply' they multiply it.
    """
    src = value if src is None else src
    if src is None:
        raise GradcliError("type", "scatter needs src or value", hint="scatter(x, dim, index, src)")
    if reduce not in (None, "add", "multiply"):
        raise GradcliError(
            "value",
            f"scatter: reduce is 'add' or 'multiply', not {reduce!r}",
            hint="scatter_reduce has more reductions",
        )
    if reduce == "add":
        return scatter_add(x, dim, index, src)
    x, src = filling(x, src)
    if not x.shape:
        given = flatten(x), dim, flatten(index), flatten(src)
        return reshape(scatter.build(*given, reduce=reduce), ())
    src = source_of("scatter", x, dim, index, src)
    places = gather(numbered(x), dim, index)
    return overwritten(x, places, src) if reduce is None else _multiplied(x, places, src)


def _multiplied(x: Node, places: Node, values: Node) -> Node:
    """x, its elements at numbered places multiplied by all values that name them.

    Values of one place are neighbours in the order of places. Each is multiplied by those before
    it, of which twice as many are in it after each step, so the last one is the whole product.

    Hillis and Steele, Data parallel algorithms (1986).
    """
    order = argsort.build(flatten(places))
    places = index_along(flatten(places), -1, order)
    values = index_along(flatten(values), -1, order)
    step = 1
    while step < values.size:
        count = values.size - step
        same = eq(part(places, -1, 0, count), part(places, -1, step, count))
        earlier, later = part(values, -1, 0, count), part(values, -1, step, count)
        values = cat([part(values, -1, 0, step), where(same, earlier * later, later)])
        step *= 2
    return x * overwritten(ones_like(x), places, values)


@table.function(
    cases=[
        Case(f"scatter_add(x, 1, {PLACES}, y)", {"x": (2, 3), "y": (2, 2)}),
        Case("x.scatter_add(0, [[1, 1]], y)", {"x": (2, 3), "y": (2, 3)}),
    ],
    demands={
        "index": whole("scatter(): Expected dtype int32/int64 for index"),
        "x, src": SCATTERED,
    },
    keeps_integers=True,
)
def scatter_add(x: Node, dim: int, index: Index, src: Node) -> Node:
    """x plus the elements of `src`, added at the places along `dim` that `index` names."""
    x, src = filling(x, src)
    if not x.shape:
        return reshape(scatter_add.build(flatten(x), dim, flatten(index), flatten(src)), ())
    src = source_of("scatter_add", x, dim, index, src)
    axis = normalize_axis("scatter_add", dim, x.ndim)
    return x + x.graph.apply(SCATTER_ADD, (src, index), (x.shape, axis))


def source_of(name: str, x: Node, dim: int, index: Node, src: Node) -> Node:
    """The elements of `src` that the index has places for."""
    axis = normalize_axis(name, dim, x.ndim)
    if not src.shape and index.shape:
        src = expand(src, index.shape)
    fits = index.ndim == x.ndim == src.ndim and all(
        n <= most and (n <= length or i - x.ndim == axis)
        for i, (n, most, length) in enumerate(zip(index.shape, src.shape, x.shape, strict=True))
    )
    if not fits:
        raise GradcliError(
            "shape",
            f"{name}: an index of {show(index.shape)} does not fit a source of {show(src.shape)} "
            f"and a tensor of {show(x.shape)}",
        )
    return take_slices(src, tuple((0, length, 1) for length in index.shape))


@table.function(
    cases=[Case("index_select(x, 1, [2, 0, 2])"), Case("x.index_select(0, [1])")],
    demands={"index": whole("index_select(): Expected dtype int32 or int64 for index")},
    beyond="index out of range in self",
)
def index_select(x: Node, dim: int, index: Index) -> Node:
    """The slices along `dim` that a vector of places names."""
    axis = vector_axis("index_select", x, dim, index)
    if not x.shape:
        return reshape(index_along(reshape(x, (1,)), -1, index), ())
    return index_along(x, axis, index if index.shape else reshape(index, (1,)))


def vector_axis(name: str, x: Node, dim: int, index: Node) -> int:
    if index.ndim > 1:
        raise RefusedError(
            ("IndexError", f"{name}(): Index is supposed to be a vector"),
            "shape",
            f"{name}: the index must be a vector; this one is {show(index.shape)}",
        )
    return normalize_axis(name, dim, x.ndim)


@table.function(
    cases=[
        Case("index_add(x, 1, [2, 0, 2], y)", {"x": (2, 3), "y": (2, 3)}),
        Case("x.index_add(0, [1], y, alpha=-2)", {"x": (2, 3), "y": (1, 3)}),
    ],
    numpy="",
    demands={
        "index": whole("index_add_(): Expected dtype int32/int64 for index but got: {Type}"),
        "x, source": Alike(
            "index_add_(): self ({Type}) and source ({Other}) must have the same scalar type"
        ),
    },
    keeps_integers=True,
    beyond="index out of range in self",
)
def index_add(x: Node, dim: int, index: Index, source: Node, *, alpha: float = 1.0) -> Node:
    """x plus `alpha` times slices of `source`, added at the places along `dim` of a vector."""
    axis = vector_axis("index_add", x, dim, index)
    x, source = together((x, check_slices("index_add", x, axis, index, source)))
    source = cast(times(alpha, source), x.kind)
    if not x.shape:
        return x + source
    return x + x.graph.apply(PUT_ADD, (source, index), (x.shape, (axis,)))


@table.function(
    cases=[Case("index_copy(x, 1, [2, 0], y)", {"x": (2, 3), "y": (2, 2)})],
    kink="where a place is named twice, only the last value counts and gets a gradient",
    demands={
        "index": whole("index_copy_(): Expected a long tensor for index, but got {Type}", "int64"),
        "x, source": Alike(
            "index_copy_(): self and source expected to have the same dtype, but got "
            "(self) {Type} and (source) {Other}"
        ),
    },
    beyond="index_copy_(): index {index} is out of bounds for dimension 0 with size {length}",
)
def index_copy(x: Node, dim: int, index: Index, source: Node) -> Node:
    """x with slices of `source` at the places along `dim` that a vector names."""
    axis = vector_axis("index_copy", x, dim, index)
    x, source = together((x, check_slices("index_copy", x, axis, index, source)))
    if not x.shape:
        return reshape(index_copy(reshape(x, 1), 0, reshape(index, 1), reshape(source, 1)), ())
    return overwritten(x, index_along(numbered(x), axis, index), source)


@table.function(
    takes_numbers=("value",),
    cases=[Case("index_fill(x, 1, [2, 0], y)", {"x": (2, 3), "y": ()})],
    demands={
        "index": whole("index_fill_(): Expected dtype int64 for index.", "int64", kind="IndexError")
    },
    overloaded=True,
    keeps_integers=True,
)
def index_fill(x: Node, dim: int, index: Index, value: Node) -> Node:
    """x with one value in the slices along `dim` that a vector names."""
    axis = vector_axis("index_fill", x, dim, index)
    x, value = filling(x, value)
    if not x.shape:
        return reshape(index_fill(reshape(x, 1), 0, index, value), ())
    places = index_along(numbered(x), axis, index)
    return overwritten(x, places, expand(value, places.shape))


def check_slices(name: str, x: Node, axis: int, index: Node, source: Node) -> Node:
    expected: Shape = x.shape
    if x.shape:
        at = axis + x.ndim
        expected = (*x.shape[:at], index.size, *x.shape[at + 1 :])
    if source.shape != expected:
        raise GradcliError(
            "shape",
            f"{name}: {index.size} places in {show(x.shape)} need a source of {show(expected)}; "
            f"this is {show(source.shape)}",
        )
    return source


# --- anywhere ------------------------------------------------------------------------------


@table.function(
    cases=[
        Case("index_put(x, ([0, 1], [2, 0]), y)", {"x": (2, 3), "y": (2,)}),
        Case("x.index_put([[1, 1]], y, accumulate=True)", {"x": (2, 3), "y": (2, 3)}),
        Case("index_put(x, [x > 0], y)", {"x": (2, 3), "y": ()}),
    ],
    kink="where a place is named twice, only the last value counts and gets a gradient",
    demands={
        "x, values": Alike(
            "Index put requires the source and destination dtypes match, got {Type} "
            "for the destination and {Other} for the source."
        )
    },
)
def index_put(x: Node, indices: Sequence[Item], values: Node, accumulate: bool = False) -> Node:
    """x with `values` at `x[indices]`, or with them added there where `accumulate`."""
    places = getitem(numbered(x), indices)
    if broadcast("index_put", [places.shape, values.shape]) != places.shape:
        raise GradcliError(
            "shape",
            f"index_put: values of {show(values.shape)} do not fit the places, "
            f"{show(places.shape)}",
        )
    x, values = together((x, expand(values, places.shape)))
    if not accumulate:
        return overwritten(x, places, values)
    added = x.graph.apply(PUT_ADD, (flatten(values), flatten(places)), ((x.size,), (-1,)))
    return x + reshape(added, x.shape)


@table.function(
    cases=[Case("take(x, [[0, 5], [-1, 2]])"), Case("x.take([3])")],
    numpy="np.take",
    torch="torch.take",
    demands={"index": whole("take(): Expected a long tensor for index, but got {Type}", "int64")},
    keeps_integers=True,
    beyond="out of range: tried to access index {index} on a tensor of {length} elements.",
)
def take(x: Node, index: Index) -> Node:
    """The elements with the given numbers, counted row by row, in the index's shape."""
    return index_along(reshape(x, (x.size,)), -1, index)


@table.function(
    "np.take",
    cases=[Case("np.take(x, [[0, 5]])"), Case("np.take(x, [[0, 2], [1, 1]], axis=1)")],
)
def numpy_take(x: Node, index: Index, dim: int | None = None) -> Node:
    """The parts along an axis with the given numbers, in the index's shape; elements if no axis is
    named.
    """
    if dim is None:
        return take(x, index)
    axis = normalize_axis("take", dim, x.ndim)
    found = index_along(x, axis, reshape(index, (index.size,)))
    at = axis + x.ndim
    return reshape(found, (*x.shape[:at], *index.shape, *x.shape[at + 1 :]))


@table.function(
    cases=[
        Case("masked_select(x, x > 0)"),
        Case("x.masked_select([True, False, True])"),
    ],
    demands={"mask": mask("masked_select: expected BoolTensor for mask")},
)
def masked_select(x: Node, mask: Known) -> Node:
    """The elements where the mask holds, in one row; x and the mask broadcast."""
    shape = broadcast("masked_select", [mask.shape, x.shape])
    check_places(x.graph, "masked_select", prod(shape))
    held = mask.graph.look(mask)
    assert held is not None, "the node is a constant"
    places = np.flatnonzero(np.broadcast_to(held, shape))
    return index_along(flatten(expand(x, shape)), -1, x.graph.constant(places))


@table.function(
    takes_numbers=("value",),
    cases=[
        Case("masked_fill(x, x > 0, 3)"),
        Case("x.masked_fill([True, False, True], y)", {"x": (2, 3), "y": ()}),
    ],
    demands={
        "mask": mask("masked_fill_ only supports boolean masks, but got mask with dtype {type}")
    },
    overloaded=True,
    keeps_integers=True,
)
def masked_fill(x: Node, mask: Node, value: Node) -> Node:
    """x with one value where the mask holds."""
    if value.shape:
        raise GradcliError(
            "shape",
            f"masked_fill takes a single value; this is {show(value.shape)}",
            hint="where(mask, values, x) takes any",
        )
    x, value = filling(x, value)
    return where(mask, value, x)
