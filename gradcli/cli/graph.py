"""`gradcli graph`: the graph of a program as a tree, a diagram or data."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.cli.inside import InsideLoops, parts

EXAMPLES = """\b
Examples:
  gradcli graph "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli graph -f program.grad --format dot | dot -Tpdf > graph.pdf
  gradcli graph "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 \\
      --format svg > graph.svg
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    forward: flag.Forward = False,
    inside: InsideLoops = None,
) -> None:
    """Show the graph of a program: each op with its operands, its value, and its grad if known."""
    from gradcli.analysis.intermediates import pictured

    show.format()
    options = run.options(forward_only=forward)
    with run.bounds.confined():
        result = pictured(*run.request(gradient, options), parts(inside))
        show.write("graph", result)
        show.remark(note for note in result.notes if note.code == "broadcast-both")


command = expanded(_command, shows="graph")
