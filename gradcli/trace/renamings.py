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
    """A block, and the names in it that are others in each pass, which it alone binds and reads."""

    block: Block
    """It begins with a pass that reads no name from before but those of passes."""
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
    written = "\0".join([text[slice(*each.span)] for each in statements])
    alike = written.encode("ascii").translate(None, _DIGITS).split(b"\0")
    blocks = (_renaming(text, statements, block) for block in found(alike))
    return [each for each in blocks if each is not None]


def _renaming(text: str, statements: Sequence[syntax.Statement], block: Block) -> Renaming | None:
    """What differs in a block, if these are names alone that are bound in it."""
    first = statements[block.first : block.first + block.length]
    begin, end = first[0].span[0], statements[block.end - 1].span[1]
    columns = _columns(text[begin:end], block.passes)
    if columns is None:
        return None
    variables = {each.span[0] for each in all_parts(first) if isinstance(each, syntax.Name)}
    targets, bound, read = _targets(first), dict[int, list[str]](), list[tuple[int, list[str]]]()
    constant = set[str]()
    for start, column in columns:
        if column.count(column[0]) == len(column):
            constant.add(column[0])
        elif begin + start not in variables:
            return None
        elif begin + start in targets:
            bound[targets[begin + start]] = column
        else:
            read.append((_statement_at(first, begin + start), column))
    own = {name for column in bound.values() for name in column}
    inner = own.difference(*(column[-LAST:] for column in bound.values()))
    outside = {*_NAME.findall(text, 0, begin), *_NAME.findall(text, end)}
    if (
        len(own) != block.passes * len(bound)
        or len(targets) != len(first)
        or not own.isdisjoint(constant)
        or not inner.isdisjoint(outside)
    ):
        return None
    earlier = _earlier(bound, read)
    return None if earlier is None else _behind(block, bound, earlier)


def _behind(block: Block, bound: dict[int, list[str]], earlier: dict[int, int]) -> Renaming:
    """The passes that read no names from before the block, which others may read, too."""
    skipped = max(earlier.values(), default=0)
    carries = [
        (column[skipped - back], column[skipped - back + 1])
        for number, column in bound.items()
        for back in range(earlier[number], 0, -1)
    ]
    return Renaming(
        Block(block.first + skipped * block.length, block.length, block.passes - skipped),
        {number: column[skipped:] for number, column in bound.items()},
        carries,
    )


def _columns(text: str, passes: int) -> list[tuple[int, list[str]]] | None:
    """The words of the first of some passes, by place in their text: what stands there in each of
    the passes; None where other things than words differ.
    """
    pieces = _NAME.split(text)
    words = pieces[1::2]
    count, rest = divmod(len(words), passes)
    if rest or not count or not _repeat(pieces[2::2], count):
        return None
    starts = [*accumulate(map(len, pieces[: 2 * count]), initial=0)][1::2]
    return [(start, words[place::count]) for place, start in enumerate(starts)]


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


def _earlier(
    bound: dict[int, list[str]], read: Sequence[tuple[int, list[str]]]
) -> dict[int, int] | None:
    """How many passes back the values of statements are read, at most; None where something is read
    that no near pass has bound.
    """
    found = dict.fromkeys(bound, 0)
    for reader, column in read:
        source = _source(bound, reader, column)
        if source is None:
            return None
        number, back = source
        found[number] = max(found[number], back)
    return found


def _source(
    bound: dict[int, list[str]], reader: int, column: Sequence[str]
) -> tuple[int, int] | None:
    """The statement whose values a statement reads, and how many passes back."""
    for number, names in bound.items():
        for back in range(number >= reader, _FARTHEST):
            if column[back:] == names[: len(names) - back]:
                return number, back
    return None
