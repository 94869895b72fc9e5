"""Highlighters know what the grammar and the op table know."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from gradcli.analysis.vocabulary import vocabulary
from gradcli.integrations.textmate import textmate
from gradcli.language.tokens import TABLES
from gradcli.ops import FUNCTIONS

SCRIPTS = sorted(Path("samples").rglob("*.grad"))
CELLS = sorted(Path("samples/cells").glob("*.py"))
TEXT = (
    "def f(x): return not pi  # why\n"
    "y = tensor([1., True]).mean() ** -2 #= 3\n"
    "print(f'{y}', y.grad, relu)"
)


def test_the_vocabulary_is_that_of_the_language() -> None:
    known = vocabulary()
    assert known.keywords == TABLES.keywords.keys()
    assert {name for name in FUNCTIONS if "." not in name} <= known.functions & known.methods
    assert {"print", "zero_grad", "backward"} <= known.functions
    assert {"backward", "item"} <= known.methods


# --- Pygments --------------------------------------------------------------------------------


def placed(text: str) -> list[tuple[str, int, str]]:
    """Types, places and texts."""
    pytest.importorskip("pygments", reason="Pygments is not installed")
    from gradcli.integrations.pygments_lexer import GradcliLexer

    found = [(str(kind)[6:], place, token) for place, kind, token in
             GradcliLexer().get_tokens_unprocessed(text)]  # fmt: skip
    assert "".join(token for _, _, token in found) == text
    return found


def test_pygments_names_what_stands_there() -> None:
    kinds = {token: kind for kind, _, token in placed(TEXT)}
    assert {name: kinds[name] for name in
            ("def", "f", "not", "pi", "# why", "tensor", "1.", "True", "mean", "**", "#= 3",
             "f'{y}'", "grad", "relu")} == {
        "def": "Keyword", "f": "Name", "not": "Operator.Word", "pi": "Name.Constant",
        "# why": "Comment.Single", "tensor": "Name.Builtin", "1.": "Literal.Number",
        "True": "Keyword.Constant", "mean": "Name.Function", "**": "Operator",
        "#= 3": "Comment.Special", "f'{y}'": "Literal.String", "grad": "Name.Attribute",
        "relu": "Name",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "'", "x = $\n\x00", "\\", "'''a\nb", "é[", "\r\n"])
def test_any_text_is_divided_wholly(text: str) -> None:
    placed(text)


# --- TextMate --------------------------------------------------------------------------------


def scoped(text: str) -> list[tuple[int, str, str]]:
    """Places, scopes and texts as editors find them: line by line, in each the rule that matches
    first and, of several, the one that stands first. A rule with an `end` goes on over lines.
    """
    found: list[tuple[int, str, str]] = []
    inside: dict[str, Any] = {}
    start = 0
    for line in text.split("\n"):
        place = 0
        while place <= len(line) and (best := _next(inside or _grammar(), line, place)):
            match, rule = best
            if scope := (inside or rule).get("name", ""):
                found.append((start + match.start(), scope.removesuffix(".gradcli"), match[0]))
            if rule is inside:
                inside = {}
            elif "begin" in rule:
                inside = rule
            place = match.end()
        start += len(line) + 1
    assert not inside, "a string that does not end"
    return found


def _next(
    rules: dict[str, Any], line: str, place: int
) -> tuple[re.Match[str], dict[str, Any]] | None:
    """The next match in a line, and its rule: the end of what is open, or one of its patterns."""
    closing = [(rules["end"], rules)] if "end" in rules else []
    inner = [(rule.get("match") or rule["begin"], rule) for rule in rules["patterns"]]
    tried = ((_compiled(text).search(line, place), rule) for text, rule in closing + inner)
    matches = [(match, rule) for match, rule in tried if match and match[0]]
    return min(matches, key=lambda each: each[0].start(), default=None)


_compiled = lru_cache(maxsize=None)(re.compile)
_grammar = lru_cache(textmate)


def test_textmate_names_what_stands_there() -> None:
    found = {token: scope for _, scope, token in scoped(TEXT)}
    wanted = {
        "def": "keyword.control", "f": "entity.name.function", "not": "keyword.control",
        "pi": "constant.language", "# why": "comment.line.number-sign",
        "tensor": "support.function", "1.": "constant.numeric", "True": "constant.language",
        "mean": "support.function.method", "**": "keyword.operator.arithmetic",
        "#= 3": "comment.line.expectation", "f'{y}'": "string.quoted",
        "grad": "variable.other.member", "relu": "variable.other",
    }  # fmt: skip
    assert {token: found.get(token) for token in wanted} == wanted


SAME = {
    "Comment.Single": "comment.line.number-sign", "Comment.Special": "comment.line.expectation",
    "Keyword": "keyword.control", "Operator.Word": "keyword.control",
    "Keyword.Constant": "constant.language", "Name.Constant": "constant.language",
    "Literal.Number": "constant.numeric", "Literal.String": "string.quoted",
    "Name.Builtin": "support.function", "Name.Function": "support.function.method",
    "Name.Attribute": "variable.other.member", "Operator": "keyword.operator",
}  # fmt: skip
"""What the two highlighters call the same."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize("script", SCRIPTS + CELLS, ids=lambda path: path.name)
def test_both_highlighters_say_the_same(script: Path) -> None:
    text = script.read_text()
    scopes = {place: scope for place, scope, _ in scoped(text)}
    for kind, place, token in placed(text):
        assert kind != "Error"
        assert scopes.get(place, "").startswith(SAME.get(kind, "")), (kind, token, place)


@pytest.mark.parametrize(
    "text",
    [
        's = """a\n\'b\' # c \\""" d\n"""; x = 1',
        "', '.join(t)",
        "x = y\n  .grad",
        "def f() -> g: 1",
    ],
)
def test_both_highlighters_say_the_same_of_rare_text(text: str) -> None:
    scopes = {place: (scope, token) for place, scope, token in scoped(text)}
    for kind, place, token in placed(text):
        if kind in SAME:
            scope, there = scopes[place]
            assert scope.startswith(SAME[kind])
            assert token.startswith(there)


def test_the_command_writes_the_grammar() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gradcli.integrations.textmate"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout) == textmate()
    assert textmate()["scopeName"] == "source.gradcli"
