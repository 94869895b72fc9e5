"""`gradcli jacobian`: all derivatives of outputs by leaves, as a matrix."""

from gradcli.cli.matrices import answering

EXAMPLES = """\b
Examples:
  gradcli jacobian "z = (2*x)**3" --set x="[[1,2],[3,4]]"
  gradcli jacobian "y = x**2" -s x=1,2,3 -g 1,0.1,0.01
  gradcli jacobian "y = A @ x" -s A=@weights.npy -s x=1,2 --wrt x --save J.npy
"""

command = answering(
    "jacobian",
    """Show the Jacobian: a row for each element of the outputs, a column for each of the leaves.

    With --gradient also v, the product vᵀ·J, and that it is what backward gives.
    """,
    "gradient",
)
