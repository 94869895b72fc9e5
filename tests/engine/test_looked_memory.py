"""Looking at a value takes the memory that the ledger was asked for: for each op of the table."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from math import prod
from typing import Any

import pytest

from gradcli.diagnostics import GradcliError
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import NODE_BYTES, Array, Node, Shape
from gradcli.ledger import Ledger
from gradcli.ops import Case
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, case_id, trace

ELEMENTS = 400_000
"""Of the largest input: blocks and buffers of fixed sizes are small compared with it."""
MOST = 3 * 10**8
SPARE = 2**18


def enlarged(case: Case) -> Iterator[Case]:
    """The case with larger inputs: along all axes, or, where that does not fit, along one."""
    rank = max(map(len, case.shapes.values()), default=0)
    largest = max(map(prod, case.shapes.values()), default=1)
    for axes in ({*range(-rank, 0)}, {-rank}, {-1}, {-2}):
        factor = max(2, round((ELEMENTS / max(1, largest)) ** (1 / max(1, len(axes)))))

        def grown(shape: Shape, axes: set[int] = axes, factor: int = factor) -> Shape:
            return tuple(
                length * factor if length > 1 and place - len(shape) in axes else length
                for place, length in enumerate(shape)
            )

        shapes = {name: grown(shape) for name, shape in case.shapes.items()}
        yield case._replace(shapes=shapes)


def looked(node: Node, feeds: dict[Node, Array], ledger: Ledger) -> None:
    Evaluator(feeds, ledger).value(node)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), [*all_cases()], ids=case_id)
def test_what_is_taken_is_refused_where_there_is_less(name: str, case: Any) -> None:
    for larger in enlarged(case):
        try:
            traced = trace(larger)
            if sum(8 * node.size for node in ancestors([traced.output])) > MOST:
                continue
            looked(traced.output, traced.feeds, Ledger())  # what it imports and keeps is there
        except (GradcliError, AssertionError, MemoryError):
            continue  # these lengths do not go together
        gc.collect()
        tracemalloc.start()
        looked(traced.output, traced.feeds, Ledger())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        nodes = len(ancestors([traced.output])) * NODE_BYTES  # which the graph has counted
        limit = int((peak - nodes) / 1.15) - SPARE
        if limit > SPARE:
            with pytest.raises(GradcliError, match="limit is"):
                looked(traced.output, traced.feeds, Ledger(limit))
        return
    pytest.skip("it cannot be enlarged")
