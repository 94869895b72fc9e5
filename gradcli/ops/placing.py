"""Adjoints of subscripts as functions, so that a gradient can be written as a program."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.indexing import PUT_ADD, are_neighbours
from gradcli.ops.shapes import Axes, broadcast, normalize_axes, show
from gradcli.ops.shaping import embed
from gradcli.ops.table import Case, Index

table = Group("indexing")


@table.function(
    cases=[
        Case("embed(x, (5, 3), (1, 0), (2, 1))"),
        Case("embed(x, (4,), (3,), (-1,))", {"x": (3,)}),
    ],
    formula="y = zeros(shape); y[start::step] = x",
)
def embed_(
    x: Node, shape: tuple[int, ...], start: tuple[int, ...], step: tuple[int, ...] | None = None
) -> Node:
    """Zeros of `shape` with x on a grid: from `start` on, every `step` places along each axis."""
    steps = (1,) * x.ndim if step is None else step
    if not len(shape) == len(start) == len(steps) == x.ndim:
        raise GradcliError(
            "shape",
            f"embed: shape, start and step need one number for each axis of {show(x.shape)}",
        )
    for axis, (length, first, count, each) in enumerate(
        zip(shape, start, x.shape, steps, strict=True)
    ):
        last = first + max(count - 1, 0) * each
        if length < 0 or each == 0 or (count and not (0 <= first < length and 0 <= last < length)):
            raise GradcliError(
                "index",
                f"embed: {count} places from {first} in steps of {each} do not fit axis {axis}, "
                f"which has {length} elements",
            )
    return embed(x, shape, tuple(zip(start, x.shape, steps, strict=True)))


@table.function(
    op=PUT_ADD,
    cases=[
        Case("put_add(x, (4, 3), 0, [1, 1])"),
        Case("put_add(x, (3, 4), (0, 1), [0, 2], [3, 1])", {"x": (2,)}),
    ],
    formula="y = zeros(shape); y[..., index, ...] += x",
)
def put_add(x: Node, shape: tuple[int, ...], dim: Axes, *index: Index) -> Node:
    """Zeros of `shape` with x added at the places `index` of the axes `dim`."""
    if any(length < 0 for length in shape):
        raise GradcliError("value", f"put_add: a length cannot be negative: {show(shape)}")
    axes = normalize_axes("put_add", dim, len(shape))
    if not axes or len(index) != len(axes):
        raise GradcliError("index", f"put_add: {len(axes)} axes need as many index tensors")
    found = broadcast("put_add", [each.shape for each in index])
    if are_neighbours(axes):
        first = axes[0] + len(shape)
        taken = (*shape[:first], *found, *shape[first + len(axes) :])
    else:
        taken = (*found, *(n for i, n in enumerate(shape) if i - len(shape) not in axes))
    if taken != x.shape:
        raise GradcliError(
            "shape", f"put_add: the places have shape {show(taken)}, the values {show(x.shape)}"
        )
    return x.graph.apply(PUT_ADD, (x, *index), (shape, axes))
