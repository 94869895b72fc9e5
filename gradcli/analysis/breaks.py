"""Where a curve is not smooth. It is found by bisection: there slopes or values stay apart however
near two points are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from gradcli.analysis.samples import Function, Sample, roughness, suspects, usual_size

HALVINGS = 44
STEEP = 1e7
"""A value this many times as large as half of the others are is that of a pole."""

Kind = Literal["kink", "jump", "pole", "hole", "end"]


class Singularity(NamedTuple):
    """Where a curve is not smooth, and in what way: `hole` is a single place without a value,
    `end` that of its domain.
    """

    place: float
    kind: Kind


def find_breaks(at: Function, dense: Sequence[Sample]) -> Iterator[Singularity]:
    """Where the curve is not smooth."""
    size = usual_size(dense)
    span = abs(dense[-1].place - dense[0].place)
    last = None
    for start, end in suspects(dense):
        kind, place = _searched(at, start, end, size)
        near = abs(end.place - start.place)
        if kind and (last is None or abs(place - last) > near / 2):
            yield Singularity(0.0 if abs(place) < span * 1e-12 else place, kind)
            last = place


def _searched(at: Function, start: Sample, end: Sample, size: float) -> tuple[Kind | None, float]:
    """What stays apart where an interval is halved again and again, and where."""
    for _ in range(HALVINGS):
        middle = at((start.place + end.place) / 2)
        if middle.place in (start.place, end.place):
            break
        if roughness(start, middle) >= roughness(middle, end):
            end = middle
        else:
            start = middle
    kind = _kind(start, end, size)
    if kind == "end":
        within, out = (start, end) if np.isfinite(start.value) else (end, start)
        if np.isfinite(at(out.place + (out.place - within.place)).value):
            kind = "hole"
    return kind, _short(start.place, end.place)


def _short(low: float, high: float) -> float:
    """A number between two near ones with few digits."""
    for digits in range(1, 17):
        short = float(f"{(low + high) / 2:.{digits}g}")
        if abs(short - low) + abs(short - high) <= 3 * abs(high - low):
            return short
    return (low + high) / 2


def _kind(start: Sample, end: Sample, size: float) -> Kind | None:
    """What is between two points that are as near as can be."""
    sides = (start.value, end.value)
    if not all(map(np.isfinite, sides)):
        infinite = [abs(each) for each in sides if not np.isnan(each)]
        return "pole" if max(infinite, default=0.0) > STEEP * size else "end"
    if max(map(abs, sides)) > STEEP * size:
        return "pole"
    if abs(end.value - start.value) > 1e-6 * size:
        return "jump"
    steep = max(abs(start.slope), abs(end.slope))
    return "kink" if not abs(end.slope - start.slope) <= 1e-3 * steep else None
