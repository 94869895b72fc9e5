"""A plan that answers many records at once: their inputs are stacked along a new first axis.

Every answer must have the same bits as if its record was run alone. So only programs are stacked
whose arithmetic IEEE 754 defines to the last bit, and whose sums are of so few numbers that NumPy
always adds them in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.differentiate.vectorise import vectorise
from gradcli.engine.device import engine
from gradcli.engine.plan import Engine, Plan, Single
from gradcli.graph import INPUT, Array, Node
from gradcli.ledger import Ledger
from gradcli.session import Prepared

MOST = 1024
"""The most records that are answered at once."""
LEAST = 16
"""The fewest records for which that is faster."""
ELEMENTS = 64
"""The most elements that a value of one record may have."""
ALL_ELEMENTS = 2**20
"""The most elements that all values of all records together may have."""


class Stack:
    """A program for many records at once."""

    def __init__(self, prepared: Prepared) -> None:
        plan = prepared.engine.plan
        self._outputs = plan.outputs
        self._inputs = list(prepared.inputs.values())
        elements = sum(node.size for node in _changing(plan))
        self._most = _power_of_two(min(MOST, ALL_ELEMENTS // max(1, elements)))
        self._engines: dict[int, tuple[list[Node], Engine]] = {}

    def run(self, feeds: Mapping[Node, Array], columns: Sequence[Array]) -> list[Array]:
        """The outputs, with an axis for the records in front.

        `columns` are the stacked inputs; `feeds` are other values.
        """
        parts = [
            self._run(feeds, [column[start : start + self._most] for column in columns])
            for start in range(0, len(columns[0]), self._most)
        ]
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _run(self, feeds: Mapping[Node, Array], columns: Sequence[Array]) -> list[Array]:
        count = len(columns[0])
        inputs, engine = self._engine(_power_of_two(2 * count - 1))
        stacked = {
            node: np.resize(column, node.shape)
            for node, column in zip(inputs, columns, strict=True)
        }
        return [array[:count] for array in engine.run({**feeds, **stacked})]

    def _engine(self, count: int) -> tuple[list[Node], Engine]:
        """The stacked inputs and the engine for so many records."""
        if count not in self._engines:
            inputs, results = vectorise(self._outputs, self._inputs, count)
            self._engines[count] = inputs, engine(results, "cpu", 1, Ledger())
        return self._engines[count]


def _power_of_two(limit: int) -> int:
    """The largest of the numbers that is not above the limit, which is at least 1."""
    return 1 << (limit.bit_length() - 1)


def is_stackable(prepared: Prepared) -> bool:
    """Whether a stack of records has the same answers as its records."""
    plan, inputs = prepared.engine.plan, list(prepared.inputs.values())
    if prepared.engine.device != "cpu":
        return False
    if prepared.options.precision != "float64":  # numbers may overflow when they are converted
        return False
    if not plan.outputs or not inputs or {node.kind for node in inputs} != {"float"}:
        return False
    if not all(isinstance(unit, Single) for unit in plan.units):
        return False
    changing = _changing(plan)
    if not all(node in inputs or _is_exact(node) for node in changing):
        return False  # else the records have gradients of their own
    sizes = [node.size for node in changing]
    return all(0 < size <= ELEMENTS for size in sizes) and LEAST * sum(sizes) <= ALL_ELEMENTS


def _changing(plan: Plan) -> list[Node]:
    """The nodes whose values are not the same for all records."""
    changing: set[Node] = set()
    for node in plan.nodes:
        if node.op is INPUT or not changing.isdisjoint(node.inputs):
            changing.add(node)
    return [*changing]


def _is_exact(node: Node) -> bool:
    exact = node.op.exact
    return node.op.combine == "add" or (exact if isinstance(exact, bool) else exact(node))
