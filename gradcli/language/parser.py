"""Tokens to a syntax tree: a small LALR automaton that runs on the compiled grammar."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.language.builder import Builder, Parts
from gradcli.language.layout import misplaced
from gradcli.language.lexer import lex
from gradcli.language.syntax import (
    SAME,
    SPLICE,
    Evaluate,
    Expectation,
    Expression,
    Program,
    Statement,
    bodies,
)
from gradcli.language.tokens import TABLES, ParseLimits, Tokens

__all__ = ["ParseLimits", "parse_expression", "parse_program"]


def parse_program(source: Source, limits: ParseLimits) -> Program:
    """The syntax tree of a program.

    Raises GradcliError with the place: `syntax`, `limit-tokens`, `limit-depth`, and `value` for a
    number beyond float64.
    """
    return parse_rest(source, limits, 0)


def parse_rest(source: Source, limits: ParseLimits, begin: int, end: int | None = None) -> Program:
    """The same for what stands from the place `begin` on, where a statement begins a line, and
    before the place `end`, where another does.
    """
    tokens = lex(source, limits, begin, end)
    statements: tuple[Statement, ...]
    statements, names = _run(tokens, "program")
    expectations = _attach(tokens, statements) if tokens.comments else ()
    return Program(tokens.source, statements, expectations, tuple(tokens.notes), names)


def parse_expression(source: Source, limits: ParseLimits) -> Expression:
    """The syntax tree of one expression; a bare list `1, 2` is a tuple. Raises as above."""
    tokens = lex(source, limits)
    if tokens.comments:
        raise misplaced(tokens.source, tokens.comments[0][0])
    expression: Expression
    expression, _ = _run(tokens, "expressions")
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


# --- the automaton -------------------------------------------------------------------------

_Build = Callable[[Builder, Parts, Span], Any]


def _splice(_builder: Builder, parts: Parts, _span: Span) -> Parts:
    return parts


def _build_of(label: str) -> _Build | None:
    if label == SAME:
        return None
    if label == SPLICE:
        return _splice
    build: _Build = getattr(Builder, label)
    return build


_REDUCTIONS = [
    (
        _build_of(rule.label),
        rule.head,
        rule.length,
        rule.parts if len(rule.parts) < rule.length else None,
        rule.spliced,
    )
    for rule in TABLES.rules
]


@cache
def _settled(below: int, state: int, kind: int) -> int:
    """The state after the reductions of one node, which is not changed, that come next: a number
    passes all levels of precedence.
    """
    while (action := TABLES.actions[state][kind]) < 0:
        build, head, length, *_ = _REDUCTIONS[-action]
        if build is not None and (build is not Builder.operation or length > 1):
            break
        state = TABLES.gotos[below][head]
    return state


def _run(tokens: Tokens, start: str) -> tuple[Any, frozenset[str]]:
    """The tree that the builder makes of the whole text, and the names in the text."""
    # Rows that are made already are taken from lists: a call for each would take longest of all.
    actions, gotos, reductions = TABLES.actions.made, TABLES.gotos.made, _REDUCTIONS
    token_starts, token_ends = tokens.starts, tokens.ends
    builder = Builder(tokens)
    state = TABLES.starts[start]
    states = [state]
    values: Parts = []
    starts: list[int] = []  # the place in the text where each value begins
    for place, kind in enumerate(tokens.kinds):
        while (action := (actions[state] or TABLES.actions[state])[kind]) < 0:
            build, head, length, positions, spliced = reductions[-action]
            if build is None:
                state = states[-1] = _settled(states[-2], state, kind)
                continue
            end = token_ends[place - 1]
            if length == 1 and positions is None:
                part = values[-1]
                parts = part if spliced and type(part) is list else [part]
                values[-1] = build(builder, parts, (starts[-1], end))
                below = states[-2]
                state = (gotos[below] or TABLES.gotos[below])[head]
                state = states[-1] = _settled(below, state, kind)
                continue
            first = len(values) - length
            parts = values[first:]
            if positions is not None:
                parts = [parts[i] for i in positions]
            if spliced and list in map(type, parts):
                parts = _flat(parts)
            begin = starts[first] if length else 0
            values[first:] = (build(builder, parts, (begin, end)),)
            starts[first:] = (begin,)
            del states[first + 1 :]
            below = states[-1]
            state = (gotos[below] or TABLES.gotos[below])[head]
            states.append(state)
        if not action:
            from gradcli.language.mistakes import explain

            expected = {kind for kind in range(len(TABLES.terminals)) if _accepts(states, kind)}
            raise explain(tokens, place, expected)
        state = action
        states.append(state)
        values.append(place)
        starts.append(token_starts[place])
    return values[-2], frozenset(builder.names)


def _flat(parts: Parts) -> Parts:
    """The parts, with lists among them replaced by their items; a list that comes first is extended
    in place.
    """
    row: Parts = parts[0] if type(parts[0]) is list else parts[:1]
    for part in parts[1:]:
        if type(part) is list:
            row += part
        else:
            row.append(part)
    return row


def _accepts(states: list[int], kind: int) -> bool:
    """Whether a token of this kind can come next."""
    kept, new = len(states), [states[-1]]
    kept -= 1
    while (action := TABLES.actions[new[-1]][kind]) < 0:
        rule = TABLES.rules[-action]
        popped = min(rule.length, len(new))
        del new[len(new) - popped :]
        kept -= rule.length - popped
        new.append(TABLES.gotos[new[-1] if new else states[kept - 1]][rule.head])
    return action > 0
