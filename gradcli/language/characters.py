"""Characters: which ones a program may contain, and the errors for others."""

from __future__ import annotations

import re
import unicodedata

from gradcli.diagnostics import GradcliError, Source, Span

_FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
"""Control characters, characters that change a line's direction, and lone surrogates."""

_LONE_RETURN = re.compile(r"\r(?!\n)")
_PROMPTS = (">>>", "In [")
"""What a session that is pasted begins with."""

_MEANT = {
    "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "—": "-",
    "≤": "<=", "≥": ">=", "≠": "!=", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'",
    "∧": "and", "∨": "or", "¬": "not", "²": "**2", "³": "**3", "√": "sqrt(…)", "∞": "inf",
    "…": "...", "，": ",", "；": ";", "（": "(", "）": ")", "、": ",",
}  # fmt: skip
"""Characters that people copy from documents, and what they mean here."""


def clean(source: Source) -> Source:
    """The source without a byte order mark and prompts, and with `\\n` as its only line break.

    Raises `syntax` at a character that no program needs and that is dangerous on a terminal.
    """
    text = source.text
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = _LONE_RETURN.sub("\n", text)
    if text[:200].lstrip().startswith(_PROMPTS):
        from gradcli.language.prompts import without_prompts  # few texts have them

        text = without_prompts(text)
    if text is not source.text:
        source = Source(source.name, text)
    if text.replace("\n", "").isprintable():
        return source  # without the expression, which takes long to compile
    if forbidden := re.search(_FORBIDDEN, text):
        raise GradcliError(
            "syntax",
            f"the invisible character {_named(forbidden[0])} cannot stand in a program",
            hint="delete it",
            source=source,
            span=forbidden.span(),
        )
    return source


def normalised_name(source: Source, span: Span) -> str:
    """The name as Python reads it (NFKC). Raises `syntax` if a character of it is not allowed."""
    text = source.text[slice(*span)]
    if text.isidentifier():
        return unicodedata.normalize("NFKC", text)
    offset = next((i for i in range(1, len(text)) if not f"_{text[i]}".isidentifier()), 0)
    offset = offset if text[0].isidentifier() else 0
    raise stray_character(source, span[0] + offset)


def stray_character(source: Source, offset: int) -> GradcliError:
    """The error for a character that begins nothing in the language."""
    character = source.text[offset]
    named = f"`{character}`" if character.isascii() else _named(character)
    message, hint = f"{named} is not part of the language", None
    if character in "'\"":
        message = f"the string that begins with {character} is not closed on its line"
        hint = f"end it with {character}; write \\{character} for the character itself"
    elif character in _MEANT:
        hint = f"write {_MEANT[character]}"
    elif character.isspace():
        hint = "replace it by a plain space"
    elif character.isdigit():
        hint = "write numbers with the digits 0 to 9"
    elif character == "!":
        hint = "write not x, or != for unequal; delete lines for a notebook's shell, as !pip"
    elif character == "\\":
        hint = "inside ( ) and [ ] a line break is white space; no \\ is needed"
    elif character == "?":
        hint = "a choice is written where(condition, a, b)"
    return GradcliError("syntax", message, hint=hint, source=source, span=(offset, offset + 1))


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    if not name:
        return code
    return f"{code} ({name})" if character.isspace() else f"{character} ({code}, {name})"
