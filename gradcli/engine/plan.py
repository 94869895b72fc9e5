"""Plans: in which order nodes are computed, when values die, and how much memory that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.kernels import Runner, kernel
from gradcli.graph import EMPTY, INPUT, Array, Node, Shape
from gradcli.ledger import Ledger, show_bytes
from gradcli.ops.loops import Loop
from gradcli.walks import ancestors

Empty: TypeAlias = Callable[[Shape, np.dtype[Any]], Array]
"""Makes an array whose elements are not set."""
Arrange: TypeAlias = "Callable[[Sequence[Node], Sequence[Node]], Sequence[Unit]]"
"""Says what runs together of a schedule, for some outputs."""


WIDEST = 8
"""The most bytes of an element."""


# --- what a plan is made of, and what runs it ----------------------------------------------


class Unit(Protocol):
    """What runs at once: a node on its own, a region or strips."""

    @property
    def operands(self) -> tuple[Node, ...]:
        """What it reads."""

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The values that it computes for others."""

    @property
    def view(self) -> bool:
        """Whether its value may lie in the memory of its first operand."""

    def work_bytes(self, threads: int) -> int:
        """The bytes that it takes while it runs, besides its operands and outputs."""

    def runner(self, resources: Resources) -> Runner:
        """What computes its outputs with NumPy."""


class Single:
    """A node on its own, whose runner returns its value. All others return lists, and write into
    the targets that they are given.
    """

    __slots__ = ("node", "operands")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.operands = node.inputs

    @property
    def outputs(self) -> tuple[Node, ...]:
        return (self.node,)

    @property
    def view(self) -> bool:
        return self.node.op.view

    def work_bytes(self, threads: int) -> int:
        return work_bytes(self.node)

    def runner(self, resources: Resources) -> Runner:
        return kernel(self.node, resources.namespace)


class Engine(Protocol):
    """A plan made ready for a device. It may run many times."""

    @property
    def device(self) -> str:
        """`cpu`, `gpu` or `gpu:1`."""

    @property
    def plan(self) -> Plan:
        """What is computed, and in which order."""

    @property
    def notes(self) -> list[Note]:
        """What there is to say of the device, after a run."""

    def run(
        self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array] = EMPTY
    ) -> list[Array]:
        """The values of the plan's outputs; those with a target are written into it.

        It is fed arrays, of the nodes' shapes and dtypes, for all inputs of the plan and for all
        literals: these are the numbers of the program, in place of which others may come.
        """


class Resources(Protocol):
    """What runners are given to work with, by the engine that they run in."""

    @property
    def threads(self) -> int:
        """How many may work at a time; results do not depend on it."""

    @property
    def empty(self) -> Empty:
        """Gives memory for large arrays."""

    @property
    def namespace(self) -> Callable[[Node], Any]:
        """What stands for NumPy where a node is computed."""

    def inside(self, plan: Plan, empty: Empty) -> Engine:
        """An engine for a plan that lies in this one, on one thread and in memory of its own."""

    def wide_pass(
        self, loop: Loop, steps: Sequence[Node], outputs: Sequence[Node]
    ) -> tuple[Callable[..., list[Array]], Sequence[Node]]:
        """What computes some steps of a pass over large arrays from what they read, and that."""


class Plan:
    """What is needed to compute `outputs`, operands first."""

    def __init__(self, outputs: Sequence[Node], arrange: Arrange) -> None:
        """`arrange` says what runs together, which depends on the device."""
        self.outputs = tuple(outputs)
        self.nodes = ancestors(outputs)
        """All nodes of the plan, operands first."""
        self.sources = [node for node in self.nodes if node.known is not None or node.op is INPUT]
        """Nodes whose value is known before the run."""
        computed = [node for node in self.nodes if node.known is None and node.op is not INPUT]
        self.units = arrange(computed, outputs)
        """Strips, regions and single nodes, in the order in which they run."""
        self.held: dict[Node, int] = {}
        """The bytes that are held of values which are not, as they are computed part by part."""

    @cached_property
    def dying(self) -> list[list[Node]]:
        """For each unit, the operands that no later unit needs."""
        return _last_uses(self.units, self.outputs)

    def peak_bytes(self, elsewhere: Collection[Node] = (), threads: int = 1) -> int:
        """Most memory that values take at one time, inputs and outputs included.

        Those that are `elsewhere`, in files or on a ledger, are not counted.
        """
        live = sum(nbytes(node) for node in self.sources if node not in elsewhere)
        peak = live
        for unit, born, gone in self.lifetimes():
            live += sum(self.bytes_of(node) for node in born if node not in elsewhere)
            peak = max(peak, live + unit.work_bytes(threads))
            live -= sum(self.bytes_of(node) for node in gone if node not in elsewhere)
        return peak

    def bytes_of(self, node: Node) -> int:
        """What is held of a node's value, or in place of it."""
        return self.held[node] if node in self.held else nbytes(node)

    def lifetimes(self) -> Iterator[tuple[Unit, list[Node], list[Node]]]:
        """For each unit, the values that need memory from it on, and those that do up to it.

        Views need none; outputs and inputs are kept.
        """
        holders = memory_holders(self.sources, self.units)
        kept = {holders[node] for node in self.outputs}
        uses: dict[Node, int] = {}
        for unit in self.units:
            for operand in unit.operands:
                uses[holders[operand]] = uses.get(holders[operand], 0) + 1
            for node in unit.outputs:
                uses.setdefault(holders[node], 0)
        for unit in self.units:
            gone = []
            for operand in unit.operands:
                holder = holders[operand]
                uses[holder] -= 1
                if not uses[holder] and holder not in kept and holder.op is not INPUT:
                    gone.append(holder)
            yield unit, [node for node in unit.outputs if holders[node] is node], gone

    def overwrites(self) -> set[Node]:
        """The nodes whose first operand is in memory that only they need from then on, and that was
        made for it by a node of the same op.
        """
        found = set()
        for unit, _, gone in self.lifetimes():
            if isinstance(unit, Single) and unit.node.op.over_first is not None:
                operand = unit.node.inputs[0]
                if operand.op is unit.node.op and operand in gone:
                    found.add(unit.node)
        return found

    def check_memory(
        self, ledger: Ledger, elsewhere: Collection[Node] = (), threads: int = 1
    ) -> None:
        """Raise `limit-memory` if the run would take more than there is room for."""
        error = self.refusal(ledger, elsewhere, threads)
        if error is not None:
            raise error

    def refusal(
        self, ledger: Ledger, elsewhere: Collection[Node] = (), threads: int = 1
    ) -> GradcliError | None:
        """The error of a run that would take more than there is room for.

        A value that is never whole in memory takes none, but work; one that is larger than the
        limit and than any input is refused too.
        """
        nodes, limit = self.nodes, ledger.limit
        if ledger.taken + total_bytes(nodes) <= limit:
            return None
        largest = max(nodes, key=self.bytes_of)
        given = max((nbytes(node) for node in nodes if node.op is INPUT), default=0)
        # What is larger than all is not looked at closer: even its blocks are too many to count.
        hopeless = self.bytes_of(largest) > max(limit, given)
        needed = self.bytes_of(largest) if hopeless else self.peak_bytes(elsewhere, threads)
        needed += ledger.taken
        if needed <= limit:
            return None
        return GradcliError(
            "limit-memory",
            f"this run needs about {show_bytes(needed)} of memory; the limit is "
            f"{show_bytes(limit)}",
            hint=f"the largest value has shape {largest.shape}; --max-memory sets the limit",
            span=largest.span,
        )


def total_bytes(nodes: Iterable[Node]) -> int:
    """What values take, at most, if none of them shares memory or is freed, with the most work of
    one.
    """
    total = most = 0
    for node in nodes:
        total += WIDEST * node.size if node.size else nbytes(node)
        if node.op.work is not None:
            most = max(most, work_bytes(node))
    return total + most


def nbytes(node: Node) -> int:
    """The bytes of a node's value; rows of no elements are counted, as they are work too."""
    count = node.size or math.prod(max(1, length) for length in node.shape)
    return count * node.graph.dtype(node.kind).itemsize


def work_bytes(node: Node) -> int:
    """The bytes that a node's forward function takes besides its operands and its value."""
    work = node.op.work
    return 0 if work is None else math.ceil(work(node)) * node.graph.dtype("float").itemsize


def _last_uses(order: Sequence[Unit], outputs: Sequence[Node]) -> list[list[Node]]:
    seen = set(outputs)
    dying: list[list[Node]] = []
    for unit in reversed(order):
        last = []
        for operand in unit.operands:
            if operand not in seen:
                seen.add(operand)
                last.append(operand)
        dying.append(last)
    dying.reverse()
    return dying


def memory_holders(sources: Iterable[Node], order: Iterable[Unit]) -> dict[Node, Node]:
    """Whose memory a node's value lies in: its own, or for a view that of its operand."""
    order = list(order)
    places = view_places(order)
    holders = {node: node for node in sources}
    for unit in order:
        for node in unit.outputs:
            holders[node] = holders[node.inputs[0]] if node in places else node
    return holders


def view_places(order: Iterable[Unit]) -> dict[Node, Array]:
    """How views lie in memory: arrays of bytes with the same strides, in no memory."""
    places: dict[Node, Array] = {}
    for unit in order:
        if unit.view:
            (node,) = unit.outputs
            place = _place(node, places)
            if place is not None:
                places[node] = place
    return places


def _place(node: Node, places: Mapping[Node, Array]) -> Array | None:
    """How a view lies in its operand's memory; None where it has to be a copy after all."""
    (operand, *_) = node.inputs
    place = places.get(operand)
    if place is None:
        from gradcli.engine.layout import c_strides

        place = as_strided(np.empty(1, np.int8), operand.shape, c_strides(operand.shape))
    if node.op.moves:
        return node.op.forward(np, place, *node.attributes)
    try:
        return np.reshape(place, node.shape, copy=False)
    except ValueError:
        return None
