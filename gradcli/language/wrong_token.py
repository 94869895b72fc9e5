"""A token that cannot stand where it does, and the tokens around it."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.language.tokens import NUMBER_OF, TABLES, Tokens

OPERANDS = {NUMBER_OF[name] for name in ("NAME", "NUMBER", "IMAGINARY", "STRING", "CONSTANT")}
ENDS_OPERAND = OPERANDS | {NUMBER_OF["RPAR"], NUMBER_OF["RSQB"]}
INFIX = {NUMBER_OF[name] for name in ("OPERATOR", "STAR", "AT", "POWER", "SIGN", "AND", "OR", "IS")}
KEYWORDS = set(TABLES.keywords.values())
SEPARATING = {NUMBER_OF[name] for name in ("_SEPARATOR", "LBRACE", "RBRACE", "_INDENT", "_DEDENT")}
_DICTIONARY = NUMBER_OF["_DICTIONARY"]
LONGEST = 40
"""The most characters of a token that a message repeats."""
ENDING = {0, NUMBER_OF["_SEPARATOR"], NUMBER_OF["RBRACE"], NUMBER_OF["_DEDENT"]}


@dataclass(frozen=True, slots=True)
class WrongToken:
    """The tokens around the one that cannot stand there."""

    tokens: Tokens
    place: int
    expected: set[int]

    @property
    def kind(self) -> int:
        return self.tokens.kinds[self.place]

    @property
    def text(self) -> str:
        return self.word(0)

    @property
    def before(self) -> str:
        return self.word(-1)

    def word(self, offset: int) -> str:
        """The text of a token near this one, cut if long; "" outside the program."""
        place = self.place + offset
        text = self.tokens.text(place) if 0 <= place < len(self.tokens.kinds) else ""
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    @property
    def innermost_is_dictionary(self) -> bool:
        """Whether a pair of a dictionary has begun, and its `:` is missing."""
        return (
            self.kind_before in ENDS_OPERAND
            and self.expects("COLON")
            and any(kind == _DICTIONARY for kind in self.tokens.kinds[: self.place])
        )

    @property
    def kind_before(self) -> int:
        return self.tokens.kinds[self.place - 1] if self.place else 0

    @property
    def touches(self) -> bool:
        """No blank stands between this token and the one before."""
        return self.place > 0 and self.tokens.ends[self.place - 1] == self.tokens.starts[self.place]

    @property
    def statement_begin(self) -> int:
        """The place of the token that the statement begins with."""
        at = self.place
        while at and self.tokens.kinds[at - 1] not in SEPARATING:
            at -= 1
        return at

    @property
    def wants_operand(self) -> bool:
        return NUMBER_OF["NUMBER"] in self.expected

    @property
    def ends_line(self) -> bool:
        """The statement ends here."""
        return self.kind in ENDING

    def expects(self, name: str) -> bool:
        return NUMBER_OF[name] in self.expected
