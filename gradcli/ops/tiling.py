"""Copies of elements: repeats, tiles and padding."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.promotion import filling
from gradcli.ops.selection import where
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import embed, expand, flat, flatten, part, reshape, take_slices
from gradcli.ops.table import Case, whole

table = Group("shaping")

# --- repeats -------------------------------------------------------------------------------


@table.function(
    needs=("repeats",), cases=[Case("x.repeat(2, 2)"), Case("x.repeat(2, 1, 3)")], own_memory=True
)
def repeat(x: Node, *repeats: int) -> Node:
    """x laid side by side along each axis, as PyTorch's `repeat` and NumPy's `tile` do."""
    counts = flat(repeats)
    if len(counts) < x.ndim or any(count < 0 for count in counts):
        raise GradcliError(
            "value",
            f"repeat: {show(counts)} is not one count, 0 or more, for each axis of {show(x.shape)}",
            hint="repeat_interleave repeats element by element",
        )
    shape = (1,) * (len(counts) - x.ndim) + x.shape
    around = reshape(x, tuple(n for length in shape for n in (1, length)))
    pairs = zip(counts, shape, strict=True)
    copies = expand(around, tuple(n for count, length in pairs for n in (count, length)))
    return reshape(copies, tuple(a * b for a, b in zip(counts, shape, strict=True)))


@table.function(
    needs=("dims",), cases=[Case("tile(x, (2,))"), Case("tile(x, 2, 1, 2)")], own_memory=True
)
def tile(x: Node, *dims: int) -> Node:
    """As `repeat`, but counts that are left out in front are 1."""
    counts = flat(dims)
    return repeat(x, (1,) * (x.ndim - len(counts)) + counts)


@table.function(
    cases=[
        Case("repeat_interleave(x, 2)"),
        Case("repeat_interleave(x, 2, dim=0)"),
        Case("x.repeat_interleave([1, 0, 2], dim=-1)"),
    ],
    demands={
        "repeats": whole(
            "\"repeat_interleave_cpu\" not implemented for '{Type}'", kind="NotImplementedError"
        )
    },
    overloaded=True,
)
def repeat_interleave(
    x: Node,
    repeats: tuple[int, ...],
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Node:
    """Each element along `dim` (of all in one row without it) some times in a row."""
    if dim is None:
        x, dim = flatten(x), 0
    axis = normalize_axis("repeat_interleave", dim, x.ndim)
    x = x if x.shape else reshape(x, (1,))
    length = x.shape[axis]
    if len(repeats) not in (1, length) or any(count < 0 for count in repeats):
        raise GradcliError(
            "value",
            f"repeat_interleave: {len(repeats)} counts do not fit axis {dim} of {show(x.shape)}; "
            "one count, or one for each element, all 0 or more",
        )
    count = sum(repeats) * (length if len(repeats) == 1 else 1)
    check_places(x.graph, "repeat_interleave", max(length, count))
    places = np.repeat(np.arange(length), repeats)
    return index_along(x, axis, x.graph.constant(places))


@table.function(
    "np.repeat", cases=[Case("np.repeat(x, 2)"), Case("np.repeat(x, [1, 0, 2], axis=1)")]
)
def numpy_repeat(x: Node, repeats: tuple[int, ...], dim: int | None = None) -> Node:
    """`repeat` as NumPy has it: `repeat_interleave`."""
    return repeat_interleave(x, repeats, dim)


@table.function(
    cases=[
        Case("combinations(x)", {"x": (3,)}),
        Case("combinations(x, 3, with_replacement=True)", {"x": (2,)}),
    ]
)
def combinations(x: Node, r: int = 2, with_replacement: bool = False) -> Node:
    """All combinations of r elements of a vector, as rows, in the order of their places."""
    if x.ndim != 1:
        raise GradcliError("shape", f"combinations takes a vector; this is {show(x.shape)}")
    if r < 0:
        raise GradcliError("value", f"combinations: r is a count, not {r}")
    if not r:  # as in PyTorch
        return part(x, -1, 0, 0)
    rows = comb(x.size + r - 1, r) if with_replacement and x.size else comb(x.size, r)
    check_places(x.graph, "combinations", rows * r)
    chosen = (
        itertools.combinations_with_replacement if with_replacement else itertools.combinations
    )(range(x.size), r)
    places = np.fromiter(itertools.chain.from_iterable(chosen), np.int64, rows * r)
    return index_along(x, -1, x.graph.constant(places.reshape(rows, r)))


# --- padding -------------------------------------------------------------------------------


def _reflected(places: Array, length: int) -> Array:
    """Indices beyond an end, mirrored at the last element."""
    inside = np.abs(places)
    return np.where(inside < length, inside, 2 * (length - 1) - inside)


BEYOND: dict[str, tuple[Callable[[Array, int], Any], Callable[[int], int]]] = {
    "reflect": (_reflected, lambda length: length - 1),
    "replicate": (lambda places, length: np.clip(places, 0, length - 1), lambda length: 2**62),
    "circular": (lambda places, length: places % length, lambda length: length),
}
"""For each mode, the elements beyond the ends, and the most elements that can be added."""


@table.function(
    cases=[
        Case("pad(x, (1, 2))"),
        Case("pad(x, (1, 0, 0, 2), value=3)"),
        Case("pad(x, (-1, 1))"),
        Case("pad(x, (2, 1), mode='reflect')"),
        Case("pad(x, (2, 1, 0, 3), mode='replicate')"),
        Case("pad(x, (2, 3), mode='circular')"),
        Case("pad(x, (1, -1), 'reflect')", {"x": (2, 2, 4)}),
        Case("pad(x, (-1, -2), 'circular')", smooth=False),
    ],
    unlike={"np.pad": "pad(x, (before, after)), where counts for the last axis come first"},
    numpy="",
    torch="torch.nn.functional.pad",
    own_memory=True,
    keeps_integers=True,
)
def pad_(x: Node, pad: tuple[int, ...], mode: str = "constant", value: float = 0.0) -> Node:
    """More elements at the ends of axes: (before, after) for the last axis, then the one before.

    Negative counts remove elements. Modes: constant, reflect, replicate, and circular, which
    repeats the elements that are left.
    """
    if mode != "constant" and mode not in BEYOND:
        raise GradcliError(
            "value",
            f"pad: there is no mode {mode!r}",
            hint="modes are constant, reflect, replicate and circular",
        )
    if len(pad) % 2 or len(pad) > 2 * x.ndim:
        raise GradcliError(
            "shape", f"pad: {pad} is not two counts for each of the last axes of {show(x.shape)}"
        )
    ends = {-1 - i: (pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)}
    for axis, (before, after) in ends.items():
        _check_room(x, axis, before, after, mode)
    if mode == "constant":
        return _pad_constant(x, ends, value)
    if mode == "circular":
        for axis, (before, after) in ends.items():
            x = part(x, axis, max(-before, 0), _left(x, axis, before, after))
        ends = {axis: (max(before, 0), max(after, 0)) for axis, (before, after) in ends.items()}
    source, _ = BEYOND[mode]
    for axis, (before, after) in ends.items():
        if before or after:
            check_places(x.graph, "pad", before + x.shape[axis] + after)
            places = source(np.arange(-before, x.shape[axis] + after), x.shape[axis])
            x = index_along(x, axis, x.graph.constant(places))
    return x


def _left(x: Node, axis: int, before: int, after: int) -> int:
    """The number of elements of an axis after negative counts."""
    return x.shape[axis] + min(before, 0) + min(after, 0)


def _check_room(x: Node, axis: int, before: int, after: int, mode: str) -> None:
    left = _left(x, axis, before, after)
    if left < 0:
        raise GradcliError(
            "shape", f"pad: {before} and {after} take more away than axis {axis} of {show(x.shape)}"
        )
    if mode != "constant" and (before or after):
        _, room = BEYOND[mode]
        length = left if mode == "circular" else x.shape[axis]
        nothing = not length and mode != "circular"
        if nothing or max(before, after) > room(length):
            raise GradcliError(
                "shape",
                f"pad: {mode} of {before} and {after} does not fit axis {axis} of {show(x.shape)}",
                hint="at most as many can be added as there are elements"
                + (" except the last" if mode == "reflect" else ""),
            )


def _pad_constant(x: Node, ends: dict[int, tuple[int, int]], value: float) -> Node:
    kept: list[tuple[int, int, int]] = []
    places: list[tuple[int, int, int]] = []
    shape: list[int] = []
    for i, length in enumerate(x.shape):
        before, after = ends.get(i - x.ndim, (0, 0))
        count = length + min(before, 0) + min(after, 0)
        kept.append((max(-before, 0), count, 1))
        places.append((max(before, 0), count, 1))
        shape.append(length + before + after)
    x = take_slices(x, tuple(kept))
    padded: Shape = tuple(shape)
    if padded == x.shape:
        return x
    inside = embed(x, padded, tuple(places))
    if value == 0:
        return inside
    ones = expand(x.graph.constant(True), x.shape)
    inside, outside = filling(inside, x.graph.constant(value))
    return where(embed(ones, padded, tuple(places)), inside, outside)


@table.function(cases=[Case("constant_pad_nd(x, (1, 0, 0, 2), 3)")])
def constant_pad_nd(x: Node, pad: tuple[int, ...], value: float = 0.0) -> Node:
    """`pad` with one value."""
    return pad_(x, pad, "constant", value)
