"""In a notebook: cells in the language, answers as tables."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from gradcli import evaluate


class Cells(HTMLParser):
    """The texts of a table's cells, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1][-1] += data


def test_an_answer_is_a_table() -> None:
    bundle = evaluate("z = sum(x**2)", {"x": [1, 2]})._repr_mimebundle_()
    table = Cells(bundle["text/html"])
    assert table.rows == [
        ["name", "shape", "value", "grad"], ["x", "(2,)", "[1, 2]", "[2, 4]"], ["z", "()", "5", ""],
    ]  # fmt: skip
    assert [line.split() for line in bundle["text/plain"].splitlines()][1:] == [
        ["x", "(2,)", "[1,", "2]", "[2,", "4]"], ["z", "()", "5"],
    ]  # fmt: skip


def test_no_text_of_the_user_is_markup() -> None:
    from gradcli.report.answer import html

    hostile = "<script>alert(1)</script>&"
    table = Cells(html({hostile: np.array(1.0)}, {}, [hostile]))
    assert table.tags == {"table", "tr", "th", "td", "code", "pre", "p"}
    assert table.rows[1][0] == hostile


@pytest.fixture(scope="module")
def shell() -> Any:
    pytest.importorskip("IPython", reason="IPython is not installed")
    from IPython.core.interactiveshell import InteractiveShell

    made = InteractiveShell(user_ns={})
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "gradcli")
    return made


def test_a_cell_gives_an_answer(shell: Any) -> None:
    answer = shell.run_cell_magic("gradcli", "--set x=[1,2,3] --gradient 1,0,2", "y = x**2\n")
    assert answer.grads["x"].tolist() == [2, 0, 12]  # v·2x
    assert answer.values["y"].tolist() == [1, 4, 9]


def test_names_of_the_notebook_are_inputs(shell: Any) -> None:
    shell.user_ns |= {"w": np.array([1.0, 2.0]), "n": 3, "y": np.array(5.0), "text": "no"}
    assert shell.run_cell_magic("gradcli", "--to found", "y = n\nsum(w**2) * n * y") is None
    found = shell.user_ns["found"]
    assert found.grads["w"].tolist() == [18, 36]  # y = n: n²·2w
    assert found.grads["n"].item() == 30  # 2n·Σw²


def test_an_error_is_told_as_text(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run_cell_magic("gradcli", "", "q = missing + 1\n") is None
    told = capsys.readouterr().out
    assert "error[name]" in told
    assert "--set missing=" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--nonsense", "%%gradcli: unrecognized arguments: --nonsense"),
        ("--dtype int8", "invalid choice: 'int8'"),
        ("--set", "expected one argument"),
        ("--seed soon", "invalid int value: 'soon'"),
    ],
)
def test_a_wrong_first_line_is_told_as_text(
    shell: Any, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    assert shell.run_cell_magic("gradcli", line, "y = 1\n") is None
    first, *_, last = capsys.readouterr().out.strip().splitlines()
    assert first.startswith("error[usage]")
    assert told in first
    assert "%%gradcli [-s SET]" in last


class Frames(HTMLParser):
    """The pages in frames."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag == "iframe"
        self.found.append(dict(attrs))


def test_a_page_is_shown_in_a_frame_of_its_own(shell: Any) -> None:
    page = shell.run_cell_magic("gradcli", "--page --set x=[1,2]", "y = sum(x**2)  # <i>&quot;\n")
    shown, _ = shell.display_formatter.format(page)
    (frame,) = Frames(shown["text/html"]).found
    assert frame["srcdoc"] == page.html
    assert frame["sandbox"] == "allow-scripts"  # nothing of the notebook is within its reach
    assert "default-src 'none'" in page.html
