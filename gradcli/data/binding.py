"""The command line's `NAME=VALUE`."""

from __future__ import annotations

import unicodedata

from gradcli.diagnostics import Advice, GradcliError, input_of
from gradcli.language.tokens import RESERVED


def parse_binding(text: str, flag: str = "--set") -> tuple[str, str]:
    """Name and value of `--set NAME=VALUE`, split at the first `=`. Raises `usage`."""
    name, equals, value = text.partition("=")
    if not equals:
        raise GradcliError(
            "usage",
            f"{flag} {text[:40]!r} gives no value",
            hint=Advice("write ", input_of("NAME", "VALUE")),
        )
    name = checked_name(name)
    if not value.strip():
        raise GradcliError(
            "usage", f"{flag} {name} has an empty value", hint=Advice(input_of(name, "1.5"))
        )
    return name, value


def parse_gradient(text: str, flag: str = "--gradient") -> tuple[str | None, str]:
    """Output name, if there is one, and value of `--gradient [NAME=]VALUE`. Raises `usage`.

    `-g=1,2` arrives as `=1,2` and is meant as `1,2`; `a==b` is a value.
    """
    before, equals, value = text.partition("=")
    name = None
    if equals and not value.startswith("=") and _normalised(before).isidentifier():
        name = checked_name(before)
    elif before or not equals:
        value = text
    if not value.strip():
        raise GradcliError(
            "usage", f"{flag} has an empty value", hint=f"{flag} 1,0 or {flag} z=1,0"
        )
    return name, value


def checked_name(text: str) -> str:
    """A name for a value, normalised. Raises `usage` for a text that is not a name."""
    name = _normalised(text)
    if name in RESERVED:
        raise GradcliError("usage", f"{name!r} is a word of the language, not a name for a value")
    if not name.isidentifier():
        raise GradcliError(
            "usage",
            f"{name[:40]!r} is not a name" if name else "there is no name before '='",
            hint=Advice("names are letters, digits and '_': ", input_of("x", "[1,2]")),
        )
    return name


def _normalised(text: str) -> str:
    """The name as the language, and Python, read it: forms of the same letter count as equal."""
    return unicodedata.normalize("NFKC", text.strip())
