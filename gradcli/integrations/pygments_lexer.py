"""Colours for programs in Pygments, and so in Sphinx, MkDocs, IPython and rich.

The grammar's own terminals divide the text, and the op table says which names are functions: what
is added there is coloured without a change here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
)

if TYPE_CHECKING:
    from gradcli.analysis.vocabulary import Vocabulary

_TYPES = {
    "AUGMENTED": Operator, "POWER": Operator, "OPERATOR": Operator, "STAR": Operator,
    "ARROW": Operator, "SIGN": Operator, "AT": Operator, "INVERT": Operator,
    "EQUAL": Operator, "CONSTANT": Keyword.Constant, "STRING": String, "NUMBER": Number,
    "IMAGINARY": Number,
    "_SEPARATOR": Text, "BLANK": Text, "CONTINUATION": Text, "COMMENT": Comment.Single,
    "$OTHER": Error,
}  # fmt: skip
"""By terminal of the grammar; all others are punctuation."""
_WORD_OPERATORS = {"and", "or", "not", "is", "in"}


class GradcliLexer(Lexer):
    """Programs of gradcli. It knows no options but those of all lexers."""

    name = "gradcli"
    aliases = ("gradcli", "grad")
    filenames = ("*.grad",)
    mimetypes = ("text/x-gradcli",)
    url = ""
    version_added = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Places in the text, types of tokens, and texts, which together are the whole."""
        from gradcli.analysis.vocabulary import vocabulary
        from gradcli.language.tokens import TABLES

        known = vocabulary()
        place, before = 0, ""
        for match in TABLES.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if place < start:
                yield place, Text, text[place:start]
            place, found = end, text[start:end]
            terminal = TABLES.terminals[TABLES.terminal(match)]
            if terminal != "NAME":
                kind = _TYPES.get(terminal, Punctuation)
                if kind is Comment.Single and found[1:2] in ("=", "!"):
                    kind = Comment.Special  # an expectation
            else:
                kind = _name(known, found, before, called=text[end : end + 1] == "(")
            yield start, kind, found
            if terminal not in ("BLANK", "CONTINUATION"):
                before = found
        if place < len(text):
            yield place, Text, text[place:]


def _name(known: Vocabulary, name: str, before: str, *, called: bool) -> Any:
    """The type of a name, by the token `before` it and by whether it is called."""
    if name in known.keywords:
        return Operator.Word if name in _WORD_OPERATORS else Keyword
    if before == ".":
        return Name.Function if called and name in known.methods else Name.Attribute
    if called and name in known.functions:
        return Name.Builtin
    return Name.Constant if name in known.constants else Name
