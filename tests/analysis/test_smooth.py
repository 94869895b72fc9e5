"""No gradient of a smooth function fails, whatever its size and scale."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.analysis.check import check
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Verdict
from tests.analysis.posed import posed
from tests.analysis.smooth import OF_MATRICES, OF_VECTORS

SCALES = [1e-8, 1e-4, 1.0, 1e4, 1e8]
FUNCTIONS = [*OF_VECTORS, *OF_MATRICES]


def problem(name: str, size: int, scale: float) -> Problem:
    """A function at a random point; `size` counts the elements of its vector or matrix."""
    generator = np.random.default_rng(size)
    if name in OF_MATRICES:
        rows = max(1, round(size**0.5))
        matrix = scale * generator.standard_normal((rows, rows))
        return posed(f"n = {rows}; {OF_MATRICES[name]}", {"A": matrix}, wrt=("A",))
    inputs = {each: scale * generator.standard_normal(size) for each in "xy"}
    return posed(f"y = 1*y; n = {size}; {OF_VECTORS[name]}", inputs, wrt=("x",))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_ordinary_numbers(name: str) -> None:
    found = check(problem(name, 4, 1.0))
    expected: Verdict = "inconclusive" if "always 0" in name else "pass"
    assert found.verdict == expected


@pytest.mark.one_in(13)
@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_extreme_numbers(name: str, scale: float) -> None:
    assert check(problem(name, 4, scale)).verdict != "fail"


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("size", [1, 25, 1000])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes_and_scales(name: str, size: int, scale: float) -> None:
    assert check(problem(name, size, scale)).verdict != "fail"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_hessians(name: str) -> None:
    assert check(problem(name, 4, 1.0), order=2).verdict != "fail"
