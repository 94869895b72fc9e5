"""Many seeds at once: the graph of a derivative with a batch axis in front.

A derivative is linear in its seed, so only ops that are linear in an operand get that axis, and in
one operand at a time. Nodes that do not depend on the seed are computed once, and broadcast.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradcli.differentiate.seeded_loops import batch_passes
from gradcli.graph import OPERATORS, Array, Attributes, Kind, Node, Op, Shape
from gradcli.ops.loops import Loop, results_of
from gradcli.walks import ancestors


def vectorise(
    results: Sequence[Node], seeds: Sequence[Node], count: int
) -> tuple[list[Node], list[Node]]:
    """Inputs for `count` seeds at once, and the results for all of them.

    `results` are linear in `seeds`, which are inputs of the graph. All nodes that are returned
    have an axis of length `count` in front.
    """
    graph = seeds[0].graph
    batch = {seed: graph.input("seeds", (count, *seed.shape), "float") for seed in seeds}
    inputs = list(batch.values())
    with graph.derivatives():
        _walk(ancestors(results), batch, count)
    return inputs, [
        batch.get(node) or OPERATORS["expand"](node, (count, *node.shape)) for node in results
    ]


def _walk(order: Sequence[Node], batch: dict[Node, Node], count: int) -> None:
    """Add nodes with a batch axis to `batch`, in place of those that depend on some there."""
    loops = results_of(order)
    for node in order:
        if node in batch or batch.keys().isdisjoint(node.inputs):
            continue
        if isinstance(node.op, Loop):
            results = loops.pop(node.op, ())
            batch_passes(node.op, results, batch, count, partial(_walk, count=count))
            continue
        graph = node.graph
        graph.origin, graph.span = node.origin, node.span
        operands = tuple(batch.get(operand, operand) for operand in node.inputs)
        batch[node] = node.op.batched(node, operands) or _one_by_one(node, operands, count)


class OneByOne(Op):
    """An op for each index of the batch axis that some operands have; the results are stacked."""

    def __init__(self, node: Node, inputs: tuple[Node, ...], count: int) -> None:
        super().__init__(f"{node.op.name} one by one")
        self.host = node.op.host
        self._op = node.op
        self._result: tuple[Shape, Kind] = (count, *node.shape), node.kind
        self._changed = [new is not old for new, old in zip(inputs, node.inputs, strict=True)]

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        return self._result

    def forward(self, xp: Any, *arguments: Any) -> Array:
        operands = list(zip(arguments, self._changed, strict=False))
        attributes = arguments[len(operands) :]
        (count, *_), _ = self._result
        results = [
            self._op.forward(xp, *(x[i] if changed else x for x, changed in operands), *attributes)
            for i in range(count)
        ]
        return xp.stack(results)  # type: ignore[no-any-return]


def _one_by_one(node: Node, inputs: tuple[Node, ...], count: int) -> Node:
    return node.graph.apply(OneByOne(node, inputs, count), inputs, node.attributes)
