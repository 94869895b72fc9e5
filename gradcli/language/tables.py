"""The parser's tables: compiled from the grammar by lark when gradcli is built, read at run time.

In a checkout the grammar may have been edited since; then the tables are compiled again.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FORMAT = 1
"""Goes up when the tables change their form, so that old ones are not read."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    label: str
    """The method of the builder that makes the node; `_` for a rule that only hands parts on."""
    head: int
    length: int
    parts: tuple[int, ...]
    """Positions of the symbols that matter; the others are punctuation."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What the lexer and the LALR automaton run on. A terminal is known by its number."""

    terminals: list[str]
    number: dict[str, int]
    """Terminal name to its number; 0 is the end of the text."""
    literals: dict[str, str]
    """Terminal name to its text, for those that have only one."""
    pattern: re.Pattern[str]
    """Blanks, then one group a terminal, in the order of their numbers; the last group is any other
    character, and no group is the end."""
    keywords: dict[str, int]
    rules: list[Rule]
    actions: list[list[int]]
    """[state][terminal]: the state to shift to, the negated rule to reduce by, 0 for an error."""
    gotos: list[list[int]]
    starts: dict[str, int]


@cache
def load_tables() -> Tables:
    """The tables of the grammar beside the package (a checkout) or inside it (an install)."""
    package = Path(__file__).parent.parent
    folders = (package.parent / "grammars", package / "grammars")
    folder = next(folder for folder in folders if (folder / "gradcli.lark").is_file())
    return _tables(read_or_compile(folder / "gradcli.lark"))


def read_or_compile(grammar_path: Path) -> dict[str, Any]:
    """The compiled form of a grammar; kept beside it, if that folder may be written."""
    grammar = grammar_path.read_text(encoding="utf-8")
    compiled_path = grammar_path.with_suffix(".tables.json")
    try:
        compiled: dict[str, Any] = json.loads(compiled_path.read_text(encoding="utf-8"))
        if (compiled["format"], compiled["grammar"]) == (FORMAT, grammar):
            return compiled
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from gradcli.language.compile import compile_grammar

    compiled = {"format": FORMAT, "grammar": grammar, **compile_grammar(grammar)}
    _write(compiled_path, json.dumps(compiled, separators=(",", ":")))
    return compiled


def _write(path: Path, text: str) -> None:
    """Whole or not at all, and silently not where the folder is read-only."""
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)


def _tables(compiled: dict[str, Any]) -> Tables:
    groups = "|".join(f"({pattern})" for pattern in [*compiled["patterns"], "."])
    blank = compiled["patterns"][compiled["terminals"].index("BLANK") - 1]
    return Tables(
        terminals=compiled["terminals"],
        number={name: i for i, name in enumerate(compiled["terminals"])},
        literals=compiled["literals"],
        pattern=re.compile(rf"(?:{blank})?(?:{groups}|\Z)", re.DOTALL),
        keywords=compiled["keywords"],
        rules=[
            Rule(label, head, length, tuple(parts))
            for label, head, length, parts in compiled["rules"]
        ],
        actions=compiled["actions"],
        gotos=compiled["gotos"],
        starts=compiled["starts"],
    )
