"""Derivatives of noisy values, by polynomials that are fitted to them with least squares.

A fit to many values that are far apart averages the noise that a difference quotient divides by its
step. What a polynomial of low degree lacks is seen next to one of a higher degree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gradcli.analysis.differences import Estimate

POINTS = (32, 128, 512, 2048)
"""How many values are taken: more only where fewer do not tell enough."""
DEGREES = (1, 3, 5, 7)
"""Odd ones: at the middle of the points, even powers have no slope."""
FEW, UNFIT = POINTS[0], 1.5
"""Where of more values than these so much more than the noise is left, they are no polynomial."""
SURE = 3.0
"""Standard deviations that an error hardly ever exceeds."""


def fitted(
    value: Callable[[float], float], noise: float, lengths: Sequence[float], enough: float
) -> Estimate:
    """The derivative at 0 of values with this standard deviation, from -length to length: by the
    length and the degree that tell most, and by more and more values until the relative error is
    small enough.
    """
    few, *more = POINTS
    found = [(_fitted(value, noise, each, few), each) for each in lengths]
    best, length = min(found, key=lambda each: each[0].error)
    for points in more:
        if not best.known or best.error <= enough * abs(best.value):
            break
        best = min(best, _fitted(value, noise, length, points), key=lambda each: each.error)
    return best


def _fitted(value: Callable[[float], float], noise: float, length: float, points: int) -> Estimate:
    """The same with one length and so many values, by the degree that tells most."""
    at = np.cos(math.pi * (np.arange(points) + 0.5) / points)
    values = np.array([value(length * place) for place in at])
    best, lower = Estimate(math.nan, math.inf), math.inf
    for degree in DEGREES if np.isfinite(values).all() else ():
        powers = at[:, None] ** np.arange(degree + 1)
        fit = np.linalg.pinv(powers)
        slope = float(fit[1] @ values) / length
        left = values - powers @ (fit @ values)
        spread = max(noise, float(np.linalg.norm(left)) / math.sqrt(points - degree - 1))
        if points > FEW and spread > UNFIT * noise:
            continue
        error = abs(slope - lower) + SURE * spread * float(np.linalg.norm(fit[1])) / length
        if error < best.error:
            best = Estimate(slope, error)
        lower = slope
    return best
