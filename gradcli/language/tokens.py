"""The tokens of a text: what the lexer makes and the parser reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from gradcli.diagnostics import A_FILE, Advice, GradcliError, Source, Span
from gradcli.language.tables import load_tables
from gradcli.tuples import NamedTuple

TABLES = load_tables()
NUMBER_OF = {name: number for number, name in enumerate(TABLES.terminals)}
RESERVED = frozenset([*TABLES.keywords, "True", "true", "False", "false", "None", "none"])

END = 0
_NAME = NUMBER_OF["NAME"]
_OTHER = NUMBER_OF["$OTHER"]


class ParseLimits(NamedTuple):
    """The limits of a text; more is refused."""

    source_bytes: int = 16 * 2**20
    tokens: int = 1_000_000
    depth: int = 200_000
    """The most brackets that are open at one place."""


class Tokens(NamedTuple):
    """The tokens of a text as three arrays; the last one is its end, of kind 0."""

    source: Source
    kinds: bytearray
    """Numbers of terminals in the grammar's tables."""
    starts: list[int]
    ends: list[int]
    names: dict[int, str]
    """Normalised forms of names that are not ASCII, by the place of their token."""
    comments: list[tuple[Span, int]]
    """Comments `#=` and `#!`, and where the token before each ends."""
    notes: list[tuple[Span, str]]

    def text(self, index: int) -> str:
        return self.source.text[self.starts[index] : self.ends[index]]

    def name(self, index: int) -> str:
        if index in self.names:
            return self.names[index]
        return self.source.text[self.starts[index] : self.ends[index]]

    def span(self, index: int) -> Span:
        return self.starts[index], self.ends[index]

    def insert(self, index: int, kind: int, start: int, end: int) -> None:
        """Put a token before another one, near the end of those found so far."""
        self.kinds.insert(index, kind)
        self.starts.insert(index, start)
        self.ends.insert(index, end)


Terminal: TypeAlias = tuple[int, int, int]
"""Its kind, and where it begins and ends."""


def terminals(text: str, begin: int, end: int) -> Iterator[Terminal]:
    """What the grammar's patterns find in a part of a text."""
    keywords, marks = TABLES.keywords, TABLES.marks
    for match in TABLES.pattern.finditer(text, begin, end):
        kind = match.lastindex or 0
        start, stop = match.span(kind)
        if kind == _NAME:
            kind = keywords.get(match[kind], _NAME)
        elif kind == _OTHER:
            kind = marks.get(match[kind], _OTHER)
        yield kind, start, stop


def prefix(text: str, start: int) -> str:
    """The letters before the quotes of a string."""
    return text[start : start + 2].partition("'")[0].partition('"')[0].lower()


def content(text: str, start: int, end: int) -> Span:
    """Where a string begins behind its quotes, and where it ends before them."""
    start += len(prefix(text, start))
    width = 3 if end - start >= 6 and text[start : start + 3] == text[start] * 3 else 1
    return start + width, end - width


def too_many_tokens(source: Source, limits: ParseLimits, span: Span) -> GradcliError:
    """The error at the first token beyond the limit."""
    return GradcliError(
        "limit-tokens",
        f"the text has more than {limits.tokens:,} tokens",
        hint=Advice("data are read from files: ", A_FILE),
        source=source,
        span=span,
    )
