"""Control of gradients: where they stop, what weights go in, and gradients that are cut off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Result, evaluate

X = np.array([1.0, -2.0, 3.0])


def run(program: str, gradient: Any = 1.0) -> Result:
    return evaluate(
        parse_program(Source("program", program), ParseLimits()),
        {"x": X},
        [Gradient(np.asarray(gradient, float))],
    )


@pytest.mark.parametrize("stop", ["detach(x)", "x.detach()", "stop_gradient(x)", "x.data"])
def test_no_gradient_flows_through_a_detached_value(stop: str) -> None:
    np.testing.assert_array_equal(run(f"sum(x * {stop})").grads["x"], X)


def test_nothing_but_a_detached_value_is_no_dependence() -> None:
    np.testing.assert_array_equal(run("sum(x.detach()) + 0 * sum(x)").grads["x"], [0, 0, 0])


def test_weights_go_in_as_the_gradient() -> None:
    np.testing.assert_array_equal(run("x**2", [1, 10, 100]).grads["x"], [2, -40, 600])


def test_a_straight_through_estimator() -> None:
    found = run("sum((x + (round(x / 2) - x).detach())**2)")
    assert found.values["out"] == 0 + 1 + 4
    np.testing.assert_array_equal(found.grads["x"], 2 * np.array([0.0, -1.0, 2.0]))
