"""Long texts to tokens: the same as of short ones, found by a few passes over arrays.

Pieces of text are looked at once, however often they are written; so are statements, by the kinds
of their tokens.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from operator import add, itemgetter

from gradcli.language.layout import HANDLERS, TextLayout
from gradcli.language.tokens import NUMBER_OF, RESERVED, TABLES, Terminal, terminals
from gradcli.tuples import NamedTuple

_NAME = NUMBER_OF["NAME"]
_BARE_NAME = _NAME, 0
_SEPARATOR = bytes([NUMBER_OF["_SEPARATOR"]])
_OPENS = bytes([NUMBER_OF["LPAR"], NUMBER_OF["LSQB"]])
_CLOSES = bytes([NUMBER_OF["RPAR"], NUMBER_OF["RSQB"]])
_BRACKETS = _OPENS + _CLOSES
_INSIDE = bytes(NUMBER_OF[name] for name in ("DOT", "ELSE", "SIGN"))
"""What has a meaning for the layout at the beginning of a line alone."""
_COMMON = r"[A-Za-z_][A-Za-z0-9_]*+(?![^\x00-\x7f]|['\"])|[(),]|[-+*/](?=[ (A-Za-z_])"
"""Most of what is in a text: the other patterns would find the same piece, but later."""
_FREE = bytes(kind for kind, handler in enumerate(HANDLERS) if handler is None)
"""What has none."""


class Terminals(NamedTuple):
    """Terminals as three arrays."""

    kinds: bytes
    starts: list[int]
    ends: list[int]


def terminals_of_long(text: str, begin: int, end: int, most: int) -> Terminals:
    """What the grammar's patterns find in a part of a text, up to so many."""
    pieces = _pieces().findall(text, begin, end)[:most]
    found = list(map(_Known().__getitem__, pieces))
    ends = list(accumulate(map(len, pieces), initial=begin))
    starts = list(map(add, ends, map(itemgetter(1), found)))
    del ends[0]
    return Terminals(bytes(map(itemgetter(0), found)), starts, ends)


class _Known(dict[str, tuple[int, int]]):
    """By piece of text, with the blanks before it: the kind that `terminals` finds in it, and where
    it begins.
    """

    def __missing__(self, piece: str) -> tuple[int, int]:
        if piece.isidentifier() and piece.isascii() and piece not in RESERVED:
            found = _BARE_NAME
        else:
            ((kind, start, _),) = terminals(piece, 0, len(piece))
            found = kind, start
        self[piece] = found
        return found


@cache
def _pieces() -> re.Pattern[str]:
    """The grammar's patterns without groups, which take most of the time."""
    return re.compile(rf"[ \t]*+(?:{_COMMON})|{TABLES.pieces}")


def lay_out(layout: TextLayout, begin: int, end: int) -> Terminal | None:
    """Store the tokens of a part of the text; the result is the first one beyond the limit."""
    most, surplus = layout.limits.tokens, None
    found = terminals_of_long(layout.tokens.source.text, begin, end, most + 1)
    if len(found.kinds) > most:
        surplus = found.kinds[most], found.starts[most], found.ends[most]
        found = Terminals(found.kinds[:most], found.starts[:most], found.ends[:most])
    plain = _WholeStatements(layout.limits.depth)
    place = first = 0  # where the statement begins, and the first one that is not stored
    for row in found.kinds.split(_SEPARATOR):
        behind = place + len(row) + 1
        if layout.brackets or not plain[row]:
            if first < place:
                _store(layout, found, first, place - 1)
            layout.store_all(zip(*[each[place:behind] for each in found], strict=True))
            first = behind
        place = behind
    if first < place:
        _store(layout, found, first, place - 1)
    return surplus


def _store(layout: TextLayout, found: Terminals, first: int, last: int) -> None:
    """Store whole statements, and the separators between them, as they were found. What separates
    them from the next one, if there is one, stands behind.
    """
    if layout.separator:
        layout.separate()
    tokens = layout.tokens
    layout.begin = len(tokens.kinds) + max(
        0, found.kinds.rfind(_SEPARATOR, first, last) + 1 - first
    )
    tokens.kinds.extend(found.kinds[first:last])
    tokens.starts.extend(found.starts[first:last])
    tokens.ends.extend(found.ends[first:last])
    if last < len(found.kinds):
        layout.separator = found.starts[last], found.ends[last]


class _WholeStatements(dict[bytes, bool]):
    """`is_whole_statement` by the kinds of tokens."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self._depth = depth

    def __missing__(self, kinds: bytes) -> bool:
        found = self[kinds] = is_whole_statement(kinds, self._depth)
        return found


def is_whole_statement(kinds: bytes, depth: int) -> bool:
    """Whether a statement is stored as it is found, by the kinds of its tokens: all brackets in it
    are closed, and nothing else in it is the layout's business.
    """
    if not kinds or kinds[0] in _INSIDE:
        return False
    if kinds.translate(None, _FREE + _BRACKETS + _INSIDE):
        return False
    opened = bytearray()
    for kind in kinds.translate(None, _FREE + _INSIDE):
        if kind in _OPENS:
            opened.append(kind)
            if len(opened) > depth:
                return False
        elif not opened or _OPENS.index(opened.pop()) != _CLOSES.index(kind):
            return False
    return not opened
