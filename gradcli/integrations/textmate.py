"""A TextMate grammar, which VS Code, Sublime Text, GitHub and many others colour programs by.

    python -m gradcli.integrations.textmate > gradcli.tmLanguage.json

It is made of the terminals of gradcli's own grammar and of the names in the op table.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from gradcli.analysis.vocabulary import Vocabulary, vocabulary
from gradcli.language.tables import grammar_path, read_or_compile

_LITERALS = {
    "CONSTANT": "constant.language",
    "STRING": "string.quoted",
    "NUMBER": "constant.numeric",
    "IMAGINARY": "constant.numeric",
}
_OPERATORS = {
    "AUGMENTED": "keyword.operator.assignment",
    "POWER": "keyword.operator.arithmetic",
    "OPERATOR": "keyword.operator",
    "STAR": "keyword.operator.arithmetic",
    "ARROW": "keyword.operator",
    "SIGN": "keyword.operator.arithmetic",
    "AT": "keyword.operator.arithmetic",
    "INVERT": "keyword.operator",
    "EQUAL": "keyword.operator.assignment",
}
"""By terminal of the grammar; those that stand in neither have no colour."""
_TRIPLE = {"'''": "single", '"""': "double"}


def textmate() -> dict[str, Any]:
    """The grammar, ready for JSON. A rule that stands first wins."""
    known = vocabulary()
    compiled = read_or_compile(grammar_path())
    terminals = dict(zip(compiled["terminals"][1:], compiled["patterns"], strict=False))
    terminals |= {
        compiled["terminals"][number]: re.escape(mark) for mark, number in compiled["marks"].items()
    }
    return {
        "name": "gradcli",
        "scopeName": "source.gradcli",
        "fileTypes": ["grad"],
        "patterns": [
            _rule("comment.line.expectation", r"#[=!].*$"),
            _rule("comment.line.number-sign", "#.*$"),
            *(_lines(quotes, kind) for quotes, kind in _TRIPLE.items()),
            *(_rule(scope, terminals[name]) for name, scope in _LITERALS.items()),
            *_words(known),
            *(_rule(scope, terminals[name]) for name, scope in _OPERATORS.items()),
        ],
    }


def _words(known: Vocabulary) -> list[dict[str, Any]]:
    return [
        _rule("keyword.control", rf"\b(?:{_any(known.keywords)})\b"),
        _rule("support.function.method", rf"(?<=\.)(?:{_any(known.methods)})\b(?=\()"),
        _rule("variable.other.member", r"(?<=\.)[^\W\d]\w*"),
        _rule("support.function", rf"\b(?:{_any(known.functions)})\b(?=\()"),
        _rule("constant.language", rf"\b(?:{_any(known.constants)})\b"),
        _rule("entity.name.function", r"\b[^\W\d]\w*(?=\()"),
        _rule("variable.other", r"\b[^\W\d]\w*"),
    ]


def _any(words: Iterable[str]) -> str:
    """A pattern for one of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _rule(scope: str, pattern: str) -> dict[str, Any]:
    return {"name": f"{scope}.gradcli", "match": pattern}


def _lines(quotes: str, kind: str) -> dict[str, Any]:
    """Strings of several lines: TextMate matches its patterns line by line."""
    return {
        "name": f"string.quoted.triple.{kind}.gradcli",
        "begin": f"[fFrRbBuU]{{0,2}}{quotes}",
        "end": quotes,
        "patterns": [{"match": r"\\."}],  # a quote behind a backslash ends nothing
    }


if __name__ == "__main__":
    json.dump(textmate(), sys.stdout, indent=2)
    sys.stdout.write("\n")
