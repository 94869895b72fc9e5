"""`gradcli hvp`: the product of the Hessian and a vector."""

from gradcli.cli.matrices import answering

EXAMPLES = """\b
Examples:
  gradcli hvp "sum(x**4)" -s x=1,2,3 --vector 1,0,0
  gradcli hvp "a*exp(b)" -s a=2 -s b=1 --vector b=1 --json
"""

command = answering(
    "hessian_product",
    """Show H·u: how the gradient changes when the leaves move along a vector u.

    Leaves without a vector stay where they are.
    """,
    "vector",
    "gradient",
)
