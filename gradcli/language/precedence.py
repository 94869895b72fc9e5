"""How tightly operators bind, as in Python; and a row of operands and operators made a tree."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.language.lexer import Tokens
from gradcli.language.mistakes import syntax_error
from gradcli.language.syntax import Binary, Compare, Expression, Unary

NOT, COMPARISON, SIGN, POWER = 3, 4, 7, 8
UNARY = {"not": NOT, "+": SIGN, "-": SIGN}
BINARY = {
    "or": 1, "and": 2,
    "==": COMPARISON, "!=": COMPARISON, "<": COMPARISON, "<=": COMPARISON, ">": COMPARISON,
    ">=": COMPARISON,
    "+": 5, "-": 5,
    "*": 6, "/": 6, "//": 6, "%": 6, "@": 6,
    "**": POWER,
}  # fmt: skip


def climb(row: list[Any], tokens: Tokens) -> Expression:
    """The tree of a row. An operand is a node, an operator the number of its token.

    Dijkstra's shunting yard: an operator waits until one that binds no tighter comes.
    """
    operands: list[Any] = []
    waiting: list[tuple[int, int, str, bool]] = []
    """Precedence, token, text, and whether the operator stands before its only operand."""
    operand_next = True
    for part in row:
        if type(part) is not int:
            operands.append(part)
            operand_next = False
            continue
        word = tokens.text(part)
        if operand_next:
            precedence = UNARY[word]
            if word == "not" and waiting and waiting[-1][0] > NOT:
                raise _misplaced_not(tokens, part, waiting[-1][2])
        else:
            precedence = BINARY[word]
            # `a < b < c` stays together until its end is known; `**` binds to the right.
            together = precedence in (COMPARISON, POWER)
            while waiting and waiting[-1][0] >= precedence + together:
                _join(operands, waiting, tokens)
        waiting.append((precedence, part, word, operand_next))
        operand_next = True
    while waiting:
        _join(operands, waiting, tokens)
    tree: Expression = operands[0]
    return tree


def _join(operands: list[Any], waiting: list[tuple[int, int, str, bool]], tokens: Tokens) -> None:
    """Give the operator that waits on top its operands."""
    precedence, token, word, unary = waiting.pop()
    right = operands.pop()
    operator: Any = word
    if unary:
        operands.append(Unary(operator, right, (tokens.starts[token], right.span[1])))
        return
    if precedence != COMPARISON:
        place = tokens.starts[token], tokens.ends[token]
        left = operands.pop()
        operands.append(Binary(operator, left, right, (left.span[0], right.span[1]), place))
        return
    chain: list[Any] = [word]
    compared = [right, operands.pop()]
    while waiting and waiting[-1][0] == COMPARISON:
        chain.append(waiting.pop()[2])
        compared.append(operands.pop())
    span = compared[-1].span[0], right.span[1]
    operands.append(Compare(tuple(chain[::-1]), tuple(compared[::-1]), span))


def _misplaced_not(tokens: Tokens, index: int, before: str) -> GradcliError:
    span = tokens.starts[index], tokens.ends[index]
    return syntax_error(
        tokens.source, span, f"`not` stands behind `{before}`", "put it in parentheses: (not x)"
    )
