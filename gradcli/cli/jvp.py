"""`gradcli jvp`: the product of the Jacobian and a tangent."""

from gradcli.cli.matrices import answering

EXAMPLES = """\b
Examples:
  gradcli jvp "y = x**2" -s x=1,2,3 --tangent 1,0,0
  gradcli jvp "y = a*sin(b)" -s a=2 -s b=1 --tangent a=1 --tangent b=0.5
"""

command = answering(
    "tangent_product",
    """Show J·t: how the outputs change when the leaves move along a tangent t.

    Leaves without a tangent stay where they are.
    """,
    "tangent",
)
