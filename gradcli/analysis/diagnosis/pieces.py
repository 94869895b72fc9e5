"""What the formula of a gradient may be made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradcli.graph import Node, Shape
from gradcli.language.syntax import Expression, Name


class Piece(NamedTuple):
    """Something that may be missing in a formula."""

    expression: Expression
    words: str = ""
    """What it is, where its own text does not say it."""


class Material(NamedTuple):
    """What a formula of a program's gradient may be made of."""

    names: Mapping[str, Shape]
    numbers: Sequence[float]
    functions: Sequence[str]
    factors: Sequence[Piece]
    terms: Sequence[Piece]
    values: Mapping[Expression, Node]
    """What the parts of the formula are at the point of the run."""

    def shape(self, part: Expression) -> Shape | None:
        """The shape of a part; None where it is not known."""
        known = self.values.get(part)
        if known is None and isinstance(part, Name):
            return self.names.get(part.id)
        return None if known is None else known.shape
