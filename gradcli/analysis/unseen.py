"""What a formula and the gradient are made of that rounding hides: it might be wrong, and not be
seen.

A term next to a much larger one changes nothing in the run, nor do the numbers in it. So every
number and every term is changed a little, in the formula's text and in the gradient. If that is
seen, and both agree, it is right. If it is not, other points are tried, where inputs have other
sizes. What is seen nowhere, and would be if it were much larger, is not confirmed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gradcli.analysis.branches import chosen, is_choice
from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.typed import MISFITS, Tolerant, Typed
from gradcli.analysis.judge import CLEAR
from gradcli.analysis.judged import NEEDED, exact_at
from gradcli.analysis.line import TINY
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.scales import resized, scaled
from gradcli.analysis.verdict import Unseen
from gradcli.graph import CONSTANT, Array, Node
from gradcli.language.construct import binary, number
from gradcli.language.rewrite import Place, places, replaced
from gradcli.language.syntax import Binary, Expression, Number
from gradcli.walks import ancestors

SLIGHT = 1.001
"""The factor by which a part is changed."""
FALLS = 0.1
LESS, SEEN = 1 + FALLS * (SLIGHT - 1), 50.0
"""The factor of a smaller change, and how far beyond rounding the other one must be seen."""
KNOWN = NEEDED["float64"]
"""Relative to a part, what it must be confirmed to."""
MAGNIFIED = (*(10.0**k for k in range(3, 31, 3)), 1e-3, 1e-6)
"""Factors by which a part is changed to see whether rounding alone hides it."""
WORK = 3 * 10**8
"""About how many elements are computed,"""
OVERHEAD = 1_000
"""of which a step takes as long as so many,"""
LONG = 1 << 15
"""and how many at a time in long double."""
WIDEST, SHORT = 40, 4


class Suspect(NamedTuple):
    """A number or a term, of the formula's text or of the gradient."""

    words: str
    """Its text, and of the user's its place; empty where there is none."""
    side: Node
    """What it is part of, the user's gradient or the right one."""
    node: Node | None
    """None for a part of the text,"""
    place: Place | None = None
    """which stands here."""


class _Look(NamedTuple):
    """Both gradients at a point, in a precision."""

    point: Point
    dtype: np.dtype[Any]
    values: Mapping[Node, Array]
    room: Array
    """How far apart rounding may drive them."""


def unseen(claim: Claim) -> Unseen | None:
    """A part that is not confirmed though both gradients agree; None if all are."""
    same = claim.mine is claim.grad
    return None if same or claim.typed is None else _Hidden(claim, claim.typed).first()


class _Hidden:
    def __init__(self, claim: Claim, typed: Typed) -> None:
        self._claim, self._typed = claim, typed
        order = ancestors([claim.mine, claim.grad])
        self._size = sum(each.size for each in order)
        self._left = WORK // (self._size + OVERHEAD * len(order))

    def first(self) -> Unseen | None:
        """The first part that rounding hides."""
        known = self._known()
        for part, least in known.items():
            if least > KNOWN and self._is_hidden(part):
                return Unseen(part.words, part.place is not None, least)
        return None

    def _known(self) -> dict[Suspect, float]:
        """How exactly each part is confirmed, relative to itself."""
        known: dict[Suspect, float] = {}
        waiting = list(_parts(self._claim, self._typed))
        for look in self._looks():
            for part in list(waiting):
                if self._left <= 0:
                    return known
                known[part] = min(known.get(part, math.inf), self._confirmed(part, look))
                if known[part] <= KNOWN:
                    waiting.remove(part)
            if not waiting:
                break
        return known

    def _looks(self) -> Iterator[_Look]:
        """Points where both gradients agree, the run and those nearest to it first."""
        claim = self._claim
        for point in chain(claim.points, scaled(claim), resized(claim)):
            for dtype in map(np.dtype, (np.float64, np.longdouble)):
                if self._left <= 0 or (dtype != np.float64 and self._size > LONG):
                    break
                try:
                    look = self._look(point, dtype)
                except (*MISFITS, NotPreciseError):
                    break
                if look is None:
                    break
                yield look

    def _look(self, point: Point, dtype: np.dtype[Any]) -> _Look | None:
        """Both at a point; None where they do not agree. Raises what `Steps` does."""
        mine, grad = self._claim.mine, self._claim.grad
        self._left -= 6
        steps = Steps([mine, grad], exact_at(self._claim, point), dtype)
        values = steps.values()
        rounded = float(np.finfo(np.float64).eps) / 2 if dtype != np.float64 else 0.0
        noise = steps.noise(float(np.finfo(dtype).eps), rounded)
        room = CLEAR * (noise[0] + noise[1]) + TINY
        with np.errstate(all="ignore"):
            agrees = bool((np.abs(values[0] - values[1]) <= room).all())
        return _Look(point, dtype, {mine: values[0], grad: values[1]}, room) if agrees else None

    def _confirmed(self, part: Suspect, look: _Look) -> float:
        """By how much of itself a part may be wrong that this would not show."""
        moved = self._moved(part, SLIGHT, look)
        if moved is None:
            return 0.0
        with np.errstate(all="ignore"):
            least = np.where(np.isnan(moved), 0.0, (SLIGHT - 1) * look.room / moved)
        found = float(np.min(least, initial=math.inf))
        return 0.0 if found > KNOWN and self._is_stationary(part, look, moved) else found

    def _is_stationary(self, part: Suspect, look: _Look, moved: Array) -> bool:
        """Whether a part is seen, but by the square of its change: what is less, as a mean in a sum
        of squares is by that around it, matters nowhere. A number of many digits may be a mistake.
        """
        if part.place is not None and isinstance(part.place.part, Number):
            value = part.place.part.value
            if value != float(f"{value:.{SHORT}g}"):
                return False
        seen = moved > SEEN * look.room
        less = self._moved(part, LESS, look) if seen.any() else None
        return less is not None and bool((less <= 2 * FALLS**2 * moved + look.room)[seen].all())

    def _moved(self, part: Suspect, factor: float, look: _Look) -> Array | None:
        """How far all moves by that; None where it is no matter of rounding."""
        changed = self._changed(part, factor, look.point)
        if changed is None:
            return None
        self._left -= 1
        try:
            (value,) = Steps([changed[0]], changed[1], look.dtype).values()
        except (*MISFITS, NotPreciseError):
            return None
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(value - look.values[part.side]))

    def _is_hidden(self, part: Suspect) -> bool:
        """Whether a part would be seen if it were larger, where all choices are the same."""
        point = self._claim.points[0]
        unit = float(np.finfo(np.float64).eps)
        if part.node is not None and self._is_nothing(part.node):
            return False
        usual = self._choices(part, 1.0, point)
        for factor in MAGNIFIED:
            changed = self._changed(part, factor, point)
            if changed is None or self._choices(part, factor, point) != usual:
                continue
            try:
                steps = Steps([part.side, changed[0]], changed[1], np.dtype(np.float64))
                (_, there), noise = steps.values(), steps.noise(unit)
                (here,) = Steps([part.side], exact_at(self._claim, point), there.dtype).values()
            except (*MISFITS, NotPreciseError):
                continue
            with np.errstate(all="ignore"):
                if (np.abs(there - here) > CLEAR * (noise[0] + noise[1]) + TINY).any():
                    return True
        return False

    def _is_nothing(self, node: Node) -> bool:
        """Whether a term is no more than rounding in the run: then it may be 0."""
        steps = Steps([node], exact_at(self._claim, self._claim.points[0]), np.dtype(np.float64))
        try:
            (value,), (noise,) = steps.values(), steps.noise(float(np.finfo(np.float64).eps))
        except (*MISFITS, NotPreciseError):
            return True
        return bool((np.abs(value) <= CLEAR * noise).all())

    def _choices(self, part: Suspect, factor: float, point: Point) -> Counter[bytes] | None:
        """What was chosen on the way, in no order."""
        changed = self._changed(part, factor, point)
        if changed is None:
            return None
        choices = [each for each in ancestors([changed[0]]) if is_choice(each)]
        needed = list(dict.fromkeys(each for node in choices for each in (node, *node.inputs)))
        try:
            found = Steps(needed, changed[1], np.dtype(np.float64)).values()
        except (*MISFITS, NotPreciseError):
            return None
        known = _Computed(dict(zip(needed, found, strict=True)))
        return Counter(np.asarray(chosen(each, known)).tobytes() for each in choices)

    def _changed(
        self, part: Suspect, factor: float, point: Point
    ) -> tuple[Node, Mapping[Node, Array]] | None:
        """The side of a part with that part times a factor, and what is given then."""
        feeds = exact_at(self._claim, point)
        if part.node is not None:
            try:
                (value,) = Steps([part.node], feeds, np.dtype(np.longdouble)).values()
            except (*MISFITS, NotPreciseError):
                return None
            return part.side, {**feeds, part.node: factor * value}
        assert part.place is not None
        assert isinstance(part.place.part, Expression)
        with Tolerant():
            larger = binary("*", number(factor), part.place.part)
            node = self._typed.value(replaced(part.place, larger))
            return self._claim.shaped(node), feeds
        return None


class _Computed(NamedTuple):
    """Values that were computed, as a point has them."""

    found: Mapping[Node, Array]

    def value(self, node: Node) -> Array | None:
        return self.found.get(node)


# --- parts ---------------------------------------------------------------------------------


def _parts(claim: Claim, typed: Typed) -> Iterator[Suspect]:
    """Numbers and terms, first those of the user's text."""
    yield from _written(claim, typed)
    own = set(ancestors([claim.mine]))
    order = [each for each in ancestors([claim.grad]) if each not in own]
    sums = [each for node in order if node.op.infix in ("+", "-") for each in node.inputs]
    numbers = [each for each in order if each.op is CONSTANT and each.kind == "float"]
    terms = [each for each in sums if each not in own and each.inputs]
    found = [each for each in (*numbers, *terms) if each.known is None or np.any(each.known)]
    for node in sorted(dict.fromkeys(found), key=lambda each: each.span is None):
        text = claim.walk.problem.program.source.text[slice(*node.span)] if node.span else ""
        yield Suspect(_shortened(text), claim.grad, node)


def _written(claim: Claim, typed: Typed) -> Iterator[Suspect]:
    """The same of the user's text, numbers first."""
    source = typed.source
    typed.remember()
    found = [each for each in places(typed.expression) if each.is_value]
    numbers = [each for each in found if isinstance(each.part, Number) and each.part.value]
    terms = [each for each in found if _is_term(each) and not isinstance(each.part, Number)]
    for place in (*numbers, *terms):
        _, column = source.locate(place.span[0])
        words = f"{_shortened(typed.text(place.span))} in column {column}"
        yield Suspect(words, claim.mine, None, place)


def _is_term(place: Place) -> bool:
    above = place.above.part if place.above else None
    return isinstance(above, Binary) and above.operator in ("+", "-")


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
