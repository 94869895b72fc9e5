"""`--inside NAME`, the parts of a program that are told step by step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from gradcli.cli import shell

Inside = Annotated[
    list[str] | None,
    typer.Option(
        "--inside",
        metavar="NAME",
        autocompletion=shell.names,
        help="Open a function, 'for', 'while', 'pass 3' or steps 7-12, one step otherwise; or all.",
    ),
]
InsideLoops = Annotated[
    list[str] | None,
    typer.Option(
        "--inside",
        metavar="NAME",
        help="Open long loops, one step otherwise: 'for', 'while', 'pass 3' or all.",
    ),
]


def parts(inside: Iterable[str] | None) -> list[str]:
    """The names in the values of the flag."""
    return [name.strip() for text in inside or () for name in text.split(",")]
