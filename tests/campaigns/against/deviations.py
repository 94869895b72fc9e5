"""The differences that the README documents: a rule for each."""

from __future__ import annotations

from collections.abc import Sequence

from tests.campaigns.against.compare import Difference
from tests.campaigns.against.program import Program
from tests.campaigns.against.sides import Answer


def deviation(
    program: Program, here: Answer, theirs: Answer, found: Sequence[Difference]
) -> str | None:
    """The name of the documented deviation that explains all differences, if one does."""
    if found[0].sort == "refusal" and here.error.startswith("graph-freed"):
        return "a second backward through what needs nothing saved"
    if found[0].sort == "acceptance" and "derivative for aten::floor_divide" in theirs.error:
        return "floor_divide"
    return None
