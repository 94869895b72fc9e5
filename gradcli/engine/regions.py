"""Which nodes run together: chains of elementwise ops over one large shape, and the reductions at
their ends, become regions that a device sweeps over once. Everything else is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from gradcli.engine.plan import Single, Unit
from gradcli.engine.swept import is_member, is_swept
from gradcli.graph import INPUT, Node, Shape

PATIENCE = 10
"""What may be spent on computing a value again. Writing it and reading it takes as long."""
SHORT_PATIENCE = 3
"""The same for values that stay in the cache."""
HUGE, MUCH_PATIENCE = 1 << 27, 400
"""Values with this many elements are written only if that saves more, as memory may be short."""


def units(
    schedule: Sequence[Node],
    outputs: Sequence[Node],
    is_member: Callable[[Node], bool] = is_member,
    is_swept: Callable[[Node], bool] = is_swept,
    patience: int = PATIENCE,
) -> list[Unit]:
    """Regions and single nodes in an order in which they can run.

    The device says what regions are made of. A node's stage counts the regions that must have
    finished before it. Equal shape and stage make a region: a path from one member to another that
    leaves the region would lead to a later stage. `patience` says what may be spent on computing a
    value again.
    """
    members = {node for node in schedule if is_member(node)}
    swept = {node for node in schedule if is_swept(node)}
    if not members and not swept:
        return [*map(Single, schedule)]
    from gradcli.engine.region import Region  # most programs start faster without

    stages: dict[Node, int] = {}
    singles: dict[int, list[Unit]] = {}
    sweeps: dict[tuple[int, Shape], list[Node]] = {}
    whole = members.intersection(outputs)  # what is read outside the regions
    for node in schedule:
        swept_over = node.inputs[0].shape if node in swept else node.shape
        sweeps_on = node in members or node in swept
        stage = 0
        for operand in node.inputs:
            together = sweeps_on and operand in members and operand.shape == swept_over
            crossed = not together and (operand in members or operand in swept)
            stage = max(stage, stages.get(operand, 0) + crossed)
            if crossed and operand in members:
                whole.add(operand)
        stages[node] = stage
        if sweeps_on:
            sweeps.setdefault((stage, swept_over), []).append(node)
        else:
            singles.setdefault(stage, []).append(Single(node))
    regions: dict[int, list[Unit]] = {}
    for stage, shape in sorted(sweeps, key=lambda key: key[0], reverse=True):
        parts = _parts(stage, shape, sweeps[stage, shape], stages, members, whole, patience)
        region = Region(shape, *parts)
        if region.outputs:
            regions.setdefault(stage, []).append(region)
    order: list[Unit] = []
    for stage in range(max(stages.values()) + 1):
        order += singles.get(stage, [])
        order += regions.get(stage, [])
    return order


def _parts(
    stage: int,
    shape: Shape,
    nodes: Sequence[Node],
    stages: Mapping[Node, int],
    members: Set[Node],
    whole: set[Node],
    patience: int,
) -> tuple[tuple[Node, ...], ...]:
    """The members, reductions, operands and results of the region of a stage over a shape.

    All later regions are known: `whole` holds the members that they read. What this one reads of
    earlier stages is computed again in it, or joins `whole`.
    """
    reductions = [node for node in nodes if node not in members]
    inside: set[Node] = set()
    pending = [node for node in nodes if node in members and node in whole]
    pending += [node.inputs[0] for node in reductions]
    while pending:
        node = pending.pop()
        if node in inside or node not in members or node.shape != shape:
            continue
        if stages[node] == stage:
            inside.add(node)
            pending += node.inputs
        elif node not in whole:
            again = _computed_again(node, members, inside, whole, patience)
            inside |= again
            if not again:
                whole.add(node)
    order = sorted(inside, key=lambda node: node.index)
    return (
        tuple(order),
        tuple(reductions),
        tuple(
            dict.fromkeys(
                operand
                for node in (*order, *reductions)
                for operand in node.inputs
                if operand not in inside
            )
        ),
        tuple(node for node in order if node in whole and stages[node] == stage),
    )


def _computed_again(
    node: Node, members: Set[Node], inside: Set[Node], whole: Set[Node], patience: int
) -> set[Node]:
    """The members to add to a region for a value of an earlier stage, if computing them takes no
    longer than writing and reading the value; else nothing. At most one large value is kept longer.
    """
    allowed = patience if node.size < HUGE else MUCH_PATIENCE
    found: set[Node] = set()
    kept: set[Node] = set()
    pending = [node]
    while pending:
        each = pending.pop()
        if each in inside or each in found:
            continue
        if each in members and each not in whole and each.shape == node.shape:
            found.add(each)
            pending += each.inputs
            allowed -= _cost(each)
        elif each.size >= node.size and each.op is not INPUT and each.known is None:
            kept.add(each)
        if allowed < 0 or len(kept) > 1:
            return set()
    return found


def _cost(node: Node) -> int:
    """About how long an elementwise op takes, in units of an addition."""
    cost = node.op.cost
    return cost if isinstance(cost, int) else cost(node)
