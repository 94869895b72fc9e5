"""Plans for a GPU: what is a kernel, and what is known before the run. They need no GPU."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gradcli.engine.card_runners import on_host
from gradcli.engine.cuda import passes
from gradcli.engine.loops import together
from gradcli.engine.plan import Plan, Unit
from gradcli.engine.region import Region
from gradcli.engine.regions import units
from gradcli.graph import EMPTY, Array, Node
from gradcli.ops.kinds import CAST
from gradcli.ops.loops import Loop
from gradcli.walks import ancestors


def card_plan(outputs: Sequence[Node], known: Collection[Node]) -> Plan:
    """Regions of all sizes, of all that has a CUDA expression, each as small as a kernel; all else
    is a node on its own, or a loop.
    """

    def is_member(node: Node) -> bool:
        # CUDA expressions of functions are for floats and truth values.
        has_text = bool(node.op.cuda) and (node.kind != "int" or node.op is CAST)
        return has_text and node.size > 0 and node not in known

    def is_swept(node: Node) -> bool:
        if not node.op.combine or node.kind != "float" or node in known:
            return False
        (operand,) = node.inputs
        return operand.size > 0 and (node.op.axes(node) != () or operand.shape == ())

    def arrange(schedule: Sequence[Node], outputs: Sequence[Node]) -> list[Unit]:
        found: list[Unit] = []
        for unit in units(schedule, outputs, is_member, is_swept):
            if isinstance(unit, Region):
                found += passes(unit)
            else:
                found.append(unit)
        return together(found) if any(isinstance(node.op, Loop) for node in schedule) else found

    return Plan(outputs, arrange)


def known_before(
    outputs: Sequence[Node], literals: Mapping[Node, Array] = EMPTY
) -> dict[Node, Array]:
    """Constants, and single values that follow from single values among them.

    `literals` are those that have other values than when they were traced.
    """
    found: dict[Node, Array] = {}
    for node in ancestors(outputs):
        single = bool(node.inputs) and all(each.size == 1 for each in (node, *node.inputs))
        if node.known is not None:
            found[node] = literals.get(node, node.known)
        elif single and all(each in found for each in node.inputs):
            found[node] = on_host(node, [found[each] for each in node.inputs])
    return found
