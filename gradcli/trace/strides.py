"""Where the elements of a view lie in memory, and which reshapes PyTorch copies."""

from __future__ import annotations

import math

import numpy as np

from gradcli.graph import Array, Shape

Layout = tuple[int, tuple[int, ...]]
"""Where a tensor begins, and how far apart neighbours along each axis are, in elements."""


def layout(places: Array) -> Layout:
    """How a view lies in memory whose elements have the numbers that are its `places`."""
    shape = places.shape
    in_rows = usual(shape)
    if not places.size:
        return 0, in_rows
    first = int(places[(0,) * len(shape)])
    strides = tuple(
        int(places[tuple(int(i == axis) for i in range(len(shape)))]) - first
        if length > 1
        else in_rows[axis]
        for axis, length in enumerate(shape)
    )
    spread = np.array(first)
    for length, stride in zip(shape, strides, strict=True):
        spread = spread[..., None] + np.arange(length) * stride
    return (first, strides) if np.array_equal(spread, places) else (0, in_rows)


def usual(shape: Shape) -> tuple[int, ...]:
    """The strides of elements that lie in the order of the rows."""
    return tuple(
        math.prod(max(1, each) for each in shape[axis + 1 :]) for axis in range(len(shape))
    )


def can_view(shape: Shape, strides: tuple[int, ...], wanted: Shape) -> bool:
    """Whether memory of these strides can be seen in another shape without a copy."""
    array = np.broadcast_to(np.zeros(()), shape)
    sized = np.lib.stride_tricks.as_strided(array, shape, [each * 8 for each in strides])
    try:
        sized.view().shape = wanted
    except AttributeError:
        return False
    return True


def has_other_axes(shape: Shape, wanted: Shape) -> bool:
    """Whether the shapes differ in more than axes of length 1, which need no copy."""
    return [each for each in shape if each != 1] != [each for each in wanted if each != 1]
