"""Elements that meet at places, and become one there: their sum, product, mean or extreme."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.extremes import amax, amin
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.joining import cat
from gradcli.ops.kinds import cast
from gradcli.ops.promotion import together
from gradcli.ops.reductions import sum_
from gradcli.ops.rounding import floor_divide
from gradcli.ops.running_products import prod
from gradcli.ops.selection import where
from gradcli.ops.shaping import flatten, reshape, unsqueeze
from gradcli.ops.table import Alike, Case, KnownIndex, whole
from gradcli.ops.writing import SCATTERED, check_slices, source_of, vector_axis

table = Group("indexing")

REDUCTIONS: Mapping[str, tuple[Callable[[Node], Node], float]] = {
    "sum": (lambda x: sum_(x, -1), 0.0),
    "prod": (lambda x: prod(x, -1), 1.0),
    "mean": (lambda x: sum_(x, -1), 0.0),
    "amax": (lambda x: amax(x, -1), -math.inf),
    "amin": (lambda x: amin(x, -1), math.inf),
}
"""What makes one element of several along the last axis, and what changes nothing there."""


def _reduced(x: Node, numbers: Array, src: Node, reduce: str, include_self: bool) -> Node:
    """x, each element reduced with those of `src` whose number is its own.

    They are laid side by side behind it, in a table with as many columns as the most that meet.
    """
    build, neutral = REDUCTIONS[reduce]
    x, src = together((x, src))
    check_places(x.graph, f"a reduction by {reduce!r}", x.size)
    counts = np.bincount(numbers, minlength=x.size)
    width = int(counts.max(initial=0))
    check_places(x.graph, f"a reduction by {reduce!r}", x.size * width)
    order = np.argsort(numbers, kind="stable")
    column = np.arange(numbers.size) - np.repeat(np.cumsum(counts) - counts, counts)
    table_of = np.full((x.size, width), numbers.size)
    table_of[numbers[order], column] = order
    nothing = _neutral(x, neutral)
    row = flatten(x)
    if not include_self:
        row = where(x.graph.constant(counts > 0), nothing, row)
    padded = cat([flatten(src), reshape(nothing, 1)])
    met = index_along(padded, -1, x.graph.constant(table_of))
    found = build(cat([unsqueeze(row, -1), met], -1))
    if reduce == "mean":
        divisor = x.graph.constant(np.maximum(counts + include_self, 1))
        divide = floor_divide if x.kind == "int" else lambda a, b: a / b
        found = divide(found, divisor)
    return reshape(cast(found, x.kind), x.shape)


def _neutral(x: Node, value: float) -> Node:
    if x.kind == "float":
        return x.graph.constant(value)
    if x.kind == "bool":
        return x.graph.constant(value > 0)
    most = np.iinfo(np.int64)
    return x.graph.constant(np.asarray(int(min(max(value, most.min), most.max))))


def _check_reduction(name: str, reduce: str, allowed: tuple[str, ...]) -> None:
    if reduce not in allowed:
        raise GradcliError(
            "value", f"{name}: reduce is one of {', '.join(allowed)}, not {reduce!r}"
        )


def _held(index: Node) -> Array:
    held = index.graph.look(index)
    assert held is not None, "the node is a constant"
    return held


def _numbers(x: Node, held: Array, axis: int) -> Array:
    """The numbers of the elements that an index along one axis names."""
    length = x.shape[axis]
    wrong = (held < -length) | (held >= length)
    if wrong.any():
        raise GradcliError(
            "index", f"index {int(held[wrong].flat[0])} is out of range for an axis of {length}"
        )
    places: list[Array] = list(np.indices(held.shape, sparse=True))
    places[axis] = held % max(length, 1)
    strides = np.cumprod([1, *x.shape[:0:-1]])[::-1]
    total = sum(place * stride for place, stride in zip(places, strides, strict=True))
    return np.broadcast_to(total, held.shape).ravel()


@table.function(
    cases=[
        Case("scatter_reduce(x, 1, [[0, 0], [2, 1]], y, 'sum')", {"x": (2, 3), "y": (2, 2)}),
        Case("scatter_reduce(x, 0, [1, 1], y, 'prod')", {"x": (3,), "y": (2,)}),
        Case(
            "scatter_reduce(x, 0, [1, 1, 0], y, 'amax', include_self=False)",
            {"x": (3,), "y": (3,)},
        ),
        Case("x.scatter_reduce(0, [1, 1, 0], y, reduce='mean')", {"x": (3,), "y": (3,)}),
    ],
    kink="ties of extremes share equally",
    demands={
        "index": whole("scatter(): Expected dtype int32/int64 for index"),
        "x, src": SCATTERED,
    },
)
def scatter_reduce(
    x: Node, dim: int, index: KnownIndex, src: Node, reduce: str, *, include_self: bool = True
) -> Node:
    """x, its elements reduced with those of `src` whose place along `dim` is in `index`.

    `reduce` is sum, prod, mean, amax or amin; without `include_self` what is there does not count.
    """
    _check_reduction("scatter_reduce", reduce, tuple(REDUCTIONS))
    if not x.shape:
        numbers = _numbers(flatten(x), _held(index).ravel(), -1)
        return _reduced(x, numbers, src, reduce, include_self)
    src = source_of("scatter_reduce", x, dim, index, src)
    axis = dim if dim < 0 else dim - x.ndim
    return _reduced(x, _numbers(x, _held(index), axis), src, reduce, include_self)


@table.function(
    cases=[
        Case("index_reduce(x, 1, [2, 0, 2], y, 'prod')", {"x": (2, 3), "y": (2, 3)}),
        Case(
            "index_reduce(x, 0, [1, 1], y, 'mean', include_self=False)",
            {"x": (2, 3), "y": (2, 3)},
        ),
        Case("index_reduce(x, 0, [0, 0], y, 'amin')", {"x": (2,), "y": (2,)}),
    ],
    kink="ties of extremes share equally",
    demands={
        "index": whole("index_reduce_(): Expected dtype int32/int64 for index but got: {Type}"),
        "x, source": Alike(
            "index_reduce_(): self ({Type}) and source ({Other}) must have the same scalar type"
        ),
    },
    beyond="index out of range in self",
)
def index_reduce(
    x: Node, dim: int, index: KnownIndex, source: Node, reduce: str, *, include_self: bool = True
) -> Node:
    """x, its slices reduced with those of `source`, whose places along `dim` a vector names.

    `reduce` is prod, mean, amax or amin; without `include_self` what is there does not count.
    """
    _check_reduction("index_reduce", reduce, ("prod", "mean", "amax", "amin"))
    axis = vector_axis("index_reduce", x, dim, index)
    source = check_slices("index_reduce", x, axis, index, source)
    if not x.shape:
        numbers = np.zeros(index.size, int)
        return _reduced(x, numbers, source, reduce, include_self)
    grid = _held(index).reshape(index.size, *(1,) * (-1 - axis))
    numbers = _numbers(x, np.broadcast_to(grid, source.shape), axis)
    return _reduced(x, numbers, source, reduce, include_self)
