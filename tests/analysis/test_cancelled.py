"""Gradients that are 0 because everything cancels, where rounding leaves something of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check, check_leaf, gradients
from gradcli.analysis.diagnosis.claim import Claim, differentiate, formula, weighed
from gradcli.analysis.diagnosis.compare import compare
from gradcli.analysis.element import LeafGradient
from gradcli.analysis.line import Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.verdict import Comparison
from gradcli.diagnostics import Source
from tests.analysis.posed import posed

VECTOR, SINGLE, MATRIX = [0.3, 1.7, -2.2], 0.7, [[1, 2], [3, 5]]
CANCELLED = [
    ("w2 = x**2; w1 = w2 - mean(w2); out = mean(w1)", VECTOR),
    ("sum(x - mean(x))", VECTOR),
    ("sum(softmax(x))", VECTOR),
    ("sum(exp(log_softmax(x)))", VECTOR),
    ("mean((x - mean(x)) / std(x))", VECTOR),
    ("sum(layer_norm(x, (3,)))", VECTOR),
    ("norm(x / norm(x))", VECTOR),
    ("cosine_similarity(x, 3*x, 0)", VECTOR),
    ("sin(x)**2 + cos(x)**2", SINGLE),
    ("cosh(x)**2 - sinh(x)**2", SINGLE),
    ("log(exp(x)) - x", SINGLE),
    ("(x + 1)**2 - x**2 - 2*x", SINGLE),
    ("sigmoid(x) + sigmoid(-x)", SINGLE),
    ("tan(x) * cos(x) / sin(x)", SINGLE),
    ("det(x) * det(inv(x))", MATRIX),
    ("trace(x @ inv(x))", MATRIX),
]


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("program", "x"), CANCELLED)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e2])
def test_what_cancels_does_not_fail(program: str, x: Any, scale: float) -> None:
    """Forward and reverse mode round differently, and neither finds a plain 0."""
    found = check(posed(program, {"x": scale * np.asarray(x)}))
    assert found.walk.verdict == "pass"
    assert found.verdict != "fail"


@pytest.mark.parametrize("size", [1e-3, 1e-6])
@pytest.mark.parametrize(("program", "x"), CANCELLED)
def test_a_mistake_larger_than_rounding_fails(program: str, x: Any, size: float) -> None:
    """What cancels is of size 1: a thousandth or a millionth of it is no rounding."""
    assert claimed(program, x, size) == "fail"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("program", "x"), CANCELLED)
def test_what_may_be_rounding_does_not_pass(program: str, x: Any) -> None:
    """Numbers as small as the rounding may be right or wrong."""
    assert claimed(program, x, 1e-17) == "inconclusive"


def claimed(program: str, x: Any, value: float) -> str:
    """The verdict on a gradient of this value in every element."""
    problem = posed(program, {"x": x})
    outputs, leaf = list(problem.outputs.values()), problem.leaves["x"]
    (grad,) = gradients(problem, outputs, [np.ones(())])
    unit = float(np.finfo(np.float64).eps)
    probe = Probe(problem, [grad], leaf, all_steps=True)
    noise = probe.noise(probe.point, unit)[0]
    wrong = np.full(leaf.shape, value)
    claim = LeafGradient("x", problem.program.source, wrong, noise, unit, probe)
    return check_leaf(claim, Lines(Probe(problem, outputs, leaf), [np.ones(())]), 0.0).verdict


# --- the user's own gradient ---------------------------------------------------------------


def compared(program: str, x: Any, mine: str) -> Comparison:
    walk = differentiate(weighed(posed(program, {"x": x})))
    claim = Claim(walk, "x", walk.problem.leaves["x"], formula(walk, Source("--mine", mine)))
    return compare(claim)


@pytest.mark.parametrize(("program", "x"), CANCELLED)
@pytest.mark.parametrize("mine", ["0*x", "0"])
def test_ones_own_zero_is_no_mistake(program: str, x: Any, mine: str) -> None:
    assert compared(program, x, mine).verdict != "fail"


@pytest.mark.parametrize("mine", ["0*x", "0", "softmax(x)*0"])
def test_ones_own_zero_is_right_where_what_cancels_is_large(mine: str) -> None:
    found = compared("sum(softmax(x))", [1, 2, 3], mine)
    assert found.verdict == "pass"
    assert compared("sum(softmax(x))", [1, 2, 3], f"1e-9 + {mine}").verdict == "fail"


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("program", "x"), CANCELLED)
@pytest.mark.parametrize("mine", ["1e-3 + 0*x", "1e-6*x", "1e-9"])
def test_ones_own_mistake_larger_than_rounding_fails(program: str, x: Any, mine: str) -> None:
    assert compared(program, x, mine).verdict == "fail"


def test_ones_own_number_is_right_where_both_are_no_more_than_rounding() -> None:
    assert compared("sum(softmax(x))", [1, 2, 3], "1e-17").verdict == "pass"
    assert compared("sum(softmax(x))", [1, 2, 3], "1e-14").verdict == "fail"
