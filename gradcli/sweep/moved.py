"""Directions along which arrays in stores are moved: they follow from the elements themselves, so
that every machine moves its parts as all others do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from gradcli.data.parts import Far
from gradcli.graph import Array
from gradcli.sweep.question import Given

PACE = 1000.0
"""So fast does a direction change with the element."""


def direction(x: Array) -> Array:
    """Of each element x, between half and three halves of |x|, and of 1 where x is 0."""
    size = np.where(x == 0, 1.0, np.abs(x))
    return np.asarray(size * (1.0 + 0.5 * np.cos(PACE * x)), x.dtype)


def _moved(x: Array, step: float) -> Array:
    return np.asarray(x + step * direction(x), x.dtype)


def direction_of(given: Given) -> Given:
    """The direction of an array."""
    return _changed(given, direction)


def moved(given: Given, step: float) -> Given:
    """An array moved along its direction."""
    return _changed(given, partial(_moved, step=step))


def _changed(given: Given, change: Callable[[Array], Array]) -> Given:
    return given._replace(change=change) if isinstance(given, Far) else change(np.asarray(given))
