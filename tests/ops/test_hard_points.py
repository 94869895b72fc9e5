"""Digits where they are easily lost: near zeros of a function, in tails, at nan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Options, evaluate
from tests.ops.ulp_references import normal

HALF = 10.0 ** np.linspace(-16, -0.31, 30)
SMALL = 10.0 ** np.linspace(-20, -0.01, 40)

HARD: dict[str, tuple[str, Callable[[Any], Any], Any, float, float]] = {
    "lgamma": ("lgamma(x)", mp.loggamma, np.r_[1 + HALF, 1 - HALF, 2 + HALF, 2 - HALF], 4, 64),
    "tanhshrink": ("tanhshrink(x)", lambda x: x - mp.tanh(x), np.r_[SMALL, -SMALL], 4, 4),
    "erfcx": (
        "erfcx(x)",
        lambda x: mp.exp(x * x) * mp.erfc(x),
        np.r_[np.linspace(-5, 3, 40), 10.0 ** np.linspace(0.5, 3, 10)],
        9,
        16,
    ),
    "gelu": ("gelu(x)", lambda x: x * normal(x), np.linspace(-37.5, -5, 40), 9, 9),
    "sigmoid then cross-entropy": (
        "binary_cross_entropy(sigmoid(x), zeros(99), reduction='none')",
        lambda x: mp.log1p(mp.exp(x)),
        np.linspace(-30, 600, 99),
        np.inf,  # 1 - sigmoid(x) is all that the loss sees
        4,
    ),
}
"""A program, what it is, points, and the ulp that value and derivative may be off."""


def ulp(found: Any, exact: list[Any]) -> float:
    spacing = [float(np.spacing(abs(float(each)) or 5e-324)) for each in exact]
    pairs = zip(found.tolist(), exact, spacing, strict=True)
    return max(float(abs(mp.mpf(value) - truth) / unit) for value, truth, unit in pairs)


def value_and_grad(program: str, points: Any) -> tuple[Any, Any]:
    result = evaluate(
        parse_program(Source("hard", program), ParseLimits()),
        {"x": points},
        [Gradient(np.ones(np.shape(points)))],
        Options(wrt=("x",)),
    )
    return result.values["out"], result.grads["x"]


@pytest.mark.parametrize("name", HARD)
def test_digits_are_kept(name: str) -> None:
    program, exact, points, by_value, by_grad = HARD[name]
    value, grad = value_and_grad(program, points)
    with mp.workdps(130):
        places = [mp.mpf(each) for each in points.tolist()]
        slopes = [mp.diff(exact, x, h=abs(x) * mp.mpf(10) ** -40) for x in places]
        assert ulp(value, [exact(x) for x in places]) <= by_value
        assert ulp(grad, slopes) <= by_grad


@pytest.mark.parametrize("name", ["elu", "selu", "celu", "hardswish"])
def test_derivatives_at_nan_are_nan(name: str) -> None:
    value, grad = value_and_grad(f"{name}(x)", np.array([np.nan, 1.0]))
    assert np.isnan([value[0], grad[0]]).all()
    assert np.isfinite(grad[1])


@pytest.mark.parametrize("x", [5e-324, -5e-324, 1e-310, 1e-300, 0.0])
def test_i1_rises_by_a_half(x: float) -> None:
    _, grad = value_and_grad("i1(x)", np.array([x]))
    assert abs(grad[0] - 0.5) < 1e-15
