"""`gradcli hessian`: all second derivatives of a number, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.cli.matrices import answering

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Answer
    from gradcli.analysis.problem import Problem

EXAMPLES = """\b
Examples:
  gradcli hessian "100*(y - x**2)**2 + (1 - x)**2" -s x=1 -s y=1
  gradcli hessian "logsumexp(x)" -s x=1,2,3 --json
  gradcli hessian "y = x**3" -s x=1,2 -g 1,0.5
"""


def _find(problem: Problem) -> Answer:
    from gradcli.analysis.jacobian import hessian

    return hessian(problem)


command = answering(
    _find,
    """Show the Hessian, whether it is symmetric, and whether it is definite.

    An output of several elements needs --gradient, the weights v of the number v·output.
    """,
    "gradient",
)
