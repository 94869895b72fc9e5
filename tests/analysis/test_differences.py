"""Derivatives from differences alone, and how much of a value is rounding."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from gradcli.analysis.differences import LEVELS, Quotient, extrapolate
from gradcli.analysis.fitted import fitted
from gradcli.analysis.probe import Probe
from tests.analysis.posed import posed

Function = Callable[[float], float]
EPS = 2.0**-52


def central(function: Function, x: float) -> Quotient:
    def quotient(step: float) -> tuple[float, float]:
        ahead, behind = function(x + step), function(x - step)
        return (ahead - behind) / (2 * step), EPS * (abs(ahead) + abs(behind)) / (2 * step)

    return quotient


@pytest.mark.parametrize(
    ("function", "x", "derivative"),
    [
        (math.exp, 1.0, math.e),
        (math.sin, 3.0, math.cos(3.0)),
        (math.sqrt, 2.0, 0.5 / math.sqrt(2)),
        (lambda x: 1 / x, 0.1, -100.0),
        (lambda x: x**5, -2.0, 80.0),
    ],
)
def test_the_error_is_a_bound_and_small(function: Function, x: float, derivative: float) -> None:
    found = extrapolate(central(function, x), abs(x) / 8, 2)
    assert abs(found.value - derivative) <= found.error
    assert found.error < 1e-9 * abs(derivative)


@pytest.mark.parametrize("noise", [1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize(
    ("function", "x", "derivative"),
    [
        (math.exp, 1.0, math.e),
        (math.sin, 0.3, math.cos(0.3)),
        (lambda x: 1 / (1 + x * x), 0.7, -1.4 / 1.49**2),
        (lambda x: abs(x - 0.1), 0.5, 1.0),
    ],
)
def test_fits_see_through_noise(
    function: Function, x: float, derivative: float, noise: float
) -> None:
    for seed in range(20):
        errors = np.random.default_rng(seed)

        def noisy(step: float, errors: np.random.Generator = errors) -> float:
            return function(x + step) + noise * errors.normal()

        found = fitted(noisy, noise, [x / 8, x / 2, 2 * x], math.inf)
        assert abs(found.value - derivative) <= found.error
        assert found.error < 20 * noise / x + 1e-4 * abs(derivative)


def test_more_values_are_taken_until_enough_is_known() -> None:
    errors = np.random.default_rng(0)
    taken: list[float] = []

    def noisy(step: float) -> float:
        taken.append(step)
        return math.exp(1 + step) + 1e-2 * errors.normal()

    few = fitted(noisy, 1e-2, [0.5], math.inf)
    assert len(taken) == 32
    many = fitted(noisy, 1e-2, [0.5], 5e-3)
    assert len(taken) > 1_000
    assert abs(many.value - math.e) <= many.error < few.error / 3


def test_what_long_steps_agree_on_by_chance_is_contradicted_by_short_ones() -> None:
    """x + sin(2πx): steps of whole numbers see x alone; the derivative at 64 is 1 + 2π."""
    quotient = central(lambda x: x + math.sin(2 * math.pi * x), 64.0)
    assert extrapolate(quotient, 8.0, 2).value == pytest.approx(1)
    assert extrapolate(quotient, 8.0, 2, least=LEVELS).value == pytest.approx(1 + 2 * math.pi)


def test_a_jump_has_no_derivative() -> None:
    found = extrapolate(central(lambda x: math.copysign(1, x), 0.0), 0.1, 2)
    assert not found.error < abs(found.value) / 10


def noise(program: str, x: float) -> float:
    problem = posed(program, {"x": x})
    probe = Probe(problem, list(problem.outputs.values()), problem.leaves["x"])
    return float(probe.noise(np.asarray(x), EPS)[0])


def test_noise_meets_the_conditioning_of_later_steps() -> None:
    assert noise("x**2", 3.0) == pytest.approx(9 * EPS, rel=20)
    assert noise("(x + 1e8) - 1e8", 3.0) == pytest.approx(1e8 * EPS, rel=20)
    assert noise("sin(1e8*x)", 1.0) > 1e-9


def test_noise_does_not_cross_a_jump() -> None:
    assert noise("floor(3*x)", 1.0) < 1e-14
    assert noise("where(3*x >= 3, 1, 0)*x", 1.0) < 1e-14
