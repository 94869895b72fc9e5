"""`gradcli jvp`: the product of the Jacobian and a tangent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradcli.cli.matrices import answering

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Answer
    from gradcli.analysis.problem import Problem
    from gradcli.graph import Array

EXAMPLES = """\b
Examples:
  gradcli jvp "y = x**2" -s x=1,2,3 --tangent 1,0,0
  gradcli jvp "y = a*sin(b)" -s a=2 -s b=1 --tangent a=1 --tangent b=0.5
"""


def _find(problem: Problem, tangents: Mapping[str, Array]) -> Answer:
    from gradcli.analysis.jacobian import tangent_product

    return tangent_product(problem, tangents)


command = answering(
    _find,
    """Show J·t: how the outputs change when the leaves move along a tangent t.

    Leaves without a tangent stay where they are.
    """,
    "tangent",
)
