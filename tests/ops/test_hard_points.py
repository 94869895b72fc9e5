"""Digits where they are easily lost: near zeros of a function, in tails, at nan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from gradcli.diagnostics import Source
from gradcli.graph import Precision
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


def norm(x: Any, precision: Precision = "float64") -> float:
    program = parse_program(Source("norm", "norm(x)"), ParseLimits())
    options = Options(forward_only=True, precision=precision)
    return float(evaluate(program, {"x": x}, options=options).values["out"])


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_norms_neither_overflow_nor_vanish(precision: Precision) -> None:
    most, least = {"float64": (307, -318), "float32": (37, -42)}[precision]
    random = np.random.default_rng(6)
    for size in np.linspace(least, most, 60):
        x = (random.uniform(-1, 1, 9) * 10.0**size).astype(precision)
        exact = mp.sqrt(mp.fsum(mp.mpf(float(each)) ** 2 for each in x))
        unit = float(np.spacing(np.dtype(precision).type(float(exact))))
        assert abs(mp.mpf(norm(x, precision)) - exact) <= 2 * unit, x


def test_norms_of_whole_numbers_are_whole() -> None:
    for sides, whole in [((2, 3, 6), 7), ((1, 4, 8), 9), ((2, 6, 9), 11), ((6, 6, 7), 11)]:
        assert norm(np.array(sides, float)) == whole
