"""Resampling of images and signals: interpolate, upsample.

Every mode but `area` is a weighted sum of few elements along each axis, one axis after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.adaptive import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.kinds import cast
from gradcli.ops.reductions import sum_
from gradcli.ops.shapes import show
from gradcli.ops.table import Case
from gradcli.ops.windows import Lengths, lengths_of

table = Group("layer")


class Scaling(NamedTuple):
    """One axis: its length before and after, and the step in the old one for one in the new."""

    length: int
    wanted: int
    step: float
    aligned: bool
    """Whether the first and last elements keep their places: `align_corners`."""

    def sources(self) -> Array:
        """Where the new elements lie in the old axis."""
        places = np.arange(self.wanted)
        if self.aligned:
            return self.step * places
        return self.step * (places + 0.5) - 0.5


class Taps(NamedTuple):
    """What each new element is made of: (taps, new length)."""

    places: Array
    weights: Array


# --- weights of the modes ------------------------------------------------------------------


def _nearest(axis: Scaling) -> Taps:
    return _single(axis, np.arange(axis.wanted) * axis.step)


def _nearest_exact(axis: Scaling) -> Taps:
    return _single(axis, (np.arange(axis.wanted) + 0.5) * axis.step)


def _single(axis: Scaling, sources: Array) -> Taps:
    """One element for each; PyTorch rounds to float32 before it cuts the fraction off."""
    places = np.floor(sources.astype(np.float32)).astype(np.int64)
    places = np.minimum(places, axis.length - 1)[None]
    return Taps(places, np.ones(places.shape))


def _linear(axis: Scaling) -> Taps:
    if axis.length == axis.wanted:
        return Taps(np.arange(axis.wanted)[None], np.ones((1, axis.wanted)))
    sources = np.maximum(axis.sources(), 0.0)
    first = np.minimum(np.floor(sources).astype(np.int64), axis.length - 1)
    share = np.clip(sources - first, 0.0, 1.0)
    second = np.minimum(first + 1, axis.length - 1)
    return Taps(np.stack([first, second]), np.stack([1 - share, share]))


def _cubic(axis: Scaling) -> Taps:
    sources = axis.sources()
    first = np.minimum(np.floor(sources).astype(np.int64), axis.length - 1)
    share = np.clip(sources - first, 0.0, 1.0)
    around = np.arange(-1, 3)[:, None]
    places = np.clip(first + around, 0, axis.length - 1)
    return Taps(places, cubic_weight(share - around, -0.75))


def cubic_weight(distance: Array, a: float) -> Array:
    """The convolution kernel of bicubic interpolation (Keys 1981)."""
    size = np.abs(distance)
    near = ((a + 2) * size - (a + 3)) * size * size + 1
    far = ((size - 5) * size + 8) * size * a - 4 * a
    return np.where(size <= 1, near, np.where(size < 2, far, 0.0))


def _smoothed(radius: int, kernel: Callable[[Array], Array]) -> Callable[[Scaling], Taps]:
    """Taps of a mode with `antialias`: its kernel is widened by the step where that is above 1."""

    def taps(axis: Scaling) -> Taps:
        wide = max(axis.step, 1.0)
        reach = radius * wide
        centres = axis.step * (np.arange(axis.wanted) + 0.5)
        first = np.maximum((centres - reach + 0.5).astype(np.int64), 0)
        last = np.minimum((centres + reach + 0.5).astype(np.int64), axis.length)
        places = first + np.arange((last - first).max(initial=1))[:, None]
        weights = np.where(places < last, kernel((places + 0.5 - centres) / wide), 0.0)
        return Taps(np.minimum(places, axis.length - 1), weights / weights.sum(0))

    return taps


MODES: dict[str, tuple[Lengths, Callable[[Scaling], Taps] | None]] = {
    "nearest": ((1, 2, 3), _nearest),
    "nearest-exact": ((1, 2, 3), _nearest_exact),
    "area": ((1, 2, 3), None),
    "linear": ((1,), _linear),
    "bilinear": ((2,), _linear),
    "trilinear": ((3,), _linear),
    "bicubic": ((2,), _cubic),
}
"""How many axes each mode is for, and what new elements are made of along an axis."""
SMOOTHED = {
    "bilinear": _smoothed(1, lambda x: np.maximum(1 - np.abs(x), 0.0)),
    "bicubic": _smoothed(2, lambda x: cubic_weight(x, -0.5)),
}
"""The same with `antialias`."""
AREAS = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


# --- the functions -------------------------------------------------------------------------


@table.function(
    cases=[
        Case("interpolate(x, 4)", {"x": (1, 1, 3)}),
        Case("interpolate(x, scale_factor=1.7, mode='linear')", {"x": (1, 2, 3)}),
        Case("interpolate(x, (3, 4), mode='bilinear', align_corners=True)", {"x": (1, 1, 2, 3)}),
        Case("interpolate(x, (2, 3), mode='bicubic')", {"x": (1, 1, 3, 2)}),
        Case("interpolate(x, 2, mode='bilinear', antialias=True)", {"x": (1, 1, 3, 4)}),
        Case("interpolate(x, 2, mode='area')", {"x": (1, 2, 3)}),
    ],
    formula="sum of weight * input along each of the last axes",
    order="channels",
)
def interpolate(
    input: Node,
    size: tuple[int, ...] | None = None,
    scale_factor: tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Node:
    """Input (batch, channels, …) at other lengths: `size`, or `scale_factor` times the old ones.

    Modes: nearest, nearest-exact, linear (1 axis), bilinear, bicubic (2), trilinear (3), area.
    """
    axes = input.ndim - 2
    allowed, taps_of = MODES.get(mode, ((), None))
    if axes not in allowed:
        _refuse(mode, input)
    _check_settings(mode, align_corners, size, scale_factor)
    lengths = input.shape[2:]
    if 0 in lengths:
        raise GradcliError("shape", f"interpolate of nothing: the tensor is {show(input.shape)}")
    wanted, steps = _scaled(lengths, size, scale_factor, bool(recompute_scale_factor))
    if taps_of is None:
        return AREAS[axes](input, wanted)
    if antialias:
        if mode not in SMOOTHED:
            raise GradcliError("value", "interpolate: antialias is for 'bilinear' and 'bicubic'")
        taps_of = SMOOTHED[mode]
    x = cast(input, "float")
    if align_corners:
        ends = zip(lengths, wanted, strict=True)
        steps = tuple((n - 1) / (new - 1) if new > 1 else 0.0 for n, new in ends)
    for place, (length, new, step) in enumerate(zip(lengths, wanted, steps, strict=True)):
        check_places(x.graph, "interpolate", 4 * new * math.ceil(step + 1))
        axis = Scaling(length, new, step, bool(align_corners))
        x = _resampled(x, place - axes, taps_of(axis))
    return x


def _resampled(x: Node, axis: int, taps: Taps) -> Node:
    if len(taps.places) == 1:
        return index_along(x, axis, x.graph.constant(taps.places[0]))
    taken = index_along(x, axis, x.graph.constant(taps.places))
    weights = taps.weights.reshape((*taps.weights.shape, *[1] * (-axis - 1)))
    return sum_(taken * x.graph.constant(weights), (axis - 1,))


def _scaled(
    lengths: Lengths, size: Lengths | None, factors: tuple[float, ...] | None, recompute: bool
) -> tuple[Lengths, tuple[float, ...]]:
    """The new lengths, and the step along each axis. Raises `value` for none that are positive."""
    if factors is not None:
        factors = factors * len(lengths) if len(factors) == 1 else factors
        if len(factors) != len(lengths) or not all(0 < factor < math.inf for factor in factors):
            raise GradcliError(
                "value",
                f"interpolate: scale_factor is a positive number, or one for each of "
                f"{len(lengths)} axes, not {factors}",
            )
        wanted = tuple(math.floor(n * by) for n, by in zip(lengths, factors, strict=True))
    else:
        assert size is not None, "it was checked"
        wanted = lengths_of("interpolate", "size", size, len(lengths), 1)
    if min(wanted) < 1:
        raise GradcliError(
            "value", f"interpolate: {show(lengths)} would become {show(wanted)}: nothing is left"
        )
    if factors is None or recompute:
        return wanted, tuple(n / new for n, new in zip(lengths, wanted, strict=True))
    return wanted, tuple(1 / factor for factor in factors)


def _refuse(mode: str, x: Node) -> None:
    """Raise the error that tells why a mode cannot be."""
    if mode not in MODES:
        known = ", ".join(MODES)
        raise GradcliError(
            "value", f"interpolate: there is no mode {mode!r}", hint=f"modes are {known}"
        )
    allowed, _ = MODES[mode]
    kinds = " or ".join(str(n + 2) for n in allowed)
    raise GradcliError(
        "shape",
        f"interpolate: mode {mode!r} takes {kinds} dimensions, (batch, channels, …); this is "
        f"{show(x.shape)}",
    )


def _check_settings(
    mode: str, align_corners: bool | None, size: Lengths | None, factor: tuple[float, ...] | None
) -> None:
    """Raise `value` for settings that exclude each other."""
    if (size is None) == (factor is None):
        raise GradcliError("value", "interpolate: give size or scale_factor, one of them")
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise GradcliError(
            "value",
            f"interpolate: align_corners has no meaning for mode {mode!r}",
            hint="leave it out",
        )


@table.function(
    cases=[Case("upsample(x, scale_factor=2)", {"x": (1, 1, 3)})],
    formula="interpolate(input, size, scale_factor, mode)",
)
def upsample(
    input: Node,
    size: tuple[int, ...] | None = None,
    scale_factor: tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Node:
    """`interpolate` by its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


@table.function(
    cases=[Case("upsample_nearest(x, 4)", {"x": (1, 1, 3)})],
    formula="interpolate(input, size, scale_factor)",
)
def upsample_nearest(
    input: Node,
    size: tuple[int, ...] | None = None,
    scale_factor: tuple[float, ...] | None = None,
) -> Node:
    """`interpolate` with the mode 'nearest'."""
    return interpolate(input, size, scale_factor)


@table.function(
    cases=[Case("upsample_bilinear(x, 3)", {"x": (1, 1, 2, 2)})],
    formula="interpolate(input, size, scale_factor, 'bilinear', align_corners=True)",
)
def upsample_bilinear(
    input: Node,
    size: tuple[int, ...] | None = None,
    scale_factor: tuple[float, ...] | None = None,
) -> Node:
    """`interpolate` with the mode 'bilinear', where corners keep their places."""
    return interpolate(input, size, scale_factor, "bilinear", True)
