"""Plans of single numbers are run by Python's operators: to the bits that NumPy's loops give."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Graph
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

PROGRAMS = [
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "y*-x",
    "where(x > y, x, y)",
    "where(x > y, 1 / x, sqrt(y))",
]
EDGES = [0.0, -0.0, 1.0, -2.5, 5e-324, 1.7e308, math.inf, -math.inf, math.nan]


def bits(program: str, **inputs: np.ndarray) -> list[bytes]:
    parsed = parse_program(Source("program", program), ParseLimits())
    result = evaluate(parsed, inputs)
    found = [*result.values.values(), *result.grads.values()]
    # which nan it is, is not told
    return [np.where(np.isnan(each), np.nan, each).reshape(()).tobytes() for each in found]


@pytest.mark.parametrize("program", PROGRAMS)
def test_numbers_have_the_bits_of_arrays(program: str) -> None:
    for x, y in itertools.product(EDGES, repeat=2):
        alone = bits(program, x=np.array(x), y=np.array(y))
        assert alone == bits(program, x=np.array([x]), y=np.array([y])), (x, y)


def test_constants_that_come_together_are_added_in_order() -> None:
    """A term has nodes for its number, its product and its sum; sums on the way back have none."""
    factors = [0.1 * k for k in range(1, 200)]
    program = parse_program(
        Source("program", " + ".join(f"{each!r}*x" for each in factors)), ParseLimits()
    )
    result = evaluate(program, {"x": np.array(0.5)})
    expected = 0.0
    for each in reversed(factors):  # the walk goes back from the last term
        expected += each
    assert result.grads["x"] == expected
    assert result.graph.count < 3 * len(factors) + 5


def test_zeros_of_both_signs_are_two_constants() -> None:
    graph = Graph()
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert graph.constant(0.0) is graph.constant(0.0)
    assert graph.constant(2.5) is graph.constant(2.5) is graph.constant(np.array(2.5))


def test_a_constant_that_was_forgotten_is_made_again() -> None:
    graph = Graph()
    mark = graph.mark()
    before = graph.constant(2.5)
    graph.forget(mark)
    assert graph.constant(2.5) is not before
    assert graph.constant(2.5) in graph.shared()
