"""The search for the slip in the formula that the user typed: its mutants at random points.

A mutant that agrees with the gradient at points where all inputs are other ones, not only at that
of the run, is the gradient: where it differs from the user's formula is the mistake.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.fresh import near
from gradcli.analysis.diagnosis.material import material
from gradcli.analysis.diagnosis.mutants import LIKELY, Grower, Mutant
from gradcli.analysis.diagnosis.typed import Tolerant, Typed
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.precise import Steps
from gradcli.analysis.verdict import Cause, Correction
from gradcli.diagnostics import Source
from gradcli.graph import Array, Node, ancestors
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import Place, places
from gradcli.language.syntax import Expression, Unary

ELEMENTS = 50_000_000
"""About how many elements are computed to try mutants,"""
FEWEST, MOST = 20, 12_000
"""but at least and at most so many mutants are tried."""
PARTS = 400_000
"""About how many parts of formulas are traced for that; a longer formula has fewer mutants."""
FACTORS = frozenset({"factor-missing", "divisor-missing"})
"""What is one mistake, however the factor is written."""
OF_THE_PEN = frozenset(
    {"sign", "operation", "exponent", "constant", "index", "axis", "keepdim", "function",
     "operand-transposed", "transposed-extra", "other-value", "condition"}
)  # fmt: skip
"""Mistakes at one sign, number or name."""
OTHERS = 2
"""So much is said in other words,"""
AS_LIKELY = 0.15
"""if it costs no more than that, or parentheses are wrong."""
APART = 0.2
"""How far what has a name is moved, relative to its elements."""
LONGEST = 2_000
"""A formula of more parts than this is not searched."""
EACH = 5
"""For each that is tried, so many are made and put in the order of their cost."""
FIRSTS = 120
"""The most slips that are tried together with a second one."""
ROUNDING = 1e-13
"""A formula is right at a point where it is no farther from the gradient than this."""
NEARER = 1e-3
"""How far a mutant is from the gradient, relative to the distance of the user's formula."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake in the formula, or two, and the formula without it."""

    mutants: tuple[Mutant, ...]
    formula: Expression
    also: tuple[Mutant, ...] = ()
    """What says the same in other words."""

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.mutants)

    @property
    def is_sure(self) -> bool:
        """Whether nobody tells it otherwise: two may be one that was not tried, unless each
        is a slip of the pen far from the other.
        """
        first, *more = self.mutants
        slight = {each.code for each in self.mutants} <= OF_THE_PEN
        return not more or (slight and not any(_touch(first, each) for each in more))

    def cause(self, source: Source) -> Cause:
        """The mistake in words, at its place in the user's text."""
        messages = [each.message for each in self.mutants]
        text = messages[0] if len(messages) == 1 else f"two mistakes: {'; and '.join(messages)}"
        if self.also:
            text += f"; in other words, {', or '.join(each.message for each in self.also)}"
        correction = Correction(source, self.mutants[0].span, print_expression(self.formula))
        return Cause(self.mutants[0].code, text, {}, correction, self.is_sure)


class Mutation:
    """Tries mutants of a formula until its budget is spent."""

    def __init__(self, claim: Claim, typed: Typed, words: Wording) -> None:
        """The points of the claim are fresh ones."""
        self._claim = claim
        self._typed = typed
        self._grower = Grower(material(claim, words, typed.remember()))
        self._points = claim.points
        self._distances = [self._distance(point, claim.mine) for point in self._points]
        size = sum(node.size for node in ancestors([claim.mine, claim.grad]))
        self._left = min(MOST, max(FEWEST, ELEMENTS // max(1, size)))
        self._tried: set[Node] = {claim.mine}
        parts = sum(1 for _ in islice(places(typed.expression), LONGEST + 1))
        self._left = min(self._left, PARTS // parts) if parts <= LONGEST else 0
        self._firsts = min(FIRSTS, self._left // 20)
        mutants = islice(self._grower.mutants(typed.expression), EACH * self._left)
        self._singles = sorted(mutants, key=lambda each: each.cost)
        self.dearest = math.inf
        """What a slip costs at most that is looked for."""

    def singles(self) -> Iterator[Slip]:
        """The slips that alone explain the difference, the most likely first."""
        affordable = takewhile(lambda each: each.cost <= self.dearest, self._singles)
        for right in self._right(affordable):
            yield Slip((right,), right.tree)

    def is_same(self, one: Slip, other: Slip) -> bool:
        """Whether two slips are one in other words: at one place, or the formulas without them
        agree whatever the names stand for, not only because of what the program computes.
        """
        (a, *_), (b, *_) = one.mutants, other.mutants
        if _meet(a.place, b.place) or {a.code, b.code} <= FACTORS:
            return True
        nodes = [self._value(each.formula) for each in (one, other)]
        return self._agree([each for each in nodes if each is not None])

    def is_plain(self, slip: Slip) -> bool:
        """Whether the formula without it is the gradient whatever the names stand for."""
        node = self._value(slip.formula)
        return node is not None and self._agree([node, self._claim.grad])

    def holds(self, slip: Slip, points: Sequence[Point]) -> bool:
        """Whether the formula without it is right at further points."""
        node = self._value(slip.formula) if points else None
        near = (node and self._distance(each, node) <= self._claim.rtol for each in points)
        return all(near)

    def shows(self, outcome: Node | None) -> bool:
        """Whether the user's formula is this whatever the names stand for."""
        return outcome is not None and self._agree([outcome, self._claim.mine])

    def _agree(self, nodes: Sequence[Node]) -> bool:
        """Whether two nodes do where all that has a name has other values."""
        with Tolerant():
            point = Steps(nodes, self._freely(nodes), np.dtype(np.float64))
            one, other = map(np.asarray, point.values())
            return distance(one, other) <= self._claim.rtol
        return False

    def _freely(self, nodes: Sequence[Node]) -> dict[Node, Array]:
        """Other values for all that has a name."""
        walk, generator = self._claim.walk, np.random.default_rng(0)
        named = {*walk.inputs.values(), *walk.problem.names.values(), *walk.vectors.values()}
        found = dict(walk.feeds)
        for node in ancestors(nodes):
            value = self._points[0].value(node) if node in named else None
            if value is not None and node.kind == "float" and node.known is None:
                found[node] = near(value, generator, APART)
        return found

    def double(self) -> Slip | None:
        """Two that explain it together."""
        for first in [each for each in self._singles if each.cost <= LIKELY][: self._firsts]:
            if self._left <= 0:
                break
            mutants = islice(self._grower.slight(first.tree), EACH * self._left)
            seconds = (each for each in mutants if each.cost <= LIKELY)
            second = next(self._right(seconds), None)
            if second is not None:
                return Slip((first, second), second.tree)
        return None

    def _right(self, mutants: Iterable[Mutant]) -> Iterator[Mutant]:
        """Those that agree with the gradient at every fresh point."""
        for mutant in mutants:
            if self._left <= 0:
                return
            self._left -= 1
            node = self._value(mutant.tree)
            if node is None or node in self._tried:
                continue
            self._tried.add(node)
            if all(
                self._distance(point, node) <= min(self._claim.rtol, _needed(far))
                for point, far in zip(self._points, self._distances, strict=True)
            ):
                yield mutant

    def _value(self, tree: Expression) -> Node | None:
        with Tolerant():
            return self._claim.shaped(self._typed.value(tree))
        return None

    def _distance(self, point: Point, node: Node) -> float:
        """How far a node is from the gradient in the worst element."""
        with Tolerant():
            return distance(point.value(node), point.value(self._claim.grad))
        return math.inf


def is_elsewhere(one: Slip, other: Slip) -> bool:
    """Whether a slip as likely as another one, without which the formula is the same, is at another
    place: nobody can tell then which was made.
    """
    (a, *_), (b, *_) = one.mutants, other.mutants
    if a.there or b.there or a.message == b.message or (a.code, b.code) == ("constant", "sign"):
        return False
    if b.code == "grouping":  # of so many ways to write parentheses one may be right by chance
        told = {each.code for each in other.also}
        return len(told) < OTHERS and a.code not in {*told, b.code}
    if {a.code, b.code} <= FACTORS or _meet(a.place, b.place):
        return False
    if a.code == b.code == "sign":  # any factor may have it; one that has been typed is likely
        return not other.also and a.cost <= b.cost and isinstance(a.place.part, Unary)
    return not other.also and a.cost - b.cost <= AS_LIKELY


def _meet(one: Place, other: Place) -> bool:
    """Whether two places are one, or one is a part of the other."""
    near = [place.part for place in (other, other.above) if place is not None]
    above = one.above.part if one.above else None
    return any(one.part is each for each in near) or above is other.part


def _touch(first: Mutant, second: Mutant) -> bool:
    """Whether a mutant of another one changes what that put there, or what stands next to it."""
    place, above = second.place, second.place.above
    near = [each.part for each in (place, above) if each is not None]
    beside = [getattr(part, each) for part in near for each in part.__slots__]
    return first.there is not None or any(each is first.instead for each in [*near, *beside])


def _needed(far: float) -> float:
    """How near a mutant must be where the user's formula is so far away; as it is, where that is
    right."""
    return max(NEARER * far, ROUNDING) if far > ROUNDING else 1.0


def distance(mine: Array | None, right: Array | None) -> float:
    """The largest error, relative to the element and a little to the largest one."""
    if mine is None or right is None or mine.shape != right.shape:
        return math.inf
    size = np.abs(right)
    with np.errstate(all="ignore"):
        off = np.abs(mine - right) / (size + 1e-3 * size.max(initial=0.0))
    worst = float(np.max(np.where(mine == right, 0.0, off), initial=0.0))
    return math.inf if math.isnan(worst) else worst
