"""Derived programs and modules have loops where the program has long ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradcli.analysis.derive import Derived, derive_run, is_right
from gradcli.analysis.reproduce import reproduce
from gradcli.analysis.single import SingleRun
from gradcli.language.syntax import For
from gradcli.report.module import of_run
from gradcli.report.program import render
from gradcli.session import Gradient, Options, evaluate
from tests.analysis.programs import parse, used
from tests.analysis.test_told_loops import GIVEN, LONG, LOOPS

FORWARD = Options(forward_only=True)
TWENTY = "h = x\nfor i in range(20) { h = tanh(A @ h + 0.1 * i) }\nsum(h * h)"
PROGRAMS = {
    **LOOPS,
    "long": LONG,
    "twenty": TWENTY,
    "two_loops": """
y = x
for i in range(70) { y = y * 0.99 + 0.01 }
for i in range(80) { y = y + 0.01 * cos(y) }
y""",
    "reverse": "s = 0\nfor i in range(119, -1, -1) { s = 0.9 * s + rows[i, 0] * rows[i, 1] }\ns",
    "elements": """import torch
q = torch.sin(torch.arange(70)*0.1).double().requires_grad_()
C = torch.zeros(70).double()
for i in range(1, 70): C[i] = C[i - 1]*0.5 + q[i]
(C**2).sum()""",
    "product": "p = 1\nfor i in range(50) { p = p * (1 + 0.01 * x) }\np",
}


def given(text: str) -> dict[str, np.ndarray]:
    found = used(text, GIVEN)
    return found | ({"x": np.array([0.5, -0.3])} if text is TWENTY else {})


def derived(text: str, gradient: float | None = None) -> tuple[SingleRun, Derived]:
    gradients = [] if gradient is None else [Gradient(np.array(gradient))]
    return derive_run(parse(text), given(text), gradients, Options())


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_long_loop_is_a_loop(name: str) -> None:
    text = PROGRAMS[name]
    run, found = derived(text)
    program = render(found)
    loops = [each for each in found.program.statements if isinstance(each, For)]
    assert loops
    assert len(program.splitlines()) <= 50
    values = evaluate(parse(program), {}, (), FORWARD).values
    written_out = evaluate(parse(text), given(text), (), Options(unroll=True)).grads
    for leaf in run.leaves:
        assert values[f"{leaf}_grad"] == pytest.approx(written_out[leaf], rel=1e-9, abs=1e-12)


def test_another_gradient_may_be_given() -> None:
    _, found = derived(LOOPS["growth"], 3.0)
    grad = evaluate(parse(render(found)), {}, (), FORWARD).values["x_grad"]
    assert grad == pytest.approx(3 * evaluate(parse(LOOPS["growth"]), given("x")).grads["x"])


def test_a_wrong_program_is_not_printed() -> None:
    run, found = derived(LOOPS["growth"])
    assert is_right(found, run)
    wrong = render(found).replace("cos(", "sin(")
    assert wrong != render(found)
    assert not is_right(replace(found, program=parse(wrong)), run)


def test_short_loops_are_written_out() -> None:
    _, found = derived("y = x\nfor i in range(10) { y = sin(y) }\ny")
    assert not any(isinstance(each, For) for each in found.program.statements)


def check_module(name: str, library: str, capsys: pytest.CaptureFixture[str]) -> None:
    run, found = derived(PROGRAMS[name])
    text = of_run(reproduce(run, found), library)
    assert len(text.splitlines()) <= 100
    assert ("jax.lax.scan(" if library == "jax" else "    for ") in text
    exec(compile(text, "module", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("agrees to ")


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_for_numpy(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_module(name, "numpy", capsys)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_for_others(name: str, library: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(library)
    check_module(name, library, capsys)
