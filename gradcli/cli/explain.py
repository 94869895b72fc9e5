"""`gradcli explain`: the chain rule with this run's numbers."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gradcli.cli import options as flag

EXAMPLES = """\b
Examples:
  gradcli explain "y = 2*x; z = y**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli explain "y = mm(x, [[1,2],[3,4]])" -s x="[[2,1]]" -g "[[1,0]]"
  gradcli explain "z = (2*x)**3; out = mean(z)" -s x="[[1,2],[3,4]]" --entry "x[0,1]"
"""

Entry = Annotated[
    str | None,
    typer.Option(
        "--entry",
        metavar="ENTRY",
        help="One entry of the gradient, x[0,1], as a sum over paths.",
    ),
]
Style = Annotated[
    Literal["text", "markdown", "latex"],
    typer.Option("--format", help="What to print."),
]


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    strict: flag.Strict = False,
    entry: Entry = None,
    format_: Style = "text",
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    precision: flag.Precision = 6,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Explain a gradient: values forward, then grads backward, each rule with its numbers."""
    from gradcli.analysis.explain import explain
    from gradcli.analysis.paths import follow
    from gradcli.analysis.single import run
    from gradcli.cli.deadline import confined
    from gradcli.cli.posing import read_options, write
    from gradcli.cli.request import read_request
    from gradcli.report import explain as report
    from gradcli.report.document import render

    options = read_options(
        output, wrt, dtype, seed, max_memory, max_steps, safe=safe, strict=strict
    )
    with confined(timeout, options.limits.memory_bytes(), safe=safe):
        request = read_request(program, file, set_ or (), gradient or (), options, safe=safe)
        single = run(
            request.program, request.inputs, request.gradients, request.options, request.draws
        )
        if entry is None:
            blocks = report.document(explain(single), precision)
        else:
            blocks = report.entry_document(follow(single, entry), precision)
        write([render(blocks, format_)])
