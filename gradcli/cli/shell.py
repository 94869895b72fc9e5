"""What the shell completes, where `gradcli --install-completion` has been run.

Every start imports this file: what its functions need, they import.
"""

from __future__ import annotations

import re

import typer

_NAME = r"[^\W\d]\w*"
_LONGEST = 100_000
"""Characters of a script that are searched for names."""


def scripts(incomplete: str) -> list[str]:
    """Scripts, and folders on the way to them."""
    from gradcli.cli.completing import files
    from gradcli.data.text import SCRIPT

    return [path for path in files(incomplete) if path.endswith((SCRIPT, "/"))]


def paths(incomplete: str) -> list[str]:
    """Files and folders."""
    from gradcli.cli.completing import files

    return files(incomplete)


def functions(incomplete: str) -> list[str]:
    """Functions of the language."""
    from gradcli.ops import FUNCTIONS

    return sorted(name for name in FUNCTIONS if name.startswith(incomplete))


def names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names in the program of the command line; behind a comma, one more."""
    before, comma, begun = incomplete.rpartition(",")
    return [before + comma + name for name in _names(ctx) if name.startswith(begun)]


def bindings(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=` for names in the program, and behind `@` files."""
    before, at, begun = incomplete.partition("@")
    if at:
        return [before + at + path for path in paths(begun)]
    return [f"{name}=" for name in _names(ctx) if name.startswith(incomplete)]


def _names(ctx: typer.Context) -> list[str]:
    """The names in a program that are no functions."""
    # Where the flag that is completed has no value yet, arguments are not assigned.
    text = ctx.params.get("program") or " ".join(ctx.args)
    file = ctx.params.get("file") or (text if text.endswith(".grad") else "")
    if file:
        try:
            with open(file, encoding="utf-8") as stream:
                text = stream.read(_LONGEST)
        except (OSError, ValueError):
            return []
    from gradcli.analysis.vocabulary import vocabulary

    known = vocabulary()
    return sorted(set(re.findall(_NAME, text)) - known.functions - known.keywords - known.literals)
