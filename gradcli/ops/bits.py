"""Choices among elements as operations on bits, for functions that write into `out`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.graph import Array

INTEGERS = {4: np.int32, 8: np.int64}
"""By size in bytes, integers with the bits of floats."""


def bits_of(floats: Array) -> Array:
    """The same memory as integers."""
    return floats.view(INTEGERS[floats.itemsize])


def all_ones(condition: Array, dtype: np.dtype[Any]) -> Array:
    """All bits set where a condition holds, none elsewhere."""
    return np.negative(condition.view(np.int8), dtype=dtype)
