"""Pages as text: they need no network, run no text of a program, and are of a bounded size."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from xml.etree.ElementTree import tostring

import numpy as np
import pytest

from gradcli.analysis.explain import explain
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_expression, parse_program
from gradcli.report.latex import Mathematics
from gradcli.report.mathml import formula
from gradcli.report.page import run_page
from tests.cli.conftest import Runner
from tests.pages.programs import CUBES, HOSTILE, OPENED, PASSES, page, told, written_out


class Reader(HTMLParser):
    """The elements of a page, and the texts of its scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in self.texts:
            self.texts[self.tags[-1]].append(data)


def read(text: str) -> Reader:
    found = Reader()
    found.feed(text)
    found.close()
    return found


@pytest.mark.parametrize("command", ["explain", "graph"])
def test_a_page_allows_its_own_script_and_style_alone(gradcli: Runner, command: str) -> None:
    text = page(gradcli, command, *CUBES)
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert len(policy) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policy[0].split(";"))
    assert rules["default-src"] == "'none'"
    for kind in ("script", "style"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    found = read(text)
    assert not {"img", "link", "iframe", "object", "base", "form"} & {*found.tags}
    names = {name for name, _ in found.attributes}
    assert not {"src", "href", "style"} & names
    assert not [name for name in names if name.startswith("on")]


def test_strings_of_a_program_stay_text(gradcli: Runner) -> None:
    """The page has the elements and attributes that it has where all strings are harmless."""
    plain, found = (
        read(page(gradcli, "explain", "\n".join(map(told, strings)), "-s", "x=1,2"))
        for strings in (["plain"] * len(HOSTILE), HOSTILE)
    )
    assert found.tags == plain.tags
    assert [name for name, _ in found.attributes] == [name for name, _ in plain.attributes]


def test_the_numbers_of_every_step(gradcli: Runner) -> None:
    """By hand: of mean((2x)³) it is 6x²."""
    text = page(gradcli, "explain", *CUBES)
    last = text[text.rindex('data-kind="backward"') :]
    assert re.findall(r"<td[^>]*><button[^>]*>([^<]*)</button>", last) == ["6", "24", "54", "96"]
    assert "x.grad[1, 1].grad" not in text
    assert "x[1, 1].grad = 96: the sum over 1 path" in text
    for mathematics in ("<msubsup>", "<mover>", "∂z/∂t1"):
        assert mathematics in text


def test_passes_add_up(gradcli: Runner) -> None:
    text = page(gradcli, "explain", *PASSES)
    old, new, total = text[text.rindex(">old</code>") :].split("<figure")[:3]
    numbers = [re.findall(r"<td[^>]*>([^<]*)</td>", each) for each in (old, new, total)]
    assert numbers == [["2", "4"], ["3", "30"], ["5", "34"]]


def test_passes_that_are_asked_for_add_up_where_they_accumulate(gradcli: Runner) -> None:
    """By hand: x @ [[1,2],[3,4]] has the rows [1, 3] and [2, 4]."""
    passes = ("y = x @ [[1,2],[3,4]]", "-s", "x=2,1", "-g", "1,0", "-g", "0,1")
    assert ">old</code>" not in page(gradcli, "explain", *passes)
    text = page(gradcli, "explain", *passes, "--accumulate")
    old, new, total = text[text.rindex(">old</code>") :].split("<figure")[:3]
    numbers = [re.findall(r">(\d)<", each) for each in (old, new, total)]
    assert numbers == [["1", "3"], ["2", "4"], ["3", "7"]]
    assert "new x[0].grad = 2: the sum over 1 path" in text
    assert 'data-title="x.grad = old + [[1, 2], [3, 4]] @ y.grad"' in text


def test_functions_and_loops_open(gradcli: Runner) -> None:
    text = page(gradcli, "explain", *OPENED)
    assert text.count('class="level"') == 2
    for name in ("Open f", "Close f", "Open for", "Close for"):
        assert name in text
    assert_all_lead_somewhere(text)


def assert_all_lead_somewhere(text: str) -> None:
    """No two elements have one name, and all that opens something opens something that is there."""
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len({*ids})
    assert {*re.findall(r'data-(?:step|paths|box)="([^"]*)"', text)} <= {*ids}


@pytest.mark.parametrize(
    ("largest", "levels", "left_out"),
    [
        (900_000, 2, []),
        (100_000, 2, ["the paths of entries of 'Opened'."]),
        (60_000, 1, ["Opened."]),
        (80_000, 2, ["the paths of entries, local Jacobians, and most numbers of 'Opened'."]),
    ],
)  # fmt: skip
def test_a_page_has_the_details_that_fit(largest: int, levels: int, left_out: list[str]) -> None:
    program, _, value = OPENED
    parsed = parse_program(Source("program", program), ParseLimits())
    x = np.array([float(each) for each in value.removeprefix("x=").split(",")])
    text = run_page(explain(parsed, {"x": x}), 6, largest)
    assert re.findall("small: ([^<]*)<", text) == left_out
    assert text.count('class="level"') == levels
    assert ("Open f" in text) == (levels == 2)
    assert_all_lead_somewhere(text)


@pytest.mark.parametrize(
    ("command", "more"),
    [
        pytest.param("explain", (), marks=pytest.mark.wide),
        pytest.param("explain", ("--inside", "all"), marks=pytest.mark.slow),
        pytest.param("graph", (), marks=pytest.mark.slow),
    ],
)
def test_a_page_of_300_nodes_is_small(gradcli: Runner, command: str, more: tuple[str, ...]) -> None:
    values = f"x={','.join(str(each / 100) for each in range(100))}"
    assert len(page(gradcli, command, written_out(300), "-s", values, *more)) < 1_000_000


def test_arrows_that_share_most_of_their_way_are_drawn_together_once(gradcli: Runner) -> None:
    """A leaf that each of 150 steps reads: whole ways would take places by their square."""
    lines = ["a = x", *["a = sin(a) + x"] * 150, "sum(a)"]
    assert len(page(gradcli, "graph", "\n".join(lines), "-s", "x=0.5")) < 600_000


@pytest.mark.slow
def test_a_page_of_5000_nodes_says_what_it_leaves_out(gradcli: Runner) -> None:
    program = written_out(5000)
    told_page = page(gradcli, "explain", program, "-s", "x=1,2")
    assert re.search(r"Of the graph's 5,00\d nodes 4,\d\d\d are left out", told_page)
    drawn = page(gradcli, "graph", program, "-s", "x=1,2")
    assert "nodes the last 400 are drawn, and 4,600 are left out" in drawn
    assert len(told_page) < 1_000_000
    assert len(drawn) < 1_000_000


def test_an_entry(gradcli: Runner) -> None:
    text = page(gradcli, "explain", *CUBES, "--entry", "x[0,1]")
    assert "x[0, 1].grad: the sum over 1 path" in text
    assert "backward gives 24: the same" in text


@pytest.mark.parametrize(
    ("text", "mathematics"),
    [
        ("x**2/y", "<mfrac><msup><mi>x</mi><mn>2</mn></msup><mi>y</mi></mfrac>"),
        ("x.grad", '<mover><mi>x</mi><mo stretchy="true">¯</mo></mover>'),
        ("sqrt(a)", "<msqrt><mi>a</mi></msqrt>"),
        ("A.T", "<msup><mi>A</mi><mo>⊤</mo></msup>"),
        ("x1", "<msub><mi>x</mi><mn>1</mn></msub>"),
        ("tanh(z)", '<mrow><mi>tanh</mi><mspace width="0.17em" /><mi>z</mi></mrow>'),
        ("a <= b", "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi></mrow>"),
        ("'<b>'", "<mtext>&lt;b&gt;</mtext>"),
    ],
)
def test_mathematics(text: str, mathematics: str) -> None:
    tree = parse_expression(Source("formula", text), ParseLimits())
    assert tostring(formula(Mathematics().of(tree)), "unicode") == f"<math>{mathematics}</math>"


def test_the_box_of_a_loop_says_how_many_passes_it_has(gradcli: Runner) -> None:
    """Its lines are in its card."""
    text = page(gradcli, "graph", "y = x\nfor i in range(20) { y = sin(y) * x }\ny", "-s", "x=1")
    assert ">y = 20 passes</text>" in text
    assert "<code>y = sin(y) * x</code>" in text
