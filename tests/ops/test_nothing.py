"""Functions of tensors without elements, and of single values, as PyTorch answers."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("log_softmax(zeros(2, 0), 1)", [[], []]),
        ("log_softmax(zeros(0), 0)", []),
        ("softmin(zeros(2, 0))", [[], []]),
        ("matrix_norm(zeros(3, 0), inf)", 0.0),
        ("matrix_norm(zeros(2, 0, 3), 2)", [0.0, 0.0]),
        ("matrix_norm(zeros(0, 3), -1)", 0.0),
        ("norm([0, 2, nan], 0)", 2.0),
        ("pairwise_distance(1, 2)", 1 - 1e-6),
    ],
)
def test_of_nothing_and_of_single_values(program: str, expected: float | list[float]) -> None:
    text = f"x = 0; y = {program}; sum(y) * x"
    result = evaluate(parse_program(Source("program", text), ParseLimits()), {})
    np.testing.assert_allclose(result.values["y"], expected, rtol=1e-15)


@pytest.mark.parametrize("call", ["index_fill(x, 0, [0], 2)", "index_copy(x, 0, [0], tensor(2))"])
def test_what_is_overwritten_in_a_single_value_has_the_grad_0(call: str) -> None:
    text = f"x = tensor(3, requires_grad=True); y = {call}; y.backward()"
    result = evaluate(parse_program(Source("program", text), ParseLimits()), {})
    assert result.values["y"] == 2
    assert result.grads["x"] == 0


def test_what_joins_nothing_to_nothing_depends_on_both() -> None:
    text = "x = zeros(0, requires_grad=True); y = cat([zeros(0).long(), x]); sum(y).backward()"
    result = evaluate(parse_program(Source("program", text), ParseLimits()), {})
    assert result.grads["x"].shape == (0,)


@pytest.mark.parametrize("call", ["norm(x, 0)", "floor(x)", "sign(x)", "heaviside(x, 0.5)"])
def test_nothing_flows_back_through_what_does_not_change(call: str) -> None:
    """Not even infinity: the derivative of acos is infinite at 1."""
    text = f"x = tensor(1.5, requires_grad=True); y = acos({call}); y.backward()"
    result = evaluate(parse_program(Source("program", text), ParseLimits()), {})
    assert result.grads["x"] == 0
