"""Loops among the units of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradcli.engine import regions
from gradcli.engine.aside import MOST
from gradcli.engine.bodies import STRETCH_BYTES, is_wide, loop_of, runner
from gradcli.engine.columns import WORTH
from gradcli.engine.kernels import Runner
from gradcli.engine.lowering import lower
from gradcli.engine.plan import Plan, Resources, Single, Unit, nbytes, work_bytes
from gradcli.engine.products import is_large
from gradcli.engine.swept import LARGE, is_member, is_swept, may_be_swept
from gradcli.graph import CONSTANT, Array, Graph, Node
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
        if is_wide(self.loop):
            ends = [each.next for each in self.loop.carried]
            ends += [each.attributes[0] for each in self.outputs]
            computed = [node for node in steps if node in ends]
            one = WidePass(self.loop, steps, computed).plan.peak_bytes(threads=threads)
        else:
            one = sum(nbytes(node) + work_bytes(node) for node in steps)
        waiting = MOST if any(node.op is MATMUL and is_large(node, WORTH) for node in steps) else 0
        return one + (8 + 2 * len(self.outputs) + 2 * waiting) * STRETCH_BYTES

    @property
    def loop(self) -> Loop:
        """What these are the results of."""
        return loop_of(self.outputs)

    def runner(self, resources: Resources) -> Runner:
        run = runner(self.outputs, resources)
        if self.segment:
            from gradcli.engine.checkpoints import runner as of_segments

            run = of_segments(self.outputs, self.remade, self.segment, resources)
        return run, (), (), len(self.outputs[0].inputs)


class WidePass:
    """Steps of a pass over large arrays as a plan of their own, with regions, as they would be if
    passes were written out.
    """

    def __init__(self, loop: Loop, steps: Sequence[Node], outputs: Sequence[Node]) -> None:
        """`steps` are in topological order, and `outputs` those of them that are needed."""
        self.operands = [*_read(steps)]
        """What the steps read that they do not compute."""
        self._given, copies = _copied(steps, self.operands)
        instead: dict[Node, Node] = {}
        lower(sorted(copies.values(), key=lambda node: node.index), instead)
        apart = {
            copies[node]
            for node in self.operands
            if node.size >= LARGE and not may_be_swept(node, loop)
        }

        def units(schedule: Sequence[Node], outputs: Sequence[Node]) -> Sequence[Unit]:
            def sweeps(node: Node) -> bool:
                return is_swept(node) and node.inputs[0] not in apart

            return together(regions.units(schedule, outputs, is_member, sweeps))

        self.plan = Plan([instead.get(copies[node], copies[node]) for node in outputs], units)

    def feeds(self, operands: Sequence[Array]) -> dict[Node, Array]:
        """The values of the plan's inputs, for those of the operands."""
        given = zip(self._given, operands, strict=True)
        return {node: value for node, value in given if node.known is None}


def _read(steps: Sequence[Node]) -> dict[Node, None]:
    """What steps read that they do not compute."""
    computed = set(steps)
    read = dict.fromkeys(operand for node in steps for operand in node.inputs)
    return {node: None for node in read if node not in computed}


def _copied(steps: Sequence[Node], operands: Sequence[Node]) -> tuple[list[Node], dict[Node, Node]]:
    """What stands for the operands in a graph of their own, and copies of the steps in it."""
    outside = steps[0].graph
    graph = Graph(outside.precision, shares=False)
    numbers = {node.inputs[1] for node in steps if node.op.by_number is not None}
    given = []
    for node in operands:
        known = outside.look(node) if node.op is CONSTANT or node in numbers else None
        if known is not None:
            given.append(graph.constant(known))
        else:
            given.append(graph.input("operand", node.shape, node.kind))
    copies = dict(zip(operands, given, strict=True))
    for node in steps:
        graph.span, graph.origin = node.span, node.origin
        inputs = tuple([copies[each] for each in node.inputs])
        copies[node] = graph.apply(node.op, inputs, node.attributes)
    return given, copies


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
