"""Errors as people see them, letter by letter."""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradcli
from gradcli.diagnostics import A_FILE, Advice, Diagnostic, Source, input_of
from gradcli.language.characters import _FORBIDDEN
from gradcli.report.error import render
from gradcli.report.sanitise import _UNSAFE, sanitise, within_lines


def at(text: str, start: int, end: int, hint: str | None = None, name: str = "program") -> str:
    return render(Diagnostic("shape", "cannot do this", hint, Source(name, text), (start, end)))


def columns(text: str) -> int:
    """How wide a terminal shows the text."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def caret(rendered: str) -> tuple[str, int, int]:
    """The quoted line, and the columns at which the carets start and end."""
    quoted, marks = next(
        (above, below)
        for above, below in zip(rendered.split("\n")[2:], rendered.split("\n")[3:], strict=False)
        if re.fullmatch(r" +\| +\^+", below)
    )
    return quoted, marks.index("^"), len(marks)


def test_to_the_letter() -> None:
    wrong = Diagnostic(
        "shape",
        "cannot broadcast (2, 3) with (2, 2): axis 1 is 3 and 2",
        "reshape one of them",
        Source("program", "z = x + y\nz"),
        (6, 7),
    )
    assert render(wrong) == dedent(
        """\
        error[shape]: cannot broadcast (2, 3) with (2, 2): axis 1 is 3 and 2
          --> program:1:7
           |
         1 | z = x + y
           |       ^
           = help: reshape one of them"""
    )


def test_later_line_and_long_hint() -> None:
    text = "\n" * 11 + "out = x * 2\r\ny"
    assert at(text, 17, 22, "either\n  this\nor that", name="long.grad") == dedent(
        """\
        error[shape]: cannot do this
           --> long.grad:12:7
            |
         12 | out = x * 2
            |       ^^^^^
            = help: either
                      this
                    or that"""
    )


def test_without_a_place() -> None:
    assert render(Diagnostic("usage", "nothing to do")) == "error[usage]: nothing to do"
    assert render(Diagnostic("usage", "no", "do", Source("--set x", "1"))) == dedent(
        """\
        error[usage]: no
          --> --set x
           = help: do"""
    )


def test_end_of_text() -> None:
    assert at("f(", 2, 2).endswith(" 1 | f(\n   |   ^")
    assert at("", 0, 0).endswith(" 1 |\n   | ^")
    assert at("x\n", 2, 3).endswith(" 2 |\n   | ^")


def test_span_over_several_lines_is_marked_in_its_first() -> None:
    assert at("a + (b\n+ c)", 4, 12).endswith(" 1 | a + (b\n   |     ^^")


@pytest.mark.parametrize(
    ("before", "marked"),
    [
        ("変数 = ", "x"),
        ("x = ", "変数"),
        ("\tx = \t", "y"),
        ("e\u0301 = ", "y"),
        ("ＡＢ + ", "ｙ"),
        ("\x1b[31m", "y"),
        ("a\u202e = ", "\x00"),
        ("", "y"),
    ],
)
def test_caret_is_below_what_it_marks(before: str, marked: str) -> None:
    rendered = at(f"{before}{marked} + 1", len(before), len(before) + len(marked))
    quoted, start, end = caret(rendered)
    content = quoted.removeprefix(" 1 | ")
    indent = before.replace("\t", "    ")
    assert start == 5 + columns(sanitise(indent))
    assert end - start == columns(sanitise(marked))
    assert content.startswith(sanitise(indent) + sanitise(marked))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("length", [94, 95, 96, 1000, 10**6])
@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99, 1])
@pytest.mark.parametrize("letter", ["a", "変", "\x1b", "\t"])
def test_long_lines_are_cut_around_the_caret(length: int, share: float, letter: str) -> None:
    place = min(int(length * share), length - 1)
    text = letter * place + "#" + letter * (length - place - 1)
    quoted, start, end = caret(at(text, place, place + 1))
    assert columns(quoted) <= 100
    assert end == start + 1
    shown = 0
    for character in quoted:
        if character == "#":
            break
        shown += columns(character)
    assert shown == start


def test_cut_ends_are_shown() -> None:
    number = "".join(f"{i:03}" for i in range(100))
    start, _, _ = caret(at(number, 0, 3))
    middle, _, _ = caret(at(number, 150, 153))
    end, _, _ = caret(at(number, 297, 300))
    assert start == " 1 | " + number[:89] + "..."
    assert middle == " 1 | ..." + number[150 - 44 : 150 + 45] + "..."
    assert end == " 1 | ..." + number[-89:]


def test_a_line_that_just_fits_is_whole() -> None:
    assert " 1 | " + "a" * 95 + "\n" in at("a" * 95, 90, 91)
    assert "..." in at("a" * 96, 90, 91)


def test_long_span_is_cut_with_its_line() -> None:
    _, start, end = caret(at("x" * 1000, 500, 900))
    assert start < end <= 100


@given(st.text(st.characters()), st.text(st.characters()), st.text(st.characters()), st.data())
def test_nothing_from_outside_reaches_the_terminal(
    text: str, message: str, name: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    rendered = render(Diagnostic("name", message, message, Source(name, text), (start, end)))
    rendered.encode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rendered)


def test_line_break_in_a_name_stays_in_its_line() -> None:
    assert "  --> a\\nb:1:1" in at("x", 0, 1, name="a\nb")


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain é 変\n", "plain é 変\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb\tc\0", "a\\rb\\tc\\x00"),
        ("\x7f\x9b\x85", "\\x7f\\x9b\\x85"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("a\u200bb\ufeff\u00ad", "a\\u200bb\\ufeff\\xad"),
        ("\U000e0041", "\\U000e0041"),
        ("\u2028\udc80", "\\u2028\\udc80"),
        ("\ufffe\uffff\ufdd0", "\\ufffe\\uffff\\ufdd0"),
    ],
)
def test_sanitise(text: str, safe: str) -> None:
    assert sanitise(text) == safe


def test_what_moves_within_a_line_stays_in_what_a_program_prints() -> None:
    assert within_lines("a\tb\x1b[31m\rc\x0b") == "a\tb\\x1b[31m\rc\\x0b"


@pytest.mark.parametrize("pattern", [_FORBIDDEN, _UNSAFE])
def test_nothing_printable_does_harm(pattern: str) -> None:
    printable = "".join(filter(str.isprintable, map(chr, range(sys.maxunicode + 1))))
    assert not re.search(pattern, printable)


# --- what hints name -------------------------------------------------------------------------


def test_a_hint_names_settings_as_each_place_writes_them() -> None:
    told = Advice("give it: ", input_of("x", "3"), " or ", A_FILE)
    assert told == "give it: --set x=3 or --set x=@data.npy"
    assert told.for_records() == 'give it: "set": {"x": 3} or "set": {"x": "@data.npy"}'
    assert told.for_sessions() == "give it: :set x=3 or :set x=@data.npy"
    assert told.for_programs() == "give it: x = 3 or --set x=@data.npy"  # programs read no files


MET_EVERYWHERE = ("differentiate", "language", "ops", "trace")
"""What the command line, records, sessions and editors have in common."""


def test_what_all_places_meet_names_no_flags_that_some_have_not() -> None:
    """Hints with flags that records and sessions write in another way are made by `Advice`."""
    root = Path(gradcli.__file__).parent
    found = [
        f"{path.name}:{line}"
        for room in MET_EVERYWHERE
        for path in (root / room).rglob("*.py")
        if path.name != "guide.py"  # help on the command line
        for line, text in _texts(ast.parse(path.read_text()))
        if re.search(r"--(set|gradient)\b", text)
    ]
    assert found == []


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of all strings of a module but its descriptions."""
    described = {each.value for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        match each:
            case ast.Constant(value=str(text)) if each not in described:
                yield each.lineno, text
