"""Explanations keep to the width of the terminal, break no word, and print no -0."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradcli.analysis.explain import explain
from gradcli.diagnostics import GradcliError
from gradcli.language.printer import print_program
from gradcli.report.layout import Layout
from gradcli.report.program import folded
from gradcli.report.text_explain import write
from tests.analysis.programs import parse

SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.grad"))
LONG_WORD = re.compile(r"\s*(= |through |where )?\S+")
"""A line that nothing can make shorter."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_explanations_fit_60_columns(sample: Path) -> None:
    try:
        told = explain(parse(sample.read_text()), {})
    except GradcliError:
        return  # a sample that shows an error
    narrow, wide = ("".join(write(told, Layout(width))) for width in (60, 80))
    for text, width in ((narrow, 60), (wide, 80)):
        long = [line for line in text.splitlines() if len(line) > width]
        assert [line for line in long if not LONG_WORD.fullmatch(line)] == []
        assert "-0" not in re.findall(r"[-\w.+]+", text)
    assert "".join(re.sub("---+", "", narrow).split()) == "".join(re.sub("---+", "", wide).split())
    assert {*re.findall(r"[\w.]+", narrow)} <= {*re.findall(r"[\w.]+", wide)}


FORMULA = (
    "W2_grad = outer(softmax(W2 @ tanh(W1 @ x + b1) + b2) * t2, tanh(W1 @ x + b1))",
    "p_grad = -t11 - t13 - t15 + (t14 + 6 * t14 * t5 * t3 / t4 - 2 * t15 + 3 * t15 * t3**2) / t2",
    "x_A_hessian = einsum('ac,b->abc', eye(n), x) + einsum('ab,c->abc', eye(n), x) + zeros(n, n)",
    "X = detach([[0.5, 1.2], [1.5, -0.3], [-0.7, 0.8], [-1.1, -0.6], [2, 1], [-1.8, 0.1]])",
    "for k in range(3) {\n    y = y + 1\n}",
)


@pytest.mark.parametrize("formula", FORMULA)
def test_formulas_go_on_in_further_lines(formula: str) -> None:
    text = f"# the gradient of out for all n: A (n, n), X (n, m), B (m, m), W1 (k, h)\n{formula}\n"
    found = folded(text, 60)
    assert max(map(len, found.splitlines())) <= 60
    assert found.startswith("# the gradient of out for all n: A (n, n), X (n, m), B (m,\n# m)")
    assert print_program(parse(found)) == print_program(parse(text))


def test_strings_are_not_broken() -> None:
    text = f"y = f('{'a word ' * 12}', x)\n"
    assert folded(text, 60) == text
