"""Text to tokens: three arrays and the comments that state expectations.

Driven by the grammar's terminals; what no regular expression can say is here: which line breaks
separate statements, Unicode's idea of a name, and the limits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from gradcli.diagnostics import Code, GradcliError, Source, Span
from gradcli.language.mistakes import misplaced_expectation, unknown_character
from gradcli.language.tables import load_tables


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What a text may have before it is refused: `limit-tokens`, `limit-depth`."""

    source_bytes: int = 16 * 2**20
    tokens: int = 1_000_000
    depth: int = 200_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text by their place; the last one is its end, of kind 0."""

    source: Source
    kinds: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    expectations: list[tuple[Span, int]] = field(default_factory=list)
    """Comments `#=` and `#!`, and the token that each stands behind (-1: none on its line)."""
    notes: list[tuple[Span, str]] = field(default_factory=list)

    def append(self, kind: int, start: int, end: int) -> None:
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)

    def text(self, index: int) -> str:
        return self.source.text[self.starts[index] : self.ends[index]]


SIGN_NOTE = "this line is a statement of its own; to continue the line above, put it in ( )"

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def clean(source: Source, limits: ParseLimits) -> Source:
    """The same text without a byte order mark and with `\\n` as its only line break.

    Raises `limit-tokens` for a text that is too long, and `syntax` for a character that no text
    has use for, and that would do harm on a terminal.
    """
    text = source.text
    size = len(text)
    if size <= limits.source_bytes and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.source_bytes:
        raise GradcliError(
            "limit-tokens",
            f"the text has more than {limits.source_bytes:,} bytes",
            hint="data belong in a file: --set x=@data.npy",
            source=Source(source.name, ""),
            span=(0, 0),
        )
    if text.startswith("\ufeff"):
        source = Source(source.name, text[1:])
    if "\r" in text:
        source = Source(source.name, source.text.replace("\r\n", "\n").replace("\r", "\n"))
    if forbidden := _FORBIDDEN.search(source.text):
        raise GradcliError(
            "syntax",
            f"the character U+{ord(forbidden[0]):04X} cannot stand in a program",
            hint="it is invisible; delete it",
            source=source,
            span=forbidden.span(),
        )
    return source


def lex(source: Source, limits: ParseLimits) -> Tokens:
    """Cut a text that is :func:`clean` into tokens.

    Raises GradcliError: `syntax` for what is no token, for brackets that do not match and for an
    expectation where none can stand; `limit-tokens` and `limit-depth`.
    """
    lexer = _Lexer(source, limits)
    lexer.run()
    return lexer.tokens


class _Lexer:
    def __init__(self, source: Source, limits: ParseLimits) -> None:
        self.source = source
        self.text = source.text
        self.limits = limits
        self.tables = tables = load_tables()
        self.tokens = Tokens(source)
        self.brackets: list[int] = []
        """Offsets of the brackets that are open."""
        self.separator: int | None = None
        """Offset of a separator that has not become a token yet: the next token decides."""
        self.semicolon = False
        """Whether that separator is, or runs on to, a `;`."""
        number = tables.number
        self.name = number["NAME"]
        self.sign = number["SIGN"]
        self.separator_kind = number["_SEPARATOR"]
        self.open_brace = number["LBRACE"]
        self.close_brace = number["RBRACE"]
        self.continues = {number[name] for name in ("LBRACE", "ELSE", "ELIF", "DOT")}
        self.special: dict[int, Callable[[int, int, int], int]] = {
            self.name: self._word,
            number["COMMENT"]: self._comment,
            self.separator_kind: self._separate,
            **{number[name]: self._open for name in ("LPAR", "LSQB", "LBRACE")},
            **{number[name]: self._close for name in ("RPAR", "RSQB", "RBRACE")},
            tables.pattern.groups: self._unknown,
        }

    def run(self) -> None:
        tokens, special = self.tokens, self.special
        kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
        most = self.limits.tokens
        for match in self.tables.pattern.finditer(self.text):
            kind = match.lastindex
            if kind is None:
                break
            start, end = match.span(kind)
            if kind in special:
                kind = special[kind](kind, start, end)
                if not kind:
                    continue
            if self.separator is not None:
                self._settle(kind, start, end)
            kinds.append(kind)
            starts.append(start)
            ends.append(end)
            if kind == self.close_brace:
                self.separator = end
            if len(kinds) > most:
                raise self._error("limit-tokens", f"more than {most:,} tokens", start, end)
        if self.brackets:
            opening = self.brackets[-1]
            raise self._error("syntax", f"{self._quoted(opening)} is never closed", opening)
        tokens.append(0, len(self.text), len(self.text))

    def _word(self, kind: int, start: int, end: int) -> int:
        """A name or a keyword, as it is after Unicode's normalisation."""
        word = self.text[start:end]
        if not word.isascii():
            if not word.isidentifier():
                return self._unknown(kind, _first_foreign(word) + start, end)
            word = normalised(word)
            match = self.tables.pattern.fullmatch(word)
            assert match is not None
            kind = match.lastindex or kind
        return self.tables.keywords.get(word, kind)

    def _comment(self, kind: int, start: int, end: int) -> int:
        """No token; but `#=` and `#!` are kept."""
        mark = self.text[start : start + 3]
        if not mark.startswith(("#=", "#!")) or mark == "#==" or (mark[1] == "!" and start == 0):
            return 0
        inside = bool(self.brackets) and self.text[self.brackets[-1]] != "{"
        new_line = self.separator is not None and self.text.find("\n", self.separator, start) >= 0
        if inside or new_line or not self.tokens.kinds:
            raise misplaced_expectation(self.source, (start, end))
        self.tokens.expectations.append(((start, end), len(self.tokens.kinds) - 1))
        return 0

    def _separate(self, kind: int, start: int, end: int) -> int:
        semicolon = self.text[start] == ";"
        if self.brackets and self.text[self.brackets[-1]] != "{":
            if semicolon:
                raise self._unclosed("`;`")
        elif self.separator is None:
            self.separator = start
            self.semicolon = semicolon
        else:
            self.semicolon |= semicolon
        return 0

    def _settle(self, kind: int, start: int, end: int) -> None:
        """Make the separator before a token of this kind a token, unless it only lays out."""
        place, semicolon = self.separator, self.semicolon
        assert place is not None
        self.separator, self.semicolon = None, False
        kinds = self.tokens.kinds
        if not kinds or kinds[-1] == self.open_brace or kind == self.close_brace:
            return
        if kind in self.continues and not semicolon:
            return
        if kind == self.sign and not semicolon and kinds[-1] != self.close_brace:
            self.tokens.notes.append(((start, end), SIGN_NOTE))
        self.tokens.append(self.separator_kind, place, place + 1)

    def _open(self, kind: int, start: int, end: int) -> int:
        if len(self.brackets) >= self.limits.depth:
            message = f"more than {self.limits.depth:,} brackets in one another"
            raise self._error("limit-depth", message, start)
        if kind == self.open_brace and self.brackets and self.text[self.brackets[-1]] != "{":
            raise self._unclosed("`{`")
        self.brackets.append(start)
        return kind

    def _close(self, kind: int, start: int, end: int) -> int:
        if not self.brackets:
            raise self._error("syntax", f"{self._quoted(start)} closes nothing", start)
        opening = self.brackets.pop()
        if self.text[opening] + self.text[start] not in ("()", "[]", "{}"):
            line, column = self.source.locate(opening)
            raise self._error(
                "syntax",
                f"{self._quoted(start)} does not close {self._quoted(opening)}",
                start,
                hint=f"the {self._quoted(opening)} is on line {line}, column {column}",
            )
        return kind

    def _unknown(self, kind: int, start: int, end: int) -> int:
        raise unknown_character(self.source, start)

    def _unclosed(self, found: str) -> GradcliError:
        opening = self.brackets[-1]
        return self._error(
            "syntax", f"{self._quoted(opening)} is not closed before {found}", opening
        )

    def _quoted(self, offset: int) -> str:
        return f"`{self.text[offset]}`"

    def _error(
        self, code: Code, message: str, start: int, end: int = 0, hint: str | None = None
    ) -> GradcliError:
        span = (start, end or start + 1)
        return GradcliError(code, message, hint=hint, source=self.source, span=span)


def normalised(word: str) -> str:
    """A name in the form that makes different spellings of it equal: NFKC, as in Python."""
    from unicodedata import normalize

    return word if word.isascii() else normalize("NFKC", word)


def _first_foreign(word: str) -> int:
    """Where the first character is that no name may have there."""
    return next(i for i, char in enumerate(word) if not ("a" * (i > 0) + char).isidentifier())
