"""Text to tokens, driven by the grammar's terminals.

This module adds what regular expressions cannot express: which line breaks separate statements,
which brackets belong together, which comments are expectations, and the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.language.characters import clean, normalised_name, stray_character
from gradcli.language.tables import load_tables

TABLES = load_tables()
NUMBER_OF = {name: number for number, name in enumerate(TABLES.terminals)}
RESERVED = frozenset([*TABLES.keywords, "True", "true", "False", "false", "None", "none"])

END = 0
_NAME = NUMBER_OF["NAME"]
_SEPARATOR = NUMBER_OF["_SEPARATOR"]
_LBRACE = NUMBER_OF["LBRACE"]
_CLOSES = {"(": ")", "[": "]", "{": "}"}


class ParseLimits(NamedTuple):
    """The limits of a text; more is refused."""

    source_bytes: int = 16 * 2**20
    tokens: int = 1_000_000
    depth: int = 200_000
    """The most brackets that are open at one place."""


@dataclass(slots=True, eq=False)
class Tokens:
    """The tokens of a text as three arrays; the last one is its end, of kind 0."""

    source: Source
    kinds: list[int]
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
        return self.names.get(index) or self.text(index)

    def span(self, index: int) -> Span:
        return self.starts[index], self.ends[index]


def lex(source: Source, limits: ParseLimits) -> Tokens:
    """Divide a text into tokens; their source is the text without a byte order mark.

    Raises GradcliError: `syntax` for characters that begin nothing, brackets that do not match and
    expectations that stand alone; `limit-tokens` and `limit-depth`.
    """
    _check_size(source, limits)
    source = clean(source)
    tokens = Tokens(source, [], [], [], {}, [], [])
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    layout = _Layout(tokens, limits.depth)
    keywords, handlers = TABLES.keywords, _HANDLERS
    # Blanks at the end belong to no token, and a regular expression would be tried at each of them.
    matches = TABLES.pattern.finditer(source.text, 0, len(source.text.rstrip(" \t")))
    for match in islice(matches, limits.tokens):
        kind = match.lastindex or 0
        start, end = match.span(kind)
        if kind == _NAME:
            kind = keywords.get(match[kind], _NAME)
        handler = handlers[kind]
        if handler and handler(layout, start, end):
            continue
        if layout.separator:
            layout.separate()
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
    if surplus := next(matches, None):
        raise GradcliError(
            "limit-tokens",
            f"the text has more than {limits.tokens:,} tokens",
            hint="data are read from files: --set x=@data.npy",
            source=source,
            span=surplus.span(surplus.lastindex or 0),
        )
    layout.finish()
    if not source.text.isascii():
        _normalise_names(tokens)
    return tokens


def _check_size(source: Source, limits: ParseLimits) -> None:
    size = len(source.text)
    if size <= limits.source_bytes < 4 * size and not source.text.isascii():
        size = len(source.text.encode("utf-8", "surrogatepass"))
    if size > limits.source_bytes:
        raise GradcliError(
            "limit-tokens",
            f"the text has more than {limits.source_bytes:,} bytes",
            hint="data are read from files: --set x=@data.npy",
            source=Source(source.name, ""),
            span=(0, 0),
        )


def _normalise_names(tokens: Tokens) -> None:
    for index, kind in enumerate(tokens.kinds):
        if kind == _NAME and not tokens.text(index).isascii():
            name = normalised_name(tokens.source, tokens.span(index))
            if name in RESERVED:
                raise GradcliError(
                    "syntax",
                    f"this name is normalised to the reserved word `{name}`",
                    hint="use another name",
                    source=tokens.source,
                    span=tokens.span(index),
                )
            tokens.names[index] = name


class _Layout:
    """Handles brackets, separators and comments as the lexer finds them.

    A method is called with the place of a token before it is stored, and returns whether the token
    needs nothing more.
    """

    __slots__ = ("brackets", "depth", "separator", "tokens")

    def __init__(self, tokens: Tokens, depth: int) -> None:
        self.tokens = tokens
        self.depth = depth
        self.brackets: list[int] = []
        """The places in the text of the brackets that are open."""
        self.separator: Span | None = None
        """A separator that counts only if another statement follows it."""

    def separate(self) -> None:
        assert self.separator is not None
        self._store(_SEPARATOR, *self.separator)
        self.separator = None

    def between_statements(self, start: int, end: int) -> bool:
        text, kinds = self.tokens.source.text, self.tokens.kinds
        if self.brackets and text[self.brackets[-1]] != "{":
            return text[start] != ";"
        is_first = not kinds or kinds[-1] == _LBRACE
        if not is_first and (self.separator is None or text[start] == ";"):
            self.separator = start, end
        return True

    def goes_on(self, _start: int, _end: int) -> bool:
        """`else`, `elif`, `.` and `{` go on with the line above."""
        if self.separator and self._text(self.separator) != ";":
            self.separator = None
        return False

    def sign(self, start: int, end: int) -> bool:
        if self.separator and self._text(self.separator).isspace():
            message = (
                f"a line that begins with {self._text((start, end))} is a statement of its own; "
                "to go on with the line above, put both in ( )"
            )
            self.tokens.notes.append(((start, end), message))
        return False

    def _text(self, span: Span) -> str:
        return self.tokens.source.text[slice(*span)]

    def open(self, start: int, end: int) -> bool:
        self.brackets.append(start)
        if len(self.brackets) > self.depth:
            raise GradcliError(
                "limit-depth",
                f"more than {self.depth:,} brackets are open here",
                source=self.tokens.source,
                span=(start, end),
            )
        return False

    def open_block(self, start: int, end: int) -> bool:
        return self.goes_on(start, end) or self.open(start, end)

    def close(self, start: int, end: int) -> bool:
        source = self.tokens.source
        closing = source.text[start]
        if not self.brackets:
            raise GradcliError(
                "syntax",
                f"`{closing}` closes nothing: no bracket is open here",
                hint="delete it, or open one before it",
                source=source,
                span=(start, end),
            )
        opened = self.brackets.pop()
        expected = _CLOSES[source.text[opened]]
        if closing == "}" and expected != "}":
            raise self._unclosed(opened)
        if closing != expected:
            line, column = source.locate(opened)
            raise GradcliError(
                "syntax",
                f"`{closing}` does not close the `{source.text[opened]}` of line {line}, "
                f"column {column}",
                hint=f"write {expected} here",
                source=source,
                span=(start, end),
            )
        return False

    def close_block(self, start: int, end: int) -> bool:
        self.close(start, end)
        self.separator = None
        self._store(NUMBER_OF["RBRACE"], start, end)
        self.separator = end, end
        return True

    def comment(self, start: int, end: int) -> bool:
        """Remember an expectation; skip other comments."""
        text = self.tokens.source.text
        mark = text[start : start + 2]
        if mark not in ("#=", "#!") or text.startswith("#==", start):
            return True
        before = self.tokens.ends[-1] if self.tokens.ends else -1
        is_alone = before < 0 or "\n" in text[before:start]
        if mark == "#!" and is_alone and "\n" not in text[:start]:
            return True  # the first line of a script names the program that runs it
        if is_alone or (self.brackets and text[self.brackets[-1]] != "{"):
            raise misplaced(self.tokens.source, (start, end))
        self.tokens.comments.append(((start, end), before))
        return True

    def stray(self, start: int, _end: int) -> bool:
        raise stray_character(self.tokens.source, start)

    def finish(self) -> None:
        if self.brackets:
            raise self._unclosed(self.brackets[-1])
        size = len(self.tokens.source.text)
        self._store(END, size, size)

    def _store(self, kind: int, start: int, end: int) -> None:
        self.tokens.kinds.append(kind)
        self.tokens.starts.append(start)
        self.tokens.ends.append(end)

    def _unclosed(self, opened: int) -> GradcliError:
        bracket = self.tokens.source.text[opened]
        return GradcliError(
            "syntax",
            f"this `{bracket}` is not closed",
            hint=f"add a {_CLOSES[bracket]}",
            source=self.tokens.source,
            span=(opened, opened + 1),
        )


def misplaced(source: Source, span: Span) -> GradcliError:
    """The error for an expectation that belongs to no statement, or says nothing."""
    return GradcliError(
        "syntax",
        f"`{source.text[span[0] : span[0] + 2]}` begins an expectation, which stands behind a "
        "statement on its line: x  #= 3, or f(x)  #! shape",
        hint="an ordinary comment has a space behind the #",
        source=source,
        span=span,
    )


_Handler = Callable[[_Layout, int, int], bool]
_HANDLERS: list[_Handler | None] = [None] * len(TABLES.terminals)
for _name, _handler in {
    "_SEPARATOR": _Layout.between_statements,
    "COMMENT": _Layout.comment,
    "LPAR": _Layout.open,
    "LSQB": _Layout.open,
    "LBRACE": _Layout.open_block,
    "RPAR": _Layout.close,
    "RSQB": _Layout.close,
    "RBRACE": _Layout.close_block,
    "DOT": _Layout.goes_on,
    "ELSE": _Layout.goes_on,
    "ELIF": _Layout.goes_on,
    "SIGN": _Layout.sign,
    "$OTHER": _Layout.stray,
}.items():
    _HANDLERS[NUMBER_OF[_name]] = _handler
