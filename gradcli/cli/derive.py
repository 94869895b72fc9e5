"""`gradcli derive`: the gradient as a program."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gradcli.cli import options as flag

EXAMPLES = """\b
Examples:
  gradcli derive "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli derive "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 -g 1 | gradcli eval -
  gradcli derive "y = x**3" -s x=2 | gradcli derive -
  gradcli derive "y = x**3" -s x=2 --to torch > reproduce.py
"""

AssumeFinite = Annotated[
    bool,
    typer.Option(
        "--assume-finite",
        help="Simplify as if nothing was nan or infinite: x/x is 1, 0*x is 0.",
    ),
]
To = Annotated[
    Literal["gradcli", "latex", "numpy", "torch", "jax"],
    typer.Option(
        "--to", help="What to write: a program of this language, formulas, or a script that checks."
    ),
]


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    strict: flag.Strict = False,
    assume_finite: AssumeFinite = False,
    to: To = "gradcli",
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Print the gradient as a program in the same language, simplified.

    It binds the inputs, ends in NAME_grad = … for each leaf, and runs: pipe it into gradcli eval.
    """
    from gradcli.analysis.derive import derive
    from gradcli.analysis.reproduce import reproduce
    from gradcli.analysis.single import run
    from gradcli.cli.deadline import confined
    from gradcli.cli.posing import read_options, write
    from gradcli.cli.request import read_request
    from gradcli.report import latex, script
    from gradcli.report import program as report

    options = read_options(
        output, wrt, dtype, seed, max_memory, max_steps, safe=safe, strict=strict
    )
    with confined(timeout, options.limits.memory_bytes(), safe=safe):
        request = read_request(program, file, set_ or (), gradient or (), options, safe=safe)
        single = run(
            request.program, request.inputs, request.gradients, request.options, request.draws
        )
        derived = derive(single, assume_finite=assume_finite)
        if to == "gradcli":
            text = report.render(derived)
        elif to == "latex":
            text = latex.equations(derived.program)
        else:
            text = script.render(reproduce(single, derived), to)
        write([text])
