"""Derivatives of noisy values, by polynomials that are fitted to them with least squares.

A fit to many values that are far apart averages the noise that a difference quotient divides by its
step. What a polynomial of low degree lacks is seen next to one of a higher degree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gradcli.analysis.differences import Estimate

POINTS = 32
DEGREES = (1, 3, 5, 7)
"""Odd ones: at the middle of the points, even powers have no slope."""
SURE = 3.0
"""Standard deviations that an error hardly ever exceeds."""


def fitted(value: Callable[[float], float], noise: float, lengths: Sequence[float]) -> Estimate:
    """The derivative at 0 of values with this standard deviation, from -length to length: by the
    length and the degree that tell most.
    """
    at = np.cos(math.pi * (np.arange(POINTS) + 0.5) / POINTS)
    best = Estimate(math.nan, math.inf)
    for length in lengths:
        values = np.array([value(length * place) for place in at])
        if not np.isfinite(values).all():
            continue
        lower = math.inf
        for degree in DEGREES:
            powers = at[:, None] ** np.arange(degree + 1)
            fit = np.linalg.pinv(powers)
            slope = float(fit[1] @ values) / length
            left = values - powers @ (fit @ values)
            spread = max(noise, float(np.linalg.norm(left)) / math.sqrt(POINTS - degree - 1))
            error = abs(slope - lower) + SURE * spread * float(np.linalg.norm(fit[1])) / length
            if error < best.error:
                best = Estimate(slope, error)
            lower = slope
    return best
