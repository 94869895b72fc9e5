"""The derivatives of outputs by leaves: where they are 0, and products with many vectors.

One plan is used for all of them, with many seeds at once as its input.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from gradcli.analysis.computed_once import computed_once
from gradcli.analysis.matrices import Mode, Side
from gradcli.analysis.problem import Problem
from gradcli.analysis.sparsity.dependence import dependence
from gradcli.analysis.sparsity.pattern import Pattern, Room
from gradcli.analysis.unit_seeds import UnitEntry, entries
from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.differentiate.vectorise import vectorise
from gradcli.engine.plan import WIDEST, Engine
from gradcli.graph import INPUT, Array, Node
from gradcli.ops.kinds import zeros_like
from gradcli.ops.loops import Loop, NotRolled
from gradcli.walks import ancestors, dependents

Vectors = Callable[[int, int], Array]
"""`(start, stop)`: these vectors, one in a row, over all elements of what is seeded."""
Arrays = Callable[[int, int], Sequence[Array]]
"""`(start, stop)`: for these vectors the values of some nodes, one in a row."""

TOO_MUCH = ("limit-memory", "limit-nodes", "shape")
"""Errors with which fewer seeds are tried; `shape` as NumPy allows only 64 axes."""


class Linearisation:
    """The derivatives of nodes by the leaves of a problem."""

    def __init__(self, problem: Problem, outputs: Mapping[str, Node], at_once: int) -> None:
        """As many seeds go in together as make arrays of `at_once` elements."""
        self.problem = problem
        self.rows = Side({name: node.shape for name, node in outputs.items()})
        self.columns = Side({name: node.shape for name, node in problem.leaves.items()})
        self._outputs = list(outputs.values())
        self._leaves = list(problem.leaves.values())
        self._at_once = at_once

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """The dtype of derivatives."""
        return self.problem.graph.dtype("float")

    def allocate(self, empty: Callable[..., Array] = np.empty) -> Array:
        """An array for all derivatives, as NumPy makes it. Raises `limit-memory`."""
        shape = self.rows.size, self.columns.size
        self.problem.graph.ledger.take(
            shape[0] * shape[1] * self.dtype.itemsize,
            f"a matrix of {shape[0]:,} × {shape[1]:,}",
            hint="gradcli jvp or eval --gradient give its products with a vector",
        )
        return empty(shape, self.dtype)

    def pattern(self, most: int) -> Pattern:
        """Where derivatives may be different from 0.

        Raises `TooManyEntriesError` where a value on the way to the outputs has more than `most`,
        and `NotRolled` where a loop is one node.
        """
        if any(isinstance(node.op, Loop) for node in ancestors(self._outputs)):
            raise NotRolled("a pattern is read off all passes")

        def values(nodes: Sequence[Node], feeds: Mapping[Node, Array]) -> Sequence[Array]:
            return self._run(self.problem.engine(nodes), feeds)

        room = Room(most, self.problem.graph.ledger)
        return dependence(self._outputs, self._leaves, values, room)

    def products(
        self, mode: Mode, total: int, vectors: Vectors | None = None
    ) -> Iterator[tuple[int, list[Array]]]:
        """Products with `total` seeds, several at once: the number of the first seed, and by leaf
        (by output in forward mode) the products, one in a row. Without `vectors` these are all
        unit vectors.

        A seed selects elements, so that what no selected one leads to is 0 even where 0·inf is nan.
        That takes longer and is rarely needed: where some product is nan, all begin again so.
        """
        start, end = self._outputs, self._leaves
        if mode == "forward":
            start, end = end, start
        for selected in ([], start):
            seeds = [self.problem.graph.input("seed", node.shape, "float") for node in start]
            found = (
                vjp(start, seeds, end, selected)
                if mode == "reverse"
                else jvp(end, start, seeds, selected)
            )
            results = [
                zeros_like(node) if each is None else each
                for each, node in zip(found, end, strict=True)
            ]
            clean = True
            if vectors is None:
                inputs, arrays_for = self._all_units(seeds, results)
            else:
                inputs, arrays_for = seeds, partial(_parted, seeds, vectors)
            for first, arrays in self._seeded(inputs, results, total, arrays_for):
                clean = clean and not any(np.isnan(array).any() for array in arrays)
                if not (clean or selected):
                    break
                yield first, arrays
            if clean:
                return

    def _all_units(
        self, seeds: Sequence[Node], results: Sequence[Node]
    ) -> tuple[list[Node], Arrays]:
        """What takes the place of the seeds where these are all unit vectors."""
        found = entries(seeds, results)
        known = self._where_all_are_one(seeds, found)
        if not all(np.isfinite(known[other]).all() for each in found for other in each.others):
            found = entries(seeds, seeds)  # 0·inf is nan in a product
            known = self._where_all_are_one(seeds, found)

        def arrays(start: int, stop: int) -> list[Array]:
            return [entry.rows(start, stop, known) for entry in found]

        return [entry.node for entry in found], arrays

    def _where_all_are_one(
        self, seeds: Sequence[Node], found: Sequence[UnitEntry]
    ) -> dict[Node, Array]:
        """The values of what makes up entries where all seeds are 1."""
        nodes = list(dict.fromkeys(node for each in found for node in (each.vector, *each.others)))
        ones = {seed: np.ones(seed.shape, self.dtype) for seed in seeds}
        return dict(zip(nodes, self._run(self.problem.engine(nodes), ones), strict=True))

    def _seeded(
        self, seeds: Sequence[Node], results: Sequence[Node], total: int, arrays_for: Arrays
    ) -> Iterator[tuple[int, list[Array]]]:
        count, inputs, engine, fixed = self._engine(seeds, results, total)
        for start in range(0, total, count):
            stop = min(start + count, total)
            feeds = {
                node: self._filled_up(rows, count).reshape(node.shape)
                for node, rows in zip(inputs, arrays_for(start, stop), strict=True)
            }
            arrays = self._run(engine, fixed | feeds)
            yield (
                start,
                [
                    array.reshape(count, node.size)[: stop - start]
                    for array, node in zip(arrays, results, strict=True)
                ],
            )

    def _engine(
        self, seeds: Sequence[Node], results: Sequence[Node], total: int
    ) -> tuple[int, Sequence[Node], Engine, dict[Node, Array]]:
        """How many seeds go in at once, the inputs for them, what computes the results, and what
        that is given besides.

        So many that an array holds up to `at_once` elements, and that the limits allow.
        """
        widest = max(node.size for node in dependents(ancestors(results), seeds))
        runs = max(1, -(-total * widest // self._at_once))
        count = max(1, -(-total // runs))
        while count > 1:
            try:
                inputs, many = vectorise(results, seeds, count)
                return count, inputs, *self._ready(inputs, many, runs=-(-total // count))
            except GradcliError as error:
                if error.diagnostic.code not in TOO_MUCH:
                    raise
                count //= 2
        if any(seed.op is not INPUT for seed in seeds):
            inputs, many = vectorise(results, seeds, 1)
            return 1, inputs, *self._ready(inputs, many, total)
        return 1, seeds, *self._ready(seeds, results, total)

    def _ready(
        self, inputs: Sequence[Node], results: Sequence[Node], runs: int
    ) -> tuple[Engine, dict[Node, Array]]:
        """What computes the results for these inputs, so many times, and what is the same in all
        runs and given to it.
        """
        once = computed_once(results, inputs)
        held = WIDEST * sum(node.size for node in once.fixed)
        if runs == 1 or not held or held > self.problem.graph.ledger.room // 4:
            return self.problem.engine(results), {}
        engine = self.problem.engine(once.nodes)
        values = self.problem.values(once.fixed)
        # Values whose axes lie in their order meet those of many seeds in long rows.
        return engine, dict(zip(once.inputs, map(np.ascontiguousarray, values), strict=True))

    def _filled_up(self, rows: Array, count: int) -> Array:
        """With rows of zeros up to so many."""
        rows = rows.astype(self.dtype, copy=False)
        if len(rows) == count:
            return rows
        return np.concatenate([rows, np.zeros((count - len(rows), rows.shape[1]), self.dtype)])

    def _run(self, engine: Engine, feeds: Mapping[Node, Array]) -> list[Array]:
        try:
            return engine.run({**self.problem.feeds, **feeds})
        except GradcliError as error:
            raise error.located(self.problem.program.source, None) from None


def _parted(nodes: Sequence[Node], vectors: Vectors, start: int, stop: int) -> list[Array]:
    """The parts of vectors that belong to each node."""
    stops = itertools.accumulate(node.size for node in nodes)
    return np.split(vectors(start, stop), [*stops][:-1], axis=1)
