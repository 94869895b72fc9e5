"""Nodes as a function of one leaf, computed again and again near one point."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.problem import Problem
from gradcli.diagnostics import GradcliError
from gradcli.engine.kernels import kernel
from gradcli.graph import Array, Node, ancestors


class NotAnalyticError(Exception):
    """An op on the way gives nothing, or no derivative, for complex numbers."""


@dataclass(frozen=True, slots=True)
class Near:
    """Where a point stands with an op that is not smooth everywhere."""

    node: Node
    distance: float
    """Along the line that was followed; 0 on the kink."""


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Which smooth piece of the function a point lies in."""

    edges: dict[Node, Array]
    """By op: signed distances to where it is not smooth."""
    choices: dict[Node, Array]
    """The integers and truth values that depend on the leaf."""


class Probe:
    """The outputs while one leaf changes; whatever does not depend on it is computed once.

    Values through which no gradient flows on purpose (`detach`) stay as they are.
    """

    def __init__(self, problem: Problem, outputs: Sequence[Node], leaf: Node) -> None:
        order = ancestors([*outputs, *problem.looked, leaf])
        base = dict(zip(order, problem.values(order), strict=True))
        self.leaf = leaf
        self.point = np.array(base[leaf])
        self._outputs = outputs
        self._steps = _affected(order, outputs, problem.looked, leaf)
        moving = {leaf, *self._steps}
        self._fixed = {node: value for node, value in base.items() if node not in moving}
        self.base = [base[node] for node in outputs]

    def at(self, value: Array) -> list[Array]:
        """The outputs where the leaf has this value."""
        values = self._run(value)
        return [values[node] if node in values else self._fixed[node] for node in self._outputs]

    def complex_at(self, value: Array) -> list[Array]:
        """The outputs for a complex value. Raises NotAnalyticError."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                values = self._run(value)
        except (TypeError, ValueError, GradcliError, np.exceptions.ComplexWarning):
            raise NotAnalyticError from None
        for node in self._steps:
            if node.kind == "float" and values[node].dtype.kind != "c":
                raise NotAnalyticError
        return [values[node] if node in values else self._fixed[node] for node in self._outputs]

    def surroundings(self, value: Array) -> Surroundings:
        """What tells whether two points lie in the same smooth piece."""
        values = self._run(value)
        edges: dict[Node, Array] = {}
        choices: dict[Node, Array] = {}
        with np.errstate(all="ignore"):
            for node in self._steps:
                if node.kind != "float":
                    choices[node] = values[node]
                if node.op.edge is not None and any(each.kind == "float" for each in node.inputs):
                    operands = [
                        values[each] if each in values else self._fixed[each]
                        for each in node.inputs
                    ]
                    edges[node] = np.asarray(node.op.edge(np, *operands, *node.attributes))
        return Surroundings(edges, choices)

    def _run(self, value: Array) -> dict[Node, Array]:
        values = {self.leaf: value}
        with np.errstate(all="ignore"):
            for node in self._steps:
                call, before, after, count = kernel(node)
                operands = [
                    values[each] if each in values else self._fixed[each]
                    for each in node.inputs[:count]
                ]
                values[node] = np.asarray(call(*before, *operands, *after))
        return values


def crossed(here: Surroundings, there: Surroundings, step: float) -> Near | None:
    """The nearest op whose edge lies on or between two points that are `step` apart.

    Distances are measured as if edges moved evenly along the line.
    """
    nearest: Near | None = None
    for node, before in here.edges.items():
        after = there.edges[node]
        with np.errstate(invalid="ignore"):
            moved = np.abs(after - before)
            flips = (np.sign(before) != np.sign(after)) & (moved > 0)
        if flips.any():
            distance = float(np.min(np.abs(before[flips]) / moved[flips])) * step
            if nearest is None or distance < nearest.distance:
                nearest = Near(node, distance)
    if nearest is None:
        for node, choice in here.choices.items():
            if not np.array_equal(choice, there.choices[node]):
                return Near(node, step / 2)
    return nearest


def _affected(
    order: Sequence[Node], outputs: Sequence[Node], looked: Sequence[Node], leaf: Node
) -> list[Node]:
    """The nodes between the leaf and the outputs, operands first."""
    moving = {leaf}
    for node in order:
        if any(each in moving for each in node.inputs) and not _stops(node) and node is not leaf:
            moving.add(node)
    needed = {*outputs, *looked}
    for node in reversed(order):
        if node in needed and node in moving and node is not leaf:
            needed.update(node.inputs)
    return [node for node in order if node in moving and node in needed and node is not leaf]


def _stops(node: Node) -> bool:
    """Whether the node is a wall for gradients by intent, as `detach` is."""
    if not node.op.view or node.kind != "float":
        return False
    return not any(node.op.differentiable(node, place) for place in range(len(node.inputs)))
