"""`gradcli graph`: the graph of a program as a tree, a diagram or data."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gradcli.cli import options as flag

EXAMPLES = """\b
Examples:
  gradcli graph "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli graph -f program.grad --format dot | dot -Tpdf > graph.pdf
  gradcli graph "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 --format svg > graph.svg
"""

Form = Annotated[
    Literal["tree", "dot", "mermaid", "json", "svg"],
    typer.Option("--format", help="A tree, a diagram, or data."),
]


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    forward: flag.Forward = False,
    format_: Form = "tree",
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    precision: flag.Precision = 6,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Show the graph of a program: each op with its operands, its value, and its grad if known."""
    from gradcli.cli.deadline import confined
    from gradcli.cli.posing import layout, read_options, write
    from gradcli.cli.request import read_request
    from gradcli.session import evaluate

    options = read_options(output, wrt, dtype, seed, max_memory, max_steps, safe=safe)
    options = options._replace(forward_only=forward, trace_values=True)
    with confined(timeout, options.limits.memory_bytes(), safe=safe):
        request = read_request(program, file, set_ or (), gradient or (), options, safe=safe)
        result = evaluate(
            request.program, request.inputs, request.gradients, request.options, request.draws
        )
        if format_ == "tree":
            from gradcli.report.text import printed
            from gradcli.report.text_tree import draw

            text = printed([draw(result, layout(precision), None)], colour=False)
        else:
            from gradcli.report.picture import WRITERS, boxes

            text = WRITERS[format_](boxes(result, precision))
        write([text])
