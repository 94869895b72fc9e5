"""One element of a gradient against what was found without it: pass, fail, or no clear answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.differences import Estimate
from gradcli.analysis.line import EPS
from gradcli.analysis.verdict import Finding, Index, Verdict, agreed_digits

AGREES = 1e-10
"""What derivatives of special functions may be off by, beyond the rounding that was measured."""
USEFUL = 1e-4
"""A derivative must be known to this part of itself to establish a pass …"""
NEGLIGIBLE = 1e-10
"""… or, where it is 0, to this part of what it is made of and of what is usual nearby."""
CLEAR = 10.0
"""A failure is a difference of this many times the error of both."""
TINY = float(np.finfo(np.float64).tiny)
"""Below this size numbers lose their digits one by one."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An element of a gradient that is to be checked."""

    value: float
    noise: float
    """How much of it may be rounding."""
    scale: float
    """The size that a derivative has here when it is not 0."""


def judge(index: Index, claim: Claim, estimate: Estimate, exact: float = math.nan) -> Finding:
    """A claim against differences, and against complex step, `exact`, where that is known.

    Complex step is right only where all ops are analytic, which nobody has promised: it can
    confirm what differences do not contradict, and differences alone can fail a claim.
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
    tolerance = max(USEFUL * size, NEGLIGIBLE * claim.scale)
    verdict: Verdict = "inconclusive"
    reason = ""
    if not math.isfinite(error):
        reason = "differences do not settle"
    elif difference > CLEAR * bound and confirmed:
        reason = "differences contradict complex step"
    elif difference > CLEAR * bound:
        verdict = "fail"
    elif error > tolerance:
        reason = "rounding hides it from differences"
    elif difference > min(bound, tolerance) or 0 < abs(value) <= claim.noise + error:
        reason = "it may be nothing but rounding"
    else:
        verdict = "pass"
    digits = agreed_digits(max(difference, error), tolerance / USEFUL)
    return Finding(index, verdict, value, reference, error, method, digits, reason)


def disagree(a: Estimate, b: Estimate) -> bool:
    """Whether two estimates cannot be of one number."""
    return abs(a.value - b.value) > CLEAR * (a.error + b.error)  # not if one is unknown
