"""Nodes as a function of one leaf, computed again and again near one point."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from gradcli.analysis.edges import has_edge
from gradcli.analysis.kinks import Kink, Surroundings, crossed
from gradcli.analysis.montecarlo import (
    ULPS,
    RandomRounding,
    Rounding,
    chooses,
    largest_change,
    roundings,
)
from gradcli.analysis.problem import View
from gradcli.analysis.replica import Replica, is_worth
from gradcli.diagnostics import GradcliError
from gradcli.engine.kernels import kernel
from gradcli.graph import EMPTY, Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.walks import ancestors

OVERHEAD = 2_000
"""The number of elements that take as long as one call of a function."""
COPIES = 4
"""Further copies of all values in memory: complex, or with random roundings."""


class NotAnalyticError(Exception):
    """An op between leaf and outputs has no value, or no derivative, for complex numbers."""


class OutsideError(Exception):
    """An op has no value here, like `cholesky` of an indefinite matrix."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.node = node


class Probed(Protocol):
    """A function of one leaf near a point, as checks ask for it; see `Probe`."""

    foreign: bool
    """Whether it is computed outside of gradcli: it may have kinks that no op reports, and is not
    asked for values far from the point.
    """
    noisy: bool
    """Whether its values change at random by far more than rounding."""
    rounded: list[Array]
    """How far its outputs are off at most, if it rounds them to few digits."""
    point: Array
    base: list[Array]
    finite: bool
    work: int

    def at(self, value: Array) -> list[Array]: ...
    def complex_at(self, value: Array) -> list[Array]: ...
    def noise(self, value: Array, unit: float) -> list[Array]: ...
    def surroundings(self, value: Array) -> Surroundings: ...
    def kink_before(self, here: Surroundings, value: Array, step: float) -> Kink | None: ...


class Probe:
    """Computes nodes for other values of one leaf; nodes that do not depend on it are computed
    once.

    Values that stop gradients on purpose (`detach`) are not changed. All is float64, whatever the
    precision of the program. With `all_steps` only constants and inputs are kept, as nodes that
    do not depend on the leaf have rounding errors, too.
    """

    foreign = False
    noisy = False

    def __init__(
        self, view: View, nodes: Sequence[Node], leaf: Node, *, all_steps: bool = False
    ) -> None:
        order = ancestors([*nodes, *view.looked, leaf])
        size = 8 * sum(node.size for node in order)
        leaf.graph.ledger.take(size, "what a leaf decides")
        leaf.graph.ledger.require(COPIES * size, "the check of a leaf")
        base = {
            node: value.astype(np.float64, copy=False) if node.kind == "float" else value
            for node, value in zip(order, view.values(order), strict=True)
        }
        self._leaf = leaf
        self._nodes = nodes
        sources = {node for node in order if all_steps and not node.inputs and node.known is None}
        self._steps = _affected(order, [*nodes, *view.looked], leaf, {leaf, *sources})
        self._mirrored = {
            node: _mirror_image(base[node.inputs[0]], node) - _symmetric(base[node.inputs[0]])
            for node in self._steps
            if node.op.symmetric
        }
        self._kernels = {node: kernel(node) for node in self._steps}
        self._options = view.options
        self.rounded = [np.zeros(()) for _ in nodes]
        self._edged = [node for node in self._steps if has_edge(node)]
        self._decisive = _decisive(self._steps, self._edged)
        needed = {*nodes, *(each for node in self._steps for each in node.inputs)}
        self._fixed = {node: base[node] for node in needed - {leaf, *self._steps}}
        self._inexact = [
            node
            for node in self._fixed
            if all_steps and node not in sources and _broken(base[node])
        ]
        self.finite = all(bool(np.isfinite(base[node]).all()) for node in (leaf, *self._steps))
        """Whether no step on the way to the nodes overflows or is undefined."""
        self.work = sum(
            max(node.size, *(each.size for each in node.inputs), 0) + OVERHEAD
            for node in self._steps
        )
        """The cost of one computation, in elements."""
        self.elements = sum(node.size for node in self._steps)
        self.point = base[leaf]
        self.base = [base[node] for node in nodes]

    def at(self, value: Array) -> list[Array]:
        """The nodes for this value of the leaf; nan where they have no value."""
        replica = self._replica
        try:
            if replica is not None:
                return replica.at(value)
            return self._wanted(self._run(value, self._steps))
        except (GradcliError, OutsideError):
            return [np.full(node.shape, np.nan) for node in self._nodes]

    def complex_at(self, value: Array) -> list[Array]:
        """The nodes for a complex value. Raises NotAnalyticError."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                values = self._run(value, self._steps)
        except (TypeError, ValueError, OutsideError, np.exceptions.ComplexWarning):
            raise NotAnalyticError from None
        for node in self._steps:
            if node.kind == "float" and values[node].dtype.kind != "c":
                raise NotAnalyticError
        return self._wanted(values)

    def noise(self, value: Array, unit: float) -> list[Array]:
        """The rounding error of each node for this value of the leaf, where the last place is
        `unit` relative to 1.
        """
        try:
            exact = self._run(value, self._steps)
            largest = [ULPS * unit * np.abs(each) for each in self._wanted(exact)]
            for seed in range(roundings(self.elements)):
                found = self._run(value, self._steps, RandomRounding(ULPS * unit, seed), exact)
                for place, node in enumerate(self._nodes):
                    change = largest_change(found[node], exact[node])
                    largest[place] = np.fmax(largest[place], change)
        except OutsideError:
            return [np.full(node.shape, np.inf) for node in self._nodes]
        return largest

    def surroundings(self, value: Array) -> Surroundings:
        """The data to decide whether two points are in the same smooth piece. Raises
        OutsideError.
        """
        edges: dict[Node, Array] = {}
        if not (self._edged or self._decisive):
            return Surroundings(edges, {})
        values = self._run(value, self._decisive)
        choices = {node: values[node] for node in self._decisive if chooses(node)}
        with np.errstate(all="ignore"):
            for node in self._edged:
                assert node.op.edge is not None
                operands = [values[each] for each in node.inputs]
                edges[node] = np.asarray(node.op.edge(np, *operands, *node.attributes))
        return Surroundings(edges, choices)

    def kink_before(self, here: Surroundings, value: Array, step: float) -> Kink | None:
        """The kink between a point with these surroundings and another, `step` away."""
        try:
            return crossed(here, self.surroundings(value), step)
        except OutsideError as error:
            return Kink(error.node, step / 2)

    @cached_property
    def _replica(self) -> Replica | None:
        """What computes the nodes where they are large. Raises `limit-memory`."""
        if not is_worth(self._steps):
            return None
        return Replica(self._nodes, self._steps, self._leaf, self._fixed, self._options)

    def _run(
        self,
        value: Array,
        steps: Sequence[Node],
        rounding: Rounding | None = None,
        exact: Mapping[Node, Array] = EMPTY,
    ) -> dict[Node, Array]:
        """The values of steps; with random roundings, choices are taken from `exact`."""
        values = self._fixed | {self._leaf: value}
        if rounding is not None:
            values |= {node: rounding(values[node]) for node in (self._leaf, *self._inexact)}
        with np.errstate(all="ignore"):
            for node in steps:
                if node in exact and chooses(node):
                    values[node] = exact[node]
                    continue
                call, before, after, count = self._kernels[node]
                operands = [values[each] for each in node.inputs[:count]]
                if node.op.symmetric:
                    operands = [_symmetric(operands[0]) + self._mirrored[node]]
                rounds = None if node.op.view or node.op.selects else rounding
                if rounds is not None and not isinstance(node.op, Elementwise):
                    operands = [rounds(each) for each in operands]  # it adds up on the way
                try:
                    result = np.asarray(call(*before, *operands, *after))
                except GradcliError:
                    raise OutsideError(node) from None
                values[node] = result if rounds is None else rounds(result)
        return values

    def _wanted(self, values: dict[Node, Array]) -> list[Array]:
        return [values[node] for node in self._nodes]


def _symmetric(matrix: Array) -> Array:
    """The matrix as an op sees it that takes it to be symmetric."""
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2


def _mirror_image(matrix: Array, node: Node) -> Array:
    """The matrix that such an op takes: the triangle that it reads, and that one's mirror image."""
    read = np.triu(matrix) if "U" in node.attributes else np.tril(matrix)
    inner = np.triu(matrix, 1) if "U" in node.attributes else np.tril(matrix, -1)
    return read + np.swapaxes(inner, -1, -2)


def _broken(array: Array) -> bool:
    """Whether some numbers are not whole, so that they may have been rounded."""
    return bool((array != np.rint(array)).any())


def _affected(
    order: Sequence[Node], wanted: Sequence[Node], leaf: Node, moving: set[Node]
) -> list[Node]:
    """The nodes between those that change and those that are asked for, operands first."""
    steps = set(moving)
    for node in order:
        if any(each in steps for each in node.inputs) and not _stops(node):
            steps.add(node)
    needed = set(wanted)
    for node in reversed(order):
        if node in needed and node in steps and node is not leaf:
            needed.update(node.inputs)
    found = (steps & needed) - moving
    return [node for node in order if node in found]


def _decisive(steps: Sequence[Node], edged: Sequence[Node]) -> list[Node]:
    """The steps that tell in which smooth piece a point is, and whether all ops have values there:
    what is chosen by, what nodes with edges are computed of, and those among them that may have no
    value at all.
    """
    wanted = {node for node in steps if chooses(node)}
    wanted.update(each for node in edged for each in node.inputs)
    wanted.update(node for node in edged if not isinstance(node.op, Elementwise))
    for node in reversed(steps):
        if node in wanted:
            wanted.update(node.inputs)
    return [node for node in steps if node in wanted]


def _stops(node: Node) -> bool:
    """Whether the node stops gradients on purpose, as `detach` does."""
    if not node.op.view or node.kind != "float":
        return False
    return not any(node.op.differentiable(node, place) for place in range(len(node.inputs)))
