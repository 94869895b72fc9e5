"""The syntax tree of a text that differs little from one that was parsed: statements before the
change are taken over, and those behind it are moved to where they stand now.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.characters import clean
from gradcli.language.lexer import names_as_python
from gradcli.language.moved import moved
from gradcli.language.parser import parse_program, parse_rest
from gradcli.language.syntax import Expectation, Program, Statement
from gradcli.language.tokens import ParseLimits

_BEGINS = re.compile(r"(?<=[^\\]\n)[A-Za-z_]")
"""Begins a statement at the beginning of a line, wherever no bracket is open."""


def reparse(source: Source, limits: ParseLimits, before: Program) -> Program:
    """What `parse_program` gives, with statements and expectations of the program before where its
    text is the same. `names` may have some that only the text before has. Raises the same errors.
    """
    source = clean(source)
    old, new = before.source.text, source.text
    if len(new) > limits.tokens or names_as_python(old) != names_as_python(new):
        return parse_program(source, limits)
    same = common(old, new)
    kept = _kept(before, same)
    begin = before.statements[kept].span[0] if kept else 0
    later = _later(before, new, max(begin, same))
    by = len(new) - len(old)
    end = before.statements[later].span[0] if later < len(before.statements) else len(old)
    try:
        changed = parse_rest(source, limits, begin, end + by)
    except GradcliError:
        return parse_program(source, limits)  # which sees the rest of the text, too
    statements, expectations = _moved(before, later, end, by)
    again = changed.statements
    if again and not changed.expectations and _is_as_before(before, kept, again[0], same):
        again = before.statements[kept : kept + 1] + again[1:]
    return Program(
        changed.source,
        before.statements[:kept] + again + statements,
        tuple(each for each in before.expectations if each.span[0] < begin)
        + changed.expectations
        + expectations,
        tuple(each for each in before.notes if each[0][0] <= begin)
        + changed.notes
        + tuple(((a + by, b + by), told) for (a, b), told in before.notes if a >= end),
        before.names | changed.names,
    )


def _kept(before: Program, same: int) -> int:
    """How many statements stay as they are: those before one that begins a line, and whose text is
    the same. It is parsed again, and what came before it has come to its end there.
    """
    old, statements = before.source.text, before.statements
    kept = bisect_left(statements, same, key=lambda each: each.span[1]) - 1
    while kept > 0 and old[statements[kept].span[0] - 1] != "\n":
        kept -= 1
    return max(kept, 0)


def _is_as_before(before: Program, kept: int, first: Statement, same: int) -> bool:
    """Whether the statement that was parsed again has come to its end where it did before."""
    old = before.statements[kept] if kept < len(before.statements) else first
    return old.span == first.span and type(old) is type(first) and old.span[1] <= same


def _later(before: Program, new: str, same: int) -> int:
    """The first statement from which on the text is the same, and which begins one whatever stands
    before it. Both texts are the same up to a place.
    """
    old, statements = before.source.text, before.statements
    most = min(len(old), len(new)) - same
    first = len(old) - common(old[: -most - 1 : -1], new[: -most - 1 : -1])
    later = bisect_left(statements, first + 2, key=lambda each: each.span[0])
    while later < len(statements) and not _BEGINS.match(old, statements[later].span[0]):
        later += 1
    return later


def _moved(
    before: Program, later: int, end: int, by: int
) -> tuple[tuple[Statement, ...], tuple[Expectation, ...]]:
    """The statements from one on, and the expectations that belong to them."""
    statements = before.statements[later:]
    expectations = tuple(each for each in before.expectations if each.span[0] >= end)
    return moved((statements, expectations), by) if by else (statements, expectations)


def common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    most = min(len(one), len(other))
    return bisect_left(range(1, most + 1), True, key=lambda n: one[:n] != other[:n])
