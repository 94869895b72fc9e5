"""Brackets that a line leaves open, as one reads the language: none in comments and strings."""

from __future__ import annotations

import pytest

from gradcli.language.unfinished import begins_block, open_behind


@pytest.mark.parametrize(
    ("line", "before", "behind"),
    [
        ("x = 3\n", 0, 0),
        ("f(x, [1, {", 0, 3),
        ("])\n", 2, 0),
        ("if x > 0 {\n", 0, 1),
        ("} else {", 1, 1),
        ("x # :(", 0, 0),
        ("x # )", 1, 1),
        ("s = 'a(b' + \"[{\"", 0, 0),
        ("s = 'it\\'s ('", 0, 0),
        ("'abc(", 0, 0),  # an error, whatever follows
        ("f(1, 'abc", 0, 0),
        ("x) + (", 0, 0),  # the first closes nothing
        ("", 1, 1),
        (" " * 100_000 + "(" + " " * 100_000, 0, 1),
    ],
)
def test_open_behind(line: str, before: int, behind: int) -> None:
    assert open_behind(line, before) == behind


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("while x:\n", True), ("if x:  # c", True), ("if x: y", False), ("x[1:", True),
        ("x # :", False), ("", False), ("else:", True),
    ],
)  # fmt: skip
def test_begins_block(line: str, begins: bool) -> None:
    assert begins_block(line) == begins
