"""Derivatives of noisy values, by polynomials that are fitted to them with least squares.

A fit to many values that are far apart averages the noise that a difference quotient divides by its
step. At Chebyshev's points the terms of all degrees are found on their own, so that what a
polynomial of low degree lacks is seen from the next term.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gradcli.analysis.differences import Estimate

STAGES = ((32, 16), (128, 5), (512, 2), (2048, 1), (8192, 1))
"""How many values are taken, and for how many of the lengths: those that promise most of those
whose values are a polynomial. The most values are only taken where they promise what is asked."""
FEW, ENOUGH, MOST = STAGES[0][0], STAGES[-2][0], STAGES[-1][0]
USEFUL = 2.0
"""An error of so many times what is asked is good enough for the most values."""
DEGREES = (1, 3, 5, 7)
"""Odd ones: at the middle of the points, even terms have no slope."""
FURTHER, UNFIT = 8, 3.0
"""Where the squares of so many terms after the last are on average so much larger than noise makes
them, the values are no polynomial: there is a kink, or they turn too often."""
SURE = 3.0
"""Standard deviations that an error hardly ever exceeds."""
LIKELY = 2.0
"""What is less than so many of them may be noise."""
UNKNOWN = Estimate(math.nan, math.inf)


class _Fit(NamedTuple):
    estimate: Estimate = UNKNOWN
    promise: float = math.inf
    """The error that it would have with the most values."""


def fitted(
    value: Callable[[float], float],
    noise: float,
    lengths: Sequence[float],
    enough: float,
    rounded: float = 0.0,
) -> Estimate:
    """The derivative at 0 of values with about this standard deviation, from -length to length: by
    the length and the degree that tell most, and by more and more values until the relative error
    is small enough. Values may be rounded by so much at most, which no mean makes smaller.
    """
    best = UNKNOWN
    waiting = list(lengths)
    for points, most in STAGES:
        fits: dict[float, _Fit] = {}
        for length in waiting:
            found = _fitted(value, noise, rounded, length, points)
            if found.estimate.known:
                fits[length] = found
            if len(fits) == most:
                break
        waiting = sorted(fits, key=lambda each: fits[each].promise)
        best = min((each.estimate for each in fits.values()), key=_error, default=UNKNOWN)
        if not best.known or best.error <= enough * abs(best.value):
            break
        if points == ENOUGH and fits[waiting[0]].promise > USEFUL * enough * abs(best.value):
            break
    return best


def _error(estimate: Estimate) -> float:
    return estimate.error


def _fitted(
    value: Callable[[float], float], noise: float, rounded: float, length: float, points: int
) -> _Fit:
    """The same with one length and so many values, by the degree that tells most."""
    angles = math.pi * (np.arange(points) + 0.5) / points
    values = np.array([value(length * place) for place in np.cos(angles)])
    if not np.isfinite(values).all():
        return _Fit()
    orders = np.arange(max(DEGREES) + FURTHER + 1)
    terms = np.cos(orders[:, None] * angles)
    sizes = 2 / points * terms @ values
    sizes[0] /= 2
    steep = orders * np.sin(orders * math.pi / 2) / length  # the slopes of the terms at 0
    best = _Fit()
    for degree in DEGREES:
        kept, after, following = (
            slice(degree + 1),
            slice(degree + 1, degree + 1 + FURTHER),
            degree + 2,
        )
        left = float(np.linalg.norm(values - sizes[kept] @ terms[kept]))
        spread = left / math.sqrt(points - degree - 1)
        spread = max(noise if points <= FEW else rounded, spread)
        one = spread * math.sqrt(2 / points)  # what noise makes of a term
        if np.mean(sizes[after] ** 2) > UNFIT * one**2:
            continue
        lacks, unsure = abs(steep[following] * sizes[following]), abs(steep[following]) * one
        chance = SURE * one * float(np.linalg.norm(steep[kept]))
        shares = 2 / points * np.abs(steep[kept] @ terms[kept])
        off = rounded * float(np.sum(shares))
        error = max(lacks, unsure) + chance + off
        later = math.sqrt(points / MOST)
        promise = max(lacks - LIKELY * unsure, unsure * later) + chance * later + off
        found = Estimate(float(steep[kept] @ sizes[kept]), float(error))
        best = _Fit(
            found if error < best.estimate.error else best.estimate, min(promise, best.promise)
        )
    return best
