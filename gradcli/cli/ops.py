"""`gradcli ops`: the functions of the language."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams

EXAMPLES = """\b
Examples:
  gradcli ops
  gradcli ops tanh
  gradcli ops cross_entropy --json | jq .derivative
"""

FunctionName = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="A function to explain.", show_default=False),
]


def command(name: FunctionName = None, json: flag.Json = False, color: flag.Color = "auto") -> None:
    """List all functions in groups, or explain one.

    Signature, formula, derivative, what holds at kinks, and an example with its output.
    """
    text = _as_json(name) if json else _as_text(name, color)
    with streams.output() as stream:
        stream.write(text)


def _as_json(name: str | None) -> str:
    from gradcli.analysis.catalogue import describe, groups
    from gradcli.report import json_catalogue as report

    page = report.render_list(groups()) if name is None else report.render_page(describe(name))
    return f"{page}\n"


def _as_text(name: str | None, color: str) -> str:
    from gradcli.analysis.catalogue import describe, groups
    from gradcli.report import text_catalogue as report

    width, colour = streams.width(), streams.use_colour(color)
    if name is None:
        return report.render_list(groups(), width=width, colour=colour)
    ascii_only = not streams.speaks_unicode()
    return report.render_page(describe(name), width=width, colour=colour, ascii_only=ascii_only)
