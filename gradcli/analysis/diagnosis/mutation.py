"""The search for the slip in the formula that the user typed: its mutants at random points.

A mutant that agrees with the gradient at points where all inputs are other ones, not only at that
of the run, is the gradient: where it differs from the user's formula is the mistake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcli.algebra.rules import derivatives
from gradcli.analysis.diagnosis.alternatives import (
    DEAR,
    FACTORS,
    OTHERS,
    TURNS,
    Slip,
    is_inside,
    meet,
    product_of,
    stands_twice,
)  # fmt: skip
from gradcli.analysis.diagnosis.calls import reduces
from gradcli.analysis.diagnosis.claim import Claim, Point, typed
from gradcli.analysis.diagnosis.fresh import alike, counted, usual_size
from gradcli.analysis.diagnosis.material import material
from gradcli.analysis.diagnosis.mutants import Grower, Mutant
from gradcli.analysis.diagnosis.steps import ReverseStep
from gradcli.analysis.diagnosis.typed import Tolerant, Typed
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.precise import Steps
from gradcli.analysis.switches import is_switch
from gradcli.graph import Array, Node
from gradcli.language.construct import binary
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import Place, called, places
from gradcli.language.syntax import Binary, Call, Expression, Name, Number, Syntax
from gradcli.walks import ancestors

ELEMENTS = 50_000_000
"""About how many elements are computed to try mutants,"""
FEWEST, MOST = 20, 12_000
"""but at least and at most so many mutants are tried."""
PARTS = 400_000
"""About how many parts of formulas are traced for that; a longer formula has fewer mutants."""
ANYWHERE = frozenset({"sign", "other-value"})
"""Mistakes of which it says nothing that the program computes what belongs there."""
REFLECTED = {"sign", "complement"}
"""Mistakes that are one in a sigmoid, and are told both: 1 - sigmoid(z) is sigmoid(-z)."""
NEVER = {("function-extra", "function-missing"), ("operation", "factor-extra")}
"""Mistakes that are not told of each other: p is exp(log(p)), and p + (1 - p) is 1."""
SPLIT = FACTORS | {"function", "function-missing"}
"""Mistakes that may be a term that is missing, as in a logarithm."""
AS_LIKELY = 0.6
"""A slip is told in other words, too, if these cost no more than that."""
COMPUTED, NOT_PLAIN, DOUBT = 0.3, 0.4, 0.4
"""How much more and less likely it is than its cost says that a slip was made."""
PLAINLY = 1e-6
"""Formulas are not one that differ by more."""
LARGER, BY_CHANCE = 10.0, 1e4
"""How much larger or smaller it is made, by a sine that depends on the move."""
APART = 0.2
"""How far what has a name is moved, relative to its elements."""
PUT = frozenset({"factor-missing", "term-missing", "constant", "other-value", "function-missing"})
"""Mistakes that are one if what was put there is, or where."""
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


class Mutation:
    """Tries mutants of a formula until its budget is spent."""

    def __init__(self, claim: Claim, own: Typed, words: Wording) -> None:
        """The points of the claim are fresh ones."""
        self.claim = claim
        self.typed = own
        self.grower = Grower(material(claim, words, own.remember()))
        self.points = claim.points
        self._distances = [self._distance(point, claim.mine) for point in self.points]
        plain = words.plain(claim.grad)
        self._computed = set(ancestors([*claim.walk.outputs, claim.grad, plain]))
        self._grads = {claim.grad, claim.by_rules(derivatives), claim.by_rules(_by_parts)}
        size = sum(node.size for node in ancestors([claim.mine, claim.grad]))
        self.left = min(MOST, max(FEWEST, ELEMENTS // max(1, size)))
        self.tried: dict[Node, Mutant | None] = {claim.mine: None}
        """The first mutant that gives each node."""
        parts = sum(1 for _ in islice(places(own.expression), LONGEST + 1))
        self.left = min(self.left, PARTS // parts) if parts <= LONGEST else 0
        self.firsts = min(FIRSTS, self.left // 20)
        mutants = islice(self.grower.mutants(own.expression), EACH * self.left)
        self.mutants = sorted(mutants, key=lambda each: each.cost)
        self.dearest = math.inf
        """What a slip costs at most that is looked for."""
        self._known: dict[Put, Freed] = {}

    def _freed(self, put: Put) -> Freed:
        """The formula where all names stand for numbers near those that they have."""
        if put in self._known:
            return self._known[put]
        walk, generator = self.claim.walk, np.random.default_rng(0)
        free: dict[str, Node] = {}
        values: dict[str, Array] = {}
        fixed = counted(self.claim)
        for title, node in (walk.problem.names | walk.inputs | walk.vectors).items():
            value = self.points[0].value(node) if node.kind == "float" else None
            if value is not None and node.known is None and node not in fixed:
                free[title] = node.graph.input(title, node.shape, "float")
                values[title] = put(moved(value, generator), value)
        feeds = walk.feeds | {free[title]: value for title, value in values.items()}
        anywhere = typed(walk, self.typed.source, feeds, free)
        self._known[put] = Freed(anywhere, feeds, values)
        return self._known[put]

    def singles(self) -> Iterator[Slip]:
        """The slips that alone explain the difference, the most likely first."""
        affordable = takewhile(lambda each: each.cost <= self.dearest, self.mutants)
        for right in self.right(affordable):
            if self._is_doubling(right) or self._is_idle(right):
                continue
            plain = self.is_plain(right.tree)
            odd = right.code == "grouping" or _adds_to_number(right)  # 4 - L for 4
            doubtful = self._is_doubtful(right) or (odd and not plain)
            yield Slip((right,), right.tree, plain=plain, doubtful=doubtful)

    def likelihood(self, slip: Slip) -> float:
        """The less, the more likely is one of several slips that are all right at fresh points: one
        that makes what the program or its gradient computes, and one without which the formula is
        the gradient whatever the names stand for.
        """
        (mutant,) = slip.mutants
        told = mutant.code not in ANYWHERE and (mutant.code, mutant.cost < DEAR) != (
            "exponent",
            False,
        )
        told = is_inside(mutant.place) if mutant.code in FACTORS else told
        known = COMPUTED if told and self._is_computed(mutant) else 0.0
        doubt = DOUBT if slip.doubtful else 0.0
        return mutant.cost - known + doubt + (0.0 if slip.plain else NOT_PLAIN)

    def _is_computed(self, mutant: Mutant) -> bool:
        """Whether the program or its gradient computes what belongs at a place, not the whole."""
        whole = mutant.instead
        if mutant.place.above is None or isinstance(whole, Name | Number):
            return False
        ways = [whole]
        if isinstance(whole, Binary) and whole.operator in "+*":
            ways.append(binary(whole.operator, whole.right, whole.left))
        with Tolerant():
            return any(self.typed.value(each) in self._computed for each in ways)
        return False

    def _is_doubling(self, mutant: Mutant) -> bool:
        """Whether it adds a part to itself: that is told of the factor 2."""
        if mutant.code == "unturned":
            return self._is_symmetric(mutant.place.part)
        if mutant.code != "term-missing" or mutant.piece is None:
            return False
        assert isinstance(mutant.place.part, Expression)
        with Tolerant():
            part, piece = map(self.typed.value, (mutant.place.part, mutant.piece.expression))
            return part in (piece, -piece)
        return False

    def _is_idle(self, mutant: Mutant) -> bool:
        """Whether nobody would write the formula without it for what is idle in there."""
        own = self._idle(mutant.piece.expression) if mutant.piece else 0
        return self.idles(mutant.tree, own)

    def idles(self, formula: Expression, more: int = 0) -> bool:
        """Whether more is idle in a formula than in the user's, and than what it has more."""
        return self._idle(formula) > more + self._idle_already

    @cached_property
    def _idle_already(self) -> int:
        return self._idle(self.typed.expression)

    def _idle(self, formula: Expression) -> int:
        """How often something is taken from itself or divided by itself, or a single number is
        added up.
        """
        found = 0
        for part in (place.part for place in places(formula)):
            if isinstance(part, Binary) and part.operator in ("-", "/"):
                found += print_expression(part.left) == print_expression(part.right)
            elif isinstance(part, Call) and reduces(called(part)[0]):
                with Tolerant():
                    found += self.typed.value(called(part)[1][0]).shape == ()
        return found

    def _is_symmetric(self, part: Syntax) -> bool:
        """Whether a matrix is its own transpose."""
        assert isinstance(part, Expression)
        with Tolerant():
            node = self.typed.value(part)
            values = [np.asarray(point.value(node)) for point in self.points]
            return all(np.allclose(each, each.swapaxes(-1, -2)) for each in values)
        return False

    def _is_doubtful(self, mutant: Mutant) -> bool:
        """Whether it puts what no one computes where it stands by chance: a factor in a power's
        base that belongs in front of that, a power that another factor has too much.
        """
        place, added = mutant.place, mutant.piece.expression if mutant.piece else None
        power = mutant.code == "exponent" and mutant.cost >= DEAR
        if power:
            doubtful = stands_twice(place.part, product_of(place))
        elif isinstance(added, Binary) and added.operator == "**":
            doubtful = stands_twice(added.left, product_of(place))
        else:
            doubtful = mutant.code in FACTORS and is_inside(place)
        return doubtful and not self._is_computed(mutant)

    def is_same(self, one: Slip, other: Slip) -> bool:
        """Whether a slip is another one in other words: it puts something else with the same value
        there, or the same elsewhere, or makes the same formula whatever the names stand for.
        """
        (a, *_), (b, *_) = one.mutants, other.mutants
        if (a.averages and b.is_number) or (b.averages and a.is_number):
            return False  # with other sizes they are two
        if a.code == b.code == "constant" and a.place.part is not b.place.part:
            return False  # of 2/3 either may be wrong
        if a.is_digit and b.is_digit and not _of_one_base(a, b):
            return False  # of a**4 - b**2 either, too
        if a.multiplies and b.multiplies:
            one_product = product_of(a.place).part is product_of(b.place).part
            if one_product and (a.there or b.there) is None:
                return True  # by the same factor, as the formula is right without it
        beside = meet(a.place, b.place)
        if beside and (a.there or {}).keys() == (b.there or {}).keys():
            return True
        if a.kind == b.kind in PUT and (beside or a.put == b.put != ""):
            return True
        signs = a.kind == b.kind == "sign"  # where p - t adds up to 0, x + c is c - x, too
        return self._is_one_formula(one, other, as_moved if signs else alike)

    def _is_one_formula(self, one: Slip, other: Slip, put: Put) -> bool:
        """Whether both make the same formula whatever the names stand for."""
        with Tolerant():
            freed = self._freed(put)
            nodes = [freed.typed.value(each.formula) for each in (one, other)]
            return self._is_one(nodes, freed.feeds)
        return False

    def _part(self, one: Slip, other: Slip) -> bool:
        """Whether they make different formulas where names stand for numbers of other sizes, and
        nothing is chosen by these.
        """
        for put in OF_OTHER_SIZES:
            with Tolerant():
                freed = self._freed(put)
                nodes = [freed.typed.value(each.formula) for each in (one, other)]
                if any(map(is_switch, ancestors(nodes))):
                    return False
                a, b = Steps(nodes, freed.feeds, np.dtype(np.float64)).values()
                if np.isfinite(a).all() and np.isfinite(b).all() and distance(a, b) > PLAINLY:
                    return True
        return False

    def _is_one(self, nodes: Sequence[Node], feeds: Mapping[Node, Array]) -> bool:
        """Whether two nodes have one value. Raises what the engine raises."""
        one, other = map(np.asarray, Steps(nodes, feeds, np.dtype(np.float64)).values())
        return distance(one, other) <= self.claim.rtol

    def is_told_too(self, one: Slip, other: Slip) -> bool:
        """Whether it is told of a slip that it is another one in other words: of another kind, and
        elsewhere, or what only the program makes the same.
        """
        (a, *_), (b, *_) = one.mutants, other.mutants
        told = {each.kind for each in (b, *other.also)}
        if a.kind in told or self._is_doubtful(a) or one.cost - other.cost > AS_LIKELY:
            return False
        if a.cuts_off or (one.doubtful and a.code != "grouping"):
            return False
        if _is_within(a.place, b.gone):
            return False
        if b.is_number and a.code == "other-value" and isinstance(a.place.part, Number):
            return False  # then the number is wrong
        if a.is_number or {a.code, b.code} == REFLECTED:  # it stands in the text
            return True
        if sum(not each.is_number for each in other.also) == OTHERS:
            return False
        wrapped = a.code == "function-missing"  # x is sqrt(x)**2, and exp(x/2) sqrt(exp(x))
        if wrapped and (b.code == "exponent" or isinstance(a.place.part, Call)):
            return False
        if (a.code, b.code) in NEVER or (b.code, a.code) in NEVER:
            return False
        doubles = b.piece is not None and isinstance(b.piece.expression, Number)
        if a.code == "term-missing" and (b.code not in SPLIT or doubles):  # 2*a is a + a
            return False
        if self._is_one_formula(one, other, alike) and self._part(one, other):
            return False  # next to nothing is added
        apart = "grouping" in (a.code, b.code) or not meet(a.place, b.place)
        apart = apart or (b.kind == "sign" and a.code in TURNS)
        return apart or not all(self._is_one_formula(one, other, put) for put in (alike, negative))

    def is_plain(self, formula: Expression) -> bool:
        """Whether a formula is the gradient whatever the names stand for."""
        return any(self._says(formula, each) for each in self._grads)

    def holds(self, slip: Slip, points: Sequence[Point], rtol: float = 0.0) -> bool:
        """Whether the formula without it is right at further points."""
        node = self.value(slip.formula) if points else None
        allowed = max(self.claim.rtol, rtol)
        return all(node and self._distance(each, node) <= allowed for each in points)

    def shows(self, outcome: Node | None) -> bool:
        """Whether the user's formula is this whatever the names stand for."""
        return outcome is not None and self._says(self.typed.expression, outcome)

    def _says(self, formula: Expression, node: Node) -> bool:
        """Whether a formula is a node where all names that it reads, and what is given, have other
        values; what it computes that has a name may be this, or computed from these.
        """
        walk = self.claim.walk
        known = walk.problem.names | walk.inputs | walk.vectors
        parts = (place.part for place in places(formula))
        read = {part.id for part in parts if isinstance(part, Name)}
        read |= walk.inputs.keys() | walk.vectors.keys()
        with Tolerant():
            freed = self._freed(as_moved)
            there = {known[title]: freed.values[title] for title in read & freed.values.keys()}
            ways = (self.typed.value(formula), freed.typed.value(formula))
            shaped = map(self.claim.shaped, ways)
            return any(self._is_one([each, node], freed.feeds | there) for each in shaped)
        return False

    def right(self, mutants: Iterable[Mutant]) -> Iterator[Mutant]:
        """Those that agree with the gradient at every fresh point."""
        for mutant in mutants:
            if self.left <= 0:
                return
            self.left -= 1
            node = self.value(mutant.tree)
            if node is None or node in self.tried:
                continue
            self.tried[node] = mutant
            if self._is_right(node):
                yield mutant

    def explains(self, formula: Expression) -> bool:
        """Whether a formula is the gradient at every fresh point."""
        node = self.value(formula)
        return node is not None and self._is_right(node)

    def _is_right(self, node: Node) -> bool:
        return all(
            self._distance(point, node) <= min(self.claim.rtol, _needed(far))
            for point, far in zip(self.points, self._distances, strict=True)
        )

    def value(self, tree: Expression) -> Node | None:
        with Tolerant():
            return self.claim.shaped(self.typed.value(tree))
        return None

    def _distance(self, point: Point, node: Node) -> float:
        """How far a node is from the gradient in the worst element."""
        with Tolerant():
            return distance(point.value(node), point.value(self.claim.grad))
        return math.inf


class Freed(NamedTuple):
    """A formula whose names stand for other numbers."""

    typed: Typed
    feeds: dict[Node, Array]
    values: dict[str, Array]
    """The numbers, by name."""


Put: TypeAlias = Callable[[Array, Array], Array]
"""From numbers near those of a name, and these: what it may stand for."""


def as_moved(numbers: Array, _value: Array) -> Array:
    return numbers


def negative(numbers: Array, _value: Array) -> Array:
    """Of the other sign: abs(x) is not x there."""
    return -numbers


def _resized(turn: int, numbers: Array, value: Array) -> Array:
    """Of another size, which is another one for each name and turn."""
    first = float(numbers.flat[0] - value.flat[0]) if value.size else 0.0
    return alike(numbers, value) * float(LARGER ** math.sin(turn * BY_CHANCE * first))


OF_OTHER_SIZES = tuple(partial(_resized, turn) for turn in range(1, 5))


def moved(value: Array, generator: np.random.Generator) -> Array:
    """Other numbers near by, which need not look like these."""
    moves = APART * generator.uniform(-1.0, 1.0, value.shape)
    return np.asarray(value + moves * np.where(value == 0, usual_size(value), np.abs(value)))


def _of_one_base(one: Mutant, other: Mutant) -> bool:
    """Whether both are of one number, or exponents of the same: r**2/r**3 is 1/r."""
    if one.place.part is other.place.part:
        return True
    above = [each.place.above and each.place.above.part for each in (one, other)]
    bases = {print_expression(each.left) for each in above if isinstance(each, Binary)}
    return len(bases) == 1


def _adds_to_number(mutant: Mutant) -> bool:
    """Whether a term is missing next to a number."""
    return mutant.code == "term-missing" and isinstance(mutant.place.part, Number)


def _is_within(place: Place | None, part: Syntax | None) -> bool:
    """Whether it is a part of that, or of a part of it."""
    while place is not None and place.part is not part:
        place = place.above
    return place is not None and part is not None


def _by_parts(
    node: Node, change: Node, linked: Container[Node], selected: set[Node]
) -> Iterator[tuple[int, Node]]:
    """The rules of textbooks, and those of quotients over both parts, not over the quotient."""
    for position, part in derivatives(node, change, linked, selected):
        if node.op.infix == "/" and position == 1:
            above, below = node.inputs
            step = ReverseStep(node, position)
            yield position, step.summed(step.spread(change) * (-above / below**2))
        else:
            yield position, part


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
