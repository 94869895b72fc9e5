"""`gradcli hessian`: all second derivatives of a number, as a matrix."""

from gradcli.cli.matrices import answering

EXAMPLES = """\b
Examples:
  gradcli hessian "100*(y - x**2)**2 + (1 - x)**2" -s x=1 -s y=1
  gradcli hessian "logsumexp(x)" -s x=1,2,3 --json
  gradcli hessian "y = x**3" -s x=1,2 -g 1,0.5
"""

command = answering(
    "hessian",
    """Show the Hessian, whether it is symmetric, and whether it is definite.

    An output of several elements needs --gradient, the weights v of the number v·output.
    """,
    "gradient",
)
