"""A function outside of gradcli, or one of its gradients, as a function of one leaf."""

from __future__ import annotations

import numpy as np

from gradcli.analysis.foreign.function import EPS, Situation
from gradcli.analysis.kinks import Kink, Surroundings
from gradcli.analysis.probe import NotAnalyticError, Probed
from gradcli.graph import Array

WORK = 500_000
"""What a request costs, in elements that could be computed here instead."""


class ForeignProbe:
    """The values of a function for other values of one leaf.

    `known` is the same function as nodes, where there is one: it tells kinks.
    """

    foreign = True

    def __init__(self, here: Situation, leaf: str, known: Probed | None = None) -> None:
        self._here = here
        self._leaf = leaf
        self._known = known
        self._last: tuple[bytes, Array] | None = None
        self.point = here.inputs[leaf].astype(np.float64)
        self.base = [self._part(here.answer.value, here.answer.grads)]
        self.finite = bool(np.isfinite(here.answer.value).all())
        self.work = WORK
        self.noisy = here.noisy
        self.rounded = [here.rounded]

    def at(self, value: Array) -> list[Array]:
        """The values; nan where there are none."""
        key = value.tobytes()
        if self._last is None or self._last[0] != key:
            answer = self._here.at({self._leaf: value}, grads=self._wants_grads)
            known = answer is not None and answer.value.shape == self._here.answer.value.shape
            found = self._part(*answer) if answer and known else np.full_like(self.base[0], np.nan)
            self._last = (key, found)
        return [self._last[1]]

    def complex_at(self, value: Array) -> list[Array]:
        """Raises NotAnalyticError: no program outside has to know complex numbers."""
        raise NotAnalyticError

    def noise(self, value: Array, unit: float) -> list[Array]:
        """The noise at the point, and more where the values are larger."""
        noise = self._part(self._here.noise.value, self._here.noise.grads)
        with np.errstate(all="ignore"):
            larger = np.fmax(1.0, np.abs(self.at(value)[0]) / np.abs(self.base[0]))
        return [np.where(np.isfinite(larger), noise * larger, noise) + EPS * np.abs(self.base[0])]

    def surroundings(self, value: Array) -> Surroundings:
        """What the function's nodes tell of kinks. Raises OutsideError."""
        return self._known.surroundings(value) if self._known else Surroundings({}, {})

    def kink_before(self, here: Surroundings, value: Array, step: float) -> Kink | None:
        """The kink between a point with these surroundings and another, `step` away."""
        return self._known.kink_before(here, value, step) if self._known else None

    _wants_grads = False

    def _part(self, value: Array, grads: dict[str, Array]) -> Array:
        return value


class ForeignGradientProbe(ForeignProbe):
    """The gradient of the leaf that the function answers."""

    _wants_grads = True

    def _part(self, value: Array, grads: dict[str, Array]) -> Array:
        nothing = np.full(self.point.shape, np.nan)
        return grads.get(self._leaf, nothing)
