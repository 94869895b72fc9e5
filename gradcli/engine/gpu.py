"""Running plans on a GPU: chains of elementwise ops and the reductions at their ends are regions of
any size, and all else is a node on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.card import card
from gradcli.engine.card_plan import card_plan, known_before
from gradcli.engine.card_runners import (
    CardArray,
    CardRunner,
    LoopRunner,
    NodeRunner,
    SweepRunner,
)
from gradcli.engine.loops import Passes
from gradcli.engine.plan import Unit
from gradcli.engine.region import Region
from gradcli.engine.streaming import is_streamable, stream
from gradcli.graph import EMPTY, INPUT, LITERAL, Array, Node
from gradcli.ledger import show_bytes


class CardEngine:
    """A plan made ready for the card. It may run many times."""

    def __init__(self, outputs: Sequence[Node], number: int = 0) -> None:
        """`number` says which card. Raises `device` where there is none."""
        self._card = card(number)
        self.device = f"gpu:{number}" if number else "gpu"
        self.known = known_before(outputs)
        """The values that are known before the run."""
        self.plan = card_plan(outputs, self.known)
        self.notes: list[Note] = []
        """What was computed elsewhere, said once."""
        self._sweeps: list[SweepRunner] = []
        self._runners = {
            unit: self._runner(unit)
            for unit in self.plan.units
            if self.known.keys().isdisjoint(unit.outputs)
        }
        self._constants: dict[Node, CardArray] | None = None

    def run(
        self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array] = EMPTY
    ) -> list[Array]:
        """The values of the plan's outputs; those with a target are written into it.

        Raises `limit-memory` where the card has too little, `device` where it fails, and what ops
        raise.
        """
        self._learn({node: array for node, array in inputs.items() if node.op is LITERAL})
        inputs = {node: array for node, array in inputs.items() if node.op is INPUT}
        with self._card.working():
            free, needed = self._card.free_bytes(), self.plan.peak_bytes()
            if needed > free:
                if not is_streamable(self.plan, free):
                    raise self._too_large(needed, free)
                return stream(
                    self.plan,
                    self._runners,
                    self.constants(),
                    inputs,
                    targets,
                    self._card.lanes,
                    free,
                )
            lanes = self._card.lanes
            values = {node: lanes.upload(array) for node, array in inputs.items()}
            return [
                lanes.download(value, targets.get(node))
                for node, value in zip(self.plan.outputs, self.compute(values), strict=True)
            ]

    def _learn(self, literals: Mapping[Node, Array]) -> None:
        """Take other numbers for those that stand in the program."""
        if any(
            not np.array_equal(self.known.get(node, array), array)
            for node, array in literals.items()
        ):
            self.known = known_before(self.plan.outputs, literals)
            self._constants = None
            for runner in self._sweeps:
                runner.know(self.known)

    def compute(self, inputs: Mapping[Node, CardArray]) -> list[CardArray]:
        """The same on arrays that are on the card, and stay there."""
        values = {**self.constants(), **inputs}
        for unit, dying in zip(self.plan.units, self.plan.dying, strict=True):
            runner = self._runners.get(unit)
            if runner is not None:
                found = runner(*(values[node] for node in runner.operands))
                values.update(zip(unit.outputs, found, strict=True))
            for node in dying:
                values.pop(node, None)
        return [values[node] for node in self.plan.outputs]

    def constants(self) -> dict[Node, CardArray]:
        """What is known before the run, on the card; single values only where cupy takes them."""
        if self._constants is None:
            taken = {*self.plan.outputs}
            for runner in self._runners.values():
                taken.update(runner.operands)
            self._constants = {
                node: self._card.xp.asarray(array)
                for node, array in self.known.items()
                if node in taken
            }
        return self._constants

    def _runner(self, unit: Unit) -> CardRunner:
        xp = self._card.xp
        if isinstance(unit, Region):
            runner = SweepRunner(unit, xp, self.known)
            self._sweeps.append(runner)
            return runner
        if isinstance(unit, Passes):
            return LoopRunner(unit, xp, self.notes)
        (node,) = unit.outputs
        return NodeRunner(node, xp, self.notes)

    def _too_large(self, needed: int, free: int) -> GradcliError:
        largest = max(self.plan.nodes, key=lambda node: node.size)
        return GradcliError(
            "limit-memory",
            f"this run needs about {show_bytes(needed)} of the GPU's memory; {show_bytes(free)} "
            f"of {self._card.name} are free",
            hint=f"the largest value has shape {largest.shape}; elementwise functions and "
            "reductions alone are computed in pieces; --device cpu has the machine's memory",
            span=largest.span,
        )
