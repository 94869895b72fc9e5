"""Where a formula takes another branch than the gradient.

A number that decides a branch, a threshold or a limit, changes nothing where no element lies
between it and the right one. So inputs are moved across each switch of the formula, and both are
compared from far on one side over near to far on the other. Where they agree, and then differ from
there on or for a while, and both have switched meanwhile, the formula has its switch at another
place, or goes on in another way behind it.

At a switch the derivative is a matter of convention, and nearer than rounding one of chance:
neither is looked at. Where only one of both has switched nothing is said either: a formula may lack
a branch for what does not occur, or have one that guards against it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.typed import MISFITS
from gradcli.analysis.edges import distances_of, has_edge
from gradcli.analysis.line import EPS
from gradcli.analysis.montecarlo import chooses
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.switches import Crossing, Steering, is_switch
from gradcli.analysis.written import Texts
from gradcli.graph import Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.walks import ancestors

LINES = 40
"""The most lines for a formula."""
WORK = 4 * 10**8
"""About how many elements are computed for all of them."""
OVERHEAD = 2_000
"""The number of elements that take as long as one step."""
POINTS = 60
"""About how often a line takes all steps."""
DEFINED = 1e-8
"""Functions such as softplus are defined by other formulas far out, which differ by less: so much
is only asked about where formula and program write what switches, or where it does not fade."""
FAR, LASTING = 1e-3, 3
"""It does not if it keeps its size in so many places, which are at least as far from the switch."""
GROWS = 1e3
"""A difference that grows from the switch on is hidden by rounding there: from where it shows first
it grows by this factor at least."""
SHOWN, PLAINLY = 1e-6, 0.5
"""A point is told at about this distance from the switch, relative to what moves there, if they
differ by so much of the most that they differ by."""
CLEARLY = 4.0
"""A choice is no matter of rounding at a distance of so many times the noise."""


class Valued(Protocol):
    """What knows values of nodes, as a point does."""

    def value(self, node: Node) -> Array | None: ...


class Apart(NamedTuple):
    """A point where a formula has taken another branch than the gradient."""

    point: Point
    reach: float
    """How far from the switch of the formula that ends at most, relative to the inputs there."""


class Discrepancy(NamedTuple):
    """The largest differences of elements that rounding does not explain; 0 without any."""

    relative: float = 0.0
    absolute: float = 0.0


class Spot(NamedTuple):
    """A place on a line, where formula and gradient are compared."""

    reach: float
    """Its distance from the switch, as that of `Apart`."""
    point: Point
    difference: Discrepancy | None
    """None where it is not known."""
    chosen: Mapping[Node, Array | None]
    """What formula and gradient have chosen."""

    @property
    def differs(self) -> bool:
        return self.size > 0

    @property
    def size(self) -> float:
        """Of the relative difference, which is nothing where it is not known."""
        return min(self.difference.relative, 1.0) if self.difference else 0.0


class Branches:
    """A formula and the gradient, compared across the switches of the formula."""

    def __init__(self, claim: Claim, difference: Callable[[Point], Discrepancy | None]) -> None:
        """`difference` tells of a point by how much they differ; None where it is not known."""
        self._claim, self._difference = claim, difference
        whole = [claim.grad, *claim.walk.outputs]
        self._mine = [each for each in ancestors([claim.mine]) if is_choice(each)]
        looked = claim.walk.problem.looked
        self._right = [each for each in ancestors([*whole, *looked]) if is_choice(each)]
        written = Texts(claim)
        self._written = {each for each in (*self._mine, *self._right) if written.has(each)}
        size = sum(each.size + OVERHEAD for each in ancestors([claim.mine, *whole]))
        self._lines = min(LINES, WORK // (POINTS * size))

    def apart(self) -> Apart | None:
        """Where they have taken different branches, if that is found."""
        switches = [each for each in self._mine if is_switch(each)][: self._lines]
        for node in switches:
            for line in Steering(self._claim, node).crossings(self._lines // len(switches)):
                found = self._parted([self._spot(line, each) for each in line.places])
                if found is not None:
                    return found
        return None

    def _spot(self, line: Crossing, place: float) -> Spot:
        point = self._claim.walk.point(line.at(place))
        difference = self._difference(point)
        found = {each: chosen(each, point) for each in {*self._mine, *self._right}}
        return Spot(abs(place) / line.size, point, difference, found)

    def _parted(self, spots: Sequence[Spot]) -> Apart | None:
        for run in _runs(spots):
            ends = spots[max(0, run.start - 1) : run.stop + 1]
            known = [each for each in _around(spots, run) if each.difference is not None]
            agrees = any(not each.differs for each in known)
            switched = [_switched(nodes, known) for nodes in (self._mine, self._right)]
            inside = any(self._written.isdisjoint(each) for each in switched)
            least = DEFINED if inside and not _lasts(spots[run]) else 0.0
            clear = [each for each in spots[run] if each.size > least]
            if agrees and all(switched):
                most = max((each.size for each in clear), default=0.0)
                for each in sorted(clear, key=lambda spot: _rank(spot, PLAINLY * most)):
                    if self._is_clear(each.point):
                        return Apart(each.point, max(each.reach for each in ends))
        return None

    def _is_clear(self, point: Point) -> bool:
        """Whether no choice there is a matter of rounding."""
        switches = [each for each in (*self._mine, *self._right) if has_edge(each)]
        operands = list(dict.fromkeys(each for node in switches for each in node.inputs))
        try:
            found = Steps(operands, point.feeds, np.dtype(np.float64)).noise(EPS)
            longer = Steps(operands, point.feeds, np.dtype(np.longdouble)).values()
        except (*MISFITS, NotPreciseError):
            return False
        noise = dict(zip(operands, found, strict=True))
        exact = dict(zip(operands, longer, strict=True))
        return all(_is_clear(node, point, noise, exact) for node in switches)


def switches_alone(claim: Claim) -> list[Node]:
    """What a formula switches by, where neither program nor gradient do: it was compared on one
    side of each.
    """
    whole = [claim.grad, *claim.walk.outputs, *claim.walk.problem.looked]
    if any(map(is_choice, ancestors(whole))):
        return []
    return [each for each in ancestors([claim.mine]) if is_switch(each)]


def is_choice(node: Node) -> bool:
    """Whether a node chooses between branches: a function on single elements that does not may have
    a pole or an end of its domain, which is no branch.
    """
    return (
        chooses(node)
        or is_switch(node)
        or (has_edge(node) and not isinstance(node.op, Elementwise))
    )


def chosen(node: Node, point: Valued) -> Array | None:
    """What a node has chosen, or on which side of its switch each element is."""
    if chooses(node):
        return point.value(node)
    operands = [point.value(each) for each in node.inputs]
    known = [each for each in operands if each is not None]
    return np.sign(distances_of(node, known)) if len(known) == len(operands) else None


def _switched(nodes: Sequence[Node], spots: Sequence[Spot]) -> list[Node]:
    """Those of the nodes that choose in another way from one spot to the next."""
    return [
        node
        for node in nodes
        if any(_changes(a.chosen[node], b.chosen[node]) for a, b in pairwise(spots))
    ]


def _changes(a: Array | None, b: Array | None) -> bool:
    return a is None or b is None or not np.array_equal(a, b, equal_nan=True)


def _is_clear(
    node: Node, point: Point, noise: Mapping[Node, Array], exact: Mapping[Node, Array]
) -> bool:
    """Whether no choice of one node is; operands that are equal by rounding are not so in a longer
    precision.
    """
    values = [np.asarray(point.value(each)) for each in node.inputs]
    here = distances_of(node, values)
    moved = np.zeros(here.shape)
    for signs in ((1, 1, 1), (1, -1, 1)):
        there = [
            value + sign * noise[each] if each.kind == "float" else value
            for value, sign, each in zip(values, signs, node.inputs, strict=False)
        ]
        moved = np.fmax(moved, np.abs(distances_of(node, there) - here))
    equal = (here == 0) & (distances_of(node, [exact[each] for each in node.inputs]) == 0)
    return bool((equal | ~(np.abs(here) <= CLEARLY * moved)).all())


def _runs(spots: Sequence[Spot]) -> Iterator[slice]:
    """Neighbours where formula and gradient differ."""
    start = 0
    for stop, each in enumerate([*spots, None]):
        if each is None or not each.differs:
            if start < stop:
                yield slice(start, stop)
            start = stop + 1


def _rank(spot: Spot, plain: float) -> tuple[bool, float]:
    """The spots to tell of come first."""
    return spot.size < plain, abs(math.log(spot.reach / SHOWN))


def _around(spots: Sequence[Spot], run: slice) -> Sequence[Spot]:
    """A run and its neighbours: next to a switch both may agree."""
    start, stop, middle = max(0, run.start - 2), run.stop + 2, len(spots) // 2
    if run.start > middle and _grows(spots[run]):
        start = min(start, middle - 1)
    if run.stop < middle and _grows(spots[run][::-1]):
        stop = max(stop, middle + 1)
    return spots[start:stop]


def _grows(spots: Sequence[Spot]) -> bool:
    """Whether formula and gradient part little by little, from the first of these spots on."""
    apart = [each.difference.absolute for each in spots if each.difference]
    known = [each for each in apart if math.isfinite(each)]
    return GROWS * apart[0] < max(known, default=0.0)


def _lasts(spots: Sequence[Spot]) -> bool:
    """Whether they differ by about as much far from the switch as near to it."""
    far = [each.size for each in spots if each.reach >= FAR]
    return len(far) >= LASTING and max(far) < 2 * min(far)
