"""Which nodes run together: chains of elementwise ops over one large shape, and the reductions at
their ends, become regions that a device sweeps over once. Everything else is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradcli.graph import INPUT, Node, Shape
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shapes import Axes
from gradcli.ops.shaping import SUM_TO

LARGE = 1 << 16
"""Values with at least this many elements are worth a region."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Elementwise nodes of one shape, operands first, and reductions of them."""

    shape: Shape
    members: tuple[Node, ...]
    reductions: tuple[Node, ...]
    operands: tuple[Node, ...]
    """Values from outside, of shapes that broadcast to the region's."""
    results: tuple[Node, ...]
    """Members that are needed outside as whole arrays."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """What is there after the region has run."""
        return (*self.results, *self.reductions)


def is_member(node: Node) -> bool:
    """Whether a node is computed element by element, and large."""
    return isinstance(node.op, Elementwise) and node.size >= LARGE


def is_swept(node: Node) -> bool:
    """Whether a node reduces what a region sweeps over: its members, or an input."""
    if not node.op.combine or node.inputs[0].size < LARGE:
        return False
    return node.inputs[0].op is INPUT or is_member(node.inputs[0])


def units(
    schedule: Sequence[Node],
    outputs: Sequence[Node],
    is_member: Callable[[Node], bool] = is_member,
    is_swept: Callable[[Node], bool] = is_swept,
) -> list[Node | Region]:
    """Regions and single nodes in an order in which they can run.

    The device says what regions are made of. A node's stage counts the regions that must have
    finished before it. Equal shape and stage make a region: a path from one member to another that
    leaves the region would lead to a later stage.
    """
    if not any(is_member(node) or is_swept(node) for node in schedule):
        return list(schedule)
    stages: dict[Node, int] = {}
    singles: dict[int, list[Node]] = {}
    members: dict[tuple[int, Shape], list[Node]] = {}
    reductions: dict[tuple[int, Shape], list[Node]] = {}
    inside: set[Node] = set()  # members and reductions
    for node in schedule:
        large = is_member(node)
        reduces = is_swept(node)
        stage = 0
        for operand in node.inputs:
            together = is_member(operand) and (reduces or (large and operand.shape == node.shape))
            crossed = operand in inside and not together
            stage = max(stage, stages.get(operand, 0) + crossed)
        stages[node] = stage
        if large:
            members.setdefault((stage, node.shape), []).append(node)
            inside.add(node)
        elif reduces:
            reductions.setdefault((stage, node.inputs[0].shape), []).append(node)
            inside.add(node)
        else:
            singles.setdefault(stage, []).append(node)
    wanted = _wanted_whole(schedule, outputs, stages, is_member, is_swept)
    order: list[Node | Region] = []
    keys = sorted(dict.fromkeys((*members, *reductions)), key=lambda key: key[0])
    for stage in range(max(stages.values(), default=0) + 1):
        order += singles.get(stage, [])
        order += [
            _region(key[1], members.get(key, []), reductions.get(key, []), wanted)
            for key in keys
            if key[0] == stage
        ]
    return order


def _wanted_whole(
    schedule: Sequence[Node],
    outputs: Sequence[Node],
    stages: dict[Node, int],
    is_member: Callable[[Node], bool],
    is_swept: Callable[[Node], bool],
) -> set[Node]:
    """Members that something outside their region reads."""
    wanted = {node for node in outputs if is_member(node)}
    for node in schedule:
        for operand in node.inputs:
            if is_member(operand):
                same = stages[operand] == stages[node]
                fused = is_member(node) and node.shape == operand.shape
                if not (same and (fused or is_swept(node))):
                    wanted.add(operand)
    return wanted


def axes_of(node: Node) -> Axes:
    """The axes that a reduction reduces, counted from the right."""
    if node.op is not SUM_TO:
        return node.attributes[0]  # type: ignore[no-any-return]
    (x,), (shape,) = node.inputs, node.attributes
    return tuple(
        axis
        for axis in range(-x.ndim, 0)
        if axis < -len(shape) or shape[axis] == 1 != x.shape[axis]
    )


def reduction_alone(node: Node) -> Region:
    """The region of a reduction and nothing else, which sums in the order of any other region."""
    return Region(node.inputs[0].shape, (), (node,), node.inputs, ())


def _region(shape: Shape, members: list[Node], reductions: list[Node], wanted: set[Node]) -> Region:
    inside = set(members)
    operands = dict.fromkeys(
        operand
        for node in (*members, *reductions)
        for operand in node.inputs
        if operand not in inside
    )
    return Region(
        shape,
        tuple(members),
        tuple(reductions),
        tuple(operands),
        tuple(node for node in members if node in wanted),
    )
