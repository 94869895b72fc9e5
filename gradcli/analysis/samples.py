"""Where a curve is looked at: equally spaced points, and more of them where it needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

from gradcli.analysis.progress import Progress, silent, told
from gradcli.graph import Array

FINER = 10
"""Into how many parts an interval is divided to look for what lies between two points."""
APART = 0.005
"""Points are added where the curve leaves the straight line by this much of its range."""
ROUGH, TINY = 4.0, 1e-9
"""A kink or a narrow peak may be where the curve leaves a smooth one this many times as far as it
does in the intervals around, and by this much of its size."""
AROUND = 3
"""How many intervals on either side these are."""
SUSPECTS = 64
"""The most intervals that are searched for them."""
ROUNDS, MOST = 16, 2000
"""How many times such an interval is halved, and the most points that this adds."""


class Sample(NamedTuple):
    """A point of a curve."""

    place: float
    value: float
    slope: float


Function = Callable[[float], Sample]
Interval = tuple[Sample, Sample]


def denser(
    at: Function, samples: Sequence[Sample], what: str = "", done: Progress = silent
) -> Iterator[Sample]:
    """The samples and others between them."""
    for start, end in told([*pairwise(samples)], what, done):
        yield start
        for part in range(1, FINER):
            yield at(start.place + (end.place - start.place) * part / FINER)
    yield samples[-1]


def refined(at: Function, dense: Sequence[Sample], odd: Sequence[float]) -> list[Sample]:
    """The samples, and more in intervals where the highest or lowest point of a curve is between
    two of them, or where they do not tell its way. `odd` are places where it is not smooth, which
    are left alone.
    """

    def is_smooth(pair: Interval) -> bool:
        low, high = sorted(each.place for each in pair)
        return not any(low <= place <= high for place in odd)

    fine = {each.place: each for each in dense}
    for pair in filter(is_smooth, suspects(dense)):
        fine |= {each.place: each for each in denser(at, pair)}
    falls = dense[-1].place < dense[0].place
    order = sorted(fine.values(), key=attrgetter("place"), reverse=falls)
    intervals = list(filter(is_smooth, pairwise(order)))
    most = len(fine) + MOST
    for _ in range(ROUNDS):
        far = _far([*fine.values()])
        intervals = [pair for pair in intervals if _hides(*pair, far)]
        if len(fine) + len(intervals) > most:
            break
        halves = [(start, at((start.place + end.place) / 2), end) for start, end in intervals]
        fine |= {middle.place: middle for _, middle, _ in halves}
        intervals = [pair for three in halves for pair in pairwise(three)]
    return sorted(fine.values(), key=attrgetter("place"), reverse=falls)


def kept(samples: Sequence[Sample], fine: Sequence[Sample]) -> list[Sample]:
    """The samples, and those of the finer ones between them where the curve bends away."""
    far = _far(fine)
    ends = {each.place for each in samples}
    starts = [number for number, each in enumerate(fine) if each.place in ends]
    found: list[Sample] = []
    for first, last in pairwise(starts):
        stretch = fine[first : last + 1]
        found += stretch[:-1] if _bends(stretch, far) else stretch[:1]
    return [*found, fine[-1]]


def roughness(start: Sample, end: Sample) -> float:
    """How far a step is from that of a smooth curve; infinite across the end of a domain."""
    if np.isfinite(start.value) != np.isfinite(end.value):
        return np.inf
    if not np.isfinite(start.value):
        return 0.0
    step = abs(end.place - start.place)
    with np.errstate(all="ignore"):
        expected = (end.place - start.place) * (start.slope + end.slope) / 2
        found = abs(end.value - start.value - expected) + step * abs(end.slope - start.slope)
    return float(np.inf if np.isnan(found) else found)


def suspects(dense: Sequence[Sample]) -> list[Interval]:
    """Intervals in which a curve may not be smooth, in their order."""
    tiny = TINY * usual_size(dense)
    rough = np.array([roughness(*pair) for pair in pairwise(dense)])
    usual = np.array([_usual(rough, place) for place in range(len(rough))])
    found = [
        (own, number)
        for number, (own, near) in enumerate(zip(rough.tolist(), usual.tolist(), strict=True))
        if own > ROUGH * near + tiny
    ]
    worst = sorted(found, reverse=True)[:SUSPECTS]
    return [(dense[number], dense[number + 1]) for _, number in sorted(worst, key=itemgetter(1))]


def usual_size(samples: Sequence[Sample]) -> float:
    """That of most values."""
    known = np.array([abs(each.value) for each in samples if np.isfinite(each.value)] or [1.0])
    return float(max(np.quantile(known, 0.95), 1e-3 * np.max(known))) or 1.0


def _usual(rough: Array, place: int) -> float:
    """The roughness of the intervals around one."""
    around = [*rough[max(0, place - AROUND) : place], *rough[place + 1 : place + 1 + AROUND]]
    return float(np.median(around)) if around else 0.0


def _far(samples: Sequence[Sample]) -> float:
    """How far from the straight line is seen in a picture of them."""
    finite = np.array([each.value for each in samples if np.isfinite(each.value)])
    if not finite.size:
        return np.inf
    low, high = np.quantile(finite, (0.02, 0.98))
    return APART * float(max(high - low, (finite.max() - finite.min()) * 1e-3))


def _hides(start: Sample, end: Sample, far: float) -> bool:
    """Whether a smooth curve between two points may leave their range: it is cubic where slopes
    and values at both ends agree, and turns where the slopes have different signs.
    """
    width = end.place - start.place
    with np.errstate(all="ignore"):
        agree = abs(end.value - start.value - width * (start.slope + end.slope) / 2)
        turn = abs(width * (end.slope - start.slope)) / 8 if start.slope * end.slope < 0 else 0.0
        return bool(far < max(agree, turn) < np.inf)


def _bends(stretch: Sequence[Sample], far: float) -> bool:
    """Whether the points between the first and the last leave the straight line."""
    start, *between, end = stretch
    if len({bool(np.isfinite(each.value)) for each in (start, *between)}) > 1:
        return True
    steps = [(each.place - start.place) / (end.place - start.place) for each in between]
    with np.errstate(all="ignore"):
        straight = [start.value + step * (end.value - start.value) for step in steps]
        return any(abs(e.value - s) > far for e, s in zip(between, straight, strict=True))
