"""Which of several slips was made that would all explain a wrong formula: where they are, which are
one in other words, and of which nobody can tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.analysis.diagnosis.mutants import Mutant
from gradcli.analysis.verdict import Cause, Correction
from gradcli.diagnostics import Source
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import Place, called, places
from gradcli.language.syntax import Binary, Call, Expression, Syntax

FACTORS = frozenset({"factor-missing", "divisor-missing"})
"""What is one mistake, however the factor is written."""
OF_THE_PEN = frozenset(
    {"sign", "operation", "exponent", "constant", "index", "axis", "keepdim", "function",
     "operand-transposed", "transposed-extra", "other-value", "condition"}
)  # fmt: skip
"""Mistakes at one sign, number or name."""
OTHERS = 2
"""So much is said in other words."""
DEAR = 1.6
"""What costs so much is not done often."""
TURNS = frozenset({"axis", "operand-transposed", "transposed-extra"})
"""What is a wrong sign where a matrix is the negative of its transpose."""
ROOTS = frozenset({"sqrt", "abs", "square"})
"""Functions that are powers."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake in the formula, or two, and the formula without it."""

    mutants: tuple[Mutant, ...]
    formula: Expression
    also: tuple[Mutant, ...] = ()
    """What says the same in other words."""
    plain: bool = True
    """Whether the formula without it is the gradient whatever the names stand for."""
    doubtful: bool = False
    """Whether the formula is right without it, but nobody would write it so."""

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.mutants)

    @property
    def is_sure(self) -> bool:
        """Whether nobody tells it otherwise: two may be one that was not tried, unless each
        is a slip of the pen far from the other, in another term or the same one.
        """
        first, *more = self.mutants
        if self.doubtful:
            return False
        slight = {each.code for each in self.mutants} <= OF_THE_PEN
        far = all(each.code == first.code or _are_apart(first, each) for each in more)
        return not more or (slight and far and not any(_touch(first, each) for each in more))

    def cause(self, source: Source) -> Cause:
        """The mistake in words, at its place in the user's text."""
        messages = [each.message for each in self.mutants]
        text = messages[0] if len(messages) == 1 else f"two mistakes: {'; and '.join(messages)}"
        if self.also:
            text += f"; in other words, {', or '.join(each.message for each in self.also)}"
        correction = Correction(source, self.mutants[0].span, print_expression(self.formula))
        return Cause(self.mutants[0].code, text, {}, correction, self.is_sure)


def is_inside(place: Place) -> bool:
    """Whether a part is in the base of a power or the like, out of which factors may be taken."""
    while place.above is not None:
        above = place.above.part
        if isinstance(above, Binary) and above.operator == "**" and place.field == "left":
            return True
        if isinstance(above, Call) and called(above)[0] in ROOTS:
            return True
        place = place.above
    return False


def product_of(place: Place) -> Place:
    """The product that a factor is in."""
    while (
        place.above and isinstance(place.above.part, Binary) and place.above.part.operator in "*/@"
    ):
        place = place.above
    return place


def stands_twice(part: Syntax, product: Place) -> bool:
    """Whether an expression stands in a product twice."""
    assert isinstance(product.part, Expression)
    found = [each.part for each in places(product.part) if each.is_value]
    texts = [print_expression(each) for each in found if isinstance(each, Expression)]
    return isinstance(part, Expression) and texts.count(print_expression(part)) > 1


def meet(one: Place, other: Place) -> bool:
    """Whether two places are one, or one is a part of the other."""
    near = [place.part for place in (other, other.above) if place is not None]
    above = one.above.part if one.above else None
    return any(one.part is each for each in near) or above is other.part


def _are_apart(first: Mutant, second: Mutant) -> bool:
    """Whether none is in the product that the other is in."""
    places = (first.place, second.place)
    (one, other), tops = places, [product_of(each).part for each in places]
    return not (_is_in(one, tops[1]) or _is_in(other, tops[0]))


def _is_in(place: Place | None, part: Syntax) -> bool:
    while place is not None and place.part is not part:
        place = place.above
    return place is not None


def _touch(first: Mutant, second: Mutant) -> bool:
    """Whether a mutant of another one changes what that put there, or what stands next to it."""
    place, above = second.place, second.place.above
    near = [each.part for each in (place, above) if each is not None]
    beside = [getattr(part, each) for part in near for each in part.__slots__]
    own = (first.instead, first.place.part)  # of a couple, each stands in the same formula
    return first.there is not None or any(each is one for each in [*near, *beside] for one in own)
