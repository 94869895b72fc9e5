"""What people see: golden pages, widths, colours, hostile names, huge graphs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from rich.cells import cell_len
from rich.color import Color

from gradcli.graph import Array
from gradcli.ops import FUNCTIONS
from gradcli.report import text as report
from gradcli.report.arrays import number
from gradcli.report.layout import Layout
from gradcli.report.text_style import BLUE, BROWN, GREEN, GREY, PURPLE
from gradcli.session import Result, evaluate
from tests.analysis.programs import parse
from tests.report.handmade import Handmade


def render(result: Result, *, width: int, tree: bool | None = None, **more: Any) -> str:
    """The text of a result, with the first lines of its graph."""
    return report.render(result, Layout(width, tree=tree, **more))


GOLDEN = Path(__file__).parent / "golden"
"""Pages whose numbers were checked by hand; `GRADCLI_UPDATE_GOLDEN=1 pytest` updates them."""

mean, sum_, exp = FUNCTIONS["mean"], FUNCTIONS["sum"], FUNCTIONS["exp"]


# --- results with numbers that are easy to check ---------------------------------------------


def cube(x: object) -> Result:
    """out = mean((2x)**3), whose grad is 24 x**2 / n."""
    made = Handmade()
    leaf = made.leaf("x", np.asarray(x, dtype=np.float64))
    z = made.bind("z", made.bind("y", 2 * leaf) ** 3)
    made.bind("out", mean(z))
    grad = 24 * np.square(np.asarray(x, dtype=np.float64)) / leaf.size
    return made.result("out", passes=[({"out": 1.0}, {"x": grad})])


def large() -> Result:
    """y = 2x of 0 to 999 999, summed: 999 999 000 000."""
    made = Handmade()
    y = made.bind("y", 2 * made.leaf("x", np.arange(1e6).reshape(1000, 1000)))
    made.bind("total", sum_(y))
    grad = np.full((1000, 1000), 2.0)
    return made.result("total", passes=[({"total": 1.0}, {"x": grad})])


def passes(accumulated: bool) -> Result:
    """z = (2x)**3, first with v = [1, 0], then with v = [0, 1]: 24 x**2 in one column each."""
    made = Handmade()
    made.bind("z", (2 * made.leaf("x", [[1.0, 2.0], [3.0, 4.0]])) ** 3)
    return made.result(
        "z",
        passes=[
            ({"z": [[1, 0], [1, 0]]}, {"x": [[24, 0], [216, 0]]}),
            ({"z": [[0, 1], [0, 1]]}, {"x": [[0, 96], [0, 384]]}),
        ],
        accumulated=accumulated,
    )


def everything() -> Result:
    """Shared nodes, an integer input, a retained grad, printed lines, notes, a seed.

    s = x + 1 is [2, 3], total = sum(s*s) + sum(s) is 13 + 5, and its grad 2s + 1.
    """
    made = Handmade()
    s = made.leaf("x", [1.0, 2.0]) + 1
    made.bind("p", s * s)
    made.leaf("n", np.array([4, 5]))
    made.bind("total", sum_(made.names["p"]) + sum_(s))
    return made.result(
        "total",
        passes=[({"total": 1}, {"x": [5, 7]})],
        retained={"p": [1, 1]},
        printed=["[2, 3]", "second line"],
        notes=["the input n is not used by total " + "and this is a long note " * 4],
        seed=123456,
    )


PAGES: dict[str, tuple[Callable[[], Result], int]] = {
    "one_60": (lambda: cube([[3]]), 60),
    "two_by_two_60": (lambda: cube([[1, 2], [3, 4]]), 60),
    "two_by_two_80": (lambda: cube([[1, 2], [3, 4]]), 80),
    "two_by_two_160": (lambda: cube([[1, 2], [3, 4]]), 160),
    "five_by_three_60": (lambda: cube(np.arange(15).reshape(5, 3)), 60),
    "five_by_three_80": (lambda: cube(np.arange(15).reshape(5, 3)), 80),
    "large_60": (large, 60),
    "large_160": (large, 160),
    "passes_80": (lambda: passes(False), 80),
    "accumulated_80": (lambda: passes(True), 80),
    "everything_60": (everything, 60),
    "everything_100": (everything, 100),
}


@pytest.mark.parametrize("page", PAGES)
def test_golden(page: str) -> None:
    make, width = PAGES[page]
    check_golden(page, render(make(), width=width))


def test_golden_ascii() -> None:
    text = render(everything(), width=80, ascii_only=True)
    assert text.isascii()
    check_golden("ascii_80", text)


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GRADCLI_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


# --- widths ----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_wider_than_the_terminal(page: str, width: int) -> None:
    text = render(PAGES[page][0](), width=width)
    assert max(map(cell_len, text.splitlines())) <= width


@settings(deadline=None, max_examples=50)
@given(
    arrays.arrays(np.float64, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)),
    st.integers(10, 160),
    st.integers(1, 17),
)
def test_every_number_is_there_at_any_width(array: Array, width: int, precision: int) -> None:
    made = Handmade()
    made.leaf("x", array)
    text = render(made.result("x"), width=width, tree=False, precision=precision)
    printed = re.findall(r"[^\s,\[\]]+", text)
    for value in array.flat:
        assert number(value, precision) in printed


@pytest.mark.parametrize(("shape", "width"), [((5, 3), 80), ((2, 8), 160)])
def test_matrices_are_stacked_rather_than_folded(shape: tuple[int, ...], width: int) -> None:
    array = np.arange(np.prod(shape)).reshape(shape) / 7
    first, second, *_ = render(cube(array), width=width, tree=False).splitlines()
    assert first == f"x  leaf  {shape}"
    assert second.startswith("  value  [[")
    assert second.count(",") == shape[1]


def test_vectors_may_be_folded_to_stay_in_columns() -> None:
    text = render(cube(np.arange(12.0)), width=72, tree=False)
    assert text.splitlines()[2:5] == [
        "x      leaf     (12,)   [ 0,  1,  2,  3,  4,  5,   [  0,   2,   8,  18,",
        "                          6,  7,  8,  9, 10, 11]     32,  50,  72,  98,",
        "                                                    128, 162, 200, 242]",
    ]


def test_wide_names_keep_columns_aligned() -> None:
    made = Handmade()
    made.leaf("温度", 1.0)
    made.leaf("x", 2.0)
    text = render(made.result("x"), width=80, tree=False)
    header, _, *rows = text.splitlines()
    starts = {cell_len(row[: row.index("()")]) for row in rows}
    assert starts == {header.index("shape")}


# --- colour ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_without_colour_there_are_no_escape_codes(page: str) -> None:
    text = render(PAGES[page][0](), width=80)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize("page", PAGES)
def test_colour_changes_no_character(page: str) -> None:
    make, width = PAGES[page]
    coloured = render(make(), width=width, colour=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    lines = [line.rstrip() for line in plain.splitlines()]
    assert lines == render(make(), width=width).splitlines()
    assert coloured != plain


@pytest.mark.parametrize("style", [BLUE, GREEN, PURPLE, BROWN, GREY])
@pytest.mark.parametrize("background", [(0, 0, 0), (255, 255, 255)])
def test_colours_read_on_dark_and_light(style: str, background: tuple[int, int, int]) -> None:
    light, dark = sorted(
        (luminance(tuple(Color.parse(style).get_truecolor())), luminance(background)), reverse=True
    )
    assert (light + 0.05) / (dark + 0.05) >= 4


def luminance(rgb: tuple[int, ...]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_values_below_their_node_do_not_take_the_colour_of_the_guides() -> None:
    text = render(cube(np.arange(15).reshape(5, 3)), width=60, colour=True)
    (line,) = [line for line in text.splitlines() if "13824, ..., 21952" in line]
    assert line.rstrip().endswith("m[[0, ..., 64], ..., [13824, ..., 21952]]")
    assert line.index("\x1b[0m") < line.index("[[0")


def test_colour_does_not_depend_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = render(cube([[3]]), width=80, colour=True)
    for variable in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "COLORTERM"):
        monkeypatch.setenv(variable, "dumb" if variable == "TERM" else "1")
    assert render(cube([[3]]), width=80, colour=True) == expected


# --- text from users -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[bold]x[/bold]", "x[/]", ":smile:", "\x1b[31mred", "a\x00b", "\u202eabc", "[link=x]"]
)
def test_hostile_text_is_only_text(text: str) -> None:
    made = Handmade()
    made.bind("y", exp(made.leaf(text, 1.0)))
    result = made.result("y", notes=[f"see {text}"], printed=[text])
    shown = render(result, width=80)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    visible = re.sub(r"[\x00-\x1f\u202e]", lambda m: repr(m[0])[1:-1], text)
    assert shown.count(visible) == 5  # printed, name, formula, leaf of the tree, note


def test_printed_lines_come_first_and_keep_their_breaks() -> None:
    text = render(everything(), width=60)
    assert text.startswith("[2, 3]\nsecond line\n\n")


# --- what is said ----------------------------------------------------------------------------


def test_what_is_not_retained_is_said_so_and_none_never_stands_alone() -> None:
    text = render(cube([[1, 2], [3, 4]]), width=80)
    assert len(re.findall("not retained", text)) == 2
    assert "None" not in text


def test_nothing_to_say_is_no_text() -> None:
    assert render(Handmade().result(), width=80) == ""


def test_forward_only_has_no_grad_column() -> None:
    made = Handmade()
    made.bind("y", 2 * made.leaf("x", 1.0))
    text = render(made.result("y"), width=80)
    assert "grad" not in text


def test_grads_of_a_session_that_called_backward_itself() -> None:
    made = Handmade()
    made.bind("y", 2 * made.leaf("x", 1.0))
    result = made.result("y")
    result.grads["x"] = np.array(7.0)
    assert re.search(r"^x +leaf +\(\) +1 +7$", render(result, width=80), re.MULTILINE)


def test_a_leaf_that_is_bound_again_keeps_its_grad() -> None:
    made = Handmade()
    made.bind("x", 2 * made.leaf("x", 5.0))
    result = made.result("x", passes=[({"x": 1}, {"x": 2})])
    rows = render(result, width=80, tree=False).splitlines()[2:4]
    assert [row.split() for row in rows] == [
        ["x", "leaf", "()", "5", "2"],
        ["x", "output", "()", "10", "v", "=", "1"],
    ]


def test_another_name_of_a_leaf_is_a_leaf() -> None:
    made = Handmade()
    made.bind("a", made.leaf("x", 5.0))
    made.bind("y", 2 * made.names["a"])
    result = made.result("y", passes=[({"y": 1}, {"x": 2})])
    rows = render(result, width=80, tree=False).splitlines()[2:4]
    assert [row.split() for row in rows] == [
        ["x", "leaf", "()", "5", "2"],
        ["a", "leaf", "()", "5", "2"],
    ]


def test_a_parameter_has_its_value_beside_its_grad() -> None:
    text = """import torch
layer = torch.nn.Linear(1, 1, bias=False)
layer.weight.data = torch.tensor([[5.0]])
layer(torch.tensor([3.0])).sum().backward()"""
    lines = render(evaluate(parse(text), {}), width=80, tree=False).splitlines()
    assert [line.split() for line in lines if line.startswith("layer")] == [
        ["layer.weight", "leaf", "(1,", "1)", "[[5]]", "[[3]]"]
    ]


def test_a_note_that_every_pass_makes_is_said_once() -> None:
    made = Handmade()
    made.bind("y", 2 * made.leaf("x", 1.0))
    result = made.result("y", passes=[({"y": 1}, {"x": 2})] * 2, notes=["broadcast", "broadcast"])
    assert render(result, width=80).count("note: broadcast") == 1


def test_old_plus_new_is_total_in_every_pass() -> None:
    made = Handmade()
    made.bind("y", 2 * made.leaf("x", 1.0))
    each = ({"y": 1}, {"x": 2})
    result = made.result("y", passes=[each] * 3, accumulated=True)
    rows = re.findall(r"^x +leaf +\(\) +(\S+) +(\S+) +(\S+)$", render(result, width=80), re.M)
    assert rows == [("none", "2", "2"), ("2", "2", "4"), ("4", "2", "6")]


def test_many_names_are_cut_in_the_middle() -> None:
    made = Handmade()
    for i in range(5000):
        made.leaf(f"x{i}", float(i))
    text = render(made.result("x4999"), width=80, tree=False)
    assert "4,900 more: --json has them all" in text
    assert "x49 " in text
    assert "x4950 " in text
    assert "x50 " not in text


# --- huge graphs -----------------------------------------------------------------------------


def chain(length: int) -> Result:
    made = Handmade()
    node = made.leaf("x", 1.0)
    for _ in range(length):
        node = exp(node)
    made.bind("y", node)
    return made.result("y", passes=[({"y": 1}, {"x": 1})], keep_values=False)


def test_a_graph_of_100_000_nodes_shows_its_first_lines() -> None:
    text = render(chain(100_000), width=80)
    assert len(text.splitlines()) < 80
    # each tree is ten lines deep and ends in a line that refers to the next: 11 lines for 10 nodes
    assert "over 1,000 more lines: --tree shows them all" in text


def test_a_chain_of_any_length_fits_the_width() -> None:
    text = render(chain(200), width=80, tree=True)
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "more lines" not in text
    below = re.findall(r"t\d+(?= \(below\))", text)
    assert len(below) == 19  # 20 trees of ten nodes, the last one down to x
    for this, following in pairwise([*below, ""]):
        assert text.index(f"\n{this} = ") > text.index(f"{this} (below)")
        assert not following or text.index(f"\n{following} = ") > text.index(f"\n{this} = ")


def test_rich_brings_nothing_heavy() -> None:
    heavy = ["pygments", "markdown_it", "rich.markdown", "rich.syntax", "rich.progress", "scipy"]
    code = f"import sys, gradcli.report.text; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
