"""A derived program as text: remarks as comments, then its statements."""

from __future__ import annotations

from collections.abc import Iterator
from re import match
from textwrap import wrap

from gradcli.analysis.derive import Derived
from gradcli.analysis.symbolic.derived import Symbolic
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
from gradcli.report.sanitise import sanitise

INDENT = "    "


def render(derived: Derived | Symbolic) -> str:
    """The text of the program; it reads back to the same tree."""
    remarks = (f"# {sanitise(remark)}\n" for remark in derived.remarks)
    return "".join(remarks) + print_program(derived.program)


def folded(text: str, width: int) -> str:
    """A program with no line longer than `width` that can go on in another: comments, and
    bindings, whose value is put in brackets and broken between its words, at sums first.
    """
    lines = [each for line in text.splitlines() for each in _folded(line, width)]
    return "".join(f"{line}\n" for line in lines)


def _folded(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    if line.startswith("#"):
        return _wrapped(line, width, "# ")
    binding = match(r"([\w.]+ =) (.+)", line)
    if binding is None:
        return [line]
    found = [f"{binding[1]} (", *_summed(binding[2], width), ")"]
    return found if _tree("\n".join(found)) == _tree(line) else [line]


def _summed(value: str, width: int) -> Iterator[str]:
    """The terms of a sum, as many in a line as fit; longer ones go on in further lines."""
    line = ""
    for term in _terms(value):
        longer = f"{line} {term}" if line else INDENT + term
        if len(longer) > width and line:
            yield from _wrapped(line, width, INDENT * 2)
            longer = INDENT + term
        line = longer
    yield from _wrapped(line, width, INDENT * 2)


def _terms(value: str) -> Iterator[str]:
    """The parts of a text before a plus or minus outside all brackets, each with its sign."""
    start = depth = 0
    for place, character in enumerate(value):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and value[place : place + 3] in (" + ", " - "):
            yield value[start:place]
            start = place + 1
    yield value[start:]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _tree(text: str) -> str:
    """A program as it is printed; empty for what is none, as where a string was broken."""
    try:
        return print_program(parse_program(Source("program", text), ParseLimits()))
    except GradcliError:
        return ""
