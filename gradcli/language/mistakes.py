"""What a newcomer's syntax error most likely means, in words."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.language.lexer import Tokens


def explain(tokens: Tokens, place: int, expected: set[int]) -> GradcliError:
    return GradcliError("syntax", "not understood", source=tokens.source, span=tokens.span(place))
