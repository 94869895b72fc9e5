"""`gradcli hvp`: the product of the Hessian and a vector."""

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
  gradcli hvp "sum(x**4)" -s x=1,2,3 --vector 1,0,0
  gradcli hvp "a*exp(b)" -s a=2 -s b=1 --vector b=1 --json
"""


def _find(problem: Problem, vectors: Mapping[str, Array]) -> Answer:
    from gradcli.analysis.jacobian import hessian_product

    return hessian_product(problem, vectors)


command = answering(
    _find,
    """Show H·u: how the gradient changes when the leaves move along a vector u.

    Leaves without a vector stay where they are.
    """,
    "vector",
    "gradient",
)
