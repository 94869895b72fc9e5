"""Adaptive pooling: as many windows as the result has places, as equal as lengths allow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.extremes import argmax
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.kinds import cast
from gradcli.ops.pooling import TIES, Pooled, check_layout
from gradcli.ops.reductions import sum_
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.selection import where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, flatten, reshape, squeeze
from gradcli.ops.table import Case, kernel
from gradcli.ops.windows import Lengths

table = Group("layer")

FORMULA = "window i of n over a length L is from floor(i * L / n) to ceil((i + 1) * L / n)"


# --- the mean ------------------------------------------------------------------------------


@table.function(
    cases=[Case("adaptive_avg_pool1d(x, 2)", {"x": (2, 3)})],
    formula=FORMULA,
    demands={"input": kernel("adaptive_avg_pool2d")},
)
def adaptive_avg_pool1d(input: Node, output_size: Sequence[int | None]) -> Node:
    """The means of `output_size` windows over the last axis."""
    return _means("adaptive_avg_pool1d", 1, input, output_size)


@table.function(
    cases=[Case("adaptive_avg_pool2d(x, (None, 2))", {"x": (1, 1, 2, 3)})],
    formula=FORMULA,
    order="channels",
    demands={"input": kernel("adaptive_avg_pool2d")},
)
def adaptive_avg_pool2d(input: Node, output_size: Sequence[int | None]) -> Node:
    """The means of windows over the last two axes; None keeps a length."""
    return _means("adaptive_avg_pool2d", 2, input, output_size)


@table.function(
    cases=[Case("adaptive_avg_pool3d(x, (1, 2, 2))", {"x": (1, 2, 2, 3)})],
    formula=FORMULA,
    autocast="float32",
    demands={"input": kernel("adaptive_avg_pool3d")},
)
def adaptive_avg_pool3d(input: Node, output_size: Sequence[int | None]) -> Node:
    """The means of windows over the last three axes; None keeps a length."""
    return _means("adaptive_avg_pool3d", 3, input, output_size)


def _means(name: str, axes: int, x: Node, output_size: Sequence[int | None]) -> Node:
    x = cast(x, "float")
    lengths = _lengths(name, axes, x, output_size)
    places, inside = _windows(name, x, lengths)
    held = x.graph.constant(inside)
    totals = sum_(where(held, _in_rows(x, places, axes), 0.0), (-2,))
    return reshape(totals / inside.sum(0), (*x.shape[:-axes], *lengths))


# --- the largest ---------------------------------------------------------------------------


@table.function(
    cases=[Case("adaptive_max_pool1d(x, 2)", {"x": (2, 3)})],
    formula=FORMULA,
    kink=TIES,
    unlike={"torch.adaptive_max_pool1d": "F.adaptive_max_pool1d(x, n, return_indices=True)"},
    demands={"input": kernel("adaptive_max_pool2d")},
)
def adaptive_max_pool1d(
    input: Node, output_size: Sequence[int | None], return_indices: bool = False
) -> Node | Pooled:
    """The largest elements of `output_size` windows over the last axis."""
    pooled = _largest("adaptive_max_pool1d", 1, input, output_size)
    return pooled if return_indices else pooled.values


@table.function(
    cases=[Case("adaptive_max_pool2d(x, (None, 2))", {"x": (1, 1, 2, 3)})],
    formula=FORMULA,
    kink=TIES,
    order="channels",
    demands={"input": kernel("adaptive_max_pool2d")},
)
def adaptive_max_pool2d(
    input: Node, output_size: Sequence[int | None], return_indices: bool = False
) -> Node | Pooled:
    """The largest elements of windows over the last two axes; None keeps a length."""
    pooled = _largest("adaptive_max_pool2d", 2, input, output_size)
    return pooled if return_indices else pooled.values


@table.function(
    cases=[Case("adaptive_max_pool3d(x, (1, 2, 2), True)[0]", {"x": (1, 2, 2, 3)})],
    formula=FORMULA,
    kink=TIES,
    autocast="float32",
    demands={"input": kernel("adaptive_max_pool3d")},
)
def adaptive_max_pool3d(
    input: Node, output_size: Sequence[int | None], return_indices: bool = False
) -> Node | Pooled:
    """The largest elements of windows over the last three axes; None keeps a length."""
    pooled = _largest("adaptive_max_pool3d", 3, input, output_size)
    return pooled if return_indices else pooled.values


def _largest(name: str, axes: int, x: Node, output_size: Sequence[int | None]) -> Pooled:
    lengths = _lengths(name, axes, x, output_size)
    places, inside = _windows(name, x, lengths)
    shape = (*x.shape[:-axes], *lengths)
    rows = where(x.graph.constant(inside), _in_rows(cast(x, "float"), places, axes), -math.inf)
    chosen = argmax(rows, -2, True)
    numbers = expand(x.graph.constant(places), rows.shape)
    values, indices = (
        reshape(squeeze(take_along_dim(each, chosen, -2), (-2,)), shape) for each in (rows, numbers)
    )
    return Pooled(values, indices)


# --- what both share -----------------------------------------------------------------------


def _lengths(name: str, axes: int, x: Node, output_size: Sequence[int | None]) -> Lengths:
    """The lengths of the result."""
    check_layout(name, x, axes)
    if 0 in x.shape[-axes:]:
        raise GradcliError("shape", f"{name} of nothing: the tensor is {show(x.shape)}")
    wanted = tuple(output_size) * (axes if len(output_size) == 1 else 1)
    if len(wanted) != axes:
        raise GradcliError(
            "shape", f"{name}: output_size has {len(wanted)} lengths for {axes} axes"
        )
    lengths = tuple(
        length if n is None else n for n, length in zip(wanted, x.shape[-axes:], strict=True)
    )
    if min(lengths) < 0:
        raise GradcliError("value", f"{name}: a length cannot be negative: {show(lengths)}")
    return lengths


def _windows(name: str, x: Node, wanted: Lengths) -> tuple[Array, Array]:
    """The numbers of the elements in each window, (most of a window, windows); and where these
    belong to it: shorter windows are filled up with places that do not.
    """
    lengths = x.shape[-len(wanted) :]
    sides = zip(lengths, wanted, strict=True)
    sizes = (math.ceil(length / n) + 1 if n else 1 for length, n in sides)
    check_places(x.graph, name, math.prod(sizes) * math.prod(wanted))
    places, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
    for length, n in zip(lengths, wanted, strict=True):
        first = np.arange(n) * length // max(n, 1)
        last = -(-(np.arange(n) + 1) * length // max(n, 1)) - 1
        along = first + np.arange((last - first).max(initial=0) + 1)[:, None]
        places, inside = (
            _side_by_side(places * length, np.minimum(along, length - 1), np.add),
            _side_by_side(inside, along <= last, np.logical_and),
        )
    return places, inside


def _side_by_side(before: Array, along: Array, joined: np.ufunc) -> Array:
    """Windows over some axes and over the next one as windows over all of them."""
    both = joined(before[:, None, :, None], along[:, None])
    return np.reshape(both, (before.shape[0] * along.shape[0], before.shape[1] * along.shape[1]))


def _in_rows(x: Node, places: Array, axes: int) -> Node:
    """The elements with these numbers, instead of the last axes."""
    return index_along(flatten(x, -axes, -1), -1, x.graph.constant(places))
