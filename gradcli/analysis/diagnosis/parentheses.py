"""Formulas with the same tokens and other parentheses."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.lexer import lex
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.syntax import Expression

LONGEST = 60
"""Texts of more tokens are left as they are."""
LOOSE = frozenset("+-*/@,") | {"**"}
"""What may stand before an opening parenthesis and behind a closing one."""


def regrouped(text: str) -> Iterator[Expression]:
    """The formula with a pair of parentheses more or less, or with one of them elsewhere."""
    limits = ParseLimits()
    tokens = lex(Source("a formula", text), limits)
    words = [tokens.text(place) for place in range(len(tokens.kinds) - 1)]
    if len(words) > LONGEST:
        return
    pairs = _pairs(words)
    seen = {"".join(words)}
    for each in _arranged(words, pairs):
        written = " ".join(each)
        if written not in seen:
            seen.add(written)
            try:
                yield parse_expression(Source("a formula", written), limits)
            except GradcliError:
                continue


def _arranged(words: list[str], pairs: dict[int, int]) -> Iterator[list[str]]:
    opens = [place for place in range(len(words)) if place == 0 or words[place - 1] in _OPENING]
    closes = [
        place for place in range(1, len(words) + 1)
        if place == len(words) or words[place] in _CLOSING
    ]  # fmt: skip
    for start in opens:
        for end in closes:
            if end > start + 1:
                yield [*words[:start], "(", *words[start:end], ")", *words[end:]]
    for start, end in pairs.items():
        yield [*words[:start], *words[start + 1 : end], *words[end + 1 :]]
        without = [*words[:end], *words[end + 1 :]]
        yield from (
            [*without[:place], ")", *without[place:]]
            for place in range(start + 2, len(without) + 1)
        )
        without = [*words[:start], *words[start + 1 :]]
        yield from ([*without[:place], "(", *without[place:]] for place in range(end))


_OPENING = LOOSE | {"(", "["}
_CLOSING = LOOSE | {")", "]"}


def _pairs(words: list[str]) -> dict[int, int]:
    """Where parentheses open and close."""
    waiting: list[int] = []
    found = {}
    for place, word in enumerate(words):
        if word == "(":
            waiting.append(place)
        elif word == ")":
            found[waiting.pop()] = place
    return found
