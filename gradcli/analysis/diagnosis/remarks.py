"""What is remarked on a formula that agrees here, and is not the gradient everywhere.

The verdict is about the run: a formula may leave out a branch that does not occur, and have numbers
for what does not change. Nobody should take it for more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.branches import switches_alone
from gradcli.analysis.diagnosis.claim import Claim, close
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.verdict import Cause
from gradcli.graph import ancestors

NUMBERS, MOVED = 4, 0.3
"""So many single numbers are moved, each by so much."""


def remarks(claim: Claim, words: Wording) -> Iterator[Cause]:
    """The remarks on a formula that passes; none on numbers."""
    if claim.typed is not None:
        yield from _one_sided(claim, words)
        yield from _for_one_number(claim)


def _one_sided(claim: Claim, words: Wording) -> Iterator[Cause]:
    """It has conditions, and the gradient has none."""
    found = switches_alone(claim)
    if found:
        told = words.spelled(words.plain(found[0]))
        yield Cause(
            "one-sided",
            f"{told} changes at a point where the gradient does not: on the other side it may be "
            "wrong",
        )


def _for_one_number(claim: Claim) -> Iterator[Cause]:
    """It is right as a single number in it is 1, and wrong for others."""
    order = ancestors([claim.mine])
    numbers = [
        (name, each)
        for name, each in claim.walk.inputs.items()
        if each.size == 1 and each.kind == "float" and each in order and each is not claim.leaf
    ]
    for name, node in numbers[:NUMBERS]:
        value = claim.known(node)
        there = claim.walk.point({node: value + MOVED})
        here = claim.at_points([there])
        if value.item() % 1 or not claim.goes_on(there) or not here.is_finite:
            continue
        if not close(here.theirs, here.right, claim.rtol):
            apart = np.abs(here.theirs - here.right)
            index = np.unravel_index(int(apart.argmax()), apart.shape)
            yield Cause(
                "one-number",
                f"{name} is {value.item():.10g} here; where it is {value.item() + MOVED:.10g}, "
                f"yours is {here.theirs[index]:.10g}, and the gradient {here.right[index]:.10g}",
            )
