"""Run each elementwise op on operands far from the ordinary, and print its name before that."""

from __future__ import annotations

import itertools
import sys
from contextlib import suppress

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine.kernels import kernel
from gradcli.graph import Node, ancestors
from gradcli.ops.elementwise import Elementwise
from tests.ops.table_cases import all_cases, trace

SIZES = [0.0, 1.0, 2.5, 50.0, 1e6, 1e9, 1e9 + 0.5, 1e15 + 0.5, 5e-324, 1e300, np.inf]


def elementwise_nodes() -> dict[str, Node]:
    """A node of each elementwise op, by the op's name."""
    nodes: dict[str, Node] = {}
    for _, case in all_cases():
        for node in ancestors([trace(case).output]):
            if isinstance(node.op, Elementwise):
                nodes.setdefault(node.op.name, node)
    return nodes


def run(node: Node) -> None:
    """Compute it for all combinations of the values; some of them where there are many."""
    call, before, after, count = kernel(node)
    values = [sign * size for size in SIZES for sign in (1, -1)]
    combinations = [*itertools.product(values, repeat=count)][:: 1 if count < 3 else 37]
    operands = [
        np.array(column).astype(operand.graph.dtype(operand.kind))
        for operand, column in zip(node.inputs, zip(*combinations, strict=True), strict=False)
    ]
    call(*before, *operands, *after)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for name, node in elementwise_nodes().items():
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()
            with suppress(GradcliError):  # orders up to 1000 are taken
                run(node)
