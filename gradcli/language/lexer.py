"""Text to tokens, driven by the grammar's terminals.

What regular expressions cannot express is the layout's business: `gradcli.language.layout`.
"""

from __future__ import annotations

import re
from itertools import islice

from gradcli.diagnostics import A_FILE, Advice, GradcliError, Source
from gradcli.language.characters import clean, normalised_name
from gradcli.language.layout import TextLayout
from gradcli.language.tokens import (
    NUMBER_OF,
    RESERVED,
    ParseLimits,
    Tokens,
    terminals,
    too_many_tokens,
)

_NAME = NUMBER_OF["NAME"]
_CONSTANT = NUMBER_OF["CONSTANT"]
_OF_PYTHON = re.compile(r"^[ \t]*(?:import|from) +torch\b", re.MULTILINE)
LONG = 1 << 14
"""In a text of more characters than this its pieces are worth remembering."""
CHARACTERS = 4
"""In a text of more characters than these for each token that is allowed, tokens are counted as
they are found.
"""
_SMALL = ("true", "false", "none")
"""Constants of the language that are names in Python."""


def lex(source: Source, limits: ParseLimits, begin: int = 0, end: int | None = None) -> Tokens:
    """Divide a text into tokens, from some line of it on and up to another; their source is the
    text without a byte order mark.

    Raises GradcliError: `syntax` for characters that begin nothing, brackets that do not match and
    expectations that stand alone; `limit-tokens` and `limit-depth`.
    """
    _check_size(source, limits)
    return lex_clean(clean(source), limits, begin, end)


def lex_clean(source: Source, limits: ParseLimits, begin: int, end: int | None = None) -> Tokens:
    """The same for a text that `clean` has seen."""
    tokens = Tokens(source, bytearray(), [], [], {}, [], [])
    last = len(source.text) if end is None else end
    layout = TextLayout(tokens, limits)
    # Blanks at the end belong to no token, and a regular expression would be tried at each of them.
    stop = begin + len(source.text[begin:last].rstrip(" \t"))
    if LONG < stop - begin <= CHARACTERS * limits.tokens:
        from gradcli.language.long_texts import lay_out  # most texts are short

        surplus = lay_out(layout, begin, stop)
    else:
        found = terminals(source.text, begin, stop)
        layout.store_all(islice(found, limits.tokens))
        surplus = next(found, None)
    if surplus:
        raise too_many_tokens(source, limits, surplus[1:])
    layout.finish(last)
    if names_as_python(source.text):
        _name_as_python(tokens)
    if not source.text.isascii():
        _normalise_names(tokens)
    return tokens


def _check_size(source: Source, limits: ParseLimits) -> None:
    size = len(source.text)
    if size <= limits.source_bytes < 4 * size and not source.text.isascii():
        size = len(source.text.encode("utf-8", "surrogatepass"))
    if size > limits.source_bytes:
        raise GradcliError(
            "limit-tokens",
            f"the text has more than {limits.source_bytes:,} bytes",
            hint=Advice("data are read from files: ", A_FILE),
            source=Source(source.name, ""),
            span=(0, 0),
        )


def names_as_python(text: str) -> bool:
    """Whether constants of the language are names in a text that has them."""
    return any(map(text.__contains__, _SMALL)) and bool(_OF_PYTHON.search(text))


def _name_as_python(tokens: Tokens) -> None:
    """Let `true`, `false` and `none` be names, as they are where PyTorch is."""
    for index, kind in enumerate(tokens.kinds):
        if kind == _CONSTANT and tokens.text(index).islower():
            tokens.kinds[index] = _NAME


def _normalise_names(tokens: Tokens) -> None:
    for index, kind in enumerate(tokens.kinds):
        if kind == _NAME and not tokens.text(index).isascii():
            name = normalised_name(tokens.source, tokens.span(index))
            if name in RESERVED:
                raise GradcliError(
                    "syntax",
                    f"this name is normalised to the reserved word `{name}`",
                    hint="use another name",
                    source=tokens.source,
                    span=tokens.span(index),
                )
            tokens.names[index] = name
