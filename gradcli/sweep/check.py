"""Is the gradient of a program right that is swept over? Its slope along one direction of each
leaf, against differences of the program's values and against forward mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gradcli.analysis.judge import CLEAR
from gradcli.analysis.verdict import AllAtOnce, Check, DotProductTest, LeafCheck, Verdict
from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.cluster.connection import Cluster
from gradcli.engine.telling import Tell
from gradcli.graph import Array
from gradcli.sweep.moved import direction_of, moved
from gradcli.sweep.question import Slopes, SweepQuestion, Weighed
from gradcli.sweep.sweep import ClusterSweep
from gradcli.sweep.task import Task

STEPS = (1e-3, 1e-4, 1e-5)
"""Relative to the elements, from long to short."""
ROUNDING = 64.0
"""The value of a program is off by so many units in its last place at most."""
WALKS_AGREE = 1e-9
"""Forward and reverse mode differ by this part of the sum of the absolute terms at most."""
DIGITS = 3.0
"""Inconclusive where a mistake would have to be larger than a thousandth of all to be seen."""


def check(task: Task, cluster: Cluster, tell: Tell, *, mixed: bool) -> Check:
    """A check of every leaf that is an input. All elements are moved at once, so that a wrong rule
    or formula is found, and a mistake in a few elements of many is not.

    Each leaf takes two sweeps for each of the STEPS, and all together one more. Raises what
    `evaluate` does.
    """
    asker = _Asker(task, cluster, tell, mixed=mixed)
    posed = task.posed()
    prepared = posed.prepared
    if len(prepared.backwards) != 1:
        raise GradcliError("usage", "--cluster checks one backward pass")
    leaves = [name for name in prepared.leaves if name in task.inputs]
    asker.sweeps = 1 + 2 * len(STEPS) * len(leaves)
    along = {name: direction_of(task.inputs[name]) for name in leaves}
    slopes = np.reshape(asker.ask(task, Slopes(along)), (len(leaves), 3))
    unit = float(np.finfo(prepared.graph.dtype("float")).eps)
    found = [
        judged(name, prepared.leaves[name].shape, slope, asker.quotients(name), unit)
        for name, slope in zip(leaves, slopes, strict=True)
    ]
    walk = _walk(slopes, unit)
    gradient = prepared.backwards[0].gradient(posed.feeds)
    notes = [*prepared.notes, *map(_told, found), *asker.notes]
    return Check(1, found, walk, gradient, prepared.graph.seed, notes)


class _Asker:
    """Sweeps over one program, with its inputs as they are or moved."""

    def __init__(self, task: Task, cluster: Cluster, tell: Tell, *, mixed: bool) -> None:
        self._task = task
        self._cluster = cluster
        self._tell = tell
        self._mixed = mixed
        self._done = 0
        self.sweeps = 1
        """How many there will be."""
        self.notes: list[Note] = []

    def ask(self, task: Task, question: SweepQuestion) -> list[float]:
        """The numbers that are wanted."""
        # Another key for each: workers keep the plan of the last one.
        task = task._replace(question=question, key=f"{task.key} {self._done}")
        posed = task.posed()
        sweep = ClusterSweep(task, posed, mixed=self._mixed)
        told = self._done
        found = sweep.run({}, self._cluster, lambda part: self._tell((told + part) / self.sweeps))
        self._done += 1
        self.notes = sweep.mixture.notes()
        return [float(found[node]) for node in posed.wanted]

    def quotients(self, name: str) -> list[tuple[float, float]]:
        """Difference quotients along the direction of a leaf, for each of the STEPS, and the
        largest value that the program had.
        """
        found = []
        for step in STEPS:
            ends = []
            for signed in (step, -step):
                inputs = dict(self._task.inputs)
                inputs[name] = moved(inputs[name], signed)
                ends += self.ask(self._task._replace(inputs=inputs), Weighed())
            found.append(((ends[0] - ends[1]) / (2 * step), max(map(abs, ends))))
        return found


def judged(
    name: str,
    shape: tuple[int, ...],
    slope: Array,
    quotients: Sequence[tuple[float, float]],
    unit: float,
) -> LeafCheck:
    """The slope by reverse mode against the difference quotient whose error is the smallest: of
    two steps the shorter, off by no more than both differ, and by rounding.
    """
    _, reverse, size = map(float, slope)
    best, error = math.nan, math.inf
    for (before, _), (quotient, value), step in zip(
        quotients, quotients[1:], STEPS[1:], strict=False
    ):
        off = abs(quotient - before) + ROUNDING * unit * value / step
        if off < error:
            best, error = quotient, off
    verdict: Verdict = "inconclusive"
    if math.isfinite(reverse) and math.isfinite(best):
        digits = math.log10(size / max(error, unit * size)) if size else 0.0
        if abs(reverse - best) > CLEAR * error + WALKS_AGREE * size:
            verdict = "fail"
        elif digits >= DIGITS or size == error == 0:
            verdict = "pass"
    else:
        digits = 0.0
    count = math.prod(shape)
    return LeafCheck(name, shape, [], sweep=AllAtOnce(verdict, count, 1, max(0.0, digits)))


def _walk(slopes: Array, unit: float) -> DotProductTest:
    """Forward mode against reverse mode along all directions."""
    forward, reverse = (float(each) for each in slopes[:, :2].sum(axis=0))
    if not (math.isfinite(forward) and math.isfinite(reverse)):
        return DotProductTest(forward, reverse, "inconclusive")
    differ = (np.abs(slopes[:, 0] - slopes[:, 1]) > max(WALKS_AGREE, unit) * slopes[:, 2]).any()
    return DotProductTest(forward, reverse, "fail" if differ else "pass")


def _told(leaf: LeafCheck) -> Note:
    assert leaf.sweep is not None
    return Note(
        "check",
        f"{leaf.name}: all {leaf.size:,} elements were moved at once, along one direction: the "
        f"slope is known to {leaf.sweep.digits:.0f} digits of the sum of its absolute terms, so "
        "that a wrong rule is seen and a mistake in few elements is not",
    )
