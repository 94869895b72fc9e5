"""Casts stand in what derive, explain and scripts print: it evaluates to the same numbers."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.explain import explain
from gradcli.analysis.reproduce import reproduce
from gradcli.analysis.single import run
from gradcli.graph import INPUT
from gradcli.report.module import of_run
from gradcli.report.sentences import Sentences
from tests.analysis.programs import assert_same, both, parse
from tests.analysis.told import problems

CASTS = (".long()", ".int()", ".bool()", ".float()", ".double()")
PROGRAMS = (
    "x{0} * x",
    "(x > 1){0} * x",
    "(x{0} + x{0}) * x",
    "(x{0} * (x > 1) + x) * x",
    "n = x{0}; n * x + n",
    "x * where(x{0}, x, 2)",
    "x * maximum(x{0}, x > 1)",
    "x * x{0}.float()",
    "x * (x{0} // 2)",
    "x * (x{0} > 1)",
    "x * sum(x{0})",
    "x[[2, 0]] * x{0}[:2]",
    "x * tensor([0.5, 2, 0]){0}",
)
CALLS = [program.format(cast) for program in PROGRAMS for cast in CASTS]
X = {"x": np.array([0.5, 1.5, -2.5])}


def summed(program: str) -> str:
    """The program with one number as its output."""
    *before, last = program.split("; ")
    return "; ".join([*before, f"out = sum({last})"])


@pytest.mark.parametrize("program", CALLS)
def test_derive(program: str) -> None:
    assert_same(*both(summed(program), X))


def test_what_derive_prints_is_right() -> None:
    """By hand: of long(x) * x the derivative is long(x)."""
    _, derived = both("y = x.long() * x", {"x": np.array(1.5)})
    assert derived["x"] == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", CALLS)
def test_explain(program: str) -> None:
    """Each equation is true, and each step of the forward pass has one."""
    told = explain(parse(summed(program)), X)
    assert not [*problems(told)]
    sentences = Sentences(told)
    for step in told.steps:
        assert step.node.op is INPUT or sentences.step(step).text


@pytest.mark.one_in(7)
@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("program", CALLS)
def test_scripts(program: str, library: str) -> None:
    """A script compares the gradient that it computes with the one from here."""
    single = run(parse(summed(program)), X, [])
    written = of_run(reproduce(single, derive(single)), library)
    compile(written, "script", "exec")
    if importlib.util.find_spec(library):
        exec(compile(written, "script", "exec"), {"__name__": "__main__"})
