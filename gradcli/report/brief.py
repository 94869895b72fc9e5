"""A long explanation in brief: a line a value where that is possible, and nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from gradcli.report.document import Block, Chain, Together, as_text, render

LONG = 100
"""A program of more steps is told on a screen a level."""
SCREEN = 60
"""The most lines of a document that is told at length."""


def brief(blocks: list[Block]) -> list[Block]:
    """The document, without the numbers that steps begin with, if it is longer than a screen."""
    if len(render(blocks, as_text).splitlines()) <= SCREEN:
        return blocks
    return [*_briefly(blocks)]


def _briefly(blocks: Sequence[Block]) -> Iterator[Block]:
    said: set[str] = set()
    for are_chains, group in groupby(blocks, key=lambda block: isinstance(block, Chain)):
        if are_chains:
            yield Together("", [_short(block, said) for block in group if isinstance(block, Chain)])
        else:
            yield from group


def _short(chain: Chain, said: set[str]) -> Chain:
    """What a value is computed from, the value, and the remarks that are new, in whatever name."""
    name = chain.left.removesuffix(".grad")
    remarks: list[str] = []
    for remark in chain.remarks:
        form = re.sub(rf"\b{re.escape(name)}\b", "…", remark)
        if remark.startswith(" ") or form not in said:  # the lines of a loop are no remarks
            remarks.append(remark)
        said.add(form)
    ends = chain.equal[:1] + chain.equal[1:][-1:]
    return replace(chain, equal=ends, remarks=remarks)
