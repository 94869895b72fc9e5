"""The way back from a max pool: each value at the place where it was found."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.pooling import check_layout
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, flatten, reshape
from gradcli.ops.table import Case, Index
from gradcli.ops.windows import Lengths, lengths_of
from gradcli.ops.writing import scatter

table = Group("layer")

FORMULA = "y = zeros(output_size); y[indices] = input"
TWICE = "where a place is named twice, only the last value counts and gets a gradient"


@table.function(
    cases=[Case("max_unpool1d(x, [[1, 2]], 2)", {"x": (1, 2)})], formula=FORMULA, kink=TWICE
)
def max_unpool1d(
    input: Node,
    indices: Index,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """The values of a max pool at the indices that it returned, among zeros."""
    return _unpooled("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


@table.function(
    cases=[Case("max_unpool2d(x, [[[0, 5]]], 2, output_size=(2, 3))", {"x": (1, 1, 2)})],
    formula=FORMULA,
    kink=TWICE,
)
def max_unpool2d(
    input: Node,
    indices: Index,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """The values of a max pool at the indices that it returned, among zeros."""
    return _unpooled("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@table.function(
    cases=[Case("max_unpool3d(x, [[[[5]], [[9]]]], (1, 2, 3))", {"x": (1, 2, 1, 1)})],
    formula=FORMULA,
    kink=TWICE,
)
def max_unpool3d(
    input: Node,
    indices: Index,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """The values of a max pool at the indices that it returned, among zeros."""
    return _unpooled("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


def _unpooled(
    name: str,
    axes: int,
    x: Node,
    indices: Node,
    kernel: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    output_size: Lengths | None,
) -> Node:
    check_layout(name, x, axes)
    if indices.shape != x.shape:
        raise GradcliError(
            "shape",
            f"{name}: indices {show(indices.shape)} and input {show(x.shape)} must have one shape",
        )
    kernel = lengths_of(name, "kernel_size", kernel, axes, 1)
    steps = lengths_of(name, "stride", stride, axes, 1) if stride else kernel
    cut = lengths_of(name, "padding", padding, axes, 0)
    sides = zip(x.shape[-axes:], steps, cut, kernel, strict=True)
    usual = tuple((n - 1) * step - 2 * pad + size for n, step, pad, size in sides)
    lengths = _checked(name, output_size, usual, steps) if output_size is not None else usual
    zeros = expand(x.graph.constant(0.0), (*x.shape[:-axes], math.prod(lengths)))
    found = scatter.build(zeros, -1, flatten(indices, -axes, -1), flatten(x, -axes, -1))
    return reshape(found, (*x.shape[:-axes], *lengths))


def _checked(name: str, size: Lengths, usual: Lengths, steps: Lengths) -> Lengths:
    """The last lengths of an output size, which may be whole; each near the usual one."""
    lengths = size[-len(usual) :]
    near = len(lengths) == len(usual) and all(
        abs(n - middle) < step for n, middle, step in zip(lengths, usual, steps, strict=True)
    )
    if not near:
        raise GradcliError(
            "value",
            f"{name}: output_size {show(size)} must be within a stride of {show(usual)}",
        )
    return lengths
