"""Is the user's own gradient right, and if not, why?"""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.analysis.diagnosis.claim import MISFITS, Claim, agreeing, close
from gradcli.analysis.diagnosis.patterns import elements
from gradcli.analysis.diagnosis.rounding import digits_in_common, roundings
from gradcli.analysis.diagnosis.search import Search
from gradcli.analysis.diagnosis.sides import kinks
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.judge import CLEAR, NEGLIGIBLE
from gradcli.analysis.verdict import Cause, Comparison, Verdict

HIDDEN: dict[Verdict, str] = {
    "pass": "right up to rounding: all that the gradient is made of cancels here",
    "inconclusive": "the difference may be nothing but the rounding of the gradient",
}
DIGITS = 5
"""With this many equal digits, a difference may be rounding."""


def compare(claim: Claim) -> Comparison:
    """Compare, and explain a difference."""
    mine, right = claim.theirs, claim.right
    words = _wording(claim)
    formula = words.spelled(words.plain(claim.grad))

    def answer(verdict: Verdict, causes: Sequence[Cause], *, sure: bool = True) -> Comparison:
        return Comparison(claim.name, verdict, mine, right, formula, list(causes), sure)

    here = close(mine, right, claim.rtol)
    if here and (not claim.is_formula or claim.fits(lambda point: point.value(claim.grad))):
        return answer("pass", [])
    hidden = None if here else _hidden(claim)
    if hidden:
        return answer(hidden, [Cause("rounded", HIDDEN[hidden])])
    search = Search(claim, words)
    causes = search.causes()
    if here:
        text = "it agrees here, but not where the leaf has other values near by"
        return answer("inconclusive", [Cause("coincidence", text), *causes])
    if not causes:
        rounded = _rounded(claim)
        if rounded:
            return answer("pass", [rounded])
        at_kinks = _only_at_kinks(claim)
        if at_kinks:
            return answer("inconclusive", [at_kinks])
        causes = search.further()
    return answer("fail", causes, sure=search.sure)


def _hidden(claim: Claim) -> Verdict | None:
    """The verdict where the difference is no larger than the rounding of the gradient: right where
    the user says 0 and all that could have been there is far larger than the rounding.
    """
    try:
        noise = claim.noise()
    except MISFITS:
        return None
    for point, slack in zip(claim.points, noise, strict=True):
        mine, right = point.value(claim.mine), point.value(claim.grad)
        if mine is None or right is None or not close(mine, right, claim.rtol, CLEAR * slack):
            return None
    wrong = ~agreeing(claim.theirs, claim.right, claim.rtol)
    zero = not claim.theirs[wrong].any()
    known = noise[0][wrong].max() <= NEGLIGIBLE * claim.scale
    return "pass" if zero and known else "inconclusive"


def _rounded(claim: Claim) -> Cause | None:
    """Whether the difference comes from rounding when the numbers were written."""
    mine, right = claim.theirs, claim.right
    if mine.shape != right.shape:
        return None
    for rounded in () if claim.is_formula else roundings(mine):
        if close(mine, right, claim.rtol, rounded.slack):
            return Cause("rounded", f"right up to rounding ({rounded.words})")
    digits = digits_in_common(mine, right)
    if digits >= DIGITS:
        return Cause("rounded", f"right up to rounding ({digits:.1f} digits)")
    return None


def _only_at_kinks(claim: Claim) -> Cause | None:
    """Whether the user's gradient differs only where the derivative is a matter of choice."""
    mine, right = claim.theirs, claim.right
    if mine.shape != right.shape:
        return None
    wrong = ~agreeing(mine, right, claim.rtol)
    found = kinks(claim, wrong)
    if len(found) < wrong.sum() or not all(each.between for each in found):
        return None
    return elements(claim, wrong)


def _wording(claim: Claim) -> Wording:
    problem = claim.walk.problem
    names = {node: name for name, node in problem.names.items() if name in problem.program.names}
    names |= {node: name for name, node in problem.leaves.items()}
    names |= {node: name for name, node in claim.walk.vectors.items()}
    return Wording(names, problem.program.source, claim.walk.outputs, claim.points[0].value)
