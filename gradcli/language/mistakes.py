"""Messages for syntax errors.

The automaton knows which token cannot stand where it does, and which kinds could. Habits that
people bring from other languages are looked for first; other errors get a general message.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnostics import GradcliError, Span
from gradcli.language.habits import HABITS, Answer
from gradcli.language.tokens import NUMBER_OF, TABLES, Tokens
from gradcli.language.wrong_token import WrongToken

LINE = "the end of the line"


def explain(tokens: Tokens, place: int, expected: set[int]) -> GradcliError:
    """The error for the token at `place`, where only tokens of the `expected` kinds can stand."""
    wrong = WrongToken(tokens, place, expected)
    answers: Iterator[Answer | None] = (look(wrong) for look in HABITS)
    message, hint = next((answer for answer in answers if answer), None) or _plainly(wrong)
    return GradcliError("syntax", message, hint=hint, source=tokens.source, span=_place_of(wrong))


def _place_of(wrong: WrongToken) -> Span:
    """The token's place; at the end of a line or of the text, the place behind the token before."""
    start, end = wrong.tokens.span(wrong.place)
    if wrong.kind in (0, NUMBER_OF["_SEPARATOR"], NUMBER_OF["_DEDENT"]) and wrong.text != ";":
        start = wrong.tokens.ends[wrong.place - 1] if wrong.place else start
        end = start
    return start, end


def _plainly(wrong: WrongToken) -> Answer:
    """A message that names the token, and what could stand there if that is a short list."""
    found = f"`{wrong.text}`"
    if wrong.ends_line and wrong.text not in (";", "}"):
        found = LINE if wrong.kind else "the end of the program"
    texts = [TABLES.literals.get(TABLES.terminals[kind]) for kind in sorted(wrong.expected)]
    wanted = [f"`{text}`" for text in texts if text]
    if wanted and len(wanted) == len(texts) <= 3:
        return f"{found} stands where {' or '.join(wanted)} is expected", None
    if wrong.wants_operand:
        return f"{found} stands where a value is expected", None
    after = f" after `{wrong.before}`" if wrong.before.strip() else ""
    hint = "in parentheses an expression goes on in the next line"
    return f"{found} cannot stand here{after}", hint if found == LINE else None
