"""Text to tokens, driven by the grammar's terminals.

What regular expressions cannot express is the layout's business: `gradcli.language.layout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TypeAlias

from gradcli.diagnostics import A_FILE, Advice, GradcliError, Source
from gradcli.language.characters import clean, normalised_name
from gradcli.language.layout import HANDLERS, TextLayout
from gradcli.language.tokens import (
    NUMBER_OF,
    RESERVED,
    TABLES,
    ParseLimits,
    Tokens,
    too_many_tokens,
)

_NAME = NUMBER_OF["NAME"]
_OTHER = NUMBER_OF["$OTHER"]
_CONSTANT = NUMBER_OF["CONSTANT"]
_OF_PYTHON = re.compile(r"^[ \t]*(?:import|from) +torch\b", re.MULTILINE)
LONG = 1 << 14
"""In a text of more characters than this its pieces are worth remembering."""
CHARACTERS = 4
"""In a text of more characters than these for each token that is allowed, tokens are counted as
they are found.
"""
_SMALL = ("true", "false", "none")
"""Constants of the language that are names in Python."""


def lex(source: Source, limits: ParseLimits, begin: int = 0, end: int | None = None) -> Tokens:
    """Divide a text into tokens, from some line of it on and up to another; their source is the
    text without a byte order mark.

    Raises GradcliError: `syntax` for characters that begin nothing, brackets that do not match and
    expectations that stand alone; `limit-tokens` and `limit-depth`.
    """
    _check_size(source, limits)
    source = clean(source)
    tokens = Tokens(source, [], [], [], {}, [], [])
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    last = len(source.text) if end is None else end
    layout = TextLayout(tokens, limits)
    handlers = HANDLERS
    # Blanks at the end belong to no token, and a regular expression would be tried at each of them.
    stop = len(source.text[:last].rstrip(" \t"))
    is_long = LONG < stop - begin <= CHARACTERS * limits.tokens
    found = (terminals_of_long if is_long else terminals)(source.text, begin, stop)
    for kind, start, end in islice(found, limits.tokens):
        handler = handlers[kind]
        if handler and handler(layout, start, end):
            continue
        if layout.separator:
            layout.separate()
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
    if surplus := next(found, None):
        raise too_many_tokens(source, limits, surplus[1:])
    layout.finish(last)
    if names_as_python(source.text):
        _name_as_python(tokens)
    if not source.text.isascii():
        _normalise_names(tokens)
    return tokens


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


def terminals_of_long(text: str, begin: int, end: int) -> Iterator[Terminal]:
    """The same, found three times as fast where there are many: what a piece of text is, with the
    blanks before it, is found out once.
    """
    start, known = begin, _Known()
    for kind, first, last in map(known.__getitem__, _pieces().findall(text, begin, end)):
        yield kind, start + first, start + last
        start += last


class _Known(dict[str, Terminal]):
    """By piece of text: its kind, and where in it the terminal begins and ends."""

    def __missing__(self, piece: str) -> Terminal:
        ((kind, start, end),) = terminals(piece, 0, len(piece))
        found = self[piece] = kind, start, end
        return found


@cache
def _pieces() -> re.Pattern[str]:
    """The grammar's patterns without groups, which take most of the time."""
    return re.compile(TABLES.pieces)


def _check_size(source: Source, limits: ParseLimits) -> None:
    size = len(source.text)
    if size <= limits.source_bytes < 4 * size and not source.text.isascii():
        size = len(source.text.encode("utf-8", "surrogatepass"))
    if size > limits.source_bytes:
        raise GradcliError(
            "limit-tokens",
            f"the text has more than {limits.source_bytes:,} bytes",
            hint=Advice("data are read from files: ", A_FILE),
            source=Source(source.name, ""),
            span=(0, 0),
        )


def names_as_python(text: str) -> bool:
    """Whether constants of the language are names in a text that has them."""
    return any(map(text.__contains__, _SMALL)) and bool(_OF_PYTHON.search(text))


def _name_as_python(tokens: Tokens) -> None:
    """Let `true`, `false` and `none` be names, as they are where PyTorch is."""
    for index, kind in enumerate(tokens.kinds):
        if kind == _CONSTANT and tokens.text(index).islower():
            tokens.kinds[index] = _NAME


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
