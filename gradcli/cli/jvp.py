"""`gradcli jvp`: the product of the Jacobian and a tangent."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.matrices import answer

EXAMPLES = """\b
Examples:
  gradcli jvp "y = x**2" -s x=1,2,3 --tangent 1,0,0
  gradcli jvp "y = a*sin(b)" -s a=2 -s b=1 --tangent a=1 --tangent b=0.5
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    tangent: flag.Tangents = None,
    save: flag.SaveMatrix = None,
) -> None:
    """Show J·t: how the outputs change when the leaves move along a tangent t.

    Leaves without a tangent stay where they are.
    """
    from gradcli.analysis.jacobian import tangent_product

    answer(tangent_product, run, show, save, None, {"--tangent": tangent})


command = expanded(_command, shows="matrices")
