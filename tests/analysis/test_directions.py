"""Large gradients: all elements along random directions, and bisection to the wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check, check_leaf, gradients
from gradcli.analysis.element import LeafGradient
from gradcli.analysis.line import Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import Problem
from gradcli.analysis.progress import silent
from gradcli.analysis.verdict import LeafCheck
from gradcli.graph import Array, Node
from tests.analysis.posed import posed

MANY = 20_000
X = np.random.default_rng(0).normal(size=MANY)
BELL = "mean(tanh(x)*exp(-x**2))"


def claimed(program: str, x: Any, factors: Any, progress: Any = silent) -> LeafCheck:
    """The check of the gradient times some factors."""
    problem = posed(program, {"x": x})
    outputs, leaf = list(problem.outputs.values()), problem.leaves["x"]
    (grad,) = gradients(problem, outputs, [np.ones(())])
    unit = float(np.finfo(np.float64).eps)
    probe = Probe(problem, [grad], leaf, all_steps=True)
    noise = probe.noise(probe.point, unit)[0]
    wrong = problem.values([grad])[0] * factors
    claim = LeafGradient("x", problem.program.source, wrong, noise, unit, probe)
    return check_leaf(claim, Lines(Probe(problem, outputs, leaf), [np.ones(())]), 0.0, progress)


@pytest.mark.parametrize("program", [BELL, "sum(relu(x)**2 + abs(x - 1))", "sum(softmax(x)*x)"])
def test_a_large_gradient_passes(program: str) -> None:
    (leaf,) = check(posed(program, {"x": X})).leaves
    assert leaf.verdict == "pass"
    assert leaf.digits > 5
    assert leaf.sweep is not None
    assert leaf.sweep.moved > 0.8 * MANY
    assert leaf.sweep.missed == 1 / 32


@pytest.mark.parametrize("program", ["sum(detach(x))", "y = detach(x[0]); y**2"])
def test_few_elements_are_checked_of_a_large_leaf_that_nothing_reads(program: str) -> None:
    """Each copies all: 2,000 of a million took a minute."""
    (leaf,) = check(posed(program, {"x": np.zeros(1_000_000)})).leaves
    assert leaf.verdict == "pass"
    assert len(leaf.findings) <= 5


@pytest.mark.one_in(5)
@pytest.mark.parametrize("program", [BELL, "sum(relu(x)**2 + abs(x - 1))"])
@pytest.mark.parametrize("size", [1e-5, 1e-3, 2.0])
def test_one_wrong_element_is_found(program: str, size: float) -> None:
    place = int(np.argmin(np.abs(X - 0.4)))
    factors = np.ones(MANY)
    factors[place] += size
    found = claimed(program, X, factors)
    assert found.verdict == "fail"
    assert found.worst is not None
    assert found.worst.index == (place,)


def test_several_wrong_elements_are_found() -> None:
    factors = np.ones(MANY)
    places = np.argsort(np.abs(X - 0.4))[:2]
    factors[places] = [1.1, 0.9]
    found = claimed(BELL, X, factors)
    wrong = {each.index[0] for each in found.findings if each.verdict == "fail"}
    assert wrong == set(places.tolist())


@pytest.mark.wide
def test_a_gradient_that_is_wrong_everywhere_fails() -> None:
    assert claimed(BELL, X, 1.001).verdict == "fail"
    assert claimed(BELL, X, -1.0).verdict == "fail"


def test_what_no_step_tells_does_not_pass() -> None:
    """Every step exchanges some of so many neighbours."""
    x = np.linspace(0, 1, 5_000) + 1e-9 * X[:5_000]
    assert claimed("sum(cumsum(sort(x).values, 0)**2)", x, 1.0).verdict != "fail"


def test_ctrl_c_keeps_what_directions_told() -> None:
    def second(_leaf: str, part: float) -> None:
        if part == 0.4:
            raise KeyboardInterrupt

    found = check(posed(BELL, {"x": X}), done=second)
    (leaf,) = found.leaves
    assert leaf.stopped
    assert leaf.verdict == "inconclusive"
    assert leaf.sweep is not None
    assert leaf.sweep.verdict == "pass"
    assert leaf.sweep.directions == 2
    told = [note.message for note in found.notes]
    assert any("checked along 2 random directions" in each and "0.25" in each for each in told)
    assert any(each.startswith("x: interrupted") for each in told)


def test_an_interrupted_check_tells_what_is_known() -> None:
    def interrupt(leaf: str, part: float) -> None:
        if part > 0.3:
            raise KeyboardInterrupt

    found = claimed("sum(sin(x))", X[:10], 1.0, interrupt)
    assert found.stopped
    assert len(found.findings) == 4
    assert found.verdict == "inconclusive"
    result = check(posed("sum(sin(x))", {"x": X[:10]}), done=interrupt)
    assert result.stopped
    assert any("4 of 10 elements" in note.message for note in result.notes)


def test_ctrl_c_before_the_first_direction_says_that_nothing_is_known() -> None:
    class Cut(Problem):
        def values(self, nodes: Sequence[Node]) -> list[Array]:
            raise KeyboardInterrupt

    whole = posed(BELL, {"x": X})
    result = check(Cut(**{each.name: getattr(whole, each.name) for each in fields(whole)}))
    assert result.stopped
    assert result.verdict == "inconclusive"
    assert [leaf.name for leaf in result.leaves] == ["x"]
    (told,) = (note.message for note in result.notes if note.code == "interrupted")
    assert "while gradients were computed: nothing of it is confirmed yet" in told


def test_ctrl_c_among_several_leaves_tells_of_those_that_are_checked() -> None:
    def second(leaf: str, _part: float) -> None:
        if leaf == "b":
            raise KeyboardInterrupt

    inputs = {"a": X[:3], "b": X[3:6], "c": X[6:9]}
    result = check(posed("sum(a*sin(b)*c)", inputs), done=second)
    assert [(leaf.name, leaf.verdict) for leaf in result.leaves] == [
        ("a", "pass"),
        ("b", "inconclusive"),
    ]
    assert result.verdict == "inconclusive"


def test_ctrl_c_while_a_hessian_is_checked_leaves_the_gradient_confirmed() -> None:
    told: list[float] = []

    def fourth(_leaf: str, part: float) -> None:
        told.append(part)
        if len(told) == 4:
            raise KeyboardInterrupt

    result = check(posed("sum(sin(x)*x)", {"x": X[:3]}), 2, fourth)
    assert result.stopped
    assert "the gradient itself is confirmed" in [note.message for note in result.notes]
