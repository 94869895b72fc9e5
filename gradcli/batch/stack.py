"""A plan that answers many records at once: their inputs are stacked along a new first axis.

Every answer must be the same to the last bit as if its record had come alone. So only programs of
exact arithmetic are stacked, whose results IEEE 754 prescribes, and of sums of few numbers, which
NumPy adds up in one order wherever they lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.differentiate.vectorise import vectorise
from gradcli.engine.cpu import Engine
from gradcli.engine.kernels import POWERS, kernel
from gradcli.engine.plan import Plan
from gradcli.graph import INPUT, Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shaping import EXPAND, RESHAPE
from gradcli.session import Prepared

COUNT = 128
"""Records in a stack."""
ELEMENTS = 64
"""The most elements that a value may have."""
EXACT = {
    *("add", "subtract", "multiply", "divide", "negative", "reciprocal", "square", "sqrt"),
    *("absolute", "sign", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_not", "where", "scale"),
}
"""NumPy's and our elementwise functions that have one right result."""


class Stack:
    """A program for COUNT records at once."""

    def __init__(self, prepared: Prepared) -> None:
        self._inputs, results = vectorise(
            prepared.engine.plan.outputs, list(prepared.inputs.values()), COUNT
        )
        self._engine = Engine(Plan(results), 1)

    def run(self, feeds: Mapping[Node, Array], columns: Sequence[Array]) -> list[Array]:
        """The outputs, with an axis for the records in front.

        `columns` are the stacked inputs of at most COUNT records; `feeds` are other values.
        """
        count = len(columns[0])
        stacked = {
            node: column if count == COUNT else np.resize(column, node.shape)
            for node, column in zip(self._inputs, columns, strict=True)
        }
        return [array[:count] for array in self._engine.run({**feeds, **stacked})]


def is_stackable(prepared: Prepared) -> bool:
    """Whether a stack of records has the same answers as its records."""
    plan, inputs = prepared.engine.plan, list(prepared.inputs.values())
    if prepared.engine.device != "cpu":
        return False
    if prepared.options.precision != "float64":  # numbers may overflow on their way in
        return False
    if not plan.outputs or not inputs or {node.kind for node in inputs} != {"float"}:
        return False
    changing = {node for node in plan.sources if node.op is INPUT}
    if not changing.issubset(inputs):  # gradients come with the records, too
        return False
    nodes = [unit for unit in plan.units if isinstance(unit, Node)]
    for node in nodes:
        if not changing.isdisjoint(node.inputs):
            changing.add(node)
    return len(nodes) == len(plan.units) and all(
        0 < node.size <= ELEMENTS and (node.op is INPUT or _is_exact(node)) for node in changing
    )


def _is_exact(node: Node) -> bool:
    op = node.op
    if isinstance(op, Elementwise):
        return (op.ufunc or op.name) in EXACT or kernel(node)[0] in POWERS.values()
    return op.combine == "add" or op is EXPAND or op is RESHAPE
