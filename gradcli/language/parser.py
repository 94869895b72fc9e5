"""Text to a syntax tree: an LALR automaton on the grammar's tables, and nothing recursive."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import Source
from gradcli.language.builder import Builder
from gradcli.language.lexer import ParseLimits, Tokens, clean, lex
from gradcli.language.mistakes import unexpected
from gradcli.language.syntax import Expression, Program
from gradcli.language.tables import load_tables

__all__ = ["ParseLimits", "parse_expression", "parse_program"]


def parse_program(source: Source, limits: ParseLimits = ParseLimits()) -> Program:
    """The statements of a program.

    Raises GradcliError with the place: `syntax`, `value` for a number beyond float64,
    `limit-tokens`, `limit-depth`.
    """
    tokens = lex(clean(source, limits), limits)
    builder = Builder(tokens)
    statements = _parse(tokens, "program", builder)
    return builder.finish(tuple(statements))


def parse_expression(source: Source, limits: ParseLimits = ParseLimits()) -> Expression:
    """One expression; `1, 2` is a tuple. Raises as `parse_program` does."""
    tokens = lex(clean(source, limits), limits)
    expression: Expression = _parse(tokens, "expressions", Builder(tokens))
    return expression


def _parse(tokens: Tokens, start_rule: str, builder: Builder) -> Any:
    """Run the automaton; a node is made by the builder's method that its rule's label names."""
    tables = load_tables()
    rules, actions, gotos = tables.rules, tables.actions, tables.gotos
    make = [getattr(builder, rule.label, None) for rule in rules]
    starts, ends = tokens.starts, tokens.ends

    state = tables.starts[start_rule]
    states = [state]
    values: list[Any] = []
    firsts: list[int] = []
    """Of each value: the offset where it starts."""
    end = 0
    for index, kind in enumerate(tokens.kinds):
        while (action := actions[state][kind]) < 0:
            rule = rules[-action]
            length = rule.length
            if length == 1 and rule.label == "_":
                states.pop()
                state = gotos[states[-1]][rule.head]
                states.append(state)
                continue
            if length:
                parts = [values[i - length] for i in rule.parts]
                first = firsts[-length]
                del values[-length:], firsts[-length:], states[-length:]
            else:
                parts, first = [], starts[index]
            parts = _flat(parts)
            label = make[-action]
            values.append(label(parts, (first, end)) if label else parts)
            firsts.append(first)
            state = gotos[states[-1]][rule.head]
            states.append(state)
        if not action:
            raise unexpected(tokens, index, actions[state])
        state = action
        states.append(state)
        values.append(index)
        firsts.append(starts[index])
        end = ends[index]
    return values[0]


def _flat(parts: list[Any]) -> list[Any]:
    """The parts with the lists among them spliced in; the first one's list is used again."""
    if list not in map(type, parts):
        return parts
    head = parts[0]
    flat: list[Any] = head if type(head) is list else [head]
    for part in parts[1:]:
        if type(part) is list:
            flat += part
        else:
            flat.append(part)
    return flat
