"""Other commands inside a session of `gradcli repl`: they get its statements and its inputs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from gradcli.cli import app
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.graph import Array

CONSULTED = ("explain", "check", "plot", "graph")
"""Commands that can be given in a session, with their own flags."""
_LONGEST = 10_000
"""Elements of an input that is written out."""


def consult(
    command: str,
    flags: str,
    program: str,
    inputs: Mapping[str, tuple[str, Array]],
    gradients: Sequence[str],
    more: Sequence[str],
) -> None:
    """Run a command of the command line on a program.

    `inputs` are texts and what they stand for; `flags` is what was typed behind the command, `more`
    are further flags. Raises what the command raises, and `usage` for what is wrong with the flags.
    """
    moved = shlex_split(flags)
    if command == "plot":
        moved = _ranged(moved, inputs)
    over = {text.partition("=")[0].strip() for text in moved[1:] if moved[0] == "--over"}
    arguments = [command, *more, *moved]
    for name, (text, array) in inputs.items():
        if name not in over:
            arguments += ["--set", f"{name}={written(text, array)}"]
    for text in gradients:
        arguments += ["--gradient", text]
    try:
        app.invoke([*arguments, "--", program])
    except typer.Exit:
        return
    except typer.TyperException as error:
        hint = f"gradcli {command} --help lists the flags"
        raise GradcliError("usage", f":{command}: {error.format_message()}", hint=hint) from None


def _ranged(words: list[str], inputs: Iterable[str]) -> list[str]:
    """The flags of `:plot`, whose first word may be the range. Raises `usage` without a range."""
    if words and "=" in words[0] and not words[0].startswith("-"):
        return ["--over", *words]
    if not any(word.partition("=")[0] == "--over" for word in words):
        name = next(iter(inputs), "x")
        raise GradcliError("usage", ":plot needs an input and its range", hint=f":plot {name}=-2:2")
    return words


def shlex_split(flags: str) -> list[str]:
    """The words of a line, as a shell divides it. Raises `usage`."""
    try:
        return shlex.split(flags)
    except ValueError as error:
        raise GradcliError("usage", f"{flags[:40]!r}: {error}", hint="close the quotes") from None


def written(text: str, array: Array) -> str:
    """The numbers of an input: those of `randn(2)` are drawn once in a session."""
    from gradcli.data.numbers import nested

    if text.lstrip().startswith("@") or array.size > _LONGEST or not array.size:
        return text
    return "".join(nested(array))
