"""Windows as columns and back: `unfold` of one axis, as a method has it, and those of images."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import movedim
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import part, reshape
from gradcli.ops.table import Case, Demand, kernel
from gradcli.ops.windows import (
    Lengths,
    Paddings,
    Window,
    check_fits,
    lengths_of,
    overlap_add,
    padded,
    padded_lengths,
    windows,
)

shaping = Group("shaping")
layers = Group("layer")

TRUTH_OR_FLOATS = (*Demand("").dtypes, "bool")
"""What PyTorch takes windows of."""

# --- of an axis ----------------------------------------------------------------------------


@shaping.function(
    aliases=("unfold_copy",),
    cases=[Case("x.unfold(1, 2, 1)"), Case("x.unfold(0, 3, 2)", {"x": (6, 2)})],
)
def unfold(x: Node, dimension: int, size: int, step: int) -> Node:
    """Windows of `size` elements along an axis, `step` apart, each laid along a new last axis."""
    axis = normalize_axis("unfold", dimension, x.ndim)
    single = not x.shape
    x = reshape(x, (1,)) if single else x
    length = x.shape[axis]
    if not 0 <= size <= length or step < 1:
        raise GradcliError(
            "value",
            f"unfold: windows of {size}, {step} apart, do not fit axis {dimension} of "
            f"{show(x.shape)}",
            hint="size is at most the axis's length, and step at least 1",
        )
    check_places(x.graph, "unfold", ((length - size) // step + 1) * max(1, size))
    if single:  # PyTorch counts one window, and gives it no axis
        return part(x, axis, 0, size)
    starts = np.arange(0, length - size + 1, min(step, length + 1))
    windows = index_along(x, axis, x.graph.constant(starts[:, None] + np.arange(size)))
    return movedim(windows, (axis,), (-1,))


# --- of images -----------------------------------------------------------------------------


@layers.function(
    "F.unfold",
    cases=[
        Case("F.unfold(x, 2)", {"x": (1, 1, 2, 3)}),
        Case("F.unfold(x, (1, 2), (1, 2), (1, 0), (2, 1))", {"x": (2, 2, 3)}),
    ],
    formula="the windows of x, each in a column",
    demands={"input": kernel("im2col_out_cpu")._replace(dtypes=TRUTH_OR_FLOATS)},
)
def unfold_images(
    input: Node,
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    stride: tuple[int, ...] = (1,),
) -> Node:
    """Windows over images ([batch,] channels, height, width) as columns: ([batch,] channels * kh *
    kw, count).
    """
    if input.ndim not in (3, 4):
        raise GradcliError(
            "shape",
            f"F.unfold takes ([batch,] channels, height, width); this is {show(input.shape)}",
            hint="x.unfold(dimension, size, step) takes windows along one axis",
        )
    window, paddings = _geometry("F.unfold", kernel_size, dilation, padding, stride)
    check_fits("F.unfold", window, input.shape[-2:], paddings)
    found = windows(padded(input, paddings), window)
    rows, count = input.shape[-3] * math.prod(window.kernel), math.prod(found.shape[-2:])
    return reshape(found, (*input.shape[:-3], rows, count))


@layers.function(
    cases=[
        Case("fold(x, (2, 3), 2)", {"x": (1, 4, 2)}),
        Case("fold(x, (3, 4), (1, 2), (1, 2), (1, 0), (2, 1))", {"x": (2, 6)}),
    ],
    formula="the sum of windows where they overlap",
    demands={"input": kernel("col2im_out_cpu")._replace(dtypes=TRUTH_OR_FLOATS)},
)
def fold(
    input: Node,
    output_size: tuple[int, ...],
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    stride: tuple[int, ...] = (1,),
) -> Node:
    """Columns ([batch,] channels * kh * kw, count) as windows of an image of `output_size`, added
    where they overlap: what `F.unfold` takes apart, multiplied by how often each place is met.
    """
    window, paddings = _geometry("fold", kernel_size, dilation, padding, stride)
    lengths = lengths_of("fold", "output_size", output_size, 2, 1)
    check_fits("fold", window, lengths, paddings)
    whole = padded_lengths(lengths, paddings)
    counts, places = window.counts(whole), math.prod(window.kernel)
    if input.ndim not in (2, 3) or input.shape[-2] % places:
        raise GradcliError(
            "shape",
            f"fold takes ([batch,] channels * {places}, count); this is {show(input.shape)}",
        )
    if input.shape[-1] != math.prod(counts):
        raise GradcliError(
            "shape",
            f"fold: {show(input.shape)} has {input.shape[-1]} windows, an image of {show(lengths)} "
            f"has {show(counts)}",
        )
    shape = (*input.shape[:-2], input.shape[-2] // places, *window.kernel, *counts)
    met = overlap_add(reshape(input, shape), window)
    ends = zip(paddings, whole, met.shape[-2:], strict=True)
    cut = tuple((-before, n - reached - behind) for (before, behind), n, reached in ends)
    return padded(met, cut)


def _geometry(
    name: str, kernel: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths
) -> tuple[Window, Paddings]:
    """The window, and places around the image."""
    window = Window(
        lengths_of(name, "kernel_size", kernel, 2, 1),
        lengths_of(name, "stride", stride, 2, 1),
        lengths_of(name, "dilation", dilation, 2, 1),
    )
    return window, tuple((n, n) for n in lengths_of(name, "padding", padding, 2, 0))
