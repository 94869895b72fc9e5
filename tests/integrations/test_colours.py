"""Highlighters know what the grammar and the op table know."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.analysis.vocabulary import vocabulary
from gradcli.integrations.textmate import textmate
from gradcli.language.tokens import TABLES
from gradcli.ops import FUNCTIONS

SCRIPTS = sorted(Path("samples").rglob("*.grad"))
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


def coloured(text: str) -> list[tuple[str, str]]:
    pytest.importorskip("pygments", reason="Pygments is not installed")
    from gradcli.integrations.pygments_lexer import GradcliLexer

    found = [(str(kind)[6:], token) for _, kind, token in
             GradcliLexer().get_tokens_unprocessed(text)]  # fmt: skip
    assert "".join(token for _, token in found) == text
    return found


def test_pygments_names_what_stands_there() -> None:
    kinds = {token: kind for kind, token in coloured(TEXT)}
    assert {name: kinds[name] for name in
            ("def", "f", "not", "pi", "# why", "tensor", "1.", "True", "mean", "**", "#= 3",
             "f'{y}'", "grad", "relu")} == {
        "def": "Keyword", "f": "Name", "not": "Operator.Word", "pi": "Name.Constant",
        "# why": "Comment.Single", "tensor": "Name.Builtin", "1.": "Literal.Number",
        "True": "Keyword.Constant", "mean": "Name.Function", "**": "Operator",
        "#= 3": "Comment.Special", "f'{y}'": "Literal.String", "grad": "Name.Attribute",
        "relu": "Name",
    }  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_have_no_errors_for_pygments(script: Path) -> None:
    assert "Error" not in [kind for kind, _ in coloured(script.read_text())]


@pytest.mark.parametrize("text", ["", "'", "x = $\n\x00", "\\", "'''a\nb", "é[", "\r\n"])
def test_any_text_is_divided_wholly(text: str) -> None:
    coloured(text)


# --- TextMate --------------------------------------------------------------------------------


def scoped(text: str) -> dict[str, str]:
    """The scopes that the grammar's patterns give the texts in a line, as editors apply them."""
    rules = [(rule["name"], re.compile(rule["match"])) for rule in textmate()["patterns"]
             if "match" in rule]  # fmt: skip
    found, place = {}, 0
    while place < len(text):
        tried = ((pattern.search(text, place), name) for name, pattern in rules)
        matches = [(match, name) for match, name in tried if match and match[0]]
        if not matches:
            break
        match, name = min(matches, key=lambda each: each[0].start())  # of several, the first rule
        found[match[0]] = name.removesuffix(".gradcli")
        place = match.end()
    return found


def test_textmate_names_what_stands_there() -> None:
    found: dict[str, str] = {}
    for line in TEXT.split("\n"):
        found |= scoped(line)
    wanted = {
        "def": "keyword.control", "f": "entity.name.function", "not": "keyword.control",
        "pi": "constant.language", "# why": "comment.line.number-sign",
        "tensor": "support.function", "1.": "constant.numeric", "True": "constant.language",
        "mean": "support.function.method", "**": "keyword.operator.arithmetic",
        "#= 3": "comment.line.expectation", "f'{y}'": "string.quoted",
        "grad": "variable.other.member", "relu": "variable.other",
    }  # fmt: skip
    assert {token: found.get(token) for token in wanted} == wanted


def test_the_command_writes_the_grammar() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gradcli.integrations.textmate"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout) == textmate()
    assert textmate()["scopeName"] == "source.gradcli"
