"""Orders and first places along an axis, found in whole arrays: those that plain Python finds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from gradcli.graph import NUMPY, Array
from gradcli.ops import FUNCTIONS
from gradcli.ops.extremes import SHORT
from gradcli.ops.orders import (
    FEW,
    LENGTHY,
    MANY,
    PART,
    SEVERAL,
    first_places,
    places_along,
    stable_order,
)
from gradcli.ops.statistics import median_along

LONG = FEW + 50


def drawn(shape: tuple[int, ...], kinds: int, dtype: str, nans: int) -> Array:
    """Few kinds of numbers make many ties."""
    rng = np.random.default_rng(kinds)
    x = rng.integers(-kinds, kinds, shape).astype(dtype)
    if x.dtype.kind == "f":
        x.flat[rng.integers(0, x.size, nans)] = math.nan
        x.flat[0], x.flat[-1] = -0.0, 0.0
    return x


@pytest.mark.one_in(3)
@pytest.mark.parametrize("nans", [0, 1, 9])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("kinds", [2, 40, 10**6])
@pytest.mark.parametrize(
    ("shape", "axis"), [((LONG,), -1), ((3, LONG), 1), ((LONG, 3), 0), ((2, LONG, 2), -2)]
)
def test_ties_and_nan_keep_their_order(
    shape: tuple[int, ...], axis: int, kinds: int, dtype: str, nans: int
) -> None:
    x = drawn(shape, kinds, dtype, nans)
    rows = np.moveaxis(x, axis, -1).reshape(-1, LONG).tolist()
    found = np.moveaxis(stable_order(NUMPY, x, axis), axis, -1).reshape(-1, LONG).tolist()
    for row, places in zip(rows, found, strict=True):
        assert places == sorted(range(LONG), key=lambda i: (math.isnan(row[i]), row[i], i))


ENDS = [math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1.0, -1.0]
LONG_ROWS = {
    "random": lambda rng, shape: rng.standard_normal(shape),
    "neighbours": lambda rng, shape: rng.choice([-1, 1]) + rng.integers(0, 99, shape) * 2.0**-52,
    "few": lambda rng, shape: rng.choice(ENDS, shape),
    "nan": lambda rng, shape: rng.choice([*ENDS, math.nan], shape),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", LONG_ROWS)
@pytest.mark.parametrize(("shape", "axis"), [((MANY + 1,), 0), ((MANY, 2), 0)])
def test_long_rows_keep_the_order_of_ties(
    shape: tuple[int, ...], axis: int, kind: str, dtype: str
) -> None:
    x = LONG_ROWS[kind](np.random.default_rng(5), shape).astype(dtype)
    np.testing.assert_array_equal(stable_order(NUMPY, x, axis), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("nans", [0, 4])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("length", [2, 9, SHORT, SHORT + 1])
def test_the_first_of_equal_extremes_is_found(length: int, name: str, nans: int) -> None:
    x = drawn((3, length, 5), 3, "float64", nans)
    op = FUNCTIONS[name].op
    assert op is not None
    found = op.forward(np, x, -2, False)
    sign = 1 if name == "argmax" else -1
    for i, j in np.ndindex(3, 5):
        row = x[i, :, j].tolist()
        best = max(range(length), key=lambda k: (math.isnan(row[k]), sign * row[k], -k))
        if any(map(math.isnan, row)):
            best = next(k for k, each in enumerate(row) if math.isnan(each))
        assert found[i, j] == best


def misleading(count: int) -> Array:
    """Numbers of which each that a step meets is larger than nearly all others."""
    return np.where(np.arange(count) % (count // 8192) == 0, 1.0, np.linspace(-2, 0, count))


@pytest.mark.parametrize("count", [65_536, 200_001])
def test_the_median_of_many_is_that_of_all_in_order(count: int) -> None:
    draw = np.random.default_rng(count)
    numbers = draw.standard_normal(count)
    cases = [numbers, np.round(numbers), np.sort(numbers)[::-1], np.ones(count), misleading(count)]
    cases += [np.where(numbers < 1, -np.inf, numbers), draw.integers(0, 50, count)]
    for case in cases:
        found = median_along(NUMPY, case, (-1,), False)
        np.testing.assert_array_equal(found, np.sort(case)[(count - 1) // 2])
    numbers[-7] = np.nan
    assert np.isnan(median_along(NUMPY, numbers, (-1,), False))


DRAWN: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "numbers": lambda rng, shape: rng.standard_normal(shape),
    "ties": lambda rng, shape: np.round(rng.standard_normal(shape)),
    "nan": lambda rng, shape: np.where(rng.random(shape) < 0.3, np.nan, rng.random(shape)),
    "zeros of both signs": lambda rng, shape: np.where(rng.random(shape) < 0.5, 0.0, -0.0),
    "whole numbers": lambda rng, shape: rng.integers(-3, 3, shape),
    "in order": lambda rng, shape: np.arange(math.prod(shape), dtype=float).reshape(shape),
}


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((FEW + 1,), -1), ((3, 2 * FEW), -1), ((FEW, 2), -2), ((5, 40), 1), ((LONG,), 0)],
)
@pytest.mark.parametrize("draw", DRAWN)
def test_a_rank_has_the_place_that_the_stable_order_gives(
    draw: str, shape: tuple[int, ...], axis: int
) -> None:
    x = DRAWN[draw](np.random.default_rng(6), shape)
    order = np.argsort(x, axis=axis, kind="stable")
    ranks = np.asarray([0, 1, shape[axis] // 3, shape[axis] // 2, shape[axis] - 1])
    for some in (ranks[:1], ranks, np.repeat(ranks, SEVERAL)):
        along = np.moveaxis(some.reshape((1,) * (x.ndim - 1) + (-1,)), -1, axis)
        found = places_along(NUMPY, x, axis, along)
        np.testing.assert_array_equal(found, np.take(order, some, axis))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((LENGTHY + 1,), -1), ((2, LENGTHY), -1), ((LENGTHY, 2), -2), ((3, 40), 1)]
)
@pytest.mark.parametrize("draw", DRAWN)
def test_the_first_places_are_the_first_of_the_stable_order(
    draw: str, shape: tuple[int, ...], axis: int, descending: bool
) -> None:
    x = DRAWN[draw](np.random.default_rng(7), shape)
    values = np.where(np.isnan(x), np.inf, x)  # the largest
    order = np.argsort(-values if descending else values, axis=axis, kind="stable")
    for count in (0, 1, 5, shape[axis] // PART, shape[axis] // PART + 1, shape[axis]):
        found = first_places(NUMPY, x, axis, count, descending)
        np.testing.assert_array_equal(found, np.take(order, range(count), axis))
