"""The syntax tree of a text that differs little from one that was parsed: its first statements are
taken over.
"""

from __future__ import annotations

from bisect import bisect_left

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.lexer import names_as_python
from gradcli.language.parser import parse_program, parse_rest
from gradcli.language.syntax import Program
from gradcli.language.tokens import ParseLimits


def reparse(source: Source, limits: ParseLimits, before: Program) -> Program:
    """What `parse_program` gives, with statements and expectations of the program before where its
    text is the same. `names` may have some that only the text before has. Raises the same errors.
    """
    kept = _kept(source, limits, before)
    if not kept:
        return parse_program(source, limits)
    begin = before.statements[kept].span[0]
    try:
        rest = parse_rest(source, limits, begin)
    except GradcliError:
        return parse_program(source, limits)  # which sees what stands before the error, too
    return Program(
        rest.source,
        before.statements[:kept] + rest.statements,
        tuple(each for each in before.expectations if each.span[0] < begin) + rest.expectations,
        tuple(each for each in before.notes if each[0][0] <= begin) + rest.notes,
        before.names | rest.names,
    )


def _kept(source: Source, limits: ParseLimits, before: Program) -> int:
    """How many statements stay as they are: those before one that begins a line, and whose text is
    the same. It is parsed again, and what came before it has come to its end there.
    """
    old, new = before.source.text, source.text
    if len(new) > limits.tokens or names_as_python(old) != names_as_python(new):
        return 0
    same = common(old, new)
    statements = before.statements
    kept = bisect_left(statements, same, key=lambda each: each.span[1]) - 1
    while kept > 0 and old[statements[kept].span[0] - 1] != "\n":
        kept -= 1
    return max(kept, 0)


def common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    most = min(len(one), len(other))
    return bisect_left(range(1, most + 1), True, key=lambda n: one[:n] != other[:n])
