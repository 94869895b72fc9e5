"""What to say about a text that is not in the language: the user's words, and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.diagnostics import GradcliError, Source, Span

if TYPE_CHECKING:
    from gradcli.language.lexer import Tokens
    from gradcli.language.syntax import Expression


def syntax_error(source: Source, span: Span, message: str, hint: str | None = None) -> GradcliError:
    return GradcliError("syntax", message, hint=hint, source=source, span=span)


def misplaced_expectation(source: Source, span: Span) -> GradcliError:
    return syntax_error(
        source,
        span,
        "this comment states an expectation, and no statement ends before it",
        "`#= value` stands behind a bare expression, `#! code` behind a statement, on its line;"
        " write `# =` for a plain comment",
    )


_CHARACTERS = {
    "^": "a power is written `**`",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "~": "write `not`",
    "\\": "inside ( ) and [ ] a line break needs no `\\`",
}


def unknown_character(source: Source, offset: int) -> GradcliError:
    character = source.text[offset]
    if character in "'\"":
        return syntax_error(source, (offset, offset + 1), "the string is not closed on its line")
    return syntax_error(
        source,
        (offset, offset + 1),
        f"`{character}` is not in the language",
        _CHARACTERS.get(character),
    )


def unexpected(tokens: Tokens, index: int, actions: list[int]) -> GradcliError:
    span = (tokens.starts[index], tokens.ends[index])
    found = f"`{tokens.text(index)}`" if tokens.kinds[index] else "the end"
    return syntax_error(tokens.source, span, f"{found} is not expected here")


def not_assignable(
    source: Source, target: Expression, value: Expression | None = None
) -> GradcliError:
    return syntax_error(source, target.span, "this cannot stand left of `=`")
