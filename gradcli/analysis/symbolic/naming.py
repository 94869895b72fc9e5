"""Names for what a formula repeats: the program's own names where it has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gradcli.language.construct import NOWHERE, name
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    Name,
    Unary,
)
from gradcli.spelling.formula import fresh_names

VALUES = (Attribute, Binary, Call, Compare, Index, Unary)
"""Expressions that may get a name: other parts of a tree are not values."""
SHORT = 10
"""Shorter expressions are written again."""
LONG = 72
"""In a formula of this width, values of the program stand under their names."""
REPEATED = 28
"""An expression of this width that the program has no name for gets one where it is repeated."""


def named(
    formulas: Mapping[str, Expression], known: Mapping[str, Expression], taken: Collection[str]
) -> list[Assign]:
    """Assignments to the titles of `formulas`; values that are `known` by a name, and new ones that
    are not `taken`, come before those that use them.
    """
    counts: Counter[str] = Counter()
    trees: dict[str, Expression] = {}
    for formula in formulas.values():
        for part in _values(formula):
            text = print_expression(part)
            counts[text] += 1
            trees[text] = part
    long = max(len(print_expression(each)) for each in formulas.values()) > LONG
    titles: dict[str, str] = {}
    for title, tree in known.items():
        text = print_expression(tree)
        if len(text) >= SHORT and counts[text] > (0 if long else 1) and text not in titles:
            titles[text] = title
    fresh = fresh_names({*taken, *known, *formulas})
    whole = {print_expression(each) for each in formulas.values()}
    for text in sorted(counts, key=len, reverse=True):
        part_of = any(text in other and counts[other] == counts[text] for other in titles)
        repeated = counts[text] > 1 and len(text) >= REPEATED
        if repeated and not part_of and text not in titles and text not in whole:
            titles[text] = next(fresh)
    ordered = sorted(titles, key=len)
    found = [_assign(titles[text], _replaced(trees[text], titles, text)) for text in ordered]
    found += [_assign(title, _replaced(tree, titles, "")) for title, tree in formulas.items()]
    return found


def _assign(title: str, value: Expression) -> Assign:
    return Assign(name(title), value, NOWHERE)


def _values(tree: Expression) -> Iterator[Expression]:
    """The values in a tree, itself included."""
    waiting: list[Any] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, VALUES):
            yield part
        waiting += _parts(part)


def _parts(part: Any) -> list[Any]:
    if isinstance(part, tuple):
        return list(part)
    if isinstance(part, Call):
        return [*part.arguments, *part.keywords]
    if isinstance(part, Attribute):
        return [part.value]
    return [getattr(part, each) for each in getattr(part, "__slots__", ())]


def _replaced(part: Any, titles: Mapping[str, str], own: str) -> Any:
    """A part of a tree with names in it. It recurses: formulas are shallow."""
    if isinstance(part, tuple):
        return tuple(_replaced(each, titles, own) for each in part)
    if isinstance(part, VALUES):
        text = print_expression(part)
        if text in titles and text != own:
            return name(titles[text])
    if isinstance(part, Name) or not hasattr(part, "__slots__"):
        return part
    if isinstance(part, Call):
        return Call(
            part.callee, _replaced(part.arguments, titles, own),
            _replaced(part.keywords, titles, own), NOWHERE,
        )  # fmt: skip
    return type(part)(*(_replaced(getattr(part, x), titles, own) for x in part.__slots__))
