"""Lines across the switches of a formula: where a condition, a limit or a step in it changes.

An op's entry tells how far its operands are from there. Newton's method moves inputs until one
element is there, and the line on which that element moves fastest crosses the switch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, mirrored
from gradcli.analysis.diagnosis.fresh import usual_size
from gradcli.analysis.edges import distances_of, has_edge
from gradcli.differentiate import vjp
from gradcli.graph import Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.walks import ancestors

NEWTON = 40
"""The most steps of the method,"""
HALVINGS = 8
"""and how often one is made shorter that leads farther away."""
LONGEST = 4.0
"""How far a step goes at most, in sizes of the inputs."""
SLIGHT = 1e-6
"""A relative change of operands, to see how distances depend on them."""
RELATIVE = (*(3 * 10.0**k for k in range(-13, 0)), 1.5)
"""The places on a line, relative to the size of what moves there: no round ones, as are those of
other switches."""
ROUNDING = 1e-14
"""The same for what may be rounding."""
SMALLER = 1e-3
"""What moves may be so much smaller at the switch than in the run: then places have both sizes."""

Values: TypeAlias = Mapping[Node, Array]
"""Of inputs."""


def is_switch(node: Node) -> bool:
    """Whether the elements of a node are chosen, and it is known how far each is from a change of
    choice.
    """
    decides = node.op.selects or node.op.flat
    return decides and isinstance(node.op, Elementwise) and has_edge(node)


class Crossing(NamedTuple):
    """Values for some of the inputs; those at 0 are on the switch."""

    start: Values
    direction: Values
    size: float
    """What the inputs at the switch, or if those are 0 the usual ones, add up to."""
    places: Sequence[float]
    """Where to look, from far on one side over near to far on the other."""

    def at(self, place: float) -> dict[Node, Array]:
        """The inputs there."""
        return {node: value + place * self.direction[node] for node, value in self.start.items()}


class _Near(NamedTuple):
    """Where the inputs are on the way."""

    moved: Values
    distance: float
    """Of the element from its switch."""
    slopes: Values
    """The derivatives of the distance."""

    def reach(self, of: Values) -> float:
        """How much inputs of a size add to the distance."""
        return sum(float(np.sum(np.abs(each * of[node]))) for node, each in self.slopes.items())


class Steering:
    """What an element of a node depends on, and how it is brought to its switch."""

    def __init__(self, claim: Claim, node: Node) -> None:
        self._claim, self._node = claim, node
        inputs = _movable(claim, node)
        self._weights = {
            each: node.graph.input("weight", each.shape, "float")
            for each in dict.fromkeys(node.inputs)
            if each.kind == "float"
        }
        slopes = vjp([*self._weights], [*self._weights.values()], inputs) if inputs else []
        found = zip(inputs, slopes, strict=True)
        self._slopes = {each: slope for each, slope in found if slope is not None}
        self._usual = {each: claim.known(each) for each in self._slopes}
        self._sizes = {
            each: np.full(value.shape, usual_size(value)) for each, value in self._usual.items()
        }

    def crossings(self, most: int) -> Iterator[Crossing]:
        """Lines across the switch of some of the elements."""
        size = self._node.size if self._slopes else 0
        for place in np.unique(np.linspace(0, size - 1, min(most, size)).astype(int)):
            found = self._crossing(int(place))
            if found is not None:
                yield found

    def _crossing(self, place: int) -> Crossing | None:
        """None where the element cannot be brought there."""
        here = self._at(self._usual, place)
        for _ in range(NEWTON):
            there = here and self._nearer(here, place)
            if there is None:
                break
            here = there
        direction = here and self._direction(here)
        if here is None or direction is None:
            return None
        usual, own = here.reach(self._sizes), here.reach(here.moved)
        sizes = {usual, own} if ROUNDING < own / usual < SMALLER else {max(usual, own)}
        if abs(here.distance) > ROUNDING * min(sizes):
            return None
        far = sorted(size * each for size in sizes for each in RELATIVE)
        places = [*(-each for each in reversed(far)), *far]
        return Crossing(here.moved, direction, min(sizes), places)

    def _nearer(self, here: _Near, place: int) -> _Near | None:
        """A step of Newton's method; None where none leads nearer."""
        direction = self._direction(here)
        if direction is None or abs(here.distance) <= ROUNDING * here.reach(here.moved):
            return None
        steps = {node: -here.distance * each for node, each in direction.items()}
        size = max(float(np.max(np.abs(each) / self._sizes[n])) for n, each in steps.items())
        part = min(1.0, LONGEST / size)
        for _ in range(HALVINGS):
            moved = {node: value + part * steps[node] for node, value in here.moved.items()}
            there = self._at(moved, place)
            if there is not None and abs(there.distance) < abs(here.distance):
                return there
            part /= 2
        return None

    def _direction(self, here: _Near) -> dict[Node, Array] | None:
        """How inputs move for the distance to grow by 1, each by about the same part of itself."""
        steps = {
            node: mirrored(each * self._sizes[node] ** 2, self._usual[node])
            for node, each in here.slopes.items()
        }
        growth = sum(float(np.sum(each * here.slopes[node])) for node, each in steps.items())
        with np.errstate(all="ignore"):
            found = {node: each / growth for node, each in steps.items()}
        return found if all(np.isfinite(each).all() for each in found.values()) else None

    def _at(self, moved: Values, place: int) -> _Near | None:
        """None where something has no value."""
        operands = self._operands(moved)
        here = self._distances(operands)
        if here is None or not np.isfinite(here.flat[place]):
            return None
        weights = {}
        for operand, weight in self._weights.items():
            value = np.asarray(operands[operand])
            largest = np.max(np.abs(value), initial=0.0, where=np.isfinite(value))
            change = SLIGHT * float(largest) or SLIGHT  # 0 of the smallest numbers, too
            there = self._distances({**operands, operand: value + change})
            if there is None:
                return None
            weights[weight] = np.zeros(operand.shape)
            index = _index(place, here.shape, operand.shape)
            weights[weight][index] = (there.flat[place] - here.flat[place]) / change
        point = self._claim.walk.point({**moved, **weights})
        slopes = {}
        for node, slope in self._slopes.items():
            known = point.value(slope)
            if known is None:
                return None
            finite = np.where(np.isfinite(known), known, 0.0)  # others have no part in the element
            slopes[node] = np.broadcast_to(finite, node.shape)
        return _Near(moved, float(here.flat[place]), slopes)

    def _operands(self, moved: Values) -> dict[Node, Array | None]:
        point = self._claim.walk.point(moved)
        return {each: point.value(each) for each in self._node.inputs}

    def _distances(self, operands: Mapping[Node, Array | None]) -> Array | None:
        """Those of all elements; None where an operand has no value."""
        values = [operands[each] for each in self._node.inputs]
        known = [each for each in values if each is not None]
        if len(known) < len(values):
            return None
        return np.broadcast_to(distances_of(self._node, known), self._node.shape)


def _movable(claim: Claim, node: Node) -> list[Node]:
    """The leaf if the node depends on it; else inputs that are measured, not counted or chosen:
    those that are not whole numbers.
    """
    order = set(ancestors([node]))
    if claim.leaf in order:
        return [claim.leaf]
    return [
        each
        for each in claim.walk.feeds
        if each in order and each.kind == "float" and (claim.known(each) % 1).any()
    ]


def _index(place: int, shape: tuple[int, ...], operand: tuple[int, ...]) -> tuple[int, ...]:
    """Where an operand that broadcasts to a shape has the element of a place."""
    index = np.unravel_index(place, shape)[len(shape) - len(operand) :]
    return tuple(
        int(each) if length > 1 else 0 for each, length in zip(index, operand, strict=True)
    )
