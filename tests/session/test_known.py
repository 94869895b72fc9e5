"""What was computed while a program was traced is not computed again, if no run can change it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import parse_program
from gradcli.options import Options
from gradcli.session import Prepared, prepare

LOOKED = "w = linspace(0, 1, 70000); a = sum(exp(w)); if a > 1 { b = a*2 }; b"
TRAINED = """
import torch
w = torch.tensor(4.0, requires_grad=True)
for step in range(100):
    loss = (w - 3)**2
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
        w.grad.zero_()
print(w.item())
"""


def prepared(text: str, **inputs: Any) -> tuple[Prepared, dict[str, Array]]:
    given = {name: np.asarray(value) for name, value in inputs.items()}
    program = parse_program(Source("program", text), Options().limits.parse)
    return prepare(program, given, (), Options()), given


def ops(found: Prepared) -> set[str]:
    return {node.op.name for node in found.engine.plan.nodes}


def test_what_was_looked_at_is_not_computed_again() -> None:
    found, given = prepared(LOOKED)
    assert "exp" not in ops(found)
    assert "mul" in ops(found)
    result = found.run(given)
    w = np.linspace(0, 1, 70000)
    assert result.values["b"] == pytest.approx(2 * np.exp(w).sum(), rel=1e-14)
    assert result.values["w"].tolist() == pytest.approx(w.tolist(), rel=1e-15)


def test_loops_that_were_run_are_not_run_again() -> None:
    found, given = prepared(TRAINED)
    assert "loop" not in ops(found)
    result = found.run(given)
    assert result.printed == ["3.0"]
    assert result.values["w"] == 3.0


def test_what_depends_on_an_input_is_computed_in_each_run() -> None:
    found, _ = prepared("a = exp(x); if a > 1 { b = a*2 }; b", x=0.5)
    assert "exp" in ops(found)
    for x in (0.5, 0.7):
        value = found.run({"x": np.array(x)}).values["b"]
        assert value == pytest.approx(2 * np.exp(x), rel=1e-15)


def test_what_is_not_finite_is_computed_again_to_tell_where_it_comes_from() -> None:
    found, given = prepared("a = [1., 2.]/0; if a[0] > 1 { b = a*2 }; sum(b)")
    notes = [note.message for note in found.run(given).notes]
    assert any("division" in each or "div" in each or "/" in each for each in notes), notes
