"""Texts to syntax trees."""

from __future__ import annotations

from typing import Literal

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.automaton import run
from gradcli.language.layout import misplaced
from gradcli.language.lexer import lex
from gradcli.language.syntax import (
    Evaluate,
    Expectation,
    Expression,
    Program,
    Statement,
    bodies,
)
from gradcli.language.tokens import ParseLimits, Tokens

__all__ = ["ParseLimits", "parse_expression", "parse_program"]

LONG = 1 << 15
"""In a text of more characters there may be many lines that nearly repeat each other."""


def parse_program(source: Source, limits: ParseLimits) -> Program:
    """The syntax tree of a program.

    Raises GradcliError with the place: `syntax`, `limit-tokens`, `limit-depth`, and `value` for a
    number beyond float64.
    """
    if LONG < len(source.text) <= limits.source_bytes:
        from gradcli.language.plain_lines import parse_in_parts  # most texts are short

        program = parse_in_parts(source, limits, _parsed)
        if program is not None:
            return program
    return parse_rest(source, limits, 0)


def parse_rest(source: Source, limits: ParseLimits, begin: int, end: int | None = None) -> Program:
    """The same for what stands from the place `begin` on, where a statement begins a line, and
    before the place `end`, where another does.
    """
    return _parsed(lex(source, limits, begin, end))


def _parsed(tokens: Tokens) -> Program:
    """The same for the tokens of a text, or of a part of it."""
    statements: tuple[Statement, ...]
    statements, names = run(tokens, "program")
    expectations = _attach(tokens, statements) if tokens.comments else ()
    return Program(tokens.source, statements, expectations, tuple(tokens.notes), names)


def parse_expression(source: Source, limits: ParseLimits) -> Expression:
    """The syntax tree of one expression; a bare list `1, 2` is a tuple. Raises as above."""
    tokens = lex(source, limits)
    if tokens.comments:
        raise misplaced(tokens.source, tokens.comments[0][0])
    expression: Expression
    expression, _ = run(tokens, "expressions")
    return expression


def _attach(tokens: Tokens, statements: tuple[Statement, ...]) -> tuple[Expectation, ...]:
    """Each `#=` and `#!` to the statement that ends before it on its line."""
    ended: dict[int, Statement] = {}
    waiting = list(reversed(statements))
    while waiting:
        statement = waiting.pop()
        ended.setdefault(statement.span[1], statement)
        waiting += [inner for body in reversed(bodies(statement)) for inner in reversed(body)]
    expectations = []
    for span, end in tokens.comments:
        owner = ended.get(end)
        if owner is None:
            raise misplaced(tokens.source, span)
        kind: Literal["=", "!"] = "=" if tokens.source.text[span[0] + 1] == "=" else "!"
        if kind == "=" and not isinstance(owner, Evaluate):
            raise GradcliError(
                "syntax",
                "`#=` must stand behind a bare expression",
                hint="write the name alone on the next line, and the expectation behind it",
                source=tokens.source,
                span=span,
            )
        text = tokens.source.text[span[0] + 2 : span[1]].strip()
        if not text:
            raise misplaced(tokens.source, span)
        expectations.append(Expectation(kind, text, owner, span))
    return tuple(expectations)
