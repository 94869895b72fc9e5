"""Einstein sums where one operand is a single number: it takes the other's axes in their order."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.graph import Array
from gradcli.session import Gradient, evaluate
from tests.analysis.programs import parse

RNG = np.random.default_rng(8)
A, B = RNG.standard_normal((2, 3, 3))
S, T = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((4, 2, 3))


def grads(text: str, **inputs: Array) -> dict[str, Array]:
    return evaluate(parse(text), inputs).grads


def test_the_gradient_of_a_trace_is_a_transpose() -> None:
    found = grads("einsum('ij,ji->', A, B)", A=A, B=B)
    np.testing.assert_allclose(found["A"], B.T)
    np.testing.assert_allclose(found["B"], A.T)


def test_the_gradient_of_a_trace_of_three_matrices() -> None:
    found = grads("einsum('ij,jk,ki->', A, B, C)", A=A[:2], B=B, C=A[:, :2])
    np.testing.assert_allclose(found["A"], (B @ A[:, :2]).T)
    np.testing.assert_allclose(found["B"], (A[:, :2] @ A[:2]).T)
    np.testing.assert_allclose(found["C"], (A[:2] @ B).T)


def test_the_gradient_of_a_sum_over_axes_in_another_order() -> None:
    found = grads("einsum('ijk,kij->', S, T)", S=S, T=T)
    np.testing.assert_allclose(found["S"], T.transpose(1, 2, 0))
    np.testing.assert_allclose(found["T"], S.transpose(2, 0, 1))


@pytest.mark.parametrize("equation", [",ij->ji", "ij,->ji"])
def test_a_number_times_a_transpose(equation: str) -> None:
    order = "x, y" if equation.startswith(",") else "y, x"
    v = RNG.standard_normal((4, 3))
    result = evaluate(
        parse(f"einsum('{equation}', {order})"),
        {"x": np.array(2.0), "y": S[0]},
        [Gradient(v)],
    )
    np.testing.assert_allclose(result.values["out"], 2 * S[0].T)
    np.testing.assert_allclose(result.grads["y"], 2 * v.T)
    np.testing.assert_allclose(result.grads["x"], np.sum(v * S[0].T))
