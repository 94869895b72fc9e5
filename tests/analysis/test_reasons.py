"""The questions that an explanation answers, with the numbers of its run: checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.analysis.explain import explain
from gradcli.report.reasons import reasons
from gradcli.session import Gradient
from tests.analysis.programs import parse

SQUARE = ("y = x * x", {"x": np.array([1.0, 2.0])}, [1.0, 2.0])
TWICE: tuple[str, dict[str, np.ndarray], None] = (
    """x = tensor([1., 2.], requires_grad=True)
y = sum(x * x)
y.backward(retain_graph=True)
y.backward()""",
    {},
    None,
)


@pytest.mark.parametrize(
    ("posed", "answer"),
    [
        (SQUARE, "L = sum([1, 2] * y) = 9, of which dL/dy is v"),
        (SQUARE, "[1, 2] = [1, 0] + [0, 2], and each part selects one row of J"),
        (SQUARE, "x.grad = [2, 0] + [0, 8] = [2, 8]"),
        (SQUARE, "v has the numbers of x here"),
        (SQUARE, "With v of ones it would be [2, 4]"),
        (SQUARE, "v is no learning rate: it scales the gradient, and x stays [1, 2]"),
        (SQUARE, "x - 0.1 * x.grad = [0.8, 1.2]"),
        (("y = 2 * x", {"x": np.ones(2)}, [1.0, 1.0]), "[1, 1] = [1, 0] + [0, 1]"),
        (TWICE, "Before the backward in line 3, x.grad is None and not 0"),
        (TWICE, "retain_graph=True keeps it"),
        (TWICE, "create_graph=True also records the pass itself"),
        (TWICE, "Variable was the name of a tensor with a gradient before PyTorch 0.4"),
    ],
)
def test_answer(posed: tuple[str, dict[str, np.ndarray], list[float] | None], answer: str) -> None:
    text, inputs, v = posed
    gradients = [] if v is None else [Gradient(np.array(v))]
    told = [each.text for each in reasons(explain(parse(text), inputs, gradients), 6)]
    assert any(answer in each for each in told), told


def test_what_does_not_apply_is_not_told() -> None:
    told = " ".join(each.text for each in reasons(explain(parse("x * x"), {"x": np.array(2.0)}), 6))
    for word in ("learning rate", "retain_graph", "Variable", "later loss"):
        assert word not in told


def test_own_passes_accumulate() -> None:
    first, second = explain(parse(TWICE[0]), {}).passes
    (held,) = [grad.held for grad in second.grads if grad.held is not None]
    np.testing.assert_array_equal(held, [2.0, 4.0])
    assert all(grad.held is None for grad in first.grads)
    assert (first.line, second.line) == (3, 4)


def answers(text: str, **inputs: float) -> str:
    arrays = {name: np.array(value) for name, value in inputs.items()}
    return " ".join(each.text for each in reasons(explain(parse(text), arrays), 6))


def test_what_every_pass_reaches_is_computed() -> None:
    passes = "x = tensor(2., requires_grad=True)\ny = x**2\ny.backward()\nz = x**3\nz.backward()"
    assert "y, z are computed, not leaves" in answers(passes)


def test_a_value_called_v_is_not_the_gradient() -> None:
    assert "the program's v is a single value" in answers("v = x**2; v", x=3.0)
    assert "--retain-grad v keeps it" in answers("v = x**2; v", x=3.0)


def test_many_notes_of_one_kind_are_counted() -> None:
    passes = "\n".join(f"y{n} = x**{n}\ny{n}.backward()" for n in range(1, 13))
    told = answers(f"x = tensor(1., requires_grad=True)\n{passes}")
    assert told.count("adds to x.grad") == 3
    assert "8 more notes of this kind" in told
    assert "10 more passes, between the first and the last" in told


def test_rows_of_a_gradient_that_is_not_finite_are_not_added_up() -> None:
    explanation = explain(
        parse("y = sqrt(x); z = y * 0"), {"x": np.array([0.0, 4.0])}, [Gradient(np.ones(2))]
    )
    told = " ".join(each.text for each in reasons(explanation, 6))
    assert "each part selects one row" not in told
