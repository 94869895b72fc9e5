"""The layout of a text: what regular expressions cannot tell the lexer.

Which line breaks separate statements, where blocks by indentation begin and end, which brackets
belong together, and which comments are expectations.
"""

from collections.abc import Callable, Iterable

from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.language.characters import stray_character
from gradcli.language.tokens import (
    END,
    NUMBER_OF,
    TABLES,
    ParseLimits,
    Terminal,
    Tokens,
    prefix,
)

_SEPARATOR = NUMBER_OF["_SEPARATOR"]
_LBRACE = NUMBER_OF["LBRACE"]
_RBRACE = NUMBER_OF["RBRACE"]
_ELSE = NUMBER_OF["ELSE"]
_DICTIONARY = NUMBER_OF["_DICTIONARY"]
_INDENT = NUMBER_OF["_INDENT"]
_DEDENT = NUMBER_OF["_DEDENT"]
_NAME = NUMBER_OF["NAME"]
_MATCHING = {"match": NUMBER_OF["_MATCH"], "case": NUMBER_OF["_CASE"]}
"""Names that begin blocks where more stands before the `:` or the `{`."""
_INNER = "(["
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_HEADS = frozenset(
    NUMBER_OF[word.upper()]
    for word in (
        "if",
        "elif",
        "else",
        "while",
        "for",
        "def",
        "class",
        "with",
        "try",
        "except",
        "finally",
    )
)
"""The words before the `:` of a block."""
_CONTINUING = frozenset(NUMBER_OF[word] for word in ("ELIF", "ELSE", "EXCEPT", "FINALLY"))
"""Those that go on with a statement."""
_BEFORE_BLOCK = frozenset(
    NUMBER_OF[name]
    for name in [
        *("NAME", "NUMBER", "IMAGINARY", "STRING", "CONSTANT", "ELLIPSIS", "RPAR", "RSQB"),
        "RBRACE",
        *("_TEMPLATE_END", "ELSE", "TRY", "EXCEPT", "FINALLY", "IF", "ELIF", "WHILE"),
    ]
)
"""What may stand before the `{` of a block; behind anything else it begins a dictionary. After a
word such as `if` it is an error, which is told as that of a block."""


_MATCHED = frozenset(
    NUMBER_OF[name]
    for name in [
        *("NAME", "NUMBER", "IMAGINARY", "STRING", "CONSTANT", "_TEMPLATE", "LPAR", "LSQB"),
        "_DICTIONARY",
        *("SIGN", "INVERT", "NOT", "STAR", "LAMBDA"),
    ]
)
"""What a value or a pattern begins with."""


class _Indented:
    """A block that a `:` began."""

    __slots__ = ("first", "header")

    def __init__(self, header: int) -> None:
        self.header = header
        """Where its header begins in the text."""
        self.first: int | None = None
        """Where its first statement begins, once that stands on a line of its own."""


class TextLayout:
    """Handles brackets, separators and comments as the lexer finds them.

    A method is called with the place of a token before it is stored, and returns whether the token
    needs nothing more.
    """

    __slots__ = (
        "after_block",
        "begin", "blocks", "brackets", "dictionaries", "lambdas", "limits", "separator", "tokens",
    )  # fmt: skip

    def __init__(self, tokens: Tokens, limits: ParseLimits) -> None:
        self.tokens = tokens
        self.limits = limits
        self.lambdas = 0
        """Those outside brackets whose `:` has not come."""
        self.brackets: list[int] = []
        """The places in the text of the brackets that are open, and of the `:` before blocks."""
        self.dictionaries: set[int] = set()
        """The places of those braces that begin one."""
        self.blocks: list[_Indented] = []
        """Those that a `:` began, and that have not ended."""
        self.begin = 0
        """The place among the tokens where the statement begins."""
        self.after_block = 0
        """The place behind the last block that has ended."""
        self.separator: Span | None = None
        """A separator that counts only if another statement follows it."""

    def store_all(self, found: Iterable[Terminal]) -> None:
        """Store terminals as tokens, where their handlers do not say otherwise."""
        kinds, starts, ends = self.tokens.kinds, self.tokens.starts, self.tokens.ends
        handlers = HANDLERS
        for kind, start, end in found:
            handler = handlers[kind]
            if handler and handler(self, start, end):
                continue
            if self.separator:
                self.separate()
            kinds.append(kind)
            starts.append(start)
            ends.append(end)

    def separate(self) -> None:
        assert self.separator is not None
        self._store(_SEPARATOR, *self.separator)
        self.separator = None
        self.begin = len(self.tokens.kinds)
        self.lambdas = 0

    @property
    def innermost(self) -> str:
        """The bracket that was opened last, `:` for a block by indentation."""
        return self.tokens.source.text[self.brackets[-1]] if self.brackets else ""

    def between_statements(self, start: int, end: int) -> bool:
        text, kinds = self.tokens.source.text, self.tokens.kinds
        innermost = text[self.brackets[-1]] if self.brackets else ""
        if innermost and (innermost in _INNER or self.brackets[-1] in self.dictionaries):
            return text[start] != ";"
        if innermost == ":" and text[start] != ";":
            self._end_line(start, end)
        is_first = not kinds or kinds[-1] in (_LBRACE, _INDENT)
        if not is_first and (self.separator is None or text[start] == ";"):
            self.separator = start, end
        return True

    def goes_on(self, _start: int, _end: int) -> bool:
        """`else`, `elif`, `.` and `{` go on with the line above."""
        if self.separator and self._text(self.separator) != ";":
            self.separator = None
        return False

    def sign(self, start: int, end: int) -> bool:
        if self.separator and self._text(self.separator).isspace():
            message = (
                f"a line that begins with {self._text((start, end))} is a statement of its own; "
                "to go on with the line above, put both in ( )"
            )
            self.tokens.notes.append(((start, end), message))
        return False

    def _text(self, span: Span) -> str:
        return self.tokens.source.text[slice(*span)]

    def open(self, start: int, end: int) -> bool:
        self.brackets.append(start)
        if len(self.brackets) > self.limits.depth:
            raise GradcliError(
                "limit-depth",
                f"more than {self.limits.depth:,} brackets are open here",
                source=self.tokens.source,
                span=(start, end),
            )
        return False

    @property
    def is_inside(self) -> bool:
        """Whether a value goes on: a bracket is open that is not a block's."""
        if not self.brackets:
            return False
        return self.innermost in _INNER or self.brackets[-1] in self.dictionaries

    def open_brace(self, start: int, end: int) -> bool:
        """A block's, or a dictionary's."""
        kinds, separator = self.tokens.kinds, self.separator
        follows = kinds and kinds[-1] in _BEFORE_BLOCK
        if follows and self.begin == len(kinds) - 1 and self._may_match():
            follows = False  # `case {'a': x}:`
        if follows and kinds[-1] == _ELSE and len(kinds) != self.after_block + 1:
            follows = False  # `a if c else {'a': x}`
        if follows and (separator is None or self._text(separator) != ";") and not self.is_inside:
            return self.open_block(start, end)
        if self.separator:
            self.separate()
        self.dictionaries.add(start)
        self._store(_DICTIONARY, start, end)
        return not self.open(start, end)

    def open_block(self, start: int, end: int) -> bool:
        self._matches()
        self.begin = len(self.tokens.kinds) + 1
        return self.goes_on(start, end) or self.open(start, end)

    def function(self, _start: int, _end: int) -> bool:
        """`lambda` has a `:` of its own."""
        self.lambdas += not self.is_inside
        return False

    def string(self, start: int, end: int) -> bool:
        """A string with fields is several tokens."""
        if "f" not in prefix(self.tokens.source.text, start):
            return False
        if self.separator:
            self.separate()
        from gradcli.language.templates import Templates  # few programs of the language have them

        Templates(self.tokens, self.limits, self._store).template(start, end)
        return True

    # --- blocks by indentation ---

    def colon(self, start: int, end: int) -> bool:
        """The `:` behind the header of a block begins that block; others are those of slices."""
        brackets, kinds = self.brackets, self.tokens.kinds
        if brackets and self.is_inside:
            return False
        if self.lambdas and not self.separator:
            self.lambdas -= 1
            return False
        is_header = self.begin < len(kinds) and (kinds[self.begin] in _HEADS or self._matches())
        if not is_header or self.separator:
            return False
        if self.innermost == ":" and self.blocks[-1].first is None:
            if kinds[self.begin] in _CONTINUING:
                return False  # the parser says what is wrong
            raise self._error("a block within a block begins on a line of its own", start, end)
        self.blocks.append(_Indented(self.tokens.starts[self.begin]))
        self.open(start, end)
        self._store(_INDENT, start, end)
        self.begin = len(kinds)
        return True

    def _matches(self) -> bool:
        """Whether the statement that begins a block is `match` or `case`, which it becomes."""
        kinds, begin = self.tokens.kinds, self.begin
        if len(kinds) < begin + 2 or kinds[begin + 1] not in _MATCHED or not self._may_match():
            return False
        kinds[begin] = _MATCHING[self.tokens.text(begin)]
        return True

    def _may_match(self) -> bool:
        """Whether the statement begins with the name `match` or `case`."""
        kinds, begin = self.tokens.kinds, self.begin
        is_name = begin < len(kinds) and kinds[begin] == _NAME
        return is_name and self.tokens.text(begin) in _MATCHING

    def _end_line(self, start: int, end: int) -> None:
        """A line ends inside a block: it may end the block, or begin the block's lines."""
        text = self.tokens.source.text
        if self.blocks[-1].first is None and self.tokens.kinds[-1] != _INDENT:
            self._end_block(start)  # `if c: y = 1`
        next_character = text[end : end + 1]
        if self.innermost != ":" or next_character in ("", "#", "{", "}", "."):
            return  # no statement begins here
        from gradcli.language import indentation  # most programs start faster without

        block, source = self.blocks[-1], self.tokens.source
        if block.first is None:
            if not indentation.is_deeper(source, end, block.header):
                raise indentation.no_block(source, block.header, end)
            block.first = end
            return
        if indentation.is_deeper(source, end, block.first):
            raise indentation.unexpected(source, block.first, end)
        while indentation.is_deeper(source, block.first or end, end):
            self._end_block(start)
            if self.innermost != ":":
                if indentation.is_deeper(source, end, block.header):
                    raise indentation.unmatched(source, block.first or end, end)
                return
            inner, block = block, self.blocks[-1]
            if indentation.is_deeper(source, end, block.first or end):
                raise indentation.unmatched(source, inner.first or end, end)

    def _end_block(self, place: int) -> None:
        self.brackets.pop()
        self.blocks.pop()
        self.separator = None
        self._store(_DEDENT, place, place)
        self.after_block = len(self.tokens.kinds)
        self.begin = len(self.tokens.kinds)

    def _end_blocks(self, place: int) -> None:
        """End the blocks by indentation up to the brace around them."""
        while self.innermost == ":":
            if self.tokens.kinds[-1] == _INDENT:
                from gradcli.language import indentation

                raise indentation.no_block(self.tokens.source, self.blocks[-1].header, place)
            self._end_block(place)

    # --- brackets ---

    def close(self, start: int, end: int) -> bool:
        source, brackets = self.tokens.source, self.brackets
        closing = source.text[start]
        if brackets and _CLOSES.get(source.text[brackets[-1]]) == closing:
            brackets.pop()
            return False
        if closing == "}":
            self._end_blocks(start)
        if self.innermost in ("", ":"):
            raise self._error(
                f"`{closing}` closes nothing: no bracket is open here",
                start,
                end,
                "delete it, or open one before it",
            )
        opened = self.brackets.pop()
        expected = _CLOSES[source.text[opened]]
        if closing == "}" and expected != "}":
            raise self._unclosed(opened)
        if closing != expected:
            line, column = source.locate(opened)
            raise self._error(
                f"`{closing}` does not close the `{source.text[opened]}` of line {line}, "
                f"column {column}",
                start,
                end,
                f"write {expected} here",
            )
        return False

    def close_brace(self, start: int, end: int) -> bool:
        if self.brackets and self.brackets[-1] in self.dictionaries:
            return self.close(start, end)
        self.close(start, end)
        self.separator = None
        self._store(_RBRACE, start, end)
        self.begin = self.after_block = len(self.tokens.kinds)
        self.separator = end, end
        return True

    def comment(self, start: int, end: int) -> bool:
        """Remember an expectation; skip other comments."""
        text = self.tokens.source.text
        mark = text[start : start + 2]
        if mark not in ("#=", "#!") or text.startswith("#==", start):
            return True
        before = self.tokens.ends[-1] if self.tokens.ends else -1
        is_alone = before < 0 or "\n" in text[before:start]
        if mark == "#!" and is_alone and "\n" not in text[:start]:
            return True  # the first line of a script names the program that runs it
        if mark == "#!" and is_alone and len(text[start + 2 : end].split()) > 1:
            return True  # a command of a notebook that is switched off, and no code of an error
        if is_alone or self.is_inside:
            raise misplaced(self.tokens.source, (start, end))
        self.tokens.comments.append(((start, end), before))
        return True

    def skip(self, _start: int, _end: int) -> bool:
        """A line that ends with a backslash goes on in the next one."""
        return True

    def stray(self, start: int, _end: int) -> bool:
        raise stray_character(self.tokens.source, start)

    def finish(self, size: int) -> None:
        """The text ends at this place."""
        self._end_blocks(size)
        if self.brackets:
            raise self._unclosed(self.brackets[-1])
        self._store(END, size, size)

    def _store(self, kind: int, start: int, end: int) -> None:
        self.tokens.kinds.append(kind)
        self.tokens.starts.append(start)
        self.tokens.ends.append(end)

    def _error(self, message: str, start: int, end: int, hint: str | None = None) -> GradcliError:
        span = start, end
        return GradcliError("syntax", message, hint=hint, source=self.tokens.source, span=span)

    def _unclosed(self, opened: int) -> GradcliError:
        bracket = self.tokens.source.text[opened]
        return GradcliError(
            "syntax",
            f"this `{bracket}` is not closed",
            hint=f"add a {_CLOSES[bracket]}",
            source=self.tokens.source,
            span=(opened, opened + 1),
        )


def misplaced(source: Source, span: Span) -> GradcliError:
    """The error for an expectation that belongs to no statement, or says nothing."""
    return GradcliError(
        "syntax",
        f"`{source.text[span[0] : span[0] + 2]}` begins an expectation, which stands behind a "
        "statement on its line: x  #= 3, or f(x)  #! shape",
        hint="an ordinary comment has a space behind the #",
        source=source,
        span=span,
    )


Handler = Callable[[TextLayout, int, int], bool]
HANDLERS: list[Handler | None] = [None] * len(TABLES.terminals)
for _name, _handler in {
    "_SEPARATOR": TextLayout.between_statements,
    "COMMENT": TextLayout.comment,
    "CONTINUATION": TextLayout.skip,
    "LPAR": TextLayout.open,
    "LSQB": TextLayout.open,
    "LBRACE": TextLayout.open_brace,
    "RPAR": TextLayout.close,
    "RSQB": TextLayout.close,
    "RBRACE": TextLayout.close_brace,
    "COLON": TextLayout.colon,
    "DOT": TextLayout.goes_on,
    "ELSE": TextLayout.goes_on,
    "ELIF": TextLayout.goes_on,
    "EXCEPT": TextLayout.goes_on,
    "FINALLY": TextLayout.goes_on,
    "LAMBDA": TextLayout.function,
    "STRING": TextLayout.string,
    "SIGN": TextLayout.sign,
    "$OTHER": TextLayout.stray,
}.items():
    HANDLERS[NUMBER_OF[_name]] = _handler
