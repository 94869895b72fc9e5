"""Long programs are told on one screen: in stretches, which end where few values are used later."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.report.document import as_text, render
from gradcli.report.explain import document
from gradcli.session import Options
from tests.analysis.programs import parse
from tests.analysis.told import problems

SCREEN = 60
"""The most lines of a level."""


def told(step: str, *opened: str) -> Explanation:
    lines = [step.format(n=n, b=n - 1) for n in range(1, 301)]
    text = "\n".join(["x0 = x + 0", *lines, "out = sum(x300)"])
    return explain(parse(text), {"x": np.array([0.1, 0.7])}, (), Options(), opened)


@pytest.mark.parametrize(
    "step", ["x{n} = tanh(x{b}) * 1.01", "x{n} = sin(x{b}) * 0.5 + x{b}", "x{n} = x{b}**2 - x{b}"]
)
def test_each_level_fits_a_screen(step: str) -> None:
    explanation = told(step)
    text = render(document(explanation), as_text)
    (*_, last) = re.findall(r"--inside (\d+-\d+)", text.partition("Backward")[0])
    opened = told(step, last)
    more = render(document(opened), as_text)
    assert len(text.splitlines()) <= SCREEN
    assert len(more.splitlines()) <= 2 * SCREEN
    assert [*problems(explanation), *problems(opened)] == []
    assert len({*explanation.names.values()} - {"x", "out"}) == 4  # one between two stretches
