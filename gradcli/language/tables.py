"""The parser's tables: compiled from the grammar by lark when gradcli is built, read at run time.

In a checkout the grammar may have been edited since; then the tables are compiled again.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from gradcli.tuples import NamedTuple

FORMAT = 4
"""Increased when the format of the tables changes, so that old ones are not read."""

_BLANKS = r"[ \t]*+"


class Rule(NamedTuple):
    label: str
    """The method of the builder that makes the node, or `syntax.SAME`, or `syntax.SPLICE`."""
    head: int
    length: int
    parts: tuple[int, ...]
    """Positions of the symbols that become parts of the node; the others are punctuation."""
    spliced: bool
    """Some of its parts come from SPLICE rules."""


class PackedRows:
    """Rows of numbers, most of which are 0. Each is made when it is first read: a short program
    sees a tenth of them.
    """

    __slots__ = ("_packed", "_width", "made")

    def __init__(self, packed: list[str], width: int) -> None:
        """`packed` has a text for each row: the columns of its other numbers, and these."""
        self._packed = packed
        self._width = width
        self.made: list[list[int] | None] = [None] * len(packed)
        """The rows that were read."""

    def __getitem__(self, number: int) -> list[int]:
        row = self.made[number]
        if row is None:
            row = self.made[number] = [0] * self._width
            entries = map(int, self._packed[number].split())
            for column in entries:
                row[column] = next(entries)
        return row


class Tables(NamedTuple):
    """The data of the lexer and the LALR automaton. Terminals are identified by their numbers."""

    terminals: list[str]
    """Names by number; 0 is the end of the text."""
    keywords: dict[str, int]
    marks: dict[str, int]
    """Terminals of one character, which have no group in the pattern: the last one has them."""
    literals: dict[str, str]
    """Terminal name to its text, for those that have only one."""
    pattern: re.Pattern[str]
    """A regular expression for blanks and a terminal: group n is terminal n."""
    pieces: str
    """The same expression without groups: what it finds is not told."""
    rules: list[Rule]
    actions: PackedRows
    """[state][terminal]: the state to shift to, the negated rule to reduce by, 0 for an error."""
    gotos: PackedRows
    """[state][head]: the state after a reduction."""
    starts: dict[str, int]

    def terminal(self, match: re.Match[str]) -> int:
        """The terminal that the pattern has found; a keyword is still a name."""
        kind = match.lastindex or 0
        return self.marks.get(match[kind], kind)


def load_tables() -> Tables:
    """The tables of the grammar."""
    return unpack(read_or_compile(grammar_path()))


def grammar_path() -> Path:
    """The grammar next to the package (a checkout) or inside it (an install)."""
    package = Path(__file__).parent.parent
    candidates = [folder / "grammars" / "gradcli.lark" for folder in (package.parent, package)]
    return next(path for path in candidates if path.is_file())


def read_or_compile(grammar_path: Path) -> dict[str, Any]:
    """The compiled form of a grammar, which is kept in the same folder if that is writable."""
    grammar = grammar_path.read_text(encoding="utf-8")
    compiled_path = grammar_path.with_suffix(".tables.json")
    try:
        compiled: dict[str, Any] = json.loads(compiled_path.read_text(encoding="utf-8"))
        if (compiled["format"], compiled["grammar"]) == (FORMAT, grammar):
            return compiled
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing, incomplete or of another format: made again
    from gradcli.language.compile import compile_grammar

    compiled = {"format": FORMAT, "grammar": grammar, **compile_grammar(grammar)}
    write_whole(compiled_path, json.dumps(compiled, separators=(",", ":")))
    return compiled


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; without an error where the folder is read-only."""
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        return


def unpack(compiled: dict[str, Any]) -> Tables:
    """Tables from their JSON."""
    groups = "|".join(f"({pattern})" for pattern in compiled["patterns"])
    return Tables(
        terminals=compiled["terminals"],
        keywords=compiled["keywords"],
        marks=compiled["marks"],
        literals=compiled["literals"],
        pattern=re.compile(f"{_BLANKS}(?:{groups})"),
        pieces=f"{_BLANKS}(?:{'|'.join(compiled['patterns'])})",
        rules=[
            Rule(label, head, length, tuple(parts), spliced)
            for label, head, length, parts, spliced in compiled["rules"]
        ],
        actions=PackedRows(compiled["actions"], len(compiled["terminals"])),
        gotos=PackedRows(compiled["gotos"], compiled["heads"]),
        starts=compiled["starts"],
    )
