"""Blocks of statements that differ in their names alone, as `y1 = sin(y0); y2 = sin(y1); …`: the
passes of a loop that a program has written out, each with names of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from gradcli.language import syntax
from gradcli.trace.names import all_parts
from gradcli.trace.repetitions import Block, found
from gradcli.trace.rolling import LAST
from gradcli.tuples import NamedTuple

_DIGITS = b"0123456789"
"""What such names are told apart by."""
_NAME = re.compile(r"([A-Za-z_]\w*)")
_FARTHEST = 4
"""So many passes back a pass may read what one has computed, at most."""


class Renaming(NamedTuple):
    """A block, and the names in it that are others in each pass."""

    block: Block
    names: dict[int, list[str]]
    """By number of the statement in a pass: what all passes call its value."""
    carries: list[tuple[str, str]]
    """Pairs of names of the first pass, to be read in this order: what the first one stands for in
    the next pass is what the second one has come to stand for in this pass.
    """


def renamings(program: syntax.Program) -> Sequence[Renaming]:
    """The blocks with names that nothing else reads; those of the last passes may be read."""
    text = program.source.text
    if program.expectations or not text.isascii():
        return ()
    return _renamings(text, program.statements)


@lru_cache(maxsize=1)  # it is asked for several times
def _renamings(text: str, statements: Sequence[syntax.Statement]) -> Sequence[Renaming]:
    data = text.encode("ascii")
    written = [data[slice(*each.span)].translate(None, _DIGITS) for each in statements]
    blocks = (_renaming(text, statements, block) for block in found(written))
    return [each for each in blocks if each is not None]


def _renaming(text: str, statements: Sequence[syntax.Statement], block: Block) -> Renaming | None:
    """What differs in a block, if these are names alone that are bound in it."""
    first = statements[block.first : block.first + block.length]
    begin, end = first[0].span[0], statements[block.end - 1].span[1]
    pieces = _NAME.split(text[begin:end])
    between, names = pieces[::2], pieces[1::2]
    count, rest = divmod(len(names), block.passes)
    if rest or not count or not _repeat(between[1:], count):
        return None
    columns = [names[place::count] for place in range(count)]
    starts = [*accumulate(map(len, pieces[: 2 * count]), initial=begin)][1::2]
    targets = _targets(first)
    bound: dict[int, list[str]] = {}
    read = list[tuple[int, list[str]]]()
    variables = {each.span[0] for each in all_parts(first) if isinstance(each, syntax.Name)}
    for start, column in zip(starts, columns, strict=True):
        if column.count(column[0]) == len(column):
            continue
        if start not in variables:
            return None
        if start in targets:
            bound[targets[start]] = column
        else:
            read.append((_statement_at(first, start), column))
    own = {name for column in bound.values() for name in column}
    if len(own) != block.passes * len(bound) or len(targets) != len(first):
        return None
    carries = _carries(bound, read)
    if carries is None:
        return None
    before = {name for each in carries for name in each} - own
    inner = own.difference(*(column[-LAST:] for column in bound.values()))
    constant = {column[0] for column in columns if column[0] == column[-1]}
    outside = {*_NAME.findall(text, 0, begin), *_NAME.findall(text, end)}
    if not own.isdisjoint(constant | before) or not inner.isdisjoint(outside):
        return None
    return Renaming(block, bound, carries)


def _repeat(pieces: Sequence[str], count: int) -> bool:
    """Whether each so many pieces of text are alike; the last one has no separator behind it."""
    *passes, last = list(pieces[:count]) * (len(pieces) // count)
    return pieces[:-1] == passes and last.startswith(pieces[-1])


def _targets(statements: Sequence[syntax.Statement]) -> dict[int, int]:
    """By place in the text: the number of the statement that binds the name that begins there."""
    return {
        each.target.span[0]: number
        for number, each in enumerate(statements)
        if isinstance(each, syntax.Assign) and isinstance(each.target, syntax.Name)
    }


def _statement_at(statements: Sequence[syntax.Statement], start: int) -> int:
    return max(number for number, each in enumerate(statements) if each.span[0] <= start)


def _carries(
    bound: dict[int, list[str]], read: Sequence[tuple[int, list[str]]]
) -> list[tuple[str, str]] | None:
    """What goes on from pass to pass; None where something is read that no near pass has bound."""
    earlier: dict[int, dict[int, str]] = {number: {} for number in bound}
    for reader, column in read:
        found = _source(bound, reader, column)
        if found is None:
            return None
        number, back = found
        for distance, name in zip(range(back, 0, -1), column, strict=False):
            if earlier[number].setdefault(distance, name) != name:
                return None
    carries = list[tuple[str, str]]()
    for number, names in earlier.items():
        held = {0: bound[number][0]} | names
        if sorted(held) != [*range(len(held))]:
            return None
        carries += [(held[distance], held[distance - 1]) for distance in range(len(names), 0, -1)]
    return carries


def _source(
    bound: dict[int, list[str]], reader: int, column: Sequence[str]
) -> tuple[int, int] | None:
    """The statement whose values a statement reads, and how many passes back."""
    for number, names in bound.items():
        for back in range(number >= reader, _FARTHEST):
            if column[back:] == names[: len(names) - back]:
                return number, back
    return None
