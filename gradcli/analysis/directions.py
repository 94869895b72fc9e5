"""All elements of a large gradient at once, along random directions, and bisection to a wrong one.

The gradient along a direction is a sum over all elements, so a mistake in one of them shows in any
direction. Mistakes in several may cancel; but each element moves with a random sign, and they
cannot cancel with either sign of one of them: a direction misses them with a probability of at most
½.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.element import Elements, LeafGradient
from gradcli.analysis.judge import AGREES, CLEAR, NOISY, USEFUL
from gradcli.analysis.line import EPS, FIRST_STEP, Lines
from gradcli.analysis.verdict import AllAtOnce, Finding, Index, Verdict, agreed_digits
from gradcli.graph import Array

COUNT = 5
"""How many directions are tried."""
FIRST = 2 * FIRST_STEP
"""The longest step, relative to the elements."""
SHORTER = 2.0**-4
SHORTEST = 2.0**-26
"""Steps that meet a kink are made shorter, down to this."""
TRIES = 2
"""How often elements that meet a kink are left out before the step is made shorter."""
WORST = 3
"""How many wrong elements are looked for."""
ENOUGH = 1e-9
"""An error of this size, relative to a usual element, is small enough,"""
ENOUGH_OF_SLACK = 0.25
"""and so is this part of what is not known of the gradient itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """The gradient along a direction, and how the values change along it."""

    direction: Array
    claimed: float
    found: float
    bound: float
    """By how much the two may differ where the gradient is right."""

    @property
    def wrong(self) -> bool:
        return abs(self.claimed - self.found) > CLEAR * self.bound  # not where nothing is known


class Directions:
    """Checks all elements of a gradient along random directions."""

    def __init__(self, gradient: LeafGradient, lines: Lines, elements: Elements) -> None:
        self._gradient = gradient
        self._lines = lines
        self._elements = elements
        self._frozen = np.zeros(gradient.value.shape, bool)
        """Elements that are too near to a kink to be moved."""
        self._tried: list[Along] = []
        self._sizes = lines.sizes()
        with np.errstate(all="ignore"):
            self._shift = EPS * float(np.linalg.norm((gradient.value * self._sizes).reshape(-1)))
        """What rounding of the moved elements does to the outputs; the errors are independent."""

    def check(self, done: Callable[[float], None]) -> list[Finding]:
        """Wrong elements that were found; `done` is told how much of the work is."""
        for number in range(COUNT):
            generator = np.random.default_rng(number)
            signs = generator.choice([-1.0, 1.0], self._sizes.shape)
            along = self._along(signs * self._sizes * generator.uniform(0.5, 1.0, signs.shape))
            self._tried.append(along)
            done((number + 1) / COUNT)
            if along.wrong:
                return self._search(along)
        return []

    @property
    def where(self) -> str:
        """How far the check is that is not at its end."""
        if any(each.wrong for each in self._tried):
            return "while the elements were looked for that make a random direction wrong"
        return f"along random direction {len(self._tried) + 1} of {COUNT}"

    def known(self, found: list[Finding]) -> AllAtOnce | None:
        """What the directions that have been tried tell, with the wrong elements that were found;
        None before the first.
        """
        tried = self._tried
        if not tried:
            return None
        moved = int(np.count_nonzero(~self._frozen))
        with np.errstate(all="ignore"):
            parts = np.abs(self._gradient.value * self._sizes)[~self._frozen]
        usual = float(np.mean(parts[parts > 0])) if (parts > 0).any() else 0.0
        bound = max(each.bound for each in tried)
        useful = NOISY if self._lines.noisy else USEFUL
        known = math.isfinite(bound) and (usual == 0 or CLEAR * bound <= useful * usual)
        wrong = any(each.wrong for each in tried)
        verdict: Verdict = (
            "fail" if wrong and found else "pass" if known and not wrong else "inconclusive"
        )
        size = usual if usual > 0 else 1.0
        digits = agreed_digits(CLEAR * bound, size) if math.isfinite(bound) else 0.0
        return AllAtOnce(verdict, moved, len(tried), digits)

    def _along(self, direction: Array) -> Along:
        """Compare along a direction; elements that meet a kink are left out for good."""
        step, left_out = FIRST, 0
        while True:
            direction = np.where(self._frozen, 0.0, direction)
            met = self._lines.met(direction, step)
            if met is None:
                break
            few = np.count_nonzero(met | self._frozen) <= met.size // 8
            if met.any() and few and left_out < TRIES:
                self._frozen |= met
                left_out += 1
                continue
            step, left_out = step * SHORTER, 0
            if step < SHORTEST:
                return Along(direction, math.nan, math.nan, math.inf)
        value, noise = self._gradient.value, self._gradient.noise
        with np.errstate(all="ignore"):
            parts = value * direction
            claimed = float(np.sum(parts))
            size = float(np.sum(np.abs(parts)))
            slack = float(np.sum(np.abs(direction) * noise)) + AGREES * abs(claimed)
        usual = size / max(1, int(np.count_nonzero(parts)))
        enough = max(ENOUGH * usual, ENOUGH_OF_SLACK * slack)
        estimate = self._lines.along(direction, step, enough, self._shift)
        return Along(direction, claimed, estimate.value, estimate.error + slack)

    def _search(self, along: Along) -> list[Finding]:
        """Elements that are wrong by themselves, the one with the largest difference first."""
        found: list[Finding] = []
        while along.wrong and len(found) < WORST:
            index = self._bisect(along)
            finding = self._elements.check(index)
            if finding.verdict != "fail":
                break
            found.append(finding)
            direction = along.direction.copy()
            direction[index] = 0.0
            along = self._along(direction)
        return found

    def _bisect(self, along: Along) -> Index:
        """An element whose part of the difference is large, found by halves."""
        direction = along.direction.reshape(-1)
        places = np.flatnonzero(direction)
        difference = along.claimed - along.found
        while places.size > 1:
            half, other = np.array_split(places, 2)
            part = np.zeros_like(direction)
            part[half] = direction[half]
            tried = self._along(part.reshape(along.direction.shape))
            own = tried.claimed - tried.found
            rest = difference - own
            places, difference = (half, own) if abs(own) >= abs(rest) else (other, rest)
        return tuple(map(int, np.unravel_index(places[0], along.direction.shape)))
