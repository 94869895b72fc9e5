"""A flat row of operands and operators to a tree, by precedence climbing without recursion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.language.syntax import Binary, Compare, Expression, Unary
from gradcli.language.tokens import NUMBER_OF, Tokens

_LEVELS = [
    ["or"],
    ["and"],
    ["not"],
    ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"],
    ["|"],
    ["^"],
    ["&"],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "//", "%", "@"],
    ["+ - ~"],
    ["**"],
]
"""Loosest first; `+ - ~` stands for those before an operand."""

LEVEL = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_NEGATED = {"is": "is not", "in": "not in"}
_NOT = NUMBER_OF["NOT"]
LONG = 16
"""In a row of more parts it pays to look first whether all operators bind alike."""
NOT, COMPARISON, SIGN, POWER = LEVEL["not"], LEVEL["=="], LEVEL["+ - ~"], LEVEL["**"]


def fold(row: Sequence[Any], tokens: Tokens, start: int, end: int) -> Expression:
    """The tree of a row; operators are places of tokens, operands are nodes.

    `start` and `end` are where the row begins and ends in the text. Raises `syntax`, as Python
    does, for a `not` after an operator that binds tighter.
    """
    if len(row) == 3 and type(row[0]) is not int:
        left, place, right = row
        operator = tokens.text(place)
        if LEVEL[operator] != COMPARISON:
            return Binary(operator, left, right, (start, end), tokens.span(place))  # type: ignore[arg-type]
    if len(row) > LONG and int not in map(type, row[::2]):
        text, starts, ends = tokens.source.text, tokens.starts, tokens.ends
        operators = [text[starts[place] : ends[place]] for place in row[1::2]]
        level, *others = {LEVEL[each] for each in {*operators}}
        if not others and level not in (COMPARISON, POWER):
            return _from_the_left(row, operators, tokens, start, end)
    climber = _Climber(tokens)
    operand_is_next = True
    for part in row:
        if type(part) is not int:
            climber.operands.append(part)
            climber.starts.append(start)
            operand_is_next = False
        elif operand_is_next:
            climber.prefix(part)
            start = tokens.starts[part + 1]
        elif tokens.kinds[part] == _NOT:  # `not in`
            climber.negated.add(part + 1)
        else:
            climber.infix(part)
            start = tokens.starts[part + 1]
            operand_is_next = True
    climber.reduce(-1, end)
    return climber.operands[0]


def _from_the_left(
    row: Sequence[Any], operators: Sequence[Any], tokens: Tokens, start: int, end: int
) -> Expression:
    """The tree of a row of operators that bind alike, such as `a + b - c`."""
    starts, ends, places = tokens.starts, tokens.ends, row[1::2]
    stops = [*[ends[place - 1] for place in places[1:]], end]
    tree: Expression = row[0]
    for operator, place, right, stop in zip(operators, places, row[2::2], stops, strict=True):
        tree = Binary(operator, tree, right, (start, stop), (starts[place], ends[place]))
    return tree


class _Climber:
    """Operands and operators that wait for an operator with a lower precedence."""

    __slots__ = ("negated", "operands", "operators", "starts", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.operands: list[Expression] = []
        self.starts: list[int] = []
        """Where each operand begins, its parentheses included."""
        self.operators: list[tuple[int, int, str, bool]] = []
        """Level, place of the token, its text, and whether it is a prefix operator."""
        self.negated: set[int] = set()
        """The places of each `is` with a `not` behind it, and `in` with one before it."""

    def prefix(self, place: int) -> None:
        text = self.tokens.text(place)
        level = NOT if text == "not" else SIGN
        if level == NOT and self.operators and self.operators[-1][2] == "is":
            self.negated.add(self.operators[-1][1])
            return
        if level == NOT and self.operators and self.operators[-1][0] > NOT:
            operator = self.operators[-1][2]
            raise GradcliError(
                "syntax",
                f"`not` cannot follow `{operator}`, which binds tighter",
                hint=f"put it in parentheses: {operator} (not …)",
                source=self.tokens.source,
                span=self.tokens.span(place),
            )
        self.operators.append((level, place, text, True))

    def infix(self, place: int) -> None:
        text = self.tokens.text(place)
        level = LEVEL[text]
        # ** groups from the right, and a chain of comparisons is one node.
        goes_first = level if level in (POWER, COMPARISON) else level - 1
        if self.operators and self.operators[-1][0] > goes_first:
            self.reduce(goes_first, self.tokens.ends[place - 1])
        self.operators.append((level, place, text, False))

    def reduce(self, level: int, end: int) -> None:
        """Apply all waiting operators that bind tighter than `level`; the text goes up to `end`."""
        operators, operands, starts = self.operators, self.operands, self.starts
        while operators and operators[-1][0] > level:
            if operators[-1][0] == COMPARISON:
                self._reduce_comparisons(end)
                continue
            operator: Any
            _, place, operator, is_prefix = operators.pop()
            if is_prefix:
                starts[-1] = self.tokens.starts[place]
                operands[-1] = Unary(operator, operands[-1], (starts[-1], end))
            else:
                right = operands.pop()
                del starts[-1]
                span = self.tokens.starts[place], self.tokens.ends[place]
                operands[-1] = Binary(operator, operands[-1], right, (starts[-1], end), span)

    def _reduce_comparisons(self, end: int) -> None:
        operators: list[Any] = []
        while self.operators and self.operators[-1][0] == COMPARISON:
            _, place, operator, _ = self.operators.pop()
            operators.append(_NEGATED[operator] if place in self.negated else operator)
        count = len(operators) + 1
        operands = tuple(self.operands[-count:])
        start = self.starts[-count]
        del self.operands[-count:], self.starts[-count:]
        node = Compare(tuple(reversed(operators)), operands, (start, end))
        self.operands.append(node)
        self.starts.append(start)
