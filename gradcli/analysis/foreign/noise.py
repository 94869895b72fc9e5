"""How much a function changes without reason from one point to the next.

Hamming's difference table, as Moré and Wild (2011) use it in "Estimating computational noise": of
values at equal distances, high differences cancel what is smooth and leave the noise, rounding or
random, multiplied by a known factor.
"""

from __future__ import annotations

import numpy as np

from gradcli.graph import Array

SAMPLES = 9
ORDERS = (4, 5, 6)
"""The differences that are taken: lower ones are not free of the function itself."""


def noise_of(samples: Array) -> Array:
    """The standard deviation of the noise in each element; `samples` are values at equal distances
    along the first axis.
    """
    differences = samples
    factor = 1.0
    largest = np.zeros(samples.shape[1:])
    with np.errstate(all="ignore"):
        for order in range(1, max(ORDERS) + 1):
            differences = np.diff(differences, axis=0)
            factor *= order / (2 * (2 * order - 1))  # (k!)² / (2k)!
            if order in ORDERS:
                spread = np.sqrt(factor * np.mean(differences**2, axis=0))
                largest = np.fmax(largest, spread)
    return np.asarray(np.where(np.isfinite(largest), largest, 0.0))
