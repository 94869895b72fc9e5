"""Linear recurrences, swept, in pieces side by side and by doubling, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.graph import NUMPY, Array
from gradcli.ops.recurrences import RECURRENCE, _by_doubling


def looped(factor: Array, x: Array, axis: int) -> Array:
    factor, y = np.moveaxis(factor, axis, 0), np.moveaxis(x, axis, 0).copy()
    for k in range(1, len(y)):
        y[k] = y[k] + factor[k] * y[k - 1]
    return np.moveaxis(y, 0, axis)


SHAPES = [(1,), (5,), (1000,), (1003,), (3, 500), (500, 3), (4, 90, 7), (40, 3000), (0, 3), (3, 0)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_way_gives_what_a_loop_gives(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    factor, x = rng.uniform(-1, 1, shape), rng.standard_normal(shape)
    for axis in range(-len(shape), 0):
        expected = looped(factor, x, axis)
        for way in (RECURRENCE.forward, _by_doubling):
            np.testing.assert_allclose(way(NUMPY, factor, x, axis), expected, rtol=0, atol=1e-13)


def test_factors_may_lack_the_axis_of_a_batch() -> None:
    rng = np.random.default_rng(7)
    factor, x = rng.uniform(-1, 1, (700, 2)), rng.standard_normal((3, 700, 2))
    expected = np.stack([looped(factor, each, 0) for each in x])
    found = RECURRENCE.forward(np, factor, x, -2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_zeros_stay_zeros_however_large_the_product_of_the_factors() -> None:
    x = np.zeros(1_000_000)
    x[-3] = 1.0
    with np.errstate(all="ignore"):
        found = RECURRENCE.forward(np, np.full(x.size, 3.0), x, -1)
    np.testing.assert_array_equal(found[-4:], [0, 1, 3, 9])
    assert not found[:-4].any()


def test_a_nan_among_the_factors_is_not_lost() -> None:
    factor = np.full(10_000, 0.5)
    factor[4000] = np.nan
    found = RECURRENCE.forward(np, factor, np.ones(factor.size), -1)
    assert np.isfinite(found[:4000]).all()
    assert np.isnan(found[4000:]).all()
