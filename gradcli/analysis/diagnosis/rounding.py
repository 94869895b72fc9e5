"""How many digits numbers were written with, and so how far each of them may be off."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradcli.graph import Array

MOST = 12
"""Numbers that need more digits were not rounded for writing."""
LEAST = 3
"""Numbers of fewer digits are taken as they stand: 6 is not a rounded 6.4."""
SINGLE = 2e-6
"""How far a computation in single precision may be off, relative to the number."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far numbers may be off, element by element, and the reason."""

    slack: Array
    words: str


def roundings(numbers: Array) -> list[Rounding]:
    """What the numbers themselves tell: so many digits, or single precision; else nothing."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.any():
        return []
    found = []
    decimals = _fewest(finite, np.round)
    digits = _fewest(finite, _to_digits)
    if digits is not None and digits >= LEAST:
        found.append(Rounding(_unit(numbers, digits), f"{digits} digits"))
        if decimals is not None:
            unit = np.full(numbers.shape, 10.0**-decimals)
            found.append(Rounding(unit, f"{decimals} decimals"))
    if digits is None and np.array_equal(finite.astype(np.float32), finite):
        size = np.abs(finite).max()
        found.append(Rounding(SINGLE * (np.abs(numbers) + 0.1 * size), "single precision"))
    return found


def _fewest(numbers: Array, rounded: Callable[[Array, int], Array]) -> int | None:
    """How many digits there are: rounded to fewer, the numbers would be others."""
    for count in range(MOST + 1):
        if np.allclose(rounded(numbers, count), numbers, rtol=1e-14, atol=0):
            return count
    return None


def _to_digits(numbers: Array, digits: int) -> Array:
    unit = _unit(numbers, digits)
    return np.round(numbers / unit) * unit


def _unit(numbers: Array, digits: int) -> Array:
    """One in the last of so many digits."""
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log10(np.abs(numbers)))
    known = np.isfinite(exponent)
    exponent = np.where(known, exponent, exponent[known].min(initial=0.0))
    return np.asarray(10.0 ** (exponent + 1 - digits))


def agreed_digits(mine: Array, right: Array) -> float:
    """To how many digits the worst element agrees."""
    with np.errstate(all="ignore"):
        size = np.abs(right) + 1e-3 * np.abs(right).max(initial=0.0)
        worst = float(np.max(np.abs(mine - right) / size, initial=0.0))
    return -math.log10(worst) if worst > 0 and math.isfinite(worst) else 0.0
