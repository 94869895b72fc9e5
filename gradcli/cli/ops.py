"""`gradcli ops`: the functions of the language."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import shell, streams
from gradcli.diagnostics import GradcliError

EXAMPLES = """\b
Examples:
  gradcli ops
  gradcli ops tanh
  gradcli ops cross_entropy --json | jq .derivative
  gradcli ops --deviations
"""

FunctionName = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="A function to explain.",
        show_default=False,
        autocompletion=shell.functions,
    ),
]


Deviations = Annotated[
    bool, typer.Option("--deviations", help="List where gradcli differs from PyTorch, and why.")
]


def command(
    name: FunctionName = None,
    deviations: Deviations = False,
    json: flag.Json = False,
    color: flag.Color = "auto",
) -> None:
    """List all functions in groups, or explain one.

    Signature, formula, derivative, what holds at kinks, and an example with its output.
    """
    if deviations and name is not None:
        raise GradcliError(
            "usage",
            f"--deviations lists those of all functions, and {name} is one",
            hint=f"gradcli ops {name} shows its own",
        )
    if deviations:
        text = _deviations_as_json() if json else _deviations_as_text(color)
    else:
        text = _as_json(name) if json else _as_text(name, color)
    with streams.output() as stream:
        stream.write(text)


def _as_json(name: str | None) -> str:
    from gradcli.analysis.catalogue import describe, groups
    from gradcli.report import json_catalogue as report
    from gradcli.report.json import line

    return line(report.functions(groups()) if name is None else report.page(describe(name)))


def _as_text(name: str | None, color: str) -> str:
    from gradcli.analysis.catalogue import describe, groups
    from gradcli.report import text_catalogue as report

    width, colour = streams.width(), streams.use_colour(color)
    if name is None:
        return report.render_list(groups(), width=width, colour=colour)
    ascii_only = not streams.speaks_unicode()
    return report.render_page(describe(name), width=width, colour=colour, ascii_only=ascii_only)


def _deviations_as_json() -> str:
    from gradcli.report.json import line
    from gradcli.report.json_catalogue import deviations

    return line(deviations())


def _deviations_as_text(color: str) -> str:
    from gradcli.report.text_catalogue import render_deviations

    return render_deviations(width=streams.width(), colour=streams.use_colour(color))
