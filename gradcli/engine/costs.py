"""What a plan costs: the kernels that it launches, and the bytes that they move."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.engine.card_places import has_kernel
from gradcli.engine.layout import c_strides, walk
from gradcli.engine.loops import Passes
from gradcli.engine.plan import Plan, Single, Unit, nbytes, view_places
from gradcli.engine.region import Region
from gradcli.graph import Array, Node, Shape


@dataclass(frozen=True, slots=True)
class Cost:
    """What one unit of a plan costs."""

    ops: tuple[str, ...]
    """The names of its ops."""
    by: str
    """What computes it: `kernel` and `cupy` on a GPU, `blocks` and `NumPy` on the CPU, which runs a
    `loop` in any case; a `view` costs nothing."""
    launches: int | None
    """Kernels; None where that is for cupy to say."""
    read: int
    """Bytes of its operands."""
    written: int
    """Bytes of its results."""


def on_cpu(plan: Plan) -> list[Cost]:
    """The costs of a plan for the CPU."""
    return [_cost(unit, _by(unit), 0) for unit in plan.units]


def _by(unit: Unit) -> str:
    if isinstance(unit, Passes):
        return "loop"
    return "NumPy" if isinstance(unit, Single) else "blocks"


def on_card(plan: Plan, known: Collection[Node]) -> list[Cost]:
    """The costs of a plan for a GPU."""
    views = view_places(plan.units)
    computed = [unit for unit in plan.units if not all(node in known for node in unit.outputs)]
    return [_on_card(unit, known, views) for unit in computed]


def _on_card(unit: Unit, known: Collection[Node], views: Mapping[Node, Array]) -> Cost:
    if isinstance(unit, Region):
        return _cost(unit, "kernel", _launches(unit, known, views), known)
    if isinstance(unit, Passes):
        return _cost(unit, "loop", 0)
    (node,) = unit.outputs
    if has_kernel(node):
        return _cost(unit, "kernel", 1)
    return _cost(unit, "NumPy", 0) if node.size <= node.op.host else _cost(unit, "cupy", None)


def _cost(unit: Unit, by: str, launches: int | None, known: Collection[Node] = ()) -> Cost:
    ops = tuple(node.op.name for node in _nodes(unit))
    if unit.view:
        return Cost(ops, "view", 0, 0, 0)
    read = sum(nbytes(node) for node in unit.operands if node not in known or node.size > 1)
    return Cost(ops, by, launches, read, sum(map(nbytes, unit.outputs)))


def _nodes(unit: Unit) -> tuple[Node, ...]:
    return (*unit.members, *unit.reductions) if isinstance(unit, Region) else unit.outputs


def _launches(region: Region, known: Collection[Node], views: Mapping[Node, Array]) -> int:
    """One, and a second one where several blocks leave parts of the same reduction."""
    if not region.reductions:
        return 1
    first = region.reductions[0]
    itemsize = np.dtype(first.graph.precision).itemsize
    arrays = [node for node in region.operands if node not in known or node.size > 1]
    strides = tuple(
        _broadcast(
            views[node].strides if node in views else c_strides(node.shape), node, region.shape
        )
        for node in arrays
    )
    axes = tuple(first.op.axes(first))
    return 1 if walk(region.shape, axes, strides, itemsize, packs=True).parts == 1 else 2


def _broadcast(strides: Sequence[int], node: Node, shape: Shape) -> tuple[int, ...]:
    """The strides of a node's array along the axes of a shape that it is broadcast to."""
    own = [0 if n == 1 else step for n, step in zip(node.shape, strides, strict=True)]
    return (*[0] * (len(shape) - node.ndim), *own)
