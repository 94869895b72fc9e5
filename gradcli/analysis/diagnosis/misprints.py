"""Mistakes of writing in numbers: what the gradient's own formula gives after one slip."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.diagnosis.claim import Claim, typed
from gradcli.analysis.diagnosis.material import material
from gradcli.analysis.diagnosis.mutants import Grower
from gradcli.analysis.diagnosis.slips import Consequence
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.diagnostics import Source

MOST = 3_000
"""The most mutants that are tried."""


def misprints(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """The mutants of the gradient's formula where it is short; a formula of the user's has its
    own.
    """
    text = words.spelled(words.plain(claim.grad))
    if claim.typed is not None or text is None or not claim.theirs.any():
        return
    with Tolerant():
        right = typed(claim.walk, Source("the gradient", text))
        grower = Grower(material(claim, words, right.remember()))
        mutants = sorted(grower.mutants(right.expression), key=lambda each: each.cost)
        for mutant in mutants[:MOST]:
            with Tolerant():
                yield Consequence(*mutant.undone, right.value(mutant.tree))
