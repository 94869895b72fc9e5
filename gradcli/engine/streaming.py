"""Plans that are larger than the GPU's memory.

Values that do not fit stay in the machine's memory, or in files. Regions sweep over them piece by
piece, and partial results are combined in the order of the pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.blocks import Place, combined, part_of
from gradcli.engine.card_runners import CardArray, CardRunner, SweepRunner, on_host
from gradcli.engine.lanes import Lane, Lanes, reader, shape_of, writer
from gradcli.engine.plan import Plan, Unit, nbytes
from gradcli.engine.region import Region
from gradcli.graph import Array, Node
from gradcli.ops.shapes import reduced

SHARE = 16
"""Values that take more than this part of the card's free memory stay outside it."""


def is_streamable(plan: Plan, free: int) -> bool:
    """Whether what does not fit on the card is swept over by regions, or only looked at."""
    outside = _outside(plan, free)
    rest = [node for node in plan.nodes if node not in outside and node.known is None]
    return sum(map(nbytes, rest)) <= free // 2 and all(
        isinstance(unit, Region) or unit.view or outside.isdisjoint((*unit.operands, *unit.outputs))
        for unit in plan.units
    )


def _outside(plan: Plan, free: int) -> set[Node]:
    """The values that stay outside the card."""
    return {node for node in plan.nodes if node.known is None and nbytes(node) > free // SHARE}


def stream(
    plan: Plan,
    runners: Mapping[Unit, CardRunner],
    constants: Mapping[Node, CardArray],
    inputs: Mapping[Node, Array],
    targets: Mapping[Node, Array],
    lanes: Lanes,
    free: int,
) -> list[Array]:
    """The values of a plan's outputs, where those that do not fit on the card stay outside it.

    Units without a runner are known: what is needed of them is among the `constants`.
    """
    outside = _outside(plan, free)
    values: dict[Node, Any] = dict(constants)
    for node, array in inputs.items():
        values[node] = array if node in outside else lanes.upload(array)
    for unit, dying in zip(plan.units, plan.dying, strict=True):
        runner = runners.get(unit)
        if runner is None:
            continue
        if outside.isdisjoint((*unit.operands, *unit.outputs)):
            found = runner(*(values[node] for node in runner.operands))
            values.update(zip(unit.outputs, found, strict=True))
        elif isinstance(runner, SweepRunner):
            _sweep(runner, values, targets, outside, lanes)
        else:
            (node,) = unit.outputs
            values[node] = on_host(node, [_fetched(values[each]) for each in unit.operands])
        for node in dying:
            values.pop(node, None)
    return [_delivered(values[node], targets.get(node), lanes) for node in plan.outputs]


def _sweep(
    runner: SweepRunner,
    values: dict[Node, Any],
    targets: Mapping[Node, Array],
    outside: set[Node],
    lanes: Lanes,
) -> None:
    """Run a region piece by piece, and put its results and reductions among the values."""
    region = runner.region
    results = {
        node: targets[node]
        if node in targets
        else np.empty(region.shape, node.graph.dtype(node.kind))
        for node in region.results
    }
    readers = {node: reader(values[node]) for node in runner.operands if node in outside}
    writers = [writer(array) for array in results.values()]
    places: list[Place] = []
    left: list[list[Any]] = []

    def work(lane: Lane, start: int, place: Place) -> None:
        operands = []
        for node in runner.operands:
            part = part_of(values[node], place)
            if node in readers:
                target = lanes.xp.empty(part.shape, part.dtype)
                whole = node.shape == region.shape
                fill = readers[node](start, place) if whole else partial(np.copyto, src=part)
                lane.send(target, fill)
                part = target
            operands.append(part)
        found, totals = runner.part(shape_of(place), operands)
        for value, write in zip(found, writers, strict=True):
            lane.fetch(value, write(start, place))
        places.append(place)
        left.append(totals)

    lanes.over(region.shape, work)
    values.update(results)
    for i, node in enumerate(region.reductions):
        axes = node.op.axes(node)
        parts = [
            totals[i].get().reshape(reduced(shape_of(place), axes, keepdim=True))
            for place, totals in zip(places, left, strict=True)
        ]
        total = combined(node, region.shape, places, parts)
        values[node] = total if node in outside else lanes.upload(total)


def _fetched(value: Any) -> Array:
    return value if isinstance(value, np.ndarray) else value.get()


def _delivered(value: Any, target: Array | None, lanes: Lanes) -> Array:
    """An output in the machine's memory, and in its target if there is one."""
    if not isinstance(value, np.ndarray):
        return lanes.download(value, target)
    if target is None or value is target:
        return value
    write = writer(target)
    for start, place in lanes.pieces(target.shape):
        write(start, place)(np.ascontiguousarray(value[place]))
    return target
