"""Long texts in which a program has written many statements that nearly repeat each other, each on
a line of its own: they know their place alone until another field is asked for.

They are the passes of a loop, as a rule, of which the first one alone is ever looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from operator import add
from typing import Any

from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.language.automaton import is_sure
from gradcli.language.characters import clean
from gradcli.language.lexer import lex_clean, names_as_python
from gradcli.language.long_texts import is_whole_statement
from gradcli.language.syntax import Assign, Program
from gradcli.language.tokens import NUMBER_OF, ParseLimits, Tokens, terminals
from gradcli.tuples import NamedTuple

Parse = Callable[[Tokens], Program]

LEAST = 1000
"""Fewer lines in a row are parsed like others."""
ALIKE = 16
"""Lines of one form, with all digits alike, on average: it takes time to look at each form."""
TOKENS = 4
"""A line with a statement has so many, at least."""
PERIOD = 64
"""The most lines in what they repeat."""
BLOCKS = 16
"""So many rows of lines, at most: the whole text is looked at for each."""
FEW = 64
"""So many statements are built as they are asked for; then all others are, as that takes less
long."""
_ACROSS_LINES = ("'''", '"""', "\\\n", "\\\r")
"""Where one of these is in a text, a line may be part of a token."""
_SAME_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_NUMBER = NUMBER_OF["NUMBER"]
_SHORT = re.compile(rb"[0-9.]{1,16}")
"""A number that is none of those that differ in more than their digits, or may be too large."""
_WORDS = str.maketrans(dict.fromkeys("(),+-*/@=<>[]", " "))
"""Between words, which are names, numbers and what a point joins."""


class _LineForm(NamedTuple):
    """What lines that differ in their digits have in common."""

    end: int
    """Where the statement ends in the line."""
    tokens: int


class _Lines(NamedTuple):
    """Lines one after another with a statement each."""

    begin: int
    end: int
    spans: list[Span]
    """Where the statements are in the text."""
    tokens: int


def parse_in_parts(source: Source, limits: ParseLimits, parse: Parse) -> Program | None:
    """The syntax tree of a program with such lines; None where it has none, or is wrong: what is
    wrong is then told of the whole text. `parse` makes the trees of other parts.
    """
    source = clean(source)
    blocks = _blocks(source.text, limits)
    if not 0 < len(blocks) <= BLOCKS or names_as_python(source.text):
        return None
    parts, place, tokens = list[Program](), 0, 0
    try:
        for block in blocks:
            before = lex_clean(source, limits, place, block.begin)
            later = _Later(source, limits, parse, block)
            parts += parse(before), _program(source, later.statements, block)
            tokens += len(before.kinds) + block.tokens
            place = block.end
        rest = lex_clean(source, limits, place)
        parts.append(parse(rest))
    except GradcliError:
        return None
    if tokens + len(rest.kinds) > limits.tokens:
        return None
    return Program(
        source,
        tuple(chain.from_iterable(each.statements for each in parts)),
        tuple(chain.from_iterable(each.expectations for each in parts)),
        tuple(chain.from_iterable(each.notes for each in parts)),
        frozenset().union(*(each.names for each in parts)),
    )


def _blocks(text: str, limits: ParseLimits) -> list[_Lines]:
    """The rows of such lines in a text."""
    if any(map(text.__contains__, _ACROSS_LINES)):
        return []
    forms, spans = _LineForms(limits.depth), list[Span]()
    for found in _pattern().finditer(text):
        if text.count("\n", *found.span()) > LEAST:
            spans.append(_followed(text, *found.span()))
    if sum(text.count("\n", *span) for span in spans) > limits.tokens // TOKENS:
        return []
    return [block for span in spans for block in _blocks_of_lines(text, *span, forms)]


@cache
def _pattern() -> re.Pattern[str]:
    """Lines that begin with a name, and have nothing in them but names, numbers and marks."""
    return re.compile(r"(?:^[A-Za-z_][A-Za-z0-9_ .,()+\-*/@=<>\[\]]{0,200}+\n)++", re.MULTILINE)


def _followed(text: str, begin: int, end: int) -> Span:
    """Such lines without the last one, where that may go on in the next line."""
    is_followed = text[end : end + 1].isascii() and text[end : end + 1].isalpha()
    return begin, end if is_followed else text.rindex("\n", begin, end - 1) + 1


def _blocks_of_lines(text: str, begin: int, end: int, forms: _LineForms) -> Iterator[_Lines]:
    lines = text[begin:end].encode("ascii").translate(_SAME_DIGITS).splitlines(keepends=True)
    if len(set(lines)) * ALIKE > len(lines):
        return
    found = [forms[line] for line in lines]
    begins = [*accumulate(map(len, lines), initial=begin)]
    others = (place for place, form in enumerate(found) if form is None)
    first = 0
    for last in (*others, len(lines)):
        if last - first >= LEAST and _repeats(lines[first:last]):
            ends, counts = zip(*found[first:last], strict=True)
            starts = begins[first:last]
            spans = [*zip(starts, map(add, starts, ends), strict=True)]
            yield _Lines(begins[first], begins[last], spans, sum(counts))
        first = last + 1


def _repeats(lines: Sequence[bytes]) -> bool:
    """Whether some lines in the middle repeat those before them, digits aside."""
    middle = len(lines) // 2
    some = [each.translate(None, b"0") for each in lines[middle : middle + 3 * PERIOD]]
    return any(some[period:] == some[:-period] for period in range(1, PERIOD + 1))


class _LineForms(dict[bytes, "_LineForm | None"]):
    """By line, with all digits alike: what is known of its statement; None where it may be wrong,
    or anything but a name that gets a value.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self._depth = depth

    def __missing__(self, line: bytes) -> _LineForm | None:
        found = [*terminals(line.decode("ascii"), 0, len(line))]
        kinds = bytes(kind for kind, *_ in found)
        numbers = [line[start:end] for kind, start, end in found if kind == _NUMBER]
        is_plain = (
            all(map(_SHORT.fullmatch, numbers))
            and is_whole_statement(kinds[:-1], self._depth)
            and is_sure(kinds)
        )
        self[line] = form = _LineForm(found[-2][2], len(found)) if is_plain else None
        return form


def _program(source: Source, statements: Sequence[Assign], block: _Lines) -> Program:
    words = source.text[block.begin : block.end].translate(_WORDS).split()
    names = frozenset(filter(str.isidentifier, (each.partition(".")[0] for each in set(words))))
    return Program(source, tuple(statements), (), (), names)


class _Later:
    """The statements of a block, which are built when they are asked for."""

    __slots__ = ("_asked", "_block", "_limits", "_parse", "_source", "statements")

    def __init__(self, source: Source, limits: ParseLimits, parse: Parse, block: _Lines) -> None:
        self._source, self._limits, self._parse, self._block = source, limits, parse, block
        self._asked = 0
        self.statements: list[Any] = [object.__new__(Assign) for _ in block.spans]
        unfilled = self._fill, None, 0
        for statement, span in zip(self.statements, block.spans, strict=True):
            statement.span = span
            statement.moved_from = unfilled

    def _fill(self, statement: Any, _: None, _by: int) -> None:
        """Give a statement its fields, and the others theirs if many were asked for."""
        self._asked += 1
        if self._asked > FEW:
            statements, span = self.statements, (self._block.begin, self._block.end)
        else:
            statements, span = [statement], statement.span
        wholes: Sequence[Any] = self._parse(lex_clean(self._source, self._limits, *span)).statements
        for each, whole in zip(statements, wholes, strict=True):
            if hasattr(each, "moved_from"):
                each.target, each.value = whole.target, whole.value
                del each.moved_from
