"""Pooling: one number from each window, the largest or the mean."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from operator import mul
from typing import NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Graph, Node
from gradcli.ops.creation import arange
from gradcli.ops.extremes import argmax
from gradcli.ops.group import Group
from gradcli.ops.indexing import index_along
from gradcli.ops.kinds import cast
from gradcli.ops.reductions import sum_
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, flatten, reshape, unsqueeze
from gradcli.ops.table import Case, kernel
from gradcli.ops.windows import (
    Lengths,
    Paddings,
    Window,
    check_fits,
    lengths_of,
    padded,
    padded_lengths,
    windows_in_rows,
)

table = Group("layer")


class Pooled(NamedTuple):
    """The result of a max pool with `return_indices`."""

    values: Node
    indices: Node


# --- the largest ---------------------------------------------------------------------------

TIES = "the first of equal elements in a window gets all"


def _of_maxima(axes: int) -> dict[str, tuple[str, ...]]:
    """For windows side by side: the cotangent stands where the maximum was."""
    places = f"max_pool{axes}d(input, kernel_size, return_indices=True)[1]"
    unpooled = f"max_unpool{axes}d(cotangent, {places}, kernel_size, output_size=input.shape)"
    return {"input": (unpooled,)}


def _of_means(axes: int) -> dict[str, tuple[str, ...]]:
    """For windows side by side: each element has its part of the cotangent."""
    size = "kernel_size" if axes == 1 else f"kernel_size**{axes}"
    spread = f"cotangent / {size}"
    for axis in range(axes):
        spread = f"repeat_interleave({spread}, kernel_size, dim={-1 - axis})"
    return {"input": (spread, f"embed({spread}, input.shape, {(0,) * (axes + 2)})")}


@table.function(
    cases=[
        Case("max_pool1d(x, 2)", {"x": (1, 2, 5)}),
        Case("max_pool1d(x, 3, stride=1, padding=1, dilation=2)", {"x": (2, 6)}),
        Case("max_pool1d(x, 3, 2, ceil_mode=True)", {"x": (2, 6)}),
    ],
    formula="the maximum of each window",
    kink=TIES,
    elsewhere={"torch": "the first gets all"},
    gradients=_of_maxima(1),
    demands={"input": kernel("max_pool1d_impl")},
)
def max_pool1d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Pooled:
    """The largest element of each window over the last axis; `stride` is the kernel's size."""
    pooled = _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled.values


@table.function(
    cases=[
        Case("max_pool2d(x, 2)", {"x": (1, 2, 4, 5)}),
        Case("max_pool2d(x, (2, 3), stride=1, padding=(1, 0), dilation=(2, 1))", {"x": (1, 4, 4)}),
        Case("max_pool2d(x, 3, 2, ceil_mode=True)", {"x": (1, 4, 6)}),
        Case("max_pool2d(x, 2, return_indices=True)[0]", {"x": (1, 2, 3)}),
    ],
    formula="the maximum of each window",
    kink=TIES,
    elsewhere={"torch": "the first gets all"},
    gradients=_of_maxima(2),
    order="channels",
)
def max_pool2d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Pooled:
    """The largest element of each window over the last two axes; `stride` is the kernel's size."""
    pooled = _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled.values


@table.function(
    cases=[
        Case("max_pool3d(x, 2)", {"x": (1, 1, 2, 4, 2)}),
        Case("max_pool3d(x, (1, 2, 2), 1, (0, 1, 0))", {"x": (1, 1, 2, 3, 2)}),
        Case("max_pool3d(x, 2, 2, dilation=(1, 2, 1), ceil_mode=True)", {"x": (1, 3, 3, 2)}),
    ],
    formula="the maximum of each window",
    kink=TIES,
    elsewhere={"torch": "the first gets all"},
    gradients=_of_maxima(3),
    autocast="float32",
)
def max_pool3d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    dilation: tuple[int, ...] = (1,),
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Pooled:
    """The largest element of each window over the last three axes."""
    pooled = _max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled.values


def _max_pool(
    name: str,
    axes: int,
    x: Node,
    kernel: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    dilation: Lengths,
    ceil_mode: bool,
) -> Pooled:
    window, paddings = _geometry(name, axes, x, kernel, stride, padding, dilation)
    lengths = x.shape[-axes:]
    around = _paddings_behind(window, lengths, paddings, ceil_mode)
    x = cast(x, "int") if x.kind == "bool" else x
    least = -math.inf if x.kind == "float" else float(np.iinfo(np.int64).min)
    surrounded = padded(x, around, least)
    rows = windows_in_rows(surrounded, window)
    places = argmax(rows, -axes - 1, True)
    within = surrounded.shape[-axes:]
    steps = [math.prod(within[axis + 1 :]) for axis in range(axes)]
    # The number of an element is that of the first one of its window, and what is between them.
    firsts = _numbers(x.graph, rows.shape[-axes:], map(mul, window.stride, steps))
    between = _numbers(x.graph, window.kernel, map(mul, window.dilation, steps))
    between = expand(reshape(between, (-1, *[1] * axes)), rows.shape)
    numbers = take_along_dim(between, places, -axes - 1) + firsts
    # Taken from where they lie, the largest give their gradients to few elements, not to windows.
    chosen = flatten(numbers, -axes - 1)
    values = take_along_dim(flatten(surrounded, -axes), chosen, -1)
    shape = (*rows.shape[: -axes - 1], *rows.shape[-axes:])
    if within != lengths:
        numbers = reshape(arange(x.graph, float(math.prod(lengths))), lengths)
        chosen = cast(index_along(flatten(padded(numbers, around)), -1, chosen), "int")
    return Pooled(reshape(values, shape), reshape(chosen, shape))


def _numbers(graph: Graph, lengths: Lengths, steps: Iterable[int]) -> Node:
    """For each place of a table the sum of what its steps along the axes count."""
    sides = [
        cast(arange(graph, 0.0, float(n * step), float(step)), "int")
        for n, step in zip(lengths, steps, strict=True)
    ]
    return reduce(lambda before, side: unsqueeze(before, -1) + side, sides)


# --- the mean ------------------------------------------------------------------------------


@table.function(
    cases=[
        Case("avg_pool1d(x, 2)", {"x": (1, 2, 5)}),
        Case("avg_pool1d(x, 3, stride=2, padding=1)", {"x": (2, 6)}),
        Case("avg_pool1d(x, 3, 2, 1, True, False)", {"x": (2, 6)}),
    ],
    formula="the mean of each window",
    gradients=_of_means(1),
    keeps_integers=True,
)
def avg_pool1d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Node:
    """The mean of each window over the last axis; `stride` is the kernel's size."""
    return _avg_pool(
        "avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None
    )


@table.function(
    cases=[
        Case("avg_pool2d(x, 2)", {"x": (1, 2, 4, 5)}),
        Case("avg_pool2d(x, (2, 3), stride=1, padding=(1, 0))", {"x": (1, 3, 4)}),
        Case("avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)", {"x": (1, 4, 6)}),
        Case("avg_pool2d(x, 2, divisor_override=3)", {"x": (1, 2, 3)}),
    ],
    formula="the mean of each window",
    gradients=_of_means(2),
    keeps_integers=True,
    order="channels",
)
def avg_pool2d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: float | None = None,
) -> Node:
    """The mean of each window over the last two axes; `stride` is the kernel's size."""
    return _avg_pool(
        "avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


@table.function(
    cases=[
        Case("avg_pool3d(x, 2)", {"x": (1, 1, 2, 4, 2)}),
        Case("avg_pool3d(x, (1, 2, 2), 1, (0, 1, 0))", {"x": (1, 1, 2, 3, 2)}),
        Case("avg_pool3d(x, 2, 2, 1, True, False)", {"x": (1, 3, 2, 2)}),
    ],
    formula="the mean of each window",
    gradients=_of_means(3),
    keeps_integers=True,
    autocast="float32",
)
def avg_pool3d(
    input: Node,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    padding: tuple[int, ...] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: float | None = None,
) -> Node:
    """The mean of each window over the last three axes; `stride` is the kernel's size."""
    return _avg_pool(
        "avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def _avg_pool(
    name: str,
    axes: int,
    x: Node,
    kernel: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: float | None,
) -> Node:
    if divisor == 0:
        raise GradcliError("value", f"{name}: divisor_override must not be 0")
    window, paddings = _geometry(name, axes, x, kernel, stride, padding, (1,))
    lengths = x.shape[-axes:]
    around = _paddings_behind(window, lengths, paddings, ceil_mode)
    totals = sum_(windows_in_rows(padded(cast(x, "float"), around), window), (-axes - 1,))
    if divisor is not None:
        return totals / divisor
    counted = padded_lengths(lengths, paddings) if count_include_pad else lengths
    if counted == padded_lengths(lengths, around):
        return totals / math.prod(window.kernel)
    # Some windows extend beyond the counted elements: each is divided by its own number of them.
    ones = expand(x.graph.constant(1.0), counted)
    behind = (
        around
        if counted == lengths
        else tuple(
            (0, after - padded) for (_, after), (_, padded) in zip(around, paddings, strict=True)
        )
    )
    return totals / sum_(windows_in_rows(padded(ones, behind), window), (0,))


# --- what both share -----------------------------------------------------------------------


def _geometry(
    name: str,
    axes: int,
    x: Node,
    kernel: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    dilation: Lengths,
) -> tuple[Window, Paddings]:
    """The window, and the given padding."""
    check_layout(name, x, axes)
    kernel = lengths_of(name, "kernel_size", kernel, axes, 1)
    window = Window(
        kernel,
        kernel if not stride else lengths_of(name, "stride", stride, axes, 1),
        lengths_of(name, "dilation", dilation, axes, 1),
    )
    padded = lengths_of(name, "padding", padding, axes, 0)
    if any(pad > size // 2 for pad, size in zip(padded, kernel, strict=True)):
        place = next(i for i, pad in enumerate(padded) if pad > kernel[i] // 2)
        said = (
            "pad should be at most half of effective kernel size, but got "
            f"pad={padded[place]}, kernel_size={kernel[place]} and "
            f"dilation={window.dilation[place]}"
        )
        raise RefusedError(
            ("RuntimeError", said),
            "value",
            f"{name}: padding {show(padded)} is more than half of the kernel {show(kernel)}",
        )
    paddings = tuple((pad, pad) for pad in padded)
    _check_room(name, window, x, paddings)
    return window, paddings


def _check_room(name: str, window: Window, x: Node, paddings: Paddings) -> None:
    """Raise `shape` where no window fits; PyTorch tells how many would."""
    axes = len(window.kernel)
    try:
        check_fits(name, window, x.shape[-axes:], paddings)
    except GradcliError as error:
        padded = padded_lengths(x.shape[-axes:], paddings)
        sizes = [x.shape[-axes:], window.counts(padded)]
        given, found = ("x".join(map(str, (x.shape[-axes - 1], *each))) for each in sizes)
        said = (
            f"Given input size: ({given}). Calculated output size: ({found}). Output size is too "
            "small"
        )
        told = error.diagnostic
        raise RefusedError(("RuntimeError", said), "shape", told.message, told.hint) from None


AXES = {1: "length", 2: "height, width", 3: "depth, height, width"}
"""What windows slide over, in words."""


def check_layout(name: str, x: Node, axes: int) -> None:
    """Raise `shape` unless x is one sample or a batch of them."""
    if x.ndim not in (axes + 1, axes + 2):
        said = (
            f"non-empty {axes + 1}D or {axes + 2}D (batch mode) tensor expected for input"
            if name.startswith("max")
            else f"Expected {axes + 1}D or {axes + 2}D tensor, but got {[*x.shape]}"
        )
        raise RefusedError(
            ("RuntimeError", said),
            "shape",
            f"{name} takes {axes + 1} or {axes + 2} dimensions, ([batch,] channels, {AXES[axes]}); "
            f"this is {show(x.shape)}",
        )


def _paddings_behind(
    window: Window, lengths: Lengths, padding: Paddings, ceil_mode: bool
) -> Paddings:
    """With `ceil_mode`, more padding at the end for a last window that starts inside."""
    if not ceil_mode:
        return padding
    around = []
    sides = zip(lengths, padding, window.span, window.stride, strict=True)
    for length, (before, behind), span, step in sides:
        count = -(-(length + before + behind - span) // step) + 1
        if (count - 1) * step >= length + before:
            count -= 1
        reach = (count - 1) * step + span
        around.append((before, max(behind, reach - length - before)))
    return tuple(around)
