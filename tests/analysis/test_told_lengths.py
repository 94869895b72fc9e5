"""Long programs are told on one screen: in stretches, which end where few values are used later."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.analysis.levels import WITHIN
from gradcli.report.document import as_text, render
from gradcli.report.explain import document
from gradcli.report.explain_json import write as written
from gradcli.report.layout import Layout
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


@pytest.mark.parametrize("length", [25, 40, 44, 47, 60, 121])
def test_each_stretch_can_be_opened(length: int) -> None:
    """Of any length: some are cut into parts of two or three steps."""
    text = "; ".join(["y0 = x + 0", *(f"y{n} = sin(y{n - 1})" for n in range(1, length))])
    waiting = [""]
    opened: set[str] = set()
    while waiting:
        given = waiting.pop()
        opened.add(given)
        explanation = explain(
            parse(text + f"; sum(y{length - 1})"), {"x": np.array([0.1, 0.7])}, (), Options(),
            (given,) if given else (),
        )  # fmt: skip
        found = set(re.findall(r"--inside (\d+-\d+)", render(document(explanation), as_text)))
        waiting += found - opened - {*waiting}
    assert len(opened) > 5


def numbered(text: str, count: int, between: str = "; ") -> str:
    return between.join(text.format(n=n, b=n - 1) for n in range(1, count + 1))


BIG = {
    "two values go on": "a = x; b = 2 * x; "
    + numbered("a, b = b, a + 0.01 * b * sin(x)", 500)
    + "; out = sum(a * b)",
    "three values go on": "a = x; b = x**2; c = x**3; "
    + numbered("a, b, c = b, c, sin(a) + 0.1 * b - 0.01 * c", 400)
    + "; out = sum(c)",
    "terms": f"out = sum({numbered('sin({n} * x)', 700, ' + ')})",
    "names": numbered("y{n} = sin({n} * x)", 700) + f"; out = sum({numbered('y{n}', 700, ' + ')})",
    "one list": f"out = sum(stack([{numbered('tanh({n} * x)', 500, ', ')}])**2)",
    "leaves": numbered("w{n} = {n} / 100", 600) + f"; out = {numbered('w{n}**2', 600, ' + ')}",
    "outputs": numbered("y{n} = sum(sin({n} * x))", 100),
    "sums of outputs": numbered("y{n} = sum({n} * x)", 300),
    "passes of its own": numbered("y{n} = sum({n} * x**2); y{n}.backward()", 250),
    "passes of a loop": "for k in range(250) {\n y = sum(tanh(k * x)**2 * x)\n y.backward()\n}",
    "leapfrog": "q = x; p = 0 * x\nfor k in range(100) {\n p = p - 0.05 * q**3\n q = q + 0.1 * p\n"
    " p = p - 0.05 * q**3\n}\nout = sum(q**2 + p**2)",
    "loops": "h = x\n"
    + numbered("for k in range(100) {{\n h = tanh(1.1 * h) + {n}\n}}", 8, "\n")
    + "\nout = sum(h)",
    "large leaves": "h = x[0] * W; "
    + numbered("h = tanh(h * 1.01 + W) + V * 0.1", 400)
    + "; out = sum(h)",
    "training": "import torch\nm = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), "
    "torch.nn.Linear(8, 3))\nopt = torch.optim.Adam(m.parameters(), lr=0.05)\n"
    "X = torch.randn(16, 4)\ny = torch.randint(0, 3, (16,))\nfor e in range(40):\n"
    "    opt.zero_grad()\n    loss = torch.nn.functional.cross_entropy(m(X), y)\n"
    "    loss.backward()\n    opt.step()\nprint(loss.item())",
    "matrices": "h = stack([x, x, x, x]); "
    + numbered("h = h + 0.01 * tanh(h @ [[1, 0], [0, 1]] + h)", 400)
    + "; out = sum(h)",
}


LARGE = np.arange(49.0).reshape(7, 7) / 30 - 0.8
SLOW = {"names", "leaves", "one list", "matrices", "sums of outputs", "passes of its own", "loops"}


@pytest.mark.parametrize(
    "text",
    [pytest.param(BIG[x], id=x, marks=[pytest.mark.slow] * (x in SLOW)) for x in BIG],
)
def test_a_level_of_a_wide_program_fits_a_screen(text: str) -> None:
    given = {"x": np.array([0.1, 0.7]), "W": LARGE, "V": LARGE.T}
    used = re.findall(r"\b[xWV]\b", text)
    inputs = {title: array for title, array in given.items() if title in used}
    many = tuple(re.findall(r"\by\d+(?= =)", text)) if text.startswith("y1 = sum(") else ()
    explanation = explain(parse(text), inputs, (), Options(outputs=many))
    whole = render(document(explanation), as_text)
    assert len(whole.splitlines()) <= SCREEN
    assert not inputs or "x.grad = " in whole
    assert [*problems(explanation)] == []
    ranges = re.findall(r"--inside (\d+-\d+)", whole)
    opened = explain(parse(text), inputs, (), Options(outputs=many), ranges[1:2])
    more = render(document(opened), as_text)
    assert len(more.splitlines()) <= 2 * SCREEN
    assert [*problems(opened)] == []
    assert len("".join(written(explanation, Layout(80)))) < 100_000


def test_any_range_of_steps_is_opened_with_what_is_around_it() -> None:
    explanation = told("x{n} = tanh(x{b}) * 1.01", "100-103")
    single = [step.stage for step in explanation.steps if step.stage.single]
    assert 5 <= len(single) <= 3 * WITHIN
    assert [*problems(explanation)] == []
