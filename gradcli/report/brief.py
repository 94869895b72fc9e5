"""A long explanation in brief: a line a value where that is possible, and nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from gradcli.report.arrays import counted
from gradcli.report.document import (
    Block,
    Chain,
    Heading,
    Paragraph,
    Together,
    as_text,
    render,
)

LONG = 100
"""A program of more steps is told on a screen a level."""
SCREEN = 60
"""The lines of a screen."""
ROWS = 60
"""The most lines of a value that is shown in full."""
NOTE = "Note: "


def on_screens(
    steps: Callable[[int], Sequence[Block]], why: Sequence[Paragraph], screens: int
) -> list[Block]:
    """The first that fits so many screens: all; steps in brief; values of several lines described;
    with less of why. `steps` gives the steps for the most lines of a value.
    """
    room = screens * SCREEN
    for most, told in ((ROWS, list), (ROWS, briefly), (1, briefly)):
        found = [*told(steps(most)), *titled(why)]
        if _lines(found) <= room:
            return found
    return [*found[: len(found) - len(titled(why))], *titled(_fewer(why, found, room))]


def titled(why: Sequence[Paragraph]) -> list[Block]:
    """The answers under their heading; nothing, if there are none."""
    return [Heading("Why"), *why] if why else []


def _fewer(why: Sequence[Paragraph], found: Sequence[Block], room: int) -> list[Paragraph]:
    """Answers without so many that the document is too long; those of all programs go first."""
    over = _lines(found) - room + 2  # a line says how many are left out
    left = dict(enumerate(why))
    for number in sorted(left, key=lambda k: (why[k].text.startswith(NOTE), -k)):
        if over <= 0:
            break
        over -= _lines([left.pop(number)]) + 1
    said = f"{counted(len(why) - len(left), 'more remark')}: --inside all, or eval for notes"
    return [*left.values(), Paragraph(said)]


def _lines(blocks: Sequence[Block]) -> int:
    return len(render(blocks, as_text).splitlines())


def briefly(blocks: Sequence[Block]) -> Iterator[Block]:
    """The document without the numbers that steps begin with, and without what is said twice."""
    said: set[str] = set()
    for are_chains, group in groupby(blocks, key=lambda block: isinstance(block, Chain)):
        if are_chains:
            yield Together("", [_short(block, said) for block in group if isinstance(block, Chain)])
        else:
            yield from group


def _is_value(remark: str) -> bool:
    """Whether it is a described value, or a line of a loop."""
    return remark.startswith(("shape ", " "))


def _short(chain: Chain, said: set[str]) -> Chain:
    """What a value is computed from, the value, and the remarks that are new, in whatever name."""
    name = chain.left.removesuffix(".grad")
    described = any(map(_is_value, chain.remarks))
    remarks: list[str] = []
    for remark in chain.remarks:
        if remark.startswith(f"{chain.left}["):
            continue  # one element with its numbers
        short = re.sub(r" of shape \(.*?\)", "", remark)
        form = re.sub(rf"\b{re.escape(name)}\b", "…", short)
        if _is_value(remark) or form not in said:
            remarks.append(short if described else remark)
        said.add(form)
    ends = chain.equal[:1] + chain.equal[1:][-1:]
    return replace(chain, equal=ends, remarks=remarks)
