"""Running strips: the same plan on a few rows at a time, whose sums are added up.

Where strips lie depends on shapes alone, and sums are added in the order of the strips and then of
their shares: the same bits come out for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradcli.engine.mapped import stored
from gradcli.engine.plan import Plan
from gradcli.engine.regions import dtype_of_parts
from gradcli.engine.scratch import Scratch
from gradcli.engine.strips import Strips
from gradcli.engine.threads import spread
from gradcli.graph import Array, Node


class Engine(Protocol):
    """What runs a plan."""

    def run(self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array]) -> list[Array]:
        """The outputs; those with a target are written into it."""


class Worker:
    """What one thread works with: memory, and what runs strips, by their number of rows."""

    def __init__(self, strips: Strips, engine: Callable[[Plan, Scratch], Engine]) -> None:
        self.scratch = Scratch(max(strip.scratch_bytes for strip in strips.plans.values()))
        self.engines = {
            rows: engine(strip.plan, self.scratch) for rows, strip in strips.plans.items()
        }
        self.buffers: dict[Node, Array] = {}
        """For what is read from files."""


class StripRunner:
    """Strips made ready for NumPy; calling it runs them."""

    def __init__(
        self, strips: Strips, threads: int, engine: Callable[[Plan, Scratch], Engine]
    ) -> None:
        """`engine` runs the plan of a strip on one thread."""
        self.strips = strips
        self._threads = threads
        self._engine = engine
        self._idle: list[Worker] = []

    def __call__(self, *operands: Array, targets: Mapping[Node, Array]) -> list[Array]:
        """The results, then the sums, for the values of the operands.

        Results are written into `targets` where there is one.
        """
        strips = self.strips
        values = dict(zip(strips.operands, operands, strict=True))
        results = {
            node: targets[node]
            if node in targets
            else np.empty(node.shape, node.graph.dtype(node.kind))
            for node in strips.results
        }
        shares = strips.shares
        sums: list[list[Array]] = [[] for _ in shares]
        busy: list[Worker] = []

        def begin() -> Callable[[int], None]:
            worker = self._worker()
            busy.append(worker)

            def share(number: int) -> None:
                for each in shares[number]:
                    parts = self._strip(worker, strips.places[each], values, results)
                    self._add(sums[number], parts)

            return share

        spread(len(shares), self._threads, begin)
        for worker in busy:
            worker.scratch.clear()
            worker.buffers.clear()
        self._idle += busy
        for other in sums[1:]:
            self._add(sums[0], other)
        for node, total in zip(strips.sums, sums[0], strict=True):
            if node.op.averages:
                count = math.prod(node.inputs[0].shape[axis] for axis in node.op.axes(node))
                np.divide(total, count, out=total)
            results[node] = total.astype(node.graph.dtype(node.kind), copy=False)
        return [*results.values()]

    def _worker(self) -> Worker:
        """One that nobody has, whoever asks at the same time."""
        try:
            return self._idle.pop()
        except IndexError:
            return Worker(self.strips, self._engine)

    def _strip(
        self,
        worker: Worker,
        place: slice,
        values: Mapping[Node, Array],
        results: Mapping[Node, Array],
    ) -> list[Array]:
        """Compute the rows of a place: write results, and return what goes into the sums."""
        rows = place.stop - place.start
        strip = self.strips.plans[rows]
        inputs = {}
        for node, axis, part in strip.operands:
            array = values[node] if axis is None else values[node][_index(axis, place)]
            file = stored(array) if axis is not None else None
            if file is not None:
                if part not in worker.buffers:
                    worker.buffers[part] = np.empty(part.shape, array.dtype)
                array = worker.buffers[part]
                file.read(0, array)
            inputs[part] = array
        targets = {
            inside: array[_index(self.strips.splits[node].axis, place)]
            for inside, (node, array) in zip(strip.plan.outputs, results.items(), strict=False)
        }
        return worker.engines[rows].run(inputs, targets)[len(targets) :]

    def _add(self, sums: list[Array], parts: Sequence[Array]) -> None:
        """Add parts to the sums, which they become if there are none."""
        if not sums:
            sums += [  # copies, as the parts lie in scratch memory
                part.astype(dtype_of_parts(node))
                for node, part in zip(self.strips.sums, parts, strict=True)
            ]
            return
        for node, total, part in zip(self.strips.sums, sums, parts, strict=True):
            getattr(np, node.op.combine or "add")(total, part, out=total)


def _index(axis: int | None, place: slice) -> tuple[Any, ...]:
    """What takes a place along an axis, counted from the right."""
    return (..., place, *(slice(None),) * (-1 - (axis or 0)))
