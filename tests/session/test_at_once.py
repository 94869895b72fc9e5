"""Values that are found at once, and those for which visitors run, in the same expressions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Result, evaluate

TELLS = "def f(a) { print(a); return sin(a) }\n"


def run(text: str, **inputs: float) -> Result:
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    return evaluate(parse_program(Source("program", text), ParseLimits()), arrays)


@pytest.mark.parametrize(
    ("expression", "order"),
    [
        ("f(1) + f(2)", "12"),
        ("sin(f(1)) * x + f(2)", "12"),
        ("x * 2 + f(1) - x + f(2) * f(3)", "123"),
        ("maximum(x * 2, f(1)) + maximum(f(2), x)", "12"),
        ("maximum(f(1), f(2) + sin(f(3)))", "123"),
        ("-f(1) + -(x * f(2))", "12"),
        ("x > 0 and f(1) > 0", "1"),
        ("x < 0 and f(1) > 0", ""),
        ("x < 0 and f(1) > 0 or f(2) > 0", "2"),
        ("torch.maximum(f(1), f(2))", "12"),
    ],
)
def test_parts_are_computed_in_their_order(expression: str, order: str) -> None:
    assert "".join(run(f"{TELLS}y = {expression}\nx", x=1.0).printed) == order


@pytest.mark.parametrize("depth", [1, 7, 8, 9, 16, 17, 1000])
def test_parts_within_parts(depth: int) -> None:
    """However deep, also where each has a side that is found later."""
    nested = "tanh(" * depth + "x" + ")" * depth
    mixed = "tanh(x * 0 + " * depth + "f(x)" + ")" * depth
    right = "(x - " * depth + "x" + ")" * depth
    result = run(f"f(a) = a\na = {nested}\nb = {mixed}\nc = {right}\na + b + c", x=0.7)
    expected, slope = 0.7, 1.0
    for _ in range(depth):
        expected = math.tanh(expected)
        slope *= 1 - expected**2
    assert result.values["a"] == pytest.approx(expected, rel=1e-12)
    assert result.values["b"] == pytest.approx(expected, rel=1e-12)
    assert result.values["c"] == pytest.approx(0.7 * ((depth + 1) % 2), abs=1e-9)
    assert result.grads["x"] == pytest.approx(2 * slope + (depth + 1) % 2, rel=1e-9)


def test_no_gradient_flows_where_none_is_recorded() -> None:
    """Through none of the parts, of which the last ones are found at once."""
    result = run("with torch.no_grad() { a = sin(x) * x + x * 3 }\ny = x * a", x=0.7)
    assert result.grads["x"] == pytest.approx(math.sin(0.7) * 0.7 + 2.1, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["sin(a) = a * 3\nsin(x)", "torch = 5\nsin = x * 3\ny = sin * 1 + torch * 0"]
)
def test_names_of_functions_may_be_the_programs_own(text: str) -> None:
    assert run(text, x=2.0).grads["x"] == 3


def test_a_name_that_was_a_function_may_become_another() -> None:
    result = run("a = sin(x)\nsin(b) = b * 3\ny = sin(x) + a * 0", x=2.0)
    assert result.values["y"] == 6


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("y = sin(x) + exp(z)", "name", "z"),
        ("y = sin(x, x)", "type", "sin(x, x)"),
        ("y = maximum(x, 's')", "type", "maximum(x, 's')"),
        ("y = x + sin(x * [1, 2]) + [1, 2, 3]", "shape", "x + sin(x * [1, 2]) + [1, 2, 3]"),
    ],
)
def test_errors_stand_where_they_belong(text: str, code: str, place: str) -> None:
    with pytest.raises(GradcliError) as raised:
        run(text, x=1.0)
    span = raised.value.diagnostic.span
    assert raised.value.diagnostic.code == code
    assert span is not None
    assert text[slice(*span)] == place


def test_the_last_value_of_a_name_is_the_output() -> None:
    """That which the name had when the program ended on it."""
    result = run("y = sin(x)\ny = y * 2\nd = {'a': 1}\ny = y + 1\nd['b'] = 2", x=0.0)
    assert [*result.outputs] == ["y"]
    assert result.values["y"] == 1
