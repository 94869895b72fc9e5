"""Blocks of statements that a program writes many times one after another: the passes of a loop
that somebody, or a program, has written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from gradcli.language import syntax
from gradcli.tuples import NamedTuple

LEAST = 1000
"""Fewer statements are run one by one, though they are all alike."""
WIDEST = 64
"""The most statements in a pass."""


class Block(NamedTuple):
    """Statements that are written many times."""

    first: int
    """The number of the first statement of the first pass, from 0."""
    length: int
    """How many statements there are in a pass."""
    passes: int

    @property
    def end(self) -> int:
        """The number of the statement behind the last pass."""
        return self.first + self.length * self.passes

    def of(self, program: syntax.Program) -> Sequence[syntax.Statement]:
        """Its statements."""
        return program.statements[self.first : self.end]


def blocks(program: syntax.Program) -> Sequence[Block]:
    """The longest blocks, none of which has fewer than `LEAST` statements in all.

    A pass begins at a statement that is in it once. Where results are expected there are none.
    """
    return () if program.expectations else _blocks(program.source.text, program.statements)


@lru_cache(maxsize=1)  # it is asked for several times
def _blocks(text: str, statements: Sequence[syntax.Statement]) -> Sequence[Block]:
    written = [text[slice(*each.span)] for each in statements]
    return tuple(found(written))


def found(written: Sequence[str] | Sequence[bytes]) -> Iterator[Block]:
    """The blocks of equal texts of statements."""
    if len(written) - len(set(written)) < LEAST // 2:
        return
    period = _distances(written)
    place, known = 0, [0] * (WIDEST + 1)
    while place < len(written):
        length = period[place]
        if length and known[length] <= place:
            end = place + length
            while end < len(written) and written[end] == written[end - length]:
                end += 1
            known[length] = end  # up to there it repeats itself, from wherever one begins
        passes = (known[length] - place) // length if length else 0
        if length * passes >= LEAST:
            yield Block(place, length, passes)
            place += length * passes
        else:
            place += 1


def _distances(written: Sequence[str] | Sequence[bytes]) -> list[int]:
    """How far from each statement the next one of its text is; 0 for none that is near."""
    found = [0] * len(written)
    last: dict[str | bytes, int] = {}
    for place in range(len(written) - 1, -1, -1):
        distance = last.get(written[place], place) - place
        found[place] = distance if distance <= WIDEST else 0
        last[written[place]] = place
    return found


def once(program: syntax.Program, blocks: Sequence[Block]) -> Sequence[syntax.Statement]:
    """The statements without those that repeat others."""
    statements, start = list[syntax.Statement](), 0
    for block in blocks:
        statements += program.statements[start : block.first + block.length]
        start = block.end
    return (*statements, *program.statements[start:]) if start else program.statements
