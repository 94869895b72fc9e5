"""Schedulers in a pass of a loop that stands for others, where the learning rates of all passes are
known before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.ops.loops import Unlike
from gradcli.trace.optimisers import Optimiser


class ScheduledPasses:
    """A scheduler that makes as many steps in `each` of so many passes."""

    def __init__(
        self, optimiser: Optimiser, rates: Sequence[Sequence[float]], passes: int, each: int
    ) -> None:
        """Put what stands for the `rates` of all passes into the groups: those before the first
        step, and after each.
        """
        self._optimiser, self._rates = optimiser, rates
        self._passes, self._each, self._made = passes, each, 0
        self._stand_in()

    def step(self) -> None:
        """Make the next step in all passes. Raises `Unlike` where there is none."""
        self._made += 1
        self._stand_in()

    def check(self) -> None:
        """Raise `Unlike` where the pass was not as the one before."""
        if self._made != self._each:
            raise Unlike("a scheduler makes another number of steps than in the pass before")

    def _stand_in(self) -> None:
        if self._made > self._each:
            self.check()
        any_pass = self._optimiser.values.any_pass
        assert any_pass is not None
        last = self._made + self._passes * self._each
        after = self._rates[self._made : last : self._each]
        for place, group in enumerate(self._optimiser.groups):
            rates = [each[place] for each in after]
            self._optimiser.rates_of_passes[place] = rates
            group.put("lr", any_pass.numbered(np.array(rates)))
