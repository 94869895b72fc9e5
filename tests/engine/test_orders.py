"""Long rows are put in order by several threads, to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.orders import LONG, Sorter
from gradcli.language.parser import parse_program
from gradcli.options import Limits, Options
from gradcli.session import evaluate


@pytest.mark.parametrize("size", [LONG - 1, LONG, LONG + 7])
@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_numbers_are_sorted(size: int, threads: int) -> None:
    numbers = np.random.default_rng(size).integers(-(2**62), 2**62, size)
    numbers[::3] = 5
    sorted_ones = numbers.copy()
    Sorter(threads).sort_in_place(sorted_ones)
    assert (np.diff(sorted_ones) >= 0).all()
    assert np.bincount(sorted_ones % 997, minlength=997).tolist() == (
        np.bincount(numbers % 997, minlength=997).tolist()
    )


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_sorted_vector_and_its_gradient(threads: int) -> None:
    x = np.random.default_rng(0).normal(size=LONG + 5).round(4)
    y = np.arange(x.size) / x.size
    options = Options(threads=threads, limits=Limits(memory=2**31))
    program = parse_program(Source("program", "sum(sort(x).values * y)"), options.limits.parse)
    result = evaluate(program, {"x": x, "y": y}, (), options)
    order = np.argsort(x, kind="stable")
    assert result.grads["y"].tobytes() == x[order].tobytes()
    expected = np.empty_like(x)
    expected[order] = y
    assert result.grads["x"].tobytes() == expected.tobytes()
