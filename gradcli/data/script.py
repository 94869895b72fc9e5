"""Scripts: files that hold a program."""

from __future__ import annotations

from gradcli.data.text import open_binary, read_text
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.syntax import Program


def read_script(path: str, limits: ParseLimits) -> Program:
    """The syntax tree of a script.

    Raises `file`, `encoding`, `limit-tokens`, and what is wrong with its text: see `parse_program`.
    """
    with open_binary(path) as stream:
        return parse_program(Source(path, read_text(stream, path, limits.source_bytes)), limits)
