"""`gradcli derive`: the gradient as a program."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.cli.bundles import expanded

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


def _command(
    run: flag.Run,
    gradient: flag.Gradients = None,
    strict: flag.Strict = False,
    assume_finite: AssumeFinite = False,
    to: To = "gradcli",
) -> None:
    """Print the gradient as a program in the same language, simplified.

    It binds the inputs, ends in NAME_grad = … for each leaf, and runs: pipe it into gradcli eval.
    """
    from gradcli.analysis import single
    from gradcli.analysis.derive import derive
    from gradcli.analysis.reproduce import reproduce
    from gradcli.report import latex, program, script

    options = run.options(strict=strict)
    with run.bounds.confined():
        request = run.request(gradient, options)
        traced = single.run(request.program, request.inputs, request.gradients, request.options)
        derived = derive(traced, assume_finite=assume_finite)
        if to == "gradcli":
            text = program.render(derived)
        elif to == "latex":
            text = latex.equations(derived.program)
        else:
            text = script.render(reproduce(traced, derived), to)
        with streams.output() as stream:
            stream.write(text)


command = expanded(_command)
