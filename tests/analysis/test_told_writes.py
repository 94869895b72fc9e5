"""Writes into tensors, rules of ops, and gradients that a program takes, as users know them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.diagnostics import GradcliError
from gradcli.report.document import as_text, render
from gradcli.report.explain import document
from gradcli.report.explain_json import write as write_json
from gradcli.report.layout import Layout
from gradcli.session import Gradient, Options
from tests.analysis.programs import output_shape, parse
from tests.analysis.told import problems

ROW = np.array([1.0, -2.0, 3.0])
MATRIX = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def told(text: str, x: np.ndarray, precision: str = "float64") -> tuple[Explanation, str]:
    shape = output_shape(text, {"x": x})
    gradients = [Gradient(np.random.default_rng(3).uniform(0.5, 1.5, shape))] if shape else []
    options = Options(precision="float32" if precision == "float32" else "float64")
    found = explain(parse(text), {"x": x}, gradients, options)
    return found, render(document(found), as_text)


@pytest.mark.parametrize(
    ("write", "forward", "backward"),
    [
        ("y[0] = 10", "index_put(y_1, (0,), 10)", "index_put(y.grad, (0,), 0)"),
        ("y[-1] = x[0]", "index_put(y_1, (-1,), t1)", "t1.grad = y.grad[-1]"),
        ("y[y < 0] = 0", "masked_fill(y_1, y_1 < 0, 0)", "masked_fill(y.grad, y_1 < 0, 0)"),
        ("y[x > 0] = x[:2]", "index_put(y_1, (x > 0,), t1)", "t1.grad = y.grad[x > 0]"),
        ("y[[0, 2]] = x[1:]", "index_put(y_1, ([0, 2],), t1)", "t1.grad = y.grad[[0, 2]]"),
        ("y[1:] = 7", "index_fill(y_1, 0, [1, 2], 7)", "slice_scatter(y.grad, zeros(2), 0, 1, 3)"),
        ("y[::2] = x[:2]", "slice_scatter(y_1, t1, 0, 0, 3, 2)", "t1.grad = y.grad[::2]"),
        ("y[:2] = sum(x)", "index_fill(y_1, 0, [0, 1], t1)", "t1.grad = sum(y.grad[:2])"),
        ("y[1].fill_(4)", "index_put(y_1, (1,), 4)", "index_put(y.grad, (1,), 0)"),
    ],
)
def test_writes_into_a_row(write: str, forward: str, backward: str) -> None:
    found, text = told(f"y = x * 1; {write}; y", ROW)
    assert f"y = {forward}\n" in text
    assert backward in text
    assert " is written: y_1 is what was there before" in text
    assert [*problems(found)] == []


@pytest.mark.parametrize(
    ("write", "forward", "backward"),
    [
        ("y[1] = x[0]", "index_put(y_1, (1,), t1)", "t1.grad = y.grad[1]"),
        ("y[0, 2] = 9", "index_put(y_1, (0, 2), 9)", "index_put(y.grad, (0, 2), 0)"),
        ("y[0][2] = 9", "index_put(y_1, (0, 2), 9)", "index_put(y.grad, (0, 2), 0)"),
        ("y[:, 0] = x[:, 1]", "select_scatter(y_1, t1, 1, 0)", "t1.grad = y.grad[:, 0]"),
        ("y[..., 2] = 5", "index_fill(y_1, 1, 2, 5)", "select_scatter(y.grad, zeros(2), 1, 2)"),
        ("y[:, 1:] = x[:, :2]", "slice_scatter(y_1, t1, 1, 1, 3)", "t1.grad = y.grad[:, 1:]"),
        ("y[[0, 1], [2, 0]] = x[:, 1]", "index_put(y_1, ([0, 1], [2, 0]), t1)", ""),
        ("y[0, 1:] = x[1, :2]", "put(y_1, [1, 2], t1)", "t1.grad = y.grad[0, 1:]"),
        ("y.T[0] = x[:, 1]", "put(y_1, [0, 3], t1)", "t1.grad = take(y.grad, [0, 3])"),
        ("y[y > 2] = 0", "masked_fill(y_1, y_1 > 2, 0)", "masked_fill(y.grad, y_1 > 2, 0)"),
    ],
)
def test_writes_into_a_matrix(write: str, forward: str, backward: str) -> None:
    found, text = told(f"y = x * 1; {write}; y", MATRIX)
    assert f"y = {forward}\n" in text
    assert backward in text
    assert [*problems(found)] == []


def test_a_write_of_many_places_is_told_by_its_value() -> None:
    found, text = told("y = x * 1; y[::2, 1:] = 3; sum(y * y)", np.ones((9, 9)))
    assert "long(" not in text
    assert [*problems(found)] == []


@pytest.mark.parametrize(
    ("text", "x", "told_as"),
    [
        ("x[1:]", ROW, "x.grad = pad(out.grad, (1, 0))"),
        ("x[:, :2]", MATRIX, "x.grad = pad(out.grad, (0, 1))"),
        ("x[1:]", MATRIX, "x.grad = pad(out.grad, (0, 0, 1, 0))"),
        ("x[1]", ROW, "x.grad = out.grad * one_hot(1, 3)"),
        ("x[1]", MATRIX, "x.grad = outer(one_hot(1, 2), out.grad)"),
        ("x[:, 2]", MATRIX, "x.grad = outer(out.grad, one_hot(2, 3))"),
        ("x[[0, 2, 0]]", ROW, "x.grad = index_add(zeros(3), 0, [0, 2, 0], out.grad)"),
        ("x @ tensor([1., 2., 3.])", MATRIX, "x.grad = outer(out.grad, "),
        ("outer(x, x * 2)", ROW, "t1.grad = out.grad.T @ x"),
        ("trace(x[:, :2])", MATRIX, "t1.grad = eye(2)"),
        ("y = x * 1; y[1]**2", ROW, "x.grad = y.grad"),
        ("std(x)", ROW, "x.grad = (x - mean(x)) / (2 * out)"),
        ("inv(x[:, :2]).sum()", MATRIX, "t1.grad = -(t2.T @ t2.grad @ t2.T)"),
    ],
)
def test_rules_are_told_in_known_functions(text: str, x: np.ndarray, told_as: str) -> None:
    found, shown = told(text, x)
    assert told_as in shown
    assert [*problems(found)] == []


def test_what_is_not_finite_keeps_the_function_that_is_true() -> None:
    """0 * inf is nan, so no product is told where a derivative at 0 is infinite."""
    found, text = told("where(x > 0, log(x), 0).sum()", np.array([0.0, 1.0]))
    assert "x.grad = scale(t2.grad, 1 / x)" in text
    assert "scale(a, b) is a * b, but 0 where a is 0, whatever b is" in text
    assert [*problems(found)] == []


@pytest.mark.parametrize("seed", range(4))
def test_float32_tells_rounding_as_what_it_is(seed: int) -> None:
    """The norm of a normalised row is 1 wherever the row goes: only rounding is left."""
    x = np.random.default_rng(seed).normal(size=(2, 3)).astype(np.float32)
    found, text = told("y = x / norm(x, dim=1, keepdim=True); sum(y * y)", x, "float32")
    assert "these parts cancel: what is left of them is rounding" in text
    assert [*problems(found)] == []


def test_a_gradient_that_the_program_takes_is_told_with_what_it_is_of() -> None:
    """Of x³ at 2: 3·x² = 12, and of that 6·x = 12."""
    x = "x = tensor(2., requires_grad=True); y = x**3;"
    first = "g = torch.autograd.grad(y, x, create_graph=True)[0];"
    program = f"{x} {first} h = torch.autograd.grad(g, x)[0]; h"
    found = explain(parse(program), {})
    text = render(document(found), as_text)
    assert "y = x**3\n  = 2**3\n  = 8\n" in text
    assert "= 12\n    the gradient of y by x, which the program takes\n" in text
    assert "= 12\n    the gradient of g by x, which the program takes\n" in text
    assert "a leaf of shape (): the program takes a gradient by it" in text
    assert "detach(" not in text
    assert [*problems(found)] == []


def test_a_gradient_taken_in_a_loop_belongs_to_it() -> None:
    program = (
        "w = tensor(2.); for i in range(3) "
        "{ v = w.clone().requires_grad_(); w = w - 0.1 * torch.autograd.grad(v**2, v)[0] }; x * w"
    )
    found, text = told(program, np.array(3.0))
    assert "which the program takes" not in text
    assert [*problems(found)] == []


@pytest.mark.parametrize(
    ("call", "derivative"),
    [
        ("tanh(x)", "(1 - out**2)"),
        ("sigmoid(x)", "(out * (1 - out))"),
        ("tan(x)", "(1 + out**2)"),
        ("erf(x)", "(2 * exp(-x**2) / sqrt(pi))"),
        ("softplus(x)", "sigmoid(x)"),
        ("softplus(x, beta=2)", "sigmoid(2 * x)"),
        ("logsigmoid(x)", "sigmoid(-x)"),
        ("elu(x)", "where(x > 0, 1, exp(x))"),
        ("leaky_relu(x)", "where(x > 0, 1, 0.01)"),
        ("silu(x)", "(sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)))"),
    ],
)
def test_activations_have_the_derivatives_of_textbooks(call: str, derivative: str) -> None:
    found, text = told(call, np.array([-0.4, 0.3, 1.2]))
    assert f"x.grad = out.grad * {derivative}\n" in text
    assert [*problems(found)] == []


def test_a_write_is_data_that_nothing_opens() -> None:
    found, _ = told("y = x * 1; y[0] = 10; y", ROW)
    (data,) = (json.loads(line) for line in write_json(found, Layout(80)))
    (step,) = (each for each in data["steps"] if each["name"] == "y")
    assert (step["expression"], step["inside"]) == ("index_put(y_1, (0,), 10)", None)
    with pytest.raises(GradcliError, match="there is no step of this name"):
        explain(parse("y = x * 1; y[0] = 10; sum(y)"), {"x": ROW}, opened=("write",))


def test_a_leaf_that_changes_is_a_leaf_as_data() -> None:
    program = (
        "w = tensor(2., requires_grad=True); opt = torch.optim.SGD([w], lr=0.25)\n"
        "for i in range(2) {\n opt.zero_grad()\n loss = w ** 2\n loss.backward()\n opt.step()\n}"
    )
    found = explain(parse(program), {})
    (data,) = (json.loads(line) for line in write_json(found, Layout(80)))
    steps = {each["name"]: each for each in data["steps"]}
    assert (steps["w_2"]["role"], steps["w_2"]["expression"]) == ("leaf", "w_1 - t1 * 0.25")
