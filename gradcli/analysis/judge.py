"""One element of a gradient against independent estimates: pass, fail, or inconclusive."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradcli.analysis.differences import Estimate
from gradcli.analysis.line import EPS, TINY
from gradcli.analysis.verdict import Finding, Index, Verdict, agreed_digits

AGREES = 1e-10
"""The relative error that derivatives of special functions may have beyond measured rounding."""
USEFUL = 1e-4
"""A derivative must be known with this relative error to establish a pass …"""
NOISY = 5e-2
"""… from values that are noisy, with this one …"""
NEGLIGIBLE = 1e-10
"""… or, where it is 0, with this error relative to its terms and to the usual size nearby."""
CLEAR = 10.0
"""A failure is a difference of this many times the error of both, …"""
CLEAR_OF_NOISE = 2.0
"""… or where that is one of chance, with three standard deviations in it, of this many."""


@dataclass(frozen=True, slots=True)
class ElementClaim:
    """An element of a gradient that is to be checked."""

    value: float
    noise: float
    """The part of it that may be rounding error."""
    scale: float
    """The size that a derivative has here when it is not 0."""
    useful: float = USEFUL
    """The relative error with which it must be known."""


def judge(
    index: Index,
    claim: ElementClaim,
    estimate: Estimate,
    exact: float = math.nan,
    clear: float = CLEAR,
) -> Finding:
    """A claim against differences, and against complex step, `exact`, where that is known. It fails
    by a difference of `clear` times the error.

    Complex step is right only where all ops are analytic, which is not certain: it can confirm a
    claim that differences do not contradict, and only differences can fail a claim.
    """
    value = claim.value
    reference, error, method = estimate.value, estimate.error, "differences"
    confirmed = abs(exact - value) <= claim.noise + AGREES * abs(exact)  # not if exact is nan
    contradicted = abs(exact - reference) > CLEAR * error + AGREES * abs(exact)
    if confirmed and not contradicted:
        reference, error, method = exact, EPS * abs(exact), "complex step"
    size = max(abs(value), abs(reference))
    difference = abs(value - reference)
    bound = error + claim.noise + AGREES * size + TINY
    tolerance = max(claim.useful * size, NEGLIGIBLE * claim.scale)
    verdict: Verdict = "inconclusive"
    reason = ""
    if not math.isfinite(error):
        reason = "differences do not converge"
    elif difference > clear * bound and confirmed:
        reason = "differences contradict complex step"
    elif difference > clear * bound:
        verdict = "fail"
    elif error > tolerance:
        reason = "rounding hides it from differences"
    elif difference > min(bound, tolerance) or 0 < abs(value) <= claim.noise + error:
        reason = "it may be rounding error only"
    else:
        verdict = "pass"
    digits = agreed_digits(max(difference, error), tolerance / claim.useful)
    return Finding(index, verdict, value, reference, error, method, digits, reason)


def disagree(a: Estimate, b: Estimate) -> bool:
    """Whether two estimates cannot be of the same number."""
    return abs(a.value - b.value) > CLEAR * (a.error + b.error)  # not if one is unknown
