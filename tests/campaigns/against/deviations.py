"""The differences that the README documents: a rule for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tests.campaigns.against.compare import Difference
from tests.campaigns.against.program import HERE, Program
from tests.campaigns.against.sides import Answer

NUMBERS_ONLY = (
    "not implemented for 'Bool'",
    "not implemented for 'Long'",
    "only support floating point",
    "with a bool tensor is not supported",
    "dtype Bool",
    "dtype Long",
    "must be floating point",
    "floating point",
    "for 'Int'",
    "for 'Bool'",
    "heaviside is not implemented",
)


def deviation(
    program: Program, here: Answer, theirs: Answer, found: Sequence[Difference]
) -> str | None:
    """The name of the documented deviation that explains all differences, if one does."""
    text = program.text(HERE)
    if found[0].sort == "refusal" and here.error.startswith("graph-freed"):
        return "a second backward through what needs nothing saved"
    if found[0].sort == "acceptance" and "derivative for aten::floor_divide" in theirs.error:
        return "floor_divide"
    if found[0].sort == "acceptance" and any(each in theirs.error for each in NUMBERS_ONLY):
        return "functions of floats take truth values and whole numbers, too"
    if found[0].sort in ("value", "grad") and _is_trigamma(program, found):
        return "digits of trigamma and of the derivative of hardsigmoid"
    if "retain_grad" in text and "grad(" in text and all(e.name in program.retained for e in found):
        return "a retained grad is left alone by grad()"
    return None


def _is_trigamma(program: Program, found: Sequence[Difference]) -> bool:
    """PyTorch's trigamma has nine digits, and the 1/6 of its hardsigmoid is float32's."""
    if not re.search("digamma|psi|polygamma|hardsigmoid|lgamma|gammaln", program.text(HERE)):
        return False
    return all(
        np.allclose(each.here, each.theirs, rtol=1e-7, atol=1e-8, equal_nan=True)
        for each in found
        if each.sort in ("value", "grad")
    )
