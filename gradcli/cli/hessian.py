"""`gradcli hessian`: all second derivatives of a number, as a matrix."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.matrices import answer

EXAMPLES = """\b
Examples:
  gradcli hessian "100*(y - x**2)**2 + (1 - x)**2" -s x=1 -s y=1
  gradcli hessian "logsumexp(x)" -s x=1,2,3 --json
  gradcli hessian "y = x**3" -s x=1,2 -g 1,0.5
  gradcli hessian "sum((x[1:] - x[:-1]**2)**2)" -s "x=linspace(0,1,9)" \\
      --sparsity
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    save: flag.SaveMatrix = None,
    sparsity: flag.Sparsity = False,
) -> None:
    """Show the Hessian, whether it is symmetric, and whether it is definite.

    An output of several elements needs --gradient, the weights v of the number v·output. A large
    one that is mostly 0 is found by few products, and shown as its entries.
    """
    from gradcli.analysis.jacobian import hessian, hessian_sparsity

    answer(hessian_sparsity if sparsity else hessian, run, show, save, gradient, {})


command = expanded(_command, shows="matrices")
