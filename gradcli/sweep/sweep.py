"""The client of a sweep: it runs a plan as one process does, except for the units that read or
write what lies in stores. Of these it sends out parts, and combines what they leave in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from gradcli import __version__
from gradcli.data.parts import Target
from gradcli.diagnostics import GradcliError
from gradcli.engine.blocks import Grid
from gradcli.engine.cluster.connection import Cluster
from gradcli.engine.cluster.machines import Mixture, facts
from gradcli.engine.cluster.window import PortionWindow
from gradcli.engine.plan import Single, Unit, nbytes
from gradcli.engine.telling import Tell
from gradcli.graph import INPUT, LITERAL, Array, Node
from gradcli.ledger import show_bytes
from gradcli.sweep.parts import SLAB, Parted, parted
from gradcli.sweep.task import PartDone, PartFailed, PartOrder, PlacedPart, Posed, Task, least
from gradcli.sweep.worker import answer, introduce
from gradcli.walks import ancestors

SENT = 1 << 23
"""The most bytes that a part is given by the client."""
RETURNED = 1 << 25
"""The most bytes of a value, other than a gradient that is saved, that parts return."""
MOST_PARTS = 10**5
"""The most parts of a whole program: a scheduler is slow with more tasks."""
TICK = 0.1
"""Seconds between two looks at the oldest part."""

Targets: TypeAlias = Mapping[Node, tuple[Target, ...]]
"""Where gradients are written."""
Values: TypeAlias = dict[Node, Any]


class ClusterSweep:
    """A plan, which is run with the workers of a cluster."""

    def __init__(self, task: Task, posed: Posed, *, mixed: bool) -> None:
        """Raises `usage` where the program cannot be swept."""
        self._task = task
        self._posed = posed
        self._engine = posed.engine
        self._far = posed.read()
        units = sum(parted(unit) is not None for unit in self._engine.plan.units)
        self.most_parts = MOST_PARTS // max(1, units)
        self.mixture = Mixture(facts(__version__), allowed=mixed)
        """In which ways workers differ from this machine, as they may."""
        looked = set(ancestors(posed.planned.computed(posed.prepared.looked)))
        for node, far in self._far.items():
            if node in looked:
                raise GradcliError(
                    "usage",
                    f"the program looks at values that follow from {far.spec}, to decide how it "
                    "goes on, and no part knows all of them",
                    hint="where(condition, a, b) decides element by element",
                )

    def lengths(self, node: Node) -> tuple[int, ...] | None:
        """The chunks in which an output is written; None where no worker writes it."""
        for unit in self._engine.plan.units:
            parts = parted(unit) if node in unit.outputs else None
            if parts is not None and node in parts.results:
                return parts.lengths(node)
        return None

    def run(self, targets: Targets, cluster: Cluster, told: Tell) -> dict[Node, Array]:
        """The values of what is wanted. Nodes of the plan with `targets` are written there: their
        values are zeros that take no memory.

        Raises `usage` at the first step that cannot be swept, and what its parts raise.
        """
        for name, theirs in cluster.ask_all(introduce, None).items():
            self.mixture.meet(theirs, name)
        plan = self._engine.plan
        values: Values = {}
        for node in plan.sources:
            fed = node.op is INPUT or node.op is LITERAL
            values[node] = self._posed.feeds[node] if fed else node.known
        done = 0
        steps = [unit for unit in plan.units if self._is_far(unit, targets)]
        for number, unit in enumerate(plan.units):
            if self._is_far(unit, targets):
                parts = self._require_parts(unit, values, targets)
                values.update(self._sweep(number, unit, parts, values, targets, cluster, told))
                done += 1
                told(done / len(steps))
            else:
                values.update(self._here(unit, values))
            for node in plan.dying[number]:
                values.pop(node, None)
        for node in targets:
            if node in values:
                self._write(node, values.pop(node), targets[node])
        written = {node: np.broadcast_to(0.0, node.shape) for node in targets}
        return {
            node: written[computed] if computed in written else np.asarray(values[computed])
            for node, computed in zip(
                self._posed.wanted, self._posed.planned.computed(self._posed.wanted), strict=True
            )
        }

    def _is_far(self, unit: Unit, targets: Targets) -> bool:
        parts = parted(unit)
        written = parts is not None and not targets.keys().isdisjoint(parts.results)
        return written or not self._far.keys().isdisjoint(unit.operands)

    # --- here ---

    @np.errstate(all="ignore")
    def _here(self, unit: Unit, values: Values) -> dict[Node, Any]:
        """The outputs of a unit that reads nothing far."""
        call, before, after, count = unit.runner(self._engine)
        operands = [values[node] for node in unit.operands[:count]]
        if isinstance(unit, Single):
            return {unit.node: call(*before, *operands, *after)}
        return dict(zip(unit.outputs, call(*operands, targets={}), strict=True))

    def _write(self, node: Node, value: Array, targets: tuple[Target, ...]) -> None:
        """Write an output that this process has, such as one number that is repeated."""
        value = np.broadcast_to(value, node.shape)
        for place in Grid(node.shape, SLAB):
            for target in targets:
                target.write(place, np.ascontiguousarray(value[place]))

    # --- out ---

    def _require_parts(self, unit: Unit, values: Values, targets: Targets) -> Parted:
        """The parts of a unit. Raises `usage` where it cannot be swept."""
        parts = parted(unit)
        if parts is None:
            (node,) = unit.outputs
            raise self._refused(
                node, f"{node.op.name} needs all of its operand at once",
                "swept are functions of elements, their sums, and models of rows",
            )  # fmt: skip
        rows = next(parts.parts(self.most_parts))
        for node in unit.operands:
            if node in self._far and parts.place(node, rows) is None:
                raise self._refused(
                    node, f"every part needs all of {self._far[node].spec}",
                    "a smaller array can be given in memory: as .csv, .json or text",
                )  # fmt: skip
        given = sum(
            piece.values.nbytes for piece in self._given(unit, parts, rows, values).values()
        )
        if given > SENT:
            raise self._refused(
                unit.outputs[0],
                f"every part would need {show_bytes(given)} of values that are not in a store, "
                f"more than {show_bytes(SENT)}",
                "save them first, and give them as an input: --set NAME=@values.npy",
            )
        for node in parts.results:
            if node not in targets and nbytes(node) > RETURNED:
                raise self._refused(
                    node,
                    f"{show_bytes(nbytes(node))} would have to be kept between two sweeps, more "
                    f"than {show_bytes(RETURNED)}",
                    "ask for less with --wrt or --output; a gradient that is saved, with --save "
                    "out.zarr, is written by the workers",
                )
        return parts

    def _refused(self, node: Node, why: str, instead: str) -> GradcliError:
        error = GradcliError(
            "usage", f"this step cannot be swept: {why}", hint=instead, span=node.span
        )
        return error.located(self._task.source, node.span)

    def _given(
        self, unit: Unit, parts: Parted, rows: range, values: Values
    ) -> dict[int, PlacedPart]:
        """What a part needs that is not far, by the number among the unit's operands."""
        given = {}
        for number, node in enumerate(unit.operands):
            if node not in self._far:
                place = parts.place(node, rows)
                value = np.asarray(values[node])
                part = value if place is None else value[place]
                given[number] = PlacedPart(place, least(part))
        return given

    def _orders(
        self, number: int, unit: Unit, parts: Parted, values: Values, targets: Targets
    ) -> Iterator[PartOrder]:
        written = {i: targets[node] for i, node in enumerate(parts.results) if node in targets}
        for rows in parts.parts(self.most_parts):
            given = self._given(unit, parts, rows, values)
            yield PartOrder(self._task, number, rows, given, written)

    def _sweep(
        self,
        number: int,
        unit: Unit,
        parts: Parted,
        values: Values,
        targets: Targets,
        cluster: Cluster,
        told: Tell,
    ) -> dict[Node, Array]:
        """The outputs of a unit, except those that workers write."""
        found = {
            node: np.empty(node.shape, node.graph.dtype(node.kind))
            for node in parts.results
            if node not in targets
        }
        sums: list[Any] = []
        for done in self._done(self._orders(number, unit, parts, values, targets), cluster):
            sums += done.sums
            for i, pieces in done.results.items():
                for place, part in pieces:
                    found[parts.results[i]][place or ...] = part
        reduced = parts.outputs[len(parts.results) :]
        return found | dict(zip(reduced, parts.totals(self._engine, sums), strict=True))

    def _done(self, orders: Iterator[PartOrder], cluster: Cluster) -> Iterator[PartDone]:
        """What became of the orders, in their order."""
        crew = cluster.crew(answer, lambda order: order)
        window: PortionWindow[PartOrder, PartDone | PartFailed] = PortionWindow(
            crew, lambda order: [order]
        )
        waiting = True
        try:
            while waiting or window:
                while waiting and window.has_room():
                    order = next(orders, None)
                    if order is None:
                        waiting = False
                    else:
                        window.give(order)
                taken = window.take(TICK) if window else None
                if taken is not None:
                    yield self._checked(taken.result)
        finally:
            window.close()

    def _checked(self, found: PartDone | PartFailed | None) -> PartDone:
        """What a worker has returned. Raises what it has met with."""
        if found is None:
            raise GradcliError(
                "limit-memory",
                "a part has ended every worker that began with it",
                hint="a worker may have less memory than a part takes: about 256 MiB",
            )
        if isinstance(found, PartFailed):
            raise GradcliError(
                found.diagnostic.code, found.diagnostic.message, hint=found.diagnostic.hint,
                source=found.diagnostic.source, span=found.diagnostic.span,
            ).located(self._task.source, None)  # fmt: skip
        self.mixture.meet(found.facts, "a worker")
        return found
