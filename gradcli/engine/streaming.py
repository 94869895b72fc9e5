"""Data that comes to a GPU and goes: through page-locked memory, in pieces, while the GPU works.

Values that are larger than the card stay in the machine's memory, or in files. Regions sweep over
them piece by piece: two streams take turns, so that one copies while the other computes. Pieces
depend on the shape alone, and partial results are combined in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.blocks import Place, blocks, combined, part_of
from gradcli.engine.cpu import compute
from gradcli.engine.mapped import stored
from gradcli.engine.plan import Plan, nbytes, operands_of, results_of
from gradcli.engine.regions import Region
from gradcli.graph import Array, Node, Shape
from gradcli.ops.shapes import reduced

if TYPE_CHECKING:
    from gradcli.engine.gpu import Engine, SweepRunner

PIECE = 1 << 22
"""Elements of a piece."""
SHARE = 16
"""Values that take more than this part of the card's free memory stay outside it."""


class Lane:
    """A stream, and the page-locked memory of what is on its way."""

    def __init__(self, xp: Any, empty_pinned: Callable[..., Array]) -> None:
        self.stream = xp.cuda.Stream()
        self._empty_pinned = empty_pinned
        self._sent: list[Array] = []
        self._fetched: list[tuple[Array, Callable[[Array], None]]] = []

    def send(self, target: Any, fill: Callable[[Array], None]) -> None:
        """Have what `fill` writes copied to an array on the card."""
        pinned = self._empty_pinned(target.shape, target.dtype)
        fill(pinned)
        target.set(pinned, stream=self.stream)
        self._sent.append(pinned)

    def fetch(self, value: Any, take: Callable[[Array], None]) -> None:
        """Have an array copied from the card; `wait` hands it to `take`."""
        pinned = self._empty_pinned(value.shape, value.dtype)
        value.get(stream=self.stream, out=pinned, blocking=False)
        self._fetched.append((pinned, take))

    def wait(self) -> None:
        """Wait until all is done, and hand out what was fetched."""
        self.stream.synchronize()
        for pinned, take in self._fetched:
            take(pinned)
        self._sent.clear()
        self._fetched.clear()


class Lanes:
    """Two lanes that take turns."""

    def __init__(self, xp: Any, empty_pinned: Callable[..., Array]) -> None:
        self.xp = xp
        self._empty_pinned = empty_pinned
        self._lanes: list[Lane] = []

    def over(self, shape: Shape, work: Callable[[Lane, int, Place], None]) -> None:
        """Do some work on each piece of a shape: its lane, its first element, and its place."""
        if not self._lanes:
            self._lanes = [Lane(self.xp, self._empty_pinned) for _ in range(2)]
        for number, (start, place) in enumerate(pieces(shape)):
            lane = self._lanes[number % 2]
            lane.wait()
            with lane.stream:
                work(lane, start, place)
        for lane in self._lanes:
            lane.wait()

    def upload(self, array: Array) -> Any:
        """The array on the card."""
        if array.size <= PIECE:
            return self.xp.asarray(array)
        value = self.xp.empty(array.shape, array.dtype)
        read = reader(array)
        self.over(array.shape, lambda lane, *place: lane.send(value[place[1]], read(*place)))
        return value

    def download(self, value: Any, target: Array | None = None) -> Array:
        """The array from the card, in `target` if there is one."""
        if target is None and value.size <= PIECE:
            return value.get()  # type: ignore[no-any-return]
        into = np.empty(value.shape, value.dtype) if target is None else target
        write = writer(into)
        whole = self.xp.broadcast_to(value, into.shape)

        def fetch(lane: Lane, start: int, place: Place) -> None:
            lane.fetch(self.xp.ascontiguousarray(whole[place]), write(start, place))

        self.over(into.shape, fetch)
        return into


def pieces(shape: Shape) -> Iterator[tuple[int, Place]]:
    """The pieces of a shape: the number of the first element, and the place."""
    start = 0
    for place in blocks(shape, PIECE):
        yield start, place
        start += math.prod(_shape(place))


def reader(array: Array) -> Callable[[int, Place], Callable[[Array], None]]:
    """What fills an array with a piece of this one, by the piece's first element and place."""
    file = stored(array)
    if file is not None:
        return lambda start, place: lambda into: file.read(start, into)
    return lambda start, place: lambda into: np.copyto(into, array[place])


def writer(array: Array) -> Callable[[int, Place], Callable[[Array], None]]:
    """What puts a piece into this array."""
    file = stored(array)
    if file is not None:
        return lambda start, place: lambda piece: file.write(start, piece)
    return lambda start, place: lambda piece: np.copyto(array[place], piece)


# --- plans that are larger than the card ---------------------------------------------------


def is_streamable(plan: Plan, free: int) -> bool:
    """Whether what does not fit on the card is swept over by regions, or only looked at."""
    outside = _outside(plan, free)
    rest = [node for node in plan.nodes if node not in outside and node.known is None]
    return sum(map(nbytes, rest)) <= free // 2 and all(
        not isinstance(unit, Node) or unit.op.view or outside.isdisjoint((unit, *unit.inputs))
        for unit in plan.units
    )


def _outside(plan: Plan, free: int) -> set[Node]:
    """The values that stay outside the card."""
    return {node for node in plan.nodes if node.known is None and nbytes(node) > free // SHARE}


def stream(
    engine: Engine,
    inputs: Mapping[Node, Array],
    targets: Mapping[Node, Array],
    lanes: Lanes,
    free: int,
) -> list[Array]:
    """The values of a plan's outputs, where those that do not fit on the card stay outside it."""
    plan = engine.plan
    outside = _outside(plan, free)
    values: dict[Node, Any] = dict(engine.constants())
    for node, array in inputs.items():
        values[node] = array if node in outside else lanes.upload(array)
    for unit, dying in zip(plan.units, plan.dying, strict=True):
        if outside.isdisjoint((*operands_of(unit), *results_of(unit))):
            engine.step(unit, values)
        elif isinstance(unit, Region):
            _sweep(engine.sweep(unit), values, targets, outside, lanes)
        elif isinstance(unit, Node):
            values[unit] = compute(unit, [_fetched(values[node]) for node in unit.inputs])
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
        found, totals = runner.part(_shape(place), operands)
        for value, write in zip(found, writers, strict=True):
            lane.fetch(value, write(start, place))
        places.append(place)
        left.append(totals)

    lanes.over(region.shape, work)
    values.update(results)
    for i, node in enumerate(region.reductions):
        axes = node.op.axes(node)
        parts = [
            totals[i].get().reshape(reduced(_shape(place), axes, keepdim=True))
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
    for start, place in pieces(target.shape):
        write(start, place)(np.ascontiguousarray(value[place]))
    return target


def _shape(place: Place) -> Shape:
    return tuple(part.stop - part.start for part in place)
