"""Large values as functions of one leaf: the engine gives what the formula gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradcli.analysis.probe import Probe
from gradcli.analysis.replica import is_worth
from gradcli.engine.swept import LARGE
from gradcli.walks import ancestors
from tests.analysis.posed import posed

Formula: TypeAlias = Callable[[Any, Any], Any]

HERE = np.random.default_rng(0).uniform(-2.0, 2.0, (LARGE // 256 + 1, 256))
THERE = HERE + 0.1
W = np.random.default_rng(1).normal(size=256)
PROGRAMS: dict[str, Formula] = {
    "mean(tanh(x)*exp(-x**2))": lambda x, w: np.mean(np.tanh(x) * np.exp(-(x**2))),
    "sum(relu(x - 0.5), dim=1)": lambda x, w: np.maximum(x - 0.5, 0).sum(axis=1),
    "x@w": lambda x, w: x @ w,
    "x - mean(x, dim=0)": lambda x, w: x - x.mean(axis=0),
    "sum((x*exp(w) + detach(x)*2)**3)": lambda x, w: np.sum((x * np.exp(w) + 2 * HERE) ** 3),
    "amax(x*w, dim=0) + sqrt(abs(w))": lambda x, w: (x * w).max(axis=0) + np.sqrt(np.abs(w)),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_large_values_are_those_of_the_formula(program: str, precision: Any) -> None:
    values = {"x": HERE, "w": W} if "w" in program else {"x": HERE}
    problem = posed(program, values, precision=precision)
    outputs, leaf = list(problem.outputs.values()), problem.leaves["x"]
    assert is_worth(ancestors(outputs))
    (found,) = Probe(problem, outputs, leaf).at(THERE)
    assert found.dtype == np.float64
    close = 1e-12 if precision == "float64" else 1e-5  # its inputs were rounded
    expected = PROGRAMS[program](THERE, W)
    np.testing.assert_allclose(found, expected, close, close * np.abs(expected).max())


def test_a_large_program_without_a_value_has_none() -> None:
    values = {"x": np.ones(LARGE), "i": np.arange(3)}
    problem = posed("gather(x*2, 0, (i + round(x[0])).long())", values)
    probe = Probe(problem, list(problem.outputs.values()), problem.leaves["x"])
    assert np.isnan(probe.at(np.full(LARGE, 1e6))[0]).all()
