"""Which loops of a plan keep checkpoints, and how many passes apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from math import sqrt

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.bodies import STRETCH_BYTES, Body
from gradcli.engine.cpu import HOST
from gradcli.engine.loops import Passes
from gradcli.engine.plan import Plan, nbytes
from gradcli.graph import Node
from gradcli.ledger import show_bytes

OBJECT_BYTES = 128
"""About what an object takes besides the elements of an array."""
ALIVE = 2
"""Of one segment, the last values may still be used when the next one is run again."""


def keep_less(
    plan: Plan, refusal: Callable[[], GradcliError | None]
) -> tuple[list[Note], GradcliError | None]:
    """Let loops of the plan keep checkpoints, those that keep most first, until the plan is not
    refused any more. Returns what there is to say of it, and the last refusal.
    """
    families: defaultdict[int, list[Keeper]] = defaultdict(list)
    for keeper in keepers(plan):
        families[keeper.count].append(keeper)
    notes, error = [], refusal()
    for family in sorted(families.values(), key=lambda each: -sum(map(Keeper.total, each))):
        segment = _segment(family)
        before = sum(map(Keeper.total, family))
        after = sum(each.bytes_with(segment) for each in family)
        if error is None or after >= before:
            break
        for each in family:
            plan.held |= each.held(segment)
        keep_checkpoints(plan, family, segment)
        message = f"checkpoints every {segment:,} passes of a loop: {show_bytes(after)} of memory "
        notes.append(Note("checkpoints", f"{message}instead of {show_bytes(before)}"))
        error = refusal()
    return notes, error


class Keeper:
    """A loop, and those of its results that may be computed again."""

    def __init__(self, unit: Passes, nodes: Sequence[Node]) -> None:
        self.unit = unit
        self.nodes = nodes
        self.count = unit.loop.count
        self.row_bytes = sum(map(nbytes, nodes)) // self.count
        """What each pass leaves."""
        carried = Body(unit.loop, [each.attributes for each in nodes], HOST).carried
        self.mark_bytes = OBJECT_BYTES + sum(nbytes(each.node) + OBJECT_BYTES for each in carried)
        """What a checkpoint takes."""

    def total(self) -> int:
        """What all passes leave."""
        return self.row_bytes * self.count

    def bytes_with(self, segment: int) -> int:
        """What is held with checkpoints."""
        return -(-self.count // segment) * self.mark_bytes + ALIVE * segment * self.row_bytes

    def held(self, segment: int) -> dict[Node, int]:
        """The same for each node: an even share."""
        return dict.fromkeys(self.nodes, -(-self.bytes_with(segment) // len(self.nodes)))


def _segment(family: Sequence[Keeper]) -> int:
    """The passes from one checkpoint to the next for which loops take least memory, of the order
    of the root of their number; they leave as much as is run at a stretch, at least.
    """
    marks = sum(each.mark_bytes for each in family)
    row = max(1, sum(each.row_bytes for each in family))
    count = family[0].count
    best = round(sqrt(count * marks / (ALIVE * row)))
    return min(count, max(1, best, STRETCH_BYTES // row))


def keepers(plan: Plan) -> list[Keeper]:
    """The loops with results of all passes that only other loops read, row by row."""
    loops = [unit for unit in plan.units if isinstance(unit, Passes)]
    found = {node for unit in loops for node in unit.outputs if node.attributes[1]}
    found.difference_update(plan.outputs)
    for unit in plan.units:
        rows: Collection[int] = ()
        count = 0
        if isinstance(unit, Passes):
            first, count = len(unit.loop.carried), unit.loop.count
            rows = range(first, first + len(unit.loop.rows))
        for place, operand in enumerate(unit.operands):
            if operand in found and (place not in rows or operand.shape[0] != count):
                found.remove(operand)
    kept = [(unit, [node for node in unit.outputs if node in found]) for unit in loops]
    return [Keeper(unit, nodes) for unit, nodes in kept if nodes]


def keep_checkpoints(plan: Plan, family: Sequence[Keeper], segment: int) -> None:
    """Have the nodes of loops computed again by those that read them, whose operands are then also
    what that needs.
    """
    behind: dict[Node, tuple[Node, ...]] = {}
    nodes = {keeper.unit: keeper.nodes for keeper in family}
    for unit in plan.units:
        if not isinstance(unit, Passes):
            continue
        read = [each for node in unit.operands for each in behind.get(node, ())]
        if unit in nodes or any(node in behind for node in unit.operands):
            unit.segment = segment
            unit.operands = (*unit.operands, *dict.fromkeys(read))
        for node in nodes.get(unit, ()):
            unit.remade.add(node)
            behind[node] = unit.operands
