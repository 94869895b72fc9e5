"""`gradcli check`: is this gradient right?"""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams

EXAMPLES = """\b
Examples:
  gradcli check "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli check "sum(relu(w @ x))" -s w="[[1,-2]]" -s x=2,1 --strict
  gradcli check "logsumexp(x)" -s x=1,2,3 --order 2 --json
"""

Order = Annotated[
    int,
    typer.Option("--order", min=1, max=2, help="1 checks the gradient, 2 the Hessian."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 1 where the answer is inconclusive, too."),
]


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    order: Order = 1,
    strict: Strict = False,
    dtype: flag.Dtype = "float64",
    device: flag.Device = "cpu",
    seed: flag.Seed = None,
    threads: flag.Threads = None,
    json: flag.Json = False,
    format_: flag.TextOrJson = "text",
    precision: flag.Precision = 6,
    color: flag.Color = "auto",
    quiet: flag.Quiet = False,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> int:
    """Check the gradient of every leaf against differences, complex step and forward mode.

    Exits with 1 if one is wrong. Where there is no clear answer, at a kink for instance, it says
    why; that is an error under --strict only.
    """
    from gradcli.analysis.check import check
    from gradcli.cli import posing
    from gradcli.cli.deadline import deadline, seconds_allowed
    from gradcli.cli.exit import DONE, FINDING

    options = posing.read_options(
        output, wrt, dtype, seed, max_memory, max_steps, safe=safe, device=device, threads=threads
    )
    with deadline(seconds_allowed(timeout, safe=safe)):
        problem = posing.read_problem(program, file, set_, gradient, options, safe=safe)
        found = check(problem, order)
    if not quiet:
        if json or format_ == "json":
            from gradcli.report.check import check_json

            posing.write([*check_json(found), "\n"])
        else:
            from gradcli.report.text_check import check_text

            layout = posing.layout(precision)
            posing.write([check_text(found, layout, colour=streams.use_colour(color))])
    wrong = {"fail", "inconclusive"} if strict else {"fail"}
    return FINDING if found.verdict in wrong else DONE
