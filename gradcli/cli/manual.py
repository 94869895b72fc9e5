"""The manual page: made of the texts of `gradcli help` and of the examples of all commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import groupby
from operator import itemgetter

from gradcli import __version__
from gradcli.report.paint import headings

PLACE = "~/.local/share/man/man1/gradcli.1"
"""Where `man gradcli` looks for it."""


def manual(commands: Mapping[str, tuple[str, str]], topics: Mapping[str, str]) -> str:
    """The page in the language of man pages.

    `commands` are `gradcli.cli.app.COMMANDS`, `topics` the texts of topics by name.
    """
    lines = [
        f'.TH GRADCLI 1 "" "gradcli {__version__}" "User Commands"',
        ".SH NAME",
        r"gradcli \- differentiate tensor expressions from the command line",
        ".SH SYNOPSIS",
        r".B gradcli",
        r"COMMAND [PROGRAM] [FLAGS]",
        ".SH DESCRIPTION",
        "Give it an expression, values and a gradient vector; it answers with values, gradients,",
        "the graph, and why. gradcli COMMAND \\-\\-help lists the flags of a command.",
        ".SH COMMANDS",
    ]
    for name, (module, summary) in commands.items():
        examples = import_module(module).EXAMPLES.replace("\b\n", "")
        lines += [f".SS {name}", _text(summary), ".PP", *_as_it_is(examples.splitlines())]
    for name, text in topics.items():
        lines += [f'.SH "{name.upper()}"', *_topic(text)]
    return "\n".join(lines) + "\n"


def _topic(text: str) -> Iterator[str]:
    """A topic's text with its headings; the lines below them are laid out already."""
    for is_heading, lines in groupby(
        zip(headings(text), text.splitlines(), strict=True), key=itemgetter(0)
    ):
        if is_heading:
            yield from (f".SS {_text(line)}" for _, line in lines)
        else:
            yield from _as_it_is(line for _, line in lines)


def _as_it_is(lines: Iterable[str]) -> Iterator[str]:
    """Lines of up to 80 columns begin at the left edge: indented, they would not fit."""
    yield from (".in 0", ".nf")
    yield from (_text(line) for line in lines)
    yield from (".fi", ".in")


def _text(line: str) -> str:
    """A line in which nothing is a command of the page's language."""
    written = line.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{written}" if written[:1] in (".", "'") else written
