"""What the formula of a gradient may be made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gradcli.graph import Node, Shape
from gradcli.language.rewrite import Place
from gradcli.language.syntax import Expression, Name


class Piece(NamedTuple):
    """Something that may be missing in a formula."""

    expression: Expression
    words: str = ""
    """What it is, where its own text does not say it."""
    is_added: bool = False
    """Whether the gradient is a sum that it is a term of."""
    is_square: bool = False
    """Whether it is the product of a matrix with its transpose."""


Change: TypeAlias = tuple[float, str, Expression]
"""Its cost, what it is called where it undoes a mistake, and what stands there then."""


class Material(NamedTuple):
    """What a formula of a program's gradient may be made of."""

    names: Mapping[str, Shape]
    numbers: Sequence[float]
    functions: Sequence[str]
    running: Sequence[str]
    """Functions of the program that are taken along an axis, which is always given: `cumsum`."""
    mistaken: Mapping[str, Sequence[Change]]
    """By the text of what a function gives: what may belong there instead."""
    own: frozenset[str]
    """Functions that the program and its gradient are made of."""
    factors: Sequence[Piece]
    terms: Sequence[Piece]
    computed: Sequence[Piece]
    """What a name or a call may stand for."""
    totals: Sequence[Expression]
    """The sums of vectors, by which means with weights are divided."""
    matrices: Mapping[int, Sequence[Piece]]
    """Square ones, by their size."""
    exponents: Sequence[Expression]
    """Those that are no numbers."""
    limits: Sequence[Expression]
    """Where the program may cut values off, on both sides of 0."""
    values: Mapping[Expression, Node]
    """What the parts of the formula are at the point of the run."""

    def shape(self, part: Expression) -> Shape | None:
        """The shape of a part; None where it is not known."""
        known = self.values.get(part)
        if known is None and isinstance(part, Name):
            return self.names.get(part.id)
        return None if known is None else known.shape


Rule: TypeAlias = Callable[[Any, Place, Material], Iterator[Change]]
