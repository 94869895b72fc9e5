"""A right formula passes, and one that is a little wrong does not: 300 of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gradcli.analysis.agreement import agreement
from gradcli.analysis.diagnosis.claim import Claim, differentiate, formula, weighed
from gradcli.analysis.evidence import from_formula
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Agreement
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array, Precision
from tests.analysis.formulas import BY_HAND, FORMULAS, Right
from tests.analysis.posed import posed
from tests.analysis.slips import MODELS

SIZES = (1e-3, 1e-6, 1e-9)
EXAMPLES = [*BY_HAND[::6], *FORMULAS[len(BY_HAND) :: 20]]
ARRANGED = [Right(m.program, m.leaf, mine, m.inputs) for m in MODELS for mine in m.equal]
"""Gradients of models in other arrangements than the usual one."""
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*(?:e[-+]?\d+)?)(?![\w.])")


def judged(problem: Problem, leaf: str, mine: str) -> Agreement:
    walk = differentiate(problem)
    source = Source("--mine", mine)
    claim = Claim(walk, leaf, walk.problem.leaves[leaf], formula(walk, source))
    assert claim.theirs.shape == claim.right.shape
    return agreement(claim, from_formula(source))


def problem_of(right: Right, precision: Precision) -> Problem:
    return weighed(posed(right.program, right.inputs, precision=precision))


def changed(right: Right, size: float, chance: random.Random) -> Iterator[str]:
    """The formula with one element changed, and with a constant factor."""
    shape = np.shape(right.inputs[right.leaf])
    factors = np.ones(shape)
    factors[tuple(chance.randrange(length) for length in shape)] += size
    yield f"({right.mine})*{factors.tolist()!r}"
    yield f"{1 + size!r}*({right.mine})"


def with_constants_changed(mine: str, size: float) -> Iterator[str]:
    """The formula with each of its numbers changed in turn; whole powers and the like are kept."""
    for found in NUMBER.finditer(mine):
        number = float(found[0]) * (1 + size)
        yield f"{mine[: found.start()]}{number!r}{mine[found.end() :]}"


def check(right: Right, precision: Precision) -> None:
    """Raises AssertionError where the formula fails, or where a changed one passes."""
    problem = problem_of(right, precision)
    found = judged(problem, right.leaf, right.mine)
    assert found.verdict == "pass", (right, found)
    chance = random.Random(right.mine)
    if (gradient_of(problem, right) == 0).any():
        return  # a part of 0 is 0
    for size in SIZES:
        for mine in changed(right, size, chance):
            found = judged(problem, right.leaf, mine)
            below = size == min(SIZES) and precision == "float32"
            assert found.verdict == ("inconclusive" if below else "fail"), (right, mine, found)


def gradient_of(problem: Problem, right: Right) -> Array:
    """The gradient by the formula."""
    walk = differentiate(problem)
    (value,) = replace(problem, feeds=walk.feeds).values([formula(walk, Source("", right.mine))])
    return value


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("right", EXAMPLES, ids=lambda each: each.mine)
def test_a_right_formula_passes_and_a_changed_one_does_not(
    right: Right, precision: Precision
) -> None:
    check(right, precision)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("right", EXAMPLES[::3], ids=lambda each: each.mine)
def test_a_changed_constant_fails(right: Right, size: float) -> None:
    fails_with_constants_changed(right, size)


def fails_with_constants_changed(right: Right, size: float) -> None:
    problem = problem_of(right, "float64")
    value = gradient_of(problem, right)
    for mine in with_constants_changed(right.mine, size):
        try:
            wrong = gradient_of(problem, replace(right, mine=mine))
        except GradcliError:
            continue  # an index or a count
        if np.max(np.abs(wrong - value) / np.abs(value)) > 0.01 * size:  # it matters
            assert judged(problem, right.leaf, mine).verdict == "fail", mine


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("scale", ["1e-8", "1e8"])
def test_the_scale_of_the_output_hides_no_mistake(scale: str, precision: Precision) -> None:
    """The gradient is a corner of the exponential of [[x.T, scale], [0, x.T]], whose rounding is
    measured on such a matrix too.
    """
    x = [[0.4, -0.3, 0.2], [0.1, 0.6, -0.5], [-0.2, 0.3, 0.7]]
    program, mine = f"{scale}*trace(matrix_exp(x))", f"{scale}*matrix_exp(x).T"
    check(Right(program, "x", mine, {"x": x}), precision)


VANISHING = [
    ("sum(exp(-(x[:, None] - x)**2))", "-4*sum((x[:, None] - x)*exp(-(x[:, None] - x)**2), dim=1)"),
    ("1e8*std(x)", "1e8*(x - sum(x)/3)/(2*std(x))"),
    (
        "sum(layer_norm(x, [3])*[0.5, 2, -1])",
        (
            "([0, 1.5, -1.5] - (x - mean(x))*mean((x - mean(x))*[0.5, 2, -1])"
            "/(var(x, correction=0) + 1e-5))/sqrt(var(x, correction=0) + 1e-5)"
        ),
    ),
]
"""Gradients of x with an element that would be 0 if x were not rounded."""


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("program", "mine"), VANISHING)
def test_no_digits_are_asked_of_what_is_rounding(
    program: str, mine: str, precision: Precision
) -> None:
    problem = weighed(posed(program, {"x": [0.45, -1.3, 2.2]}, precision=precision))
    assert judged(problem, "x", mine).verdict == "pass"
    wrong = f"({mine})*[1, 1.001, 1]"
    assert judged(problem, "x", wrong).verdict == "fail"


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="it is no longer")
@pytest.mark.parametrize("small", ["e-5", "e-6"])
def test_what_only_a_longer_precision_sees_is_not_confirmed(small: str) -> None:
    """It moves the gradient by 1e-14 to 1e-15 of itself, and hardly more near x = 0."""
    problem = weighed(posed(f"log(sum(exp(x)) + 1{small})", {"x": [0.3, 1.2, -0.7]}))
    assert judged(problem, "x", f"exp(x)/(sum(exp(x)) + 1{small})").verdict == "pass"
    found = judged(problem, "x", f"exp(x)/(sum(exp(x)) + 1.000000001{small})")
    assert found.verdict == "inconclusive"
    moved = 1e-9 * float(f"1{small}") / (np.exp(0.3) + np.exp(1.2) + np.exp(-0.7))
    assert found.difference == pytest.approx(moved, rel=0.01)


def test_what_holds_for_vectors_of_length_1_passes_for_their_rounding() -> None:
    u = np.random.default_rng(1).normal(size=5)
    data = {"x": [0.3, 1.2, -0.7, 0.45, 0.8], "u": u / np.linalg.norm(u)}
    problem = weighed(posed("sum((x - u*dot(u, x))**2)", data, wrt=("x",)))
    assert judged(problem, "x", "2*(x - u*dot(u, x))").verdict == "pass"
    assert judged(problem, "x", "2*(x - u*dot(u, x))*1.000000001").verdict == "fail"


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_what_holds_for_probabilities_passes_for_their_rounding(precision: Precision) -> None:
    """In float32 these add up to 1 + 1e-8, which a small difference of two shows."""
    data = {"z": [0.55, 0.2, -0.15], "t": [0.45, 0.35, 0.2]}
    problem = weighed(posed("-sum(t*log_softmax(z))", data, precision=precision))
    assert judged(problem, "z", "softmax(z) - t").verdict == "pass"
    for wrong in ("softmax(z) - 1.000001*t", "softmax(1.00001*z) - t", "softmax(z) - t*sum(t**2)"):
        assert judged(problem, "z", wrong).verdict == "fail", wrong


def test_what_has_a_value_in_float32_alone_is_not_right() -> None:
    """There the exponent is 2."""
    problem = weighed(posed("sum(x**3)", {"x": [-0.5, 1.5]}, precision="float32"))
    assert judged(problem, "x", "3*x**2").verdict == "pass"
    assert judged(problem, "x", "3*x**2.0000000020000002").verdict == "inconclusive"


def test_where_both_are_not_numbers_neither_is_wrong() -> None:
    problem = weighed(posed("sum(sqrt(x))", {"x": [-1.0, 2.0]}))
    assert judged(problem, "x", "0.5/sqrt(x)").verdict == "inconclusive"
    for wrong in ("0.51/sqrt(x)", "0.5/sqrt(abs(x))"):
        assert judged(problem, "x", wrong).verdict == "fail", wrong


@pytest.mark.parametrize(
    ("program", "mine"),
    [
        ("mean(log(1 + exp(-y*x)))", "-y*sigmoid(-y*x)/2"),  # exp overflows
        ("-sum(y*log(exp(x)/sum(exp(x))))", "softmax(x, dim=0)*sum(y) - y"),
        ("-sum(y*log(softmax(x, dim=0)))", "softmax(x, dim=0)*sum(y) - y"),  # 0 has no logarithm
    ],
)
def test_a_finite_formula_is_not_wrong_where_an_infinite_value_spoils_the_gradient(
    program: str, mine: str
) -> None:
    problem = weighed(posed(program, {"x": [1e5, 2e5], "y": [1.0, -1.0]}))
    assert judged(problem, "x", mine).verdict == "inconclusive"


def test_a_condition_that_float32_rounds_away_makes_no_formula_wrong() -> None:
    """In float32 p and n are equal, so that L is m; it is far below 0."""
    triplet = "p = sum((a - b)**2); n = sum((a - c)**2); L = relu(p - n + m)"
    data = {"a": [0.5e8, -1.2e8, 0.4e8], "b": [1.1, 0.7, 0.9], "c": [0.2, 0.3, -0.8], "m": 1.2}
    problem = weighed(posed(triplet, data, wrt=("a",), precision="float32"))
    assert judged(problem, "a", "where(L > 0, 2*(c - b), 0)").verdict == "inconclusive"
    near = data | {"a": [0.5, -1.2, 0.4]}
    problem = weighed(posed(triplet, near, wrt=("a",), precision="float32"))
    assert judged(problem, "a", "where(L > 0, 2*(c - b), 0)").verdict == "pass"
    assert judged(problem, "a", "where(L > 0, 2*(b - c), 0)").verdict == "fail"


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("right", FORMULAS, ids=lambda each: each.mine)
def test_all_formulas(right: Right, precision: Precision) -> None:
    check(right, precision)


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("right", ARRANGED, ids=lambda each: each.mine)
def test_formulas_of_models_in_other_arrangements(right: Right, precision: Precision) -> None:
    check(right, precision)
    for scale in ("1e-8", "1e8"):
        program = f"{right.program}; scaled = {scale}*{result(right)}"
        scaled = replace(right, program=program, mine=f"{scale}*({right.mine})")
        found = judged(problem_of(scaled, precision), right.leaf, scaled.mine)
        assert found.verdict == "pass"


def result(right: Right) -> str:
    """What the program's last statement is called."""
    return right.program.rpartition(";")[2].partition("=")[0]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("right", ARRANGED, ids=lambda each: each.mine)
def test_a_changed_constant_of_models_fails(right: Right, size: float) -> None:
    fails_with_constants_changed(right, size)
