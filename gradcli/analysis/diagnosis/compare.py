"""Is the user's own gradient right, and if not, why?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np

from gradcli.analysis.agreement import agreement
from gradcli.analysis.diagnosis.causes import confirmed
from gradcli.analysis.diagnosis.claim import Claim, close
from gradcli.analysis.diagnosis.double import in_double
from gradcli.analysis.diagnosis.elsewhere import branch
from gradcli.analysis.diagnosis.patterns import elements
from gradcli.analysis.diagnosis.remarks import remarks
from gradcli.analysis.diagnosis.search import Search
from gradcli.analysis.diagnosis.sides import MOST, Jump, kinks
from gradcli.analysis.diagnosis.smaller import LARGE, confirmed_in_small
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording, wording
from gradcli.analysis.evidence import Evidence, from_formula, from_values, rounding
from gradcli.analysis.verdict import (
    Agreement,
    Cause,
    Check,
    Comparison,
    Tolerance,
    Unseen,
    Verdict,
)
from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.graph import Array
from gradcli.ops.shapes import element
from gradcli.walks import ancestors

UNBOUNDED = nullcontext()
ENDED = {
    "limit-time": "a mistake that takes longer to find than --timeout allows",
    "limit-memory": "a mistake that takes more memory to find than --max-memory allows",
    "interrupted": "a mistake that was still looked for when the check was interrupted",
}
FEW = 0.5
"""Where so few elements of a large leaf are wrong, no cause of all is looked for."""


def compare(
    claim: Claim,
    evidence: Evidence | None = None,
    tolerance: Tolerance | None = None,
    bounded: AbstractContextManager[object] = UNBOUNDED,
) -> Comparison:
    """Compare, and explain a difference; `evidence` says how exactly the gradient was given.

    The explanation is looked for while `bounded`, which ends it by raising `limit-time`: then only
    the verdict is known, and so it is where the memory ends.
    """
    mine, right = claim.theirs, claim.right
    words = wording(claim)
    formula = words.spelled(words.plain(claim.grad))
    if mine.shape == right.shape:
        found = agreement(claim, evidence or _evidence(claim), tolerance)
    else:
        found = Agreement("fail", "the shape", (), math.inf, 0.0, np.ones(right.shape, bool))

    def answer(causes: Sequence[Cause], *, sure: bool = True, verdict: Verdict) -> Comparison:
        return Comparison(claim.name, verdict, mine, right, formula, list(causes), sure, found)

    if found.verdict == "pass":
        return answer([*remarks(claim, words)], verdict="pass")
    if found.verdict == "inconclusive" and not found.coincidence:
        return answer([Cause("rounded", _hidden(found))], verdict="inconclusive")
    near = found.elsewhere is None and not found.coincidence
    jumps = _jumps(claim, found.wrong) if near else []
    if jumps and len(jumps) == found.wrong.sum() and all(each.between for each in jumps):
        return answer([elements(claim, found.wrong, jumps)], verdict="inconclusive")
    try:
        with bounded:
            if found.coincidence:
                causes, sure = [_coincidence(claim, words)], True
            else:
                causes, sure = _diagnosed(claim, words, found, jumps)
    except GradcliError as error:
        code = error.diagnostic.code
        if code not in ENDED:
            raise
        causes, sure = [Cause(code, ENDED[code])], False
    except KeyboardInterrupt:
        causes, sure = [Cause("interrupted", ENDED["interrupted"])], False
    return answer(causes, sure=sure, verdict="inconclusive" if found.coincidence else "fail")


def compare_all(
    found: Check,
    claims: Iterable[tuple[Claim, Evidence]],
    tolerance: Tolerance | None,
    bounded: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Check:
    """The check with further gradients compared, up to where Ctrl-C ends it."""
    mine = list(found.mine)
    notes = list(found.notes)
    try:
        for claim, evidence in claims:
            mine.append(compare(claim, evidence, tolerance, bounded()))
            if mine[-1].stopped:
                break
    except KeyboardInterrupt:
        told = "interrupted before all gradients that were given were compared"
        notes.append(Note("interrupted", told))
    return replace(found, mine=mine, notes=notes)


def _diagnosed(
    claim: Claim, words: Wording, found: Agreement, jumps: Sequence[Jump]
) -> tuple[list[Cause], bool]:
    """Why a gradient is wrong, some of it at jumps, and whether that is certain."""
    if found.elsewhere is not None:
        return [branch(claim, found.elsewhere, found.index)], True
    mine, right = claim.theirs, claim.right
    large = claim.leaf.size > LARGE
    known = confirmed_in_small(claim, found.index) if large else _confirmed_here(claim, words)
    if known:
        return known, len(known) == 1 and known[0].sure
    if close(mine, right, claim.rtol):
        return [_slight(claim, found)], True
    if close(mine, right, claim.rtol, rounding(mine)):
        return [elements(claim, found.wrong, jumps)], True
    if large and 0 < np.count_nonzero(found.wrong) <= FEW * found.wrong.size:
        return [elements(claim, found.wrong, jumps)], False
    search = Search(claim, words)
    return search.causes() or search.further(), False


def _coincidence(claim: Claim, words: Wording) -> Cause:
    """What is said of a formula that agrees in the run alone, with its mistake if that is certain:
    the numbers of the run tell nothing of it.
    """
    text = "it agrees here, but not where the leaf has other values near by"
    searched = claim.typed is not None and claim.leaf.size <= LARGE
    known = _confirmed_here(claim, words) if searched else []
    if len(known) == 1 and known[0].sure:
        return Cause("coincidence", f"{text}: {known[0].message}", {}, known[0].correction)
    return Cause("coincidence", text)


def _confirmed_here(claim: Claim, words: Wording) -> list[Cause]:
    """The mistake in a formula, searched in float64, where mistakes differ by more digits."""
    if claim.typed is not None and claim.walk.problem.options.precision == "float32":
        with Tolerant():
            twin = in_double(claim, claim.typed.source)
            return confirmed(twin, wording(twin))
    return confirmed(claim, words)


def _evidence(claim: Claim) -> Evidence:
    """What is known of a gradient of which nobody said how it was given."""
    order = ancestors([claim.mine])
    if claim.leaf in order or any(not node.inputs and node.known is None for node in order):
        return from_formula(claim.typed.source if claim.typed else Source("--mine", ""))
    return from_values(claim.theirs)


def _hidden(found: Agreement) -> str:
    """Why an agreement confirms nothing."""
    if found.unseen is not None:
        return _unseen(found.unseen)
    if found.difference > found.allowed:
        return (
            f"it differs by {found.difference:.1g} of the gradient, more than rounding in a longer "
            f"precision, less than {found.told} may hide"
        )
    if math.isnan(found.allowed):
        return "it agrees where the gradient is a number; where it is not, nothing is known"
    if found.allowed >= 1:
        return f"it agrees as far as can be told, but {found.told} may be larger than the gradient"
    return (
        f"it agrees as far as can be told: a mistake of less than {found.allowed:.1g} of the "
        f"gradient may be hidden by {found.told}"
    )


def _unseen(found: Unseen) -> str:
    """What may be wrong where all that can be seen agrees."""
    hidden = "next to larger terms rounding hides"
    everywhere = "here and where inputs have other sizes"
    if not found.is_own:
        words = f"what {found.words} adds to the gradient" if found.words else "a term of it"
        return f"it agrees, but {hidden} {words}, {everywhere}: yours may be without it"
    known = f"confirmed to {found.known:.1g} of itself only" if found.known < 1 else "not confirmed"
    return f"it agrees, but {found.words} is {known}: {hidden} the rest, {everywhere}"


def _slight(claim: Claim, found: Agreement) -> Cause:
    """A difference that is too small for a mistake in the formula's structure."""
    text = (
        f"{element(claim.name, found.index)} is off by {found.difference:.1g} of itself, rounding "
        f"explains {found.allowed:.1g}: a constant with too few digits?"
    )
    return Cause("approximate", text)


def _jumps(claim: Claim, wrong: Array) -> list[Jump]:
    """Where the derivative is a matter of choice, if so few elements are wrong that each is looked
    at.
    """
    few = claim.theirs.shape == claim.right.shape and np.count_nonzero(wrong) <= MOST
    return kinks(claim, wrong) if few else []
