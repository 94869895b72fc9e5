"""`gradcli derive`: the gradient as a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gradcli.cli import options as flag
from gradcli.cli import shell, streams
from gradcli.cli.bundles import expanded
from gradcli.cli.shapes import parse_shapes
from gradcli.diagnostics import GradcliError
from gradcli.report import paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradcli.analysis.reproduce import Reproduction
    from gradcli.analysis.symbolic.formula import Order
    from gradcli.analysis.symbolic.sizes import Lengths
    from gradcli.cli.request import Invocation

EXAMPLES = """\b
Examples:
  gradcli derive "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli derive "y = tanh(w @ x)" -s w="[[1,2]]" -s x=3,4 -g 1 | gradcli eval -
  gradcli derive "y = x**3" -s x=2 | gradcli derive -
  gradcli derive "y = x**3" -s x=2 --to torch > reproduce.py
  gradcli derive "x.T @ A @ x" --shape A=n,n --shape x=n
  gradcli derive "sum((X @ w - y)**2)" --shape X=n,k --shape w=k --shape y=n \\
      --hessian -w w
"""

AssumeFinite = Annotated[
    bool,
    typer.Option(
        "--assume-finite",
        help="Simplify as if nothing was nan or infinite: x/x is 1, 0*x is 0.",
    ),
]
ShapesGiven = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        metavar="NAME=LENGTHS",
        autocompletion=shell.bindings,
        help="Derive without values: A=n,n is a matrix of any length n. The program may use "
        "n as a number: eye(n), / n. Repeatable; a name without a shape is a single number.",
    ),
]
Jacobian = Annotated[
    bool, typer.Option("--jacobian", help="The matrix of derivatives, without values.")
]
Hessian = Annotated[bool, typer.Option("--hessian", help="The second derivatives, without values.")]
To = Annotated[
    Literal["gradcli", "function", "latex", "numpy", "torch", "jax"],
    typer.Option(
        "--to",
        help="What to write: a program of this language, a function, formulas, or a module with "
        "value_and_grad(…), which checks itself when it is run and reads the @files of inputs.",
    ),
]


def _command(
    run: flag.Run,
    gradient: flag.Gradients = None,
    assume_finite: AssumeFinite = False,
    shape: ShapesGiven = None,
    jacobian: Jacobian = False,
    hessian: Hessian = False,
    to: To = "gradcli",
    color: flag.Color = "auto",
) -> None:
    """Print the gradient as a program in the same language, simplified.

    It binds the inputs, ends in NAME_grad = … for each leaf, and runs: pipe it into gradcli eval.
    Without values (--set) it is a formula for inputs of any lengths.
    """
    from gradcli.trace.names import free_names

    options = run.options()
    with run.bounds.confined():
        request = run.request(gradient, options)
        asked = bool(shape or jacobian or hessian)
        if asked and (run.set_ or gradient):
            flag_given = "--set" if run.set_ else "--gradient"
            raise GradcliError(
                "usage",
                f"{flag_given} gives values, and --shape, --jacobian and --hessian are for "
                "formulas without values",
                hint="leave one of them out",
            )
        order: Order = "jacobian" if jacobian else "hessian" if hessian else "gradient"
        shapes = parse_shapes(shape or ())
        try:
            with_values = (
                None
                if asked
                else _with_values(request, assume_finite, to, run.set_ or (), gradient or ())
            )
        except GradcliError as error:
            open_names = error.diagnostic.code == "name" and free_names(request.program)
            if run.set_ or not open_names:
                raise
            with_values = None
        text = with_values or _formulas(request, shapes, order, to)
        if to == "gradcli" and streams.is_terminal():
            from gradcli.report.program import folded

            text = folded(text, streams.width())
        if to == "gradcli" and streams.use_colour(color):
            text = paint.program(text)
        with streams.output() as stream:
            stream.write(text)


def _with_values(
    request: Invocation,
    assume_finite: bool,
    to: str,
    inputs: Sequence[str],
    gradients: Sequence[str],
) -> str:
    """The gradient at the given inputs."""
    from gradcli.analysis import single
    from gradcli.analysis.derive import derive, derive_run
    from gradcli.analysis.reproduce import reproduce
    from gradcli.report import latex, module, program

    if to == "latex":  # which has formulas, and no loops
        traced = single.run(*request)
        derived = derive(traced, assume_finite=assume_finite)
        return latex.equations(derived.program, derived.shapes)
    traced, derived = derive_run(*request, assume_finite=assume_finite)
    if to == "gradcli":
        return program.render(derived)
    if to == "function":
        raise GradcliError(
            "usage", "--to function is for formulas without values", hint="give --shape, not --set"
        )
    told = reproduce(traced, derived)
    return module.of_run(told, to, _files(told, inputs, gradients))


def _files(told: Reproduction, inputs: Sequence[str], gradients: Sequence[str]) -> dict[str, str]:
    """By name of an array: how NumPy reads the file that a flag names."""
    from gradcli.data.binding import parse_binding, parse_gradient
    from gradcli.data.elsewhere import numpy_call

    given = dict(map(parse_binding, inputs))
    for output, value in map(parse_gradient, gradients):
        seed = told.seeds[output or next(iter(told.seeds))]
        if isinstance(seed, str):
            given[seed] = value
    arrays = told.arrays | told.given
    specs = {title: value.strip()[1:] for title, value in given.items() if value.strip()[:1] == "@"}
    found = {title: numpy_call(spec, arrays[title]) for title, spec in specs.items()}
    return {title: call for title, call in found.items() if call}


def _formulas(request: Invocation, shapes: dict[str, Lengths], order: Order, to: str) -> str:
    """The derivative for all lengths."""
    from gradcli.analysis.symbolic.derived import derive_for_all
    from gradcli.report import latex, module, program

    derived = derive_for_all(request.program, shapes, order, request.options)
    if to == "gradcli":
        return program.render(derived)
    if to == "latex":
        assert derived.example is not None
        shapes_there = {name: array.shape for name, array in derived.example.inputs.items()}
        return latex.equations(derived.program, shapes_there)
    return module.function(derived) if to == "function" else module.of_formulas(derived, to)


command = expanded(_command)
