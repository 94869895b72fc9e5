"""Wrong gradients of large leaves: searched with fewer elements, told about all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.analysis.test_diagnosis import compared

MANY = 30_000
RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=MANY)
ROWS = RANDOM.normal(size=(MANY, 3))
LABELS = RANDOM.integers(0, 2, MANY).astype(float)
BELL = "y = mean(tanh(x)*exp(-x**2))"
LOGISTIC = "p = sigmoid(X@w); L = -mean(y*log(p) + (1-y)*log(1-p))"
LOGITS: dict[str, Any] = {"X": ROWS, "w": [0.4, -0.3, 0.8], "y": LABELS}
SLOPE = "(1-tanh(x)**2)*exp(-x**2)"
REST = "2*x*tanh(x)*exp(-x**2)"
SLIPS: list[tuple[str, Mapping[str, Any], str, str, tuple[str, ...]]] = [
    (BELL, {"x": X}, "x", f"({SLOPE} - x*tanh(x)*exp(-x**2))/{MANY}", ("factor 2 is missing",)),
    (BELL, {"x": X}, "x", f"{SLOPE} - {REST}", ("mean", "30000")),
    (BELL, {"x": X}, "x", f"({SLOPE} + {REST})/3e4", ("sign",)),
    (BELL, {"x": X}, "x", f"({SLOPE} - {REST})/29999", ("n/(n - 1)", "1.000033334")),
    (BELL, {"x": X}, "x", f"{SLOPE} - {REST}/{MANY}", ("parentheses",)),
    (LOGISTIC, LOGITS, "X", f"outer(y - p, w)/{MANY}", ("sign",)),
    (LOGISTIC, LOGITS, "X", "outer(p - y, w)", ("mean", "30000")),
    ("d = X - mean(X, dim=0); L = sum(d**3)", {"X": ROWS}, "X", "3*d**2", ("path-missing",)),
    ("x = rand(30000); L = mean(x**3)", {}, "x", "3*x**3/30000", ("exponent", "3 instead of 2")),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("program", "inputs", "leaf", "mine", "words"), SLIPS)
def test_a_slip_is_named(
    program: str, inputs: Mapping[str, Any], leaf: str, mine: str, words: tuple[str, ...]
) -> None:
    found = compared(program, inputs, leaf, mine)
    assert (found.verdict, found.sure) == ("fail", True)
    cause = found.causes[0]
    for word in words:
        assert word in f"{cause.code}: {cause.message}"
    assert not any(number in cause.message for number in ("37", "36", "1.02"))
    if cause.correction is not None:
        _, end = cause.correction.span
        assert cause.correction.source.text == mine
        assert not (mine[end - 1].isdigit() and mine[end : end + 1].isdigit())
        assert compared(program, inputs, leaf, cause.correction.formula).verdict == "pass"


def test_the_worst_element_is_among_those_that_are_kept() -> None:
    mine = f"cos(x)*(1 + 1e-3*(x == {float(np.max(X))!r}))"
    found = compared("sum(sin(x))", {"x": X}, "x", mine)
    assert (found.verdict, found.sure) == ("fail", True)
    assert found.causes[0].correction is not None


def test_one_wrong_number_of_many_is_found() -> None:
    wrong = np.cos(X)
    wrong[77] *= 1.001
    found = compared("sum(sin(x))", {"x": X}, "x", wrong)
    assert found.verdict == "fail"
    assert found.causes[0].details["indices"] == [[77]]


@pytest.mark.parametrize("program", ["sum(x[29999]**2 + x)", "sum(x.reshape(300, 100)**2)"])
def test_programs_that_cannot_be_made_smaller_have_an_answer(program: str) -> None:
    found = compared(program, {"x": X}, "x", "x")
    assert found.verdict == "fail"
    assert found.causes
