"""Loops among the units of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.engine.aside import MOST
from gradcli.engine.bodies import STRETCH_BYTES, loop_of, runner
from gradcli.engine.columns import WORTH
from gradcli.engine.kernels import Runner
from gradcli.engine.plan import Resources, Single, Unit, nbytes, work_bytes
from gradcli.engine.products import is_large
from gradcli.graph import Node
from gradcli.ops.contractions import MATMUL
from gradcli.ops.loops import Loop


class Passes:
    """A loop as a unit of a plan: all results of it that are needed."""

    view = False

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.outputs = tuple(outputs)
        self.operands = outputs[0].inputs
        """What is read, and behind that what is to be there when operands are computed again."""
        self.segment = 0
        """After how many passes a checkpoint is; 0 is for none."""
        self.remade: set[Node] = set()
        """The outputs that are not held: from checkpoints on, their values are computed again."""

    def work_bytes(self, threads: int) -> int:
        """What is in memory for one pass, and the columns of a stretch of passes."""
        steps = self.loop.steps
        one = sum(nbytes(node) + work_bytes(node) for node in steps)
        waiting = MOST if any(node.op is MATMUL and is_large(node, WORTH) for node in steps) else 0
        return one + (8 + 2 * len(self.outputs) + 2 * waiting) * STRETCH_BYTES

    @property
    def loop(self) -> Loop:
        """What these are the results of."""
        return loop_of(self.outputs)

    def runner(self, resources: Resources) -> Runner:
        run = runner(self.outputs, resources.threads)
        if self.segment:
            from gradcli.engine.checkpoints import runner as of_segments

            run = of_segments(self.outputs, self.remade, self.segment, resources.threads)
        return run, (), (), len(self.outputs[0].inputs)


def together(units: Iterable[Unit]) -> list[Unit]:
    """The units with results of one loop as one unit, where the first of them stood.

    All results have the same operands, so what is ready for one is ready for all.
    """
    order: list[Unit] = []
    results: dict[tuple[Loop, tuple[Node, ...]], list[Node]] = {}
    places: dict[tuple[Loop, tuple[Node, ...]], int] = {}
    for unit in units:
        node = unit.node if isinstance(unit, Single) else None
        if node is None or not isinstance(node.op, Loop):
            order.append(unit)
            continue
        key = node.op, node.inputs
        if key not in results:
            places[key] = len(order)
            order.append(unit)
        results.setdefault(key, []).append(node)
    for key, found in results.items():
        order[places[key]] = Passes(found)
    return order
