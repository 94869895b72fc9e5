"""Products and sums as lists of their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.language.construct import binary
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import called
from gradcli.language.syntax import Binary, Call, Expression, Number


def factors_in(part: Expression) -> tuple[Expression, list[tuple[Any, Expression]]]:
    """The first factor of a product, and the others, each with its operator."""
    factors: list[tuple[Any, Expression]] = []
    while isinstance(part, Binary) and part.operator in "*/@":
        factors.insert(0, (part.operator, part.right))
        part = part.left
    return part, factors


def multiplied(first: Expression, factors: Sequence[tuple[Any, Expression]]) -> Expression:
    for symbol, factor in factors:
        first = binary(symbol, first, factor)
    return first


def divides_seldom(part: Expression) -> bool:
    """Whether it is 1 divided by something, or chosen, by which nobody divides."""
    if isinstance(part, Call) and called(part)[0] == "where":
        return True
    first, factors = factors_in(part)
    inverse = bool(factors) and factors[0][0] == "/"
    return inverse and isinstance(first, Number) and first.value == 1


def first_factor(part: Expression) -> Expression:
    """What a product begins with."""
    while isinstance(part, Binary) and part.operator in "*/@":
        part = part.left
    return part


def texts_of_factors(part: Expression) -> set[str]:
    """Those of a product or quotient of several, above the line and below."""
    found, waiting = set[str](), [part]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Binary) and each.operator in "*/":
            waiting += [each.left, each.right]
        elif each is not part:
            found.add(print_expression(each))
    return found


def share_factor(divisor: Expression, part: Expression) -> bool:
    """Whether a product of several, by which a part is divided, has one of its factors."""
    return not texts_of_factors(divisor).isdisjoint(texts_of_factors(part))


def terms_of(part: Expression) -> Iterator[Expression]:
    """Those of a sum, from the last to the first."""
    while isinstance(part, Binary) and part.operator in "+-":
        yield part.right
        part = part.left
    yield part
