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

STEPS, WIDEST = 80, 400
"""The most steps and characters of a long formula."""
MOST, MOST_OF_LONG = 3_000, 2_000
"""The most mutants that are tried."""


def misprints(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """The mutants of the gradient's formula where it is short; a formula of the user's has its
    own.
    """
    text = words.spelled(words.plain(claim.grad))
    if claim.typed is None and text is not None and claim.theirs.any():
        yield from _of(claim, words, text, MOST)


def long_misprints(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """The same of a long one, for what nothing else explains."""
    plain = words.plain(claim.grad)
    if claim.typed is None and words.spelled(plain) is None and claim.theirs.any():
        texts = [words.spelled(each, STEPS, WIDEST) for each in (plain, claim.grad)]
        text = min(filter(None, texts), key=len, default=None)  # the plain one may lack names
        if text is not None:
            yield from _of(claim, words, text, MOST_OF_LONG)


def _of(claim: Claim, words: Wording, text: str, most: int) -> Iterator[Consequence]:
    with Tolerant():
        right = typed(claim.walk, Source("the gradient", text))
        grower = Grower(material(claim, words, right.remember()))
        mutants = sorted(grower.mutants(right.expression), key=lambda each: each.cost)
        for mutant in mutants[:most]:
            with Tolerant():
                yield Consequence(*mutant.undone, right.value(mutant.tree))
