"""Digits of smooth functions over whole domains: at most 64 ulp are lost, or a reason is stated."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradcli.graph import Precision
from tests.ops.measure_domains import PRECISIONS, STORED, computed, exact, measure, places, ulp
from tests.ops.test_ulp import EXACT_OR_DERIVED
from tests.ops.ulp_references import REFERENCES
from tests.ops.whole_domains import DOMAINS, PAIRS

MOST = 64
SAMPLE = 6
WORST: dict[str, list[list[float]]] = json.loads(STORED.read_text())
REASONS = {
    **{name: each.reason for name, each in DOMAINS.items()},
    **dict.fromkeys(PAIRS, ""),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", REASONS)
def test_the_worst_is_no_worse(name: str, precision: Precision) -> None:
    for what, (stored, *place) in enumerate(WORST[f"{name}, {precision}"]):
        assert stored <= MOST or REASONS[name], "more than 64 ulp are lost for no stated reason"
        operands = [np.array([each], PRECISIONS[precision]) for each in place]
        found = computed(name, operands, precision)[what][0]
        # Other versions of NumPy and SciPy round differently.
        assert ulp(found, exact(name, place, what)) <= max(2 * stored, 4)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", REASONS)
def test_a_sample_is_no_worse(name: str, precision: Precision) -> None:
    drawn = [each[:SAMPLE] for each in places(name, precision)]
    for (error, _), (stored, *_) in zip(
        measure(name, precision, drawn), WORST[f"{name}, {precision}"], strict=True
    ):
        assert error <= max(2 * stored, 4)


@pytest.mark.slow
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", REASONS)
def test_all_points_are_no_worse(name: str, precision: Precision) -> None:
    worst = measure(name, precision, places(name, precision))
    for (error, _), (stored, *_) in zip(worst, WORST[f"{name}, {precision}"], strict=True):
        assert error <= max(2 * stored, 4)


def test_a_reason_is_stated_where_one_is_needed() -> None:
    for name, reason in REASONS.items():
        rows = [row for precision in PRECISIONS for row in WORST[f"{name}, {precision}"]]
        assert bool(reason) == any(row[0] > MOST for row in rows), name


def test_every_smooth_function_is_measured() -> None:
    assert len(REASONS) >= 65
    assert set(REFERENCES) - set(REASONS) <= PIECES | ON_INTERVALS
    assert not EXACT_OR_DERIVED & set(REASONS)


PIECES = {
    "relu6", "hardtanh", "maximum", "minimum", "fmax", "fmin", "clamp_min", "clamp_max", "copysign",
    "fmod", "remainder", "bernoulli_nll",
}  # fmt: skip
"""Operands as they are, and remainders, which are exact; and the cross-entropy, a sum of two."""
ON_INTERVALS = {
    "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "i0e", "i1e", "modified_bessel_k0",
    "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "airy_ai",
    "ndtri", "gammainc", "gammaincc", "zeta", "hermite_polynomial_h", "hermite_polynomial_he",
    "chebyshev_polynomial_t",
}  # fmt: skip
"""Measured by test_ulp alone, on intervals: their references take mpmath long elsewhere, and
polynomials have zeros between floats.
"""
