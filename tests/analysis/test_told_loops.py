"""Loops are told as loops: one step, which opens; a pass that is asked for is told in full."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.analysis.levels import ALL
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.report.document import as_text, render
from gradcli.report.explain import document
from gradcli.report.layout import Layout
from gradcli.report.page import write as write_page
from gradcli.report.workbook import write as write_workbook
from gradcli.session import Options
from tests.analysis.programs import parse, used
from tests.analysis.told import problems

SCREEN = 100
"""The most lines of a level."""
LONG = "y = x\nfor i in range(20000) { y = y + 0.001 * (sin(y) - 0.1 * y * y) }\ny"
LOOPS = {
    "growth": LONG.replace("20000", "200"),
    "momentum": """
v = [0.0, 0.0]; p = w
for i in range(150) { v = 0.9 * v - 0.1 * A @ p; p = p + v }
sum(p * p)""",
    "collected": """
hs = []; h = x
for i in range(100) { h = tanh(h + 0.01 * i); hs = append(hs, h) }
sum(stack(hs))""",
    "rows": "s = 0\nfor r in rows { s = 0.9 * s + sin(r[0]) * r[1] }\ns",
    "nested": """
y = x
for i in range(80) { for j in range(3) { y = y * 0.99 }; y = y + 0.01 * sin(y) }
y""",
    "tested": "y = x\nwhile y < 100 { y = y * 1.01 + 0.01 }\ny",
    "after": "y = x\nfor i in range(100) { y = y * 0.99 + 0.1 * x }\ny * x",
    "function": "f(a) = a * 0.99 + 0.01 * sin(a)\ny = x\nfor i in range(90) { y = f(y) }\ny**2",
}
GIVEN: dict[str, Array] = {
    "x": np.array(1.5),
    "w": np.array([1.0, 2.0]),
    "A": np.array([[2.0, 1.0], [1.0, 3.0]]),
    "rows": np.linspace(0, 2, 240).reshape(120, 2),
}


def told(text: str, *opened: str, unroll: bool = False) -> Explanation:
    return explain(parse(text), used(text, GIVEN), (), Options(unroll=unroll), opened)


def text_of(explanation: Explanation) -> str:
    return render(document(explanation), as_text)


def grads_of(explanation: Explanation) -> dict[str, Array]:
    leaves = {node: name for name, node in explanation.leaves.items()}
    return {leaves[grad.node]: grad.value for grad in explanation.grads if grad.node in leaves}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("opened", [(), ("for", "while"), ("pass 1",), ("pass 70",)])
@pytest.mark.parametrize("name", LOOPS)
def test_what_is_told_is_true(name: str, opened: tuple[str, ...]) -> None:
    text = LOOPS[name]
    kind = "while" if "while" in text else "for"
    explanation = told(text, *(each for each in opened if each not in {"for", "while"} - {kind}))
    assert [*problems(explanation)] == []
    written_out = grads_of(told(text, unroll=True))
    for leaf, grad in grads_of(explanation).items():
        assert grad == pytest.approx(written_out[leaf], rel=1e-12)


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_one_step(name: str) -> None:
    text = text_of(told(LOOPS[name]))
    assert "a loop of " in text
    assert "in each pass:" in text
    assert len(text.splitlines()) <= SCREEN


@pytest.mark.parametrize("opened", [(), ("for",), ("pass 12345",)])
def test_a_long_loop_takes_few_nodes_and_lines(opened: tuple[str, ...]) -> None:
    explanation = told(LONG, *opened)
    assert len(text_of(explanation).splitlines()) <= 130
    assert explanation.run.graph.count < 2_000


def test_a_pass_has_the_values_of_that_pass() -> None:
    explanation = told(LOOPS["growth"], "pass 100")
    values = {title: float(explanation.value(node)) for node, title in explanation.names.items()}
    y = 1.5
    for number in range(1, 101):
        y = y + 0.001 * (np.sin(y) - 0.1 * y * y)
        if number == 99:
            assert values["y_99"] == pytest.approx(y, rel=1e-15)
    assert values["y_100"] == pytest.approx(y, rel=1e-15)
    text = text_of(explanation)
    assert 'passes 1 to 99: --inside "pass 1" shows one of them' in text
    assert 'passes 101 to 200: --inside "pass 101" shows one of them' in text


def test_the_first_and_the_last_pass_stand_for_all() -> None:
    text = text_of(told(LONG, "for"))
    assert "y_1 = x + t5" in text
    assert 'passes 2 to 19,999: --inside "pass 2" shows one of them' in text
    assert "y = y_19999 + t10" in text


def test_all_of_a_long_loop_is_too_much() -> None:
    with pytest.raises(GradcliError, match="119,976 steps") as error:
        told(LONG, ALL)
    assert error.value.diagnostic.code == "limit-nodes"


def test_a_pass_that_there_is_not() -> None:
    with pytest.raises(GradcliError, match="no pass of this number") as error:
        told(LOOPS["growth"], "pass 201")
    assert error.value.diagnostic.hint == "the longest loop has 200 passes"


@pytest.mark.parametrize("name", LOOPS)
def test_pages(name: str) -> None:
    explanation = told(LOOPS[name])
    assert "".join(write_page(explanation, Layout(80)))


def test_sheets_have_all_passes() -> None:
    written_out = told(LOOPS["growth"], unroll=True)
    assert b"".join(write_workbook(written_out, Layout(80)))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "for i in range(3):\n    y = x*1.0\n\n    # sine\n    x = torch.sin(y)\nx",
            "in each pass:\n      y = x*1.0\n      # sine\n      x = torch.sin(y)\n",
        ),
        ("for i in range(3) { y=x*1.0; x = sin(y) }; x", "in each pass: y=x*1.0; x = sin(y)\n"),
    ],
)
def test_a_body_is_quoted_as_it_is_written(text: str, quoted: str) -> None:
    assert quoted in text_of(told(text))
