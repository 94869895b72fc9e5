"""`gradcli graph`: the graph of a program as a tree, a diagram or data."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded

EXAMPLES = """\b
Examples:
  gradcli graph "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli graph -f program.grad --format dot | dot -Tpdf > graph.pdf
  gradcli graph "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 --format svg > graph.svg
"""


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    forward: flag.Forward = False,
) -> None:
    """Show the graph of a program: each op with its operands, its value, and its grad if known."""
    from gradcli.analysis.intermediates import with_grads
    from gradcli.session import evaluate

    show.format()
    options = run.options(forward_only=forward, trace_values=True, unroll=True)
    with run.bounds.confined():
        request = run.request(gradient, options)
        result = evaluate(request.program, request.inputs, request.gradients, request.options)
        show.write("graph", with_grads(result))
        show.remark(note for note in result.notes if note.code == "broadcast-both")


command = expanded(_command, shows="graph")
