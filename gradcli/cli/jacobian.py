"""`gradcli jacobian`: all derivatives of outputs by leaves, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.cli.matrices import answering

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Answer
    from gradcli.analysis.problem import Problem

EXAMPLES = """\b
Examples:
  gradcli jacobian "z = (2*x)**3" --set x="[[1,2],[3,4]]"
  gradcli jacobian "y = x**2" -s x=1,2,3 -g 1,0.1,0.01
  gradcli jacobian "y = A @ x" -s A=@weights.npy -s x=1,2 --wrt x --save J.npy
"""


def _find(problem: Problem) -> Answer:
    from gradcli.analysis.jacobian import jacobian

    return jacobian(problem)


command = answering(
    _find,
    """Show the Jacobian: a row for each element of the outputs, a column for each of the leaves.

    With --gradient also v, the product vᵀ·J, and that it is what backward gives.
    """,
    "gradient",
)
