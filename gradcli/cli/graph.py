"""`gradcli graph`: the graph of a program as a tree, a diagram or data."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.inside import InsideLoops, parts

EXAMPLES = """\b
Examples:
  gradcli graph "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli graph -f program.grad --format dot | dot -Tpdf > graph.pdf
  gradcli graph "mean(tanh(x))" -s "x=randn(1000,1000)" --cost --device gpu
  gradcli graph "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 \\
      --format svg > graph.svg
"""

Cost = Annotated[
    bool,
    typer.Option("--cost", help="Show what is computed together, and the bytes that it moves."),
]


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    forward: flag.Forward = False,
    inside: InsideLoops = None,
    cost: Cost = False,
) -> None:
    """Show the graph of a program: each op with its operands, its value, and its grad if known.

    With --cost, how the program would be computed on the device, and how many bytes that moves.
    """
    from gradcli.analysis.intermediates import pictured

    show.format()
    options = run.options(forward_only=forward)
    with run.bounds.confined():
        if cost:
            from gradcli.analysis.costs import costs

            show.write("costs", costs(*run.request(gradient, options)))
        else:
            result = pictured(*run.request(gradient, options), parts(inside))
            show.write("graph", result)
            show.remark(note for note in result.notes if note.code == "broadcast-both")


command = expanded(_command, shows="graph")
