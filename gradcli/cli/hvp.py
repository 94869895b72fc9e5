"""`gradcli hvp`: the product of the Hessian and a vector."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.matrices import answer

EXAMPLES = """\b
Examples:
  gradcli hvp "sum(x**4)" -s x=1,2,3 --vector 1,0,0
  gradcli hvp "a*exp(b)" -s a=2 -s b=1 --vector b=1 --json
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    vector: flag.Vectors = None,
    gradient: flag.Gradients = None,
    save: flag.SaveMatrix = None,
) -> None:
    """Show H·u: how the gradient changes when the leaves move along a vector u.

    Leaves without a vector stay where they are.
    """
    from gradcli.analysis.jacobian import hessian_product

    answer(hessian_product, run, show, save, gradient, {"--vector": vector})


command = expanded(_command, shows="matrices")
