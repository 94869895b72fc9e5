"""Strings with fields, `f"{x:.3f}"`, to tokens: their text, and what stands in the fields.

A string inside a field ends at the first of its own quotes, so that strings are nested in fields no
deeper than there are kinds of quotes; and a format's field cannot have a format with a field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradcli.diagnostics import GradcliError
from gradcli.language.tokens import (
    NUMBER_OF,
    TABLES,
    ParseLimits,
    Tokens,
    content,
    prefix,
    too_many_tokens,
)

_OPENING = frozenset(NUMBER_OF[name] for name in ("LPAR", "LSQB", "LBRACE"))
_CLOSING = frozenset(NUMBER_OF[name] for name in ("RPAR", "RSQB", "RBRACE"))
_NAME, _STRAY = NUMBER_OF["NAME"], NUMBER_OF["$OTHER"]
_STRING = NUMBER_OF["STRING"]
_LBRACE, _DICTIONARY = NUMBER_OF["LBRACE"], NUMBER_OF["_DICTIONARY"]
_COLON, _WALRUS, _EQUAL, _RBRACE = (
    NUMBER_OF[name] for name in ("COLON", "WALRUS", "EQUAL", "RBRACE")
)
_CONVERSIONS = ("!r", "!s", "!a")
DEEPEST = 2
"""Fields inside fields."""


class Templates:
    """Stores the tokens of strings with fields."""

    __slots__ = ("_limits", "_store", "_text", "_tokens")

    def __init__(
        self, tokens: Tokens, limits: ParseLimits, store: Callable[[int, int, int], None]
    ) -> None:
        self._tokens = tokens
        self._limits = limits
        self._store = store
        self._text = tokens.source.text

    def template(self, start: int, end: int, depth: int = 0) -> None:
        """The tokens of a whole string."""
        first, last = content(self._text, start, end)
        self._store(NUMBER_OF["_TEMPLATE"], start, first)
        place = self._pieces(first, last, depth, in_format=False)
        assert place == last
        self._store(NUMBER_OF["_TEMPLATE_END"], last, end)

    def _pieces(self, place: int, end: int, depth: int, *, in_format: bool) -> int:
        """Text and fields up to the end, or up to the `}` that ends a format."""
        text = self._text
        begin = place
        while place < end:
            character = text[place]
            if character not in "{}":
                place += 1
                continue
            if not in_format and text.startswith(character * 2, place, end):
                place += 2
                continue
            if character == "}":
                if in_format:
                    break
                raise self._error("a `}` in a string with fields is written }}", place)
            self._piece(begin, place)
            begin = place = self._field(place, end, depth + 1)
        self._piece(begin, place)
        return place

    def _piece(self, begin: int, end: int) -> None:
        if begin < end:
            self._store(NUMBER_OF["TEXT"], begin, end)

    def _field(self, start: int, end: int, depth: int) -> int:
        """A field, from its `{` on; the place behind its `}`."""
        if depth > DEEPEST:
            raise self._error("fields stand inside fields here, too deep", start)
        self._store(NUMBER_OF["_FIELD"], start, start + 1)
        at = len(self._tokens.kinds) - 1
        brackets = 0
        for kind, first, last in self._inside(start + 1, end):
            is_outside = brackets <= 0
            brackets += (kind in _OPENING) - (kind in _CLOSING)
            if is_outside and kind in (_COLON, _WALRUS, _EQUAL, _RBRACE, _STRAY):
                if kind == _EQUAL:  # `{x = }` shows its own text, too
                    shown = last + len(self._text[last:end]) - len(self._text[last:end].lstrip(" "))
                    self._tokens.insert(at, NUMBER_OF["TEXT"], start + 1, shown)
                    return self._ending(start, shown, end, depth)
                return self._ending(start, first, end, depth)
            if kind == _STRING and "f" in prefix(self._text, first):
                self.template(first, last, depth)
            else:
                self._store(_DICTIONARY if kind == _LBRACE else kind, first, last)
        raise self._error("this field is not closed: a } is missing", start)

    def _inside(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Kinds and places of the tokens of an expression."""
        for match in TABLES.pattern.finditer(self._text, start, end):
            kind = TABLES.terminal(match)
            first, last = match.span(match.lastindex or 0)
            if len(self._tokens.kinds) > self._limits.tokens:
                raise too_many_tokens(self._tokens.source, self._limits, (first, last))
            if kind == _NAME:
                kind = TABLES.keywords.get(match[kind], _NAME)
            yield kind, first, last

    def _ending(self, start: int, place: int, end: int, depth: int) -> int:
        """What stands in a field behind its expression: `!r`, `:.3f` and `}`."""
        text, store = self._text, self._store
        while text.startswith(" ", place, end):
            place += 1
        if text[place : place + 2] in _CONVERSIONS:
            store(NUMBER_OF["CONVERSION"], place, place + 2)
            place += 2
        if text.startswith(":", place, end):
            store(NUMBER_OF["_FORMAT"], place, place + 1)
            place = self._pieces(place + 1, end, depth, in_format=True)
        if not text.startswith("}", place, end):
            raise self._error("this field is not closed: a } is missing", start)
        store(NUMBER_OF["_FIELD_END"], place, place + 1)
        return place + 1

    def _error(self, message: str, place: int) -> GradcliError:
        source, span = self._tokens.source, (place, place + 1)
        return GradcliError("syntax", message, source=source, span=span)
