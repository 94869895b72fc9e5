"""The compiled grammar: without conflicts, compiled again when stale; lark is not imported."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import lark
import pytest

import gradcli
from gradcli.language.compile import START_RULES, compile_grammar
from gradcli.language.tables import read_or_compile, unpack

GRAMMAR = (Path(gradcli.__file__).parents[1] / "grammars" / "gradcli.lark").read_text("utf-8")


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    path = tmp_path / "gradcli.lark"
    path.write_text(GRAMMAR, "utf-8")
    return path


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What lark decided by itself: it says so in its log only."""
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(grammar, parser="lalr", lexer="basic", start=list(START_RULES), debug=True)
    return [message for message in caplog.messages if "onflict" in message]


def test_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts(GRAMMAR, caplog) == []


def test_a_conflict_would_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    unary = "_operand: (SIGN | INVERT | NOT)* primary"
    assert unary in GRAMMAR
    ambiguous = GRAMMAR.replace(unary, "_operand: primary | (SIGN | NOT) expression")
    assert conflicts(ambiguous, caplog)


def test_grammar_is_strict() -> None:
    pytest.importorskip("interegular", reason="lark's strict mode needs it")
    lark.Lark(GRAMMAR, parser="lalr", lexer="basic", start=list(START_RULES), strict=True)


def test_compiling_twice_gives_the_same_bytes() -> None:
    assert json.dumps(compile_grammar(GRAMMAR)) == json.dumps(compile_grammar(GRAMMAR))


def test_tables_are_kept_beside_the_grammar(grammar: Path) -> None:
    compiled = read_or_compile(grammar)
    kept = grammar.with_suffix(".tables.json")
    assert json.loads(kept.read_text("utf-8")) == compiled
    assert sorted(grammar.parent.iterdir()) == [grammar, kept]
    written = kept.stat().st_mtime_ns
    assert read_or_compile(grammar) == compiled
    assert kept.stat().st_mtime_ns == written


def test_an_edited_grammar_is_compiled_again(grammar: Path) -> None:
    assert "unless" not in read_or_compile(grammar)["keywords"]
    grammar.write_text(GRAMMAR.replace('"while"', '"unless"'), "utf-8")
    assert "unless" in read_or_compile(grammar)["keywords"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kept", ["", "{", "[]", "null", '{"format": 0}', '{"format": 1}', "\xff"])
def test_broken_tables_are_made_anew(grammar: Path, kept: str) -> None:
    grammar.with_suffix(".tables.json").write_bytes(kept.encode("latin-1"))
    assert unpack(read_or_compile(grammar)).keywords["while"]
    assert json.loads(grammar.with_suffix(".tables.json").read_text("utf-8"))["grammar"] == GRAMMAR


def test_a_folder_that_cannot_be_written_is_no_hindrance(
    grammar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError

    monkeypatch.setattr(Path, "write_text", refuse)
    assert unpack(read_or_compile(grammar)).keywords["while"]
    assert list(grammar.parent.iterdir()) == [grammar]


def test_parsing_does_not_import_lark() -> None:
    script = (
        "import sys\n"
        "from gradcli.language.parser import ParseLimits, parse_program\n"
        "from gradcli.diagnostics import Source\n"
        "parse_program(Source('program', 'x = 1'), ParseLimits())\n"
        "print('lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
