"""A region, and how NumPy runs it: block by block, so that all that is in work stays in the cache,
and over several threads, which take the next block when they are free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from gradcli.engine.blocks import (
    BLOCK,
    Bounds,
    Grid,
    Place,
    bounds_of,
    combined,
    part_of,
    size_of,
)
from gradcli.engine.kernels import Runner, kernel, kernel_into
from gradcli.engine.mapped import Stored, stored
from gradcli.engine.plan import Empty, Resources
from gradcli.engine.swept import compiler, dtype_of_parts
from gradcli.engine.threads import spread
from gradcli.engine.writing_out import Swept, written_out
from gradcli.graph import Array, Node, Shape

if TYPE_CHECKING:
    from gradcli.engine.compiled import Filling, Room

PARTIALS = 1 << 22
"""So many elements of partial results may wait at a time; where there are more, blocks in a row are
added up as they come."""
SPANS = 16
"""How many such rows there are at least, so that threads have work."""

Parts: TypeAlias = dict[Bounds, tuple[Place, Array]]
"""By where it goes in a reduction's result: the first block that it is from, and a part of it."""


@dataclass(frozen=True, eq=False)
class Region:
    """Elementwise nodes of one shape, operands first, and reductions of them."""

    shape: Shape
    members: tuple[Node, ...]
    reductions: tuple[Node, ...]
    operands: tuple[Node, ...]
    """Values from outside, of shapes that broadcast to the region's."""
    results: tuple[Node, ...]
    """Members that are needed outside as whole arrays."""

    view: ClassVar[bool] = False

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The values that the region computes for others."""
        return (*self.results, *self.reductions)

    @cached_property
    def is_compiled(self) -> bool:
        """Whether its members are computed in one call of compiled code."""
        if not compiler():
            return False
        from gradcli.engine.compiled import compilable

        return compilable(self._whole)

    @property
    def _whole(self) -> Swept:
        return Swept(self.operands, self.members, self.reductions, self.results)

    @cached_property
    def swept(self) -> Swept:
        """What NumPy computes; only what is needed of it where that is compiled code."""
        if not self.is_compiled:
            return written_out(self._whole)
        reduced = {node.inputs[0] for node in self.reductions}
        outputs = [each for each in self.members if each in reduced or each in self.results]
        return self._whole._replace(members=tuple(outputs))

    @cached_property
    def buffers(self) -> list[int]:
        """For each node that NumPy computes the number of a buffer that holds nothing needed any
        more.
        """
        return [*range(len(self.swept.members))] if self.is_compiled else _assigned(self.swept)

    @property
    def filling(self) -> Filling:
        """What computes the members that are swept over, from the operands' parts of a block."""
        from gradcli.engine.compiled import filling

        return filling(self._whole, self.swept.members)

    def work_bytes(self, threads: int) -> int:
        """The bytes of the partial results of its reductions, and of each thread's buffers."""
        places, rows = Grid(self.shape), spans(self)
        numbered = zip(self.swept.members, self.buffers, strict=True)
        buffers: dict[int | Node, int] = {
            number: node.graph.dtype(node.kind).itemsize
            for node, number in numbered
            if node not in self.swept.results
        }
        if self.is_compiled:  # its operands are written out
            buffers |= {
                node: node.graph.dtype(node.kind).itemsize
                for node in self.operands
                if node.shape != self.shape and node.size > 1
            }
        return min(threads, len(rows)) * BLOCK * sum(buffers.values()) + sum(
            len(rows) * size_of(bounds) * dtype_of_parts(node).itemsize
            for node in self.reductions
            for bounds in {bounds_of(places[number], node.op.axes(node)) for number in rows[0]}
        )

    def runner(self, resources: Resources) -> Runner:
        """What sweeps over it."""
        run = RegionRunner(self, resources.threads, resources.empty)
        return run, (), (), len(self.operands)


def alone(node: Node) -> Region:
    """The region of one node, which it computes to the last bit as any other region does."""
    if node.op.combine:
        return Region(node.inputs[0].shape, (), (node,), node.inputs, ())
    return Region(node.shape, (node,), (), tuple(dict.fromkeys(node.inputs)), (node,))


class Spans(Sequence[range]):
    """The numbers of blocks, in rows that make one partial result each."""

    def __init__(self, blocks: Grid, rows: Grid) -> None:
        """Rows are pieces of whole blocks."""
        self._blocks = blocks
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: Any) -> Any:
        if self.rows is self._blocks:
            block = range(len(self._blocks))[number]
            return range(block, block + 1)
        return self._blocks.inside(self.rows[number])


def spans(region: Region, partials: int = PARTIALS, least: int = SPANS) -> Spans:
    """The rows of a region's blocks: a row is one block unless that makes more than so many
    elements of `partials`; then there are at `least` so many rows.
    """
    blocks = rows = Grid(region.shape)
    single = sum(size_of(bounds_of(blocks[0], node.op.axes(node))) for node in region.reductions)
    if len(blocks) * single > partials:
        wanted = min(len(blocks), max(least, partials // sum(n.size for n in region.reductions)))
        size = BLOCK
        while len(larger := Grid(region.shape, 2 * size)) >= wanted:
            size, rows = 2 * size, larger
            if len(rows) == 1:
                break
    return Spans(blocks, rows)


def _add(node: Node, bounds: Bounds, place: Place, part: Array, parts: Parts) -> None:
    """Take a block's part in a reduction to those that go to the same place."""
    if bounds in parts:
        _, before = parts[bounds]
        getattr(np, node.op.combine)(before, part, out=before)
    else:
        parts[bounds] = place, part


class RegionRunner:
    """A region made ready for NumPy; calling it runs it."""

    def __init__(
        self,
        region: Region,
        threads: int,
        empty: Empty = np.empty,
        rows: Sequence[range] | None = None,
    ) -> None:
        """`empty` gives it memory; `rows` of blocks are those of `spans` by default."""
        self.region = region
        inner = region.swept
        self.constants = [node.known for node in inner.constants]
        self.threads = threads
        self.empty = empty
        self.blocks = Grid(region.shape)
        self.spans: Sequence[range] = spans(region) if rows is None else rows
        sources = (*inner.operands, *inner.constants)
        self._registers = {node: i for i, node in enumerate((*sources, *inner.members))}
        self._calls = [] if region.is_compiled else [self._call(node) for node in inner.members]
        self._filling = region.filling if region.is_compiled else None
        self._axes = [node.op.axes(node) for node in inner.reductions]
        self._reductions = [
            (
                getattr(np, node.op.combine).reduce,
                self._registers[node.inputs[0]],
                axes,
                dtype_of_parts(node),
            )
            for node, axes in zip(inner.reductions, self._axes, strict=True)
        ]

    def __call__(self, *operands: Array, targets: Mapping[Node, Array]) -> list[Array]:
        """The region's results, then its reductions, for the values of its operands.

        Results are written into `targets` where there is one.
        """
        region = self.region
        results = [
            targets[node]
            if node in targets
            else self.empty(region.shape, node.graph.dtype(node.kind))
            for node in region.results
        ]
        found = self.sweep(range(len(self.spans)), operands, results)
        return results + self.totals(found)

    def sweep(
        self, rows: range, operands: Sequence[Array], results: Sequence[Array]
    ) -> list[list[Parts]]:
        """Compute some rows: write the results there, and return the parts of the reductions, by
        row and reduction.
        """
        partials: list[list[Parts]] = [[] for _ in rows]

        def begin() -> Callable[[int], None]:
            worker = _Worker(self, operands, results)

            def span(number: int) -> None:
                found: list[Parts] = [{} for _ in self._axes]
                for block in self.spans[rows[number]]:
                    place = self.blocks[block]
                    worker.compute(place)
                    for (reduce, register, axes, dtype), node, kept in zip(
                        self._reductions, self.region.reductions, found, strict=True
                    ):
                        part = reduce(worker.values[register], axes, dtype, keepdims=True)
                        _add(node, bounds_of(place, axes), place, part, kept)
                partials[number] = found

            return span

        spread(len(rows), self.threads, begin)
        return partials

    def totals(self, partials: Sequence[Sequence[Parts]]) -> list[Array]:
        """The reductions, from the parts of all rows in their order."""
        totals = []
        for i, node in enumerate(self.region.reductions):
            entries = [entry for span in partials for entry in span[i].values()]
            places, parts = [place for place, _ in entries], [part for _, part in entries]
            totals.append(combined(node, self.region.shape, places, parts))
        return totals

    def only(self, *operands: Array) -> Array:
        """The result of a region that has one."""
        return self(*operands, targets={})[0]

    # --- one block ---

    def fill(self, values: list[Any], room: Room) -> None:
        """Compute the members of a block into the last of its `values`, by register."""
        if self._filling is not None:
            first = len(values) - len(self.region.swept.members)
            self._filling(values[:first], values[first:], room)
        for call in self._calls:
            call(values)

    def _call(self, node: Node) -> Callable[[list[Any]], Any]:
        """A function that computes a member from and into the registers."""
        into, target = kernel_into(node), self._registers[node]
        if into is None:
            call, before, after, count = kernel(node)
            places = [self._registers[operand] for operand in node.inputs[:count]]

            def compute(values: list[Any]) -> None:
                values[target][...] = call(*before, *[values[i] for i in places], *after)

            return compute
        function, count = into
        places = [self._registers[operand] for operand in node.inputs[:count]]
        if count == 1:
            (a,) = places
            return lambda values: function(values[a], out=values[target])
        if count == 2:
            a, b = places
            return lambda values: function(values[a], values[b], out=values[target])
        return lambda values: function(*[values[i] for i in places], out=values[target])


class _Worker:
    """What one thread sweeps with: the values of a block by register, and buffers for those that
    are neither read from an array nor kept in one.
    """

    def __init__(
        self, run: RegionRunner, operands: Sequence[Array], results: Sequence[Array]
    ) -> None:
        region, inner = run.region, run.region.swept
        self._run = run
        self.values: list[Any] = [*operands, *run.constants, *[None] * len(inner.members)]
        self._shape: Shape | None = None
        self._memory: dict[int | Node, Array] = {}
        self._whole: list[tuple[int, Array]] = []
        """The arrays of the region's shape."""
        self._spread: list[tuple[int, Array]] = []
        """Operands that are repeated along an axis; a single number is the same everywhere."""
        self._read: list[tuple[int, Stored]] = []
        self._written: list[tuple[int, Stored]] = []
        self._buffers: list[tuple[int, int | Node, np.dtype[Any]]] = []
        for i, (node, array) in enumerate(zip(inner.operands, operands, strict=True)):
            if array.shape == region.shape:
                self._take(i, node, array, self._read)
            elif array.size > 1:
                self._spread.append((i, array))
            else:  # which may lie elsewhere
                self.values[i] = part_of(array, (slice(None),) * len(region.shape))
        kept = dict(zip(inner.results, results, strict=True))
        first = len(self.values) - len(inner.members)
        for i, (node, buffer) in enumerate(zip(inner.members, region.buffers, strict=True), first):
            if node in kept:
                self._take(i, node, kept[node], self._written)
            else:
                self._buffers.append((i, buffer, node.graph.dtype(node.kind)))

    def _take(self, i: int, node: Node, array: Array, files: list[tuple[int, Stored]]) -> None:
        """Have an array of the region's shape in a register, by way of a buffer if in a file."""
        file = stored(array)
        if file is None:
            self._whole.append((i, array))
        else:
            files.append((i, file))
            self._buffers.append((i, node, array.dtype))

    def compute(self, place: Place) -> None:
        """Compute one block; what is kept is written."""
        values = self.values
        shape = tuple([part.stop - part.start for part in place])
        if shape != self._shape:
            self._shape = shape
            for i, key, dtype in self._buffers:
                values[i] = self._buffer(key, shape, dtype)
        for i, array in self._whole:
            values[i] = array[place]
        for i, array in self._spread:
            values[i] = part_of(array, place)
        for i, file in self._read:
            file.read(self._run.blocks.start(place), values[i])
        self._run.fill(values, self._buffer)
        for i, file in self._written:
            file.write(self._run.blocks.start(place), values[i])

    def _buffer(self, key: int | Node, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """A buffer in the shape of the block."""
        memory = self._memory.get(key)
        if memory is None:
            memory = self._memory[key] = self._run.empty((BLOCK,), dtype)
        return memory[: math.prod(shape)].reshape(shape)


def _assigned(swept: Swept) -> list[int]:
    """For each member the number of a buffer: two have the same where one is needed no more."""
    last: dict[Node, int] = {}
    for i, node in enumerate(swept.members):
        for operand in node.inputs:
            last[operand] = i
    for node in swept.reductions:
        last[node.inputs[0]] = len(swept.members)
    free: dict[Any, list[int]] = {}
    numbers: list[int] = []
    owner: dict[Node, int] = {}
    count = 0
    for i, node in enumerate(swept.members):
        dtype = node.graph.dtype(node.kind)
        # A ufunc may write onto an operand that dies here; other functions may not.
        dying = [o for o in dict.fromkeys(node.inputs) if last[o] == i and o in owner]
        in_place = isinstance(kernel(node)[0], np.ufunc)
        if in_place:
            for operand in dying:
                free.setdefault(operand.graph.dtype(operand.kind), []).append(owner[operand])
        spare = free.setdefault(dtype, [])
        if spare:
            number = spare.pop()
        else:
            number, count = count, count + 1
        numbers.append(number)
        if node not in swept.results:
            owner[node] = number
        else:
            spare.append(number)
        if not in_place:
            for operand in dying:
                free.setdefault(operand.graph.dtype(operand.kind), []).append(owner[operand])
    return numbers
