"""Plans: in which order nodes are computed, when values die, and how much memory that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradcli.diagnostics import GradcliError
from gradcli.engine.regions import Region, units
from gradcli.graph import INPUT, Array, Node, ancestors
from gradcli.ledger import Ledger, show_bytes

if TYPE_CHECKING:
    from gradcli.engine.strips import Strips

Unit: TypeAlias = "Node | Region | Strips"
Units: TypeAlias = Callable[[Sequence[Node], Sequence[Node]], Sequence[Unit]]
"""Puts a schedule, for some outputs, into regions and single nodes."""


class Plan:
    """What is needed to compute `outputs`, operands first."""

    def __init__(self, outputs: Sequence[Node], units: Units = units) -> None:
        """`units` says what runs together, which depends on the device."""
        self.outputs = tuple(outputs)
        self.nodes = ancestors(outputs)
        """All nodes of the plan, operands first."""
        self.sources = [node for node in self.nodes if node.known is not None or node.op is INPUT]
        """Nodes whose value is known before the run."""
        computed = [node for node in self.nodes if node.known is None and node.op is not INPUT]
        self.units = units(computed, outputs)
        """Strips, regions and single nodes, in the order in which they run."""
        self.dying = _last_uses(self.units, self.outputs)
        """For each unit, the operands that no later unit needs."""

    def peak_bytes(self, elsewhere: Collection[Node] = (), threads: int = 1) -> int:
        """Most memory that values take at one time, inputs and outputs included.

        Those that are `elsewhere`, in files or on a ledger, are not counted.
        """
        live = sum(nbytes(node) for node in self.sources if node not in elsewhere)
        peak = live
        for unit, born, gone in self.lifetimes():
            live += sum(nbytes(node) for node in born if node not in elsewhere)
            peak = max(peak, live + _work(unit, threads))
            live -= sum(nbytes(node) for node in gone if node not in elsewhere)
        return peak

    def lifetimes(self) -> Iterator[tuple[Unit, list[Node], list[Node]]]:
        """For each unit, the values that need memory from it on, and those that do up to it.

        Views need none; outputs and inputs are kept.
        """
        holders = memory_holders(self.sources, self.units)
        kept = {holders[node] for node in self.outputs}
        uses: dict[Node, int] = {}
        for unit in self.units:
            for operand in operands_of(unit):
                uses[holders[operand]] = uses.get(holders[operand], 0) + 1
            for node in results_of(unit):
                uses.setdefault(holders[node], 0)
        for unit in self.units:
            gone = []
            for operand in operands_of(unit):
                holder = holders[operand]
                uses[holder] -= 1
                if not uses[holder] and holder not in kept and holder.op is not INPUT:
                    gone.append(holder)
            yield unit, [node for node in results_of(unit) if holders[node] is node], gone

    def check_memory(
        self, ledger: Ledger, elsewhere: Collection[Node] = (), threads: int = 1
    ) -> None:
        """Raise `limit-memory` if the run would take more than there is room for.

        A value that is never whole in memory takes none, but work; one that is larger than the
        limit and than any input is refused too.
        """
        nodes, limit = self.nodes, ledger.limit
        if ledger.taken + total_bytes(nodes) <= limit:
            return
        largest = max(nodes, key=nbytes)
        given = max((nbytes(node) for node in nodes if node.op is INPUT), default=0)
        # What is larger than all is not looked at closer: even its blocks are too many to count.
        hopeless = nbytes(largest) > max(limit, given)
        needed = nbytes(largest) if hopeless else self.peak_bytes(elsewhere, threads)
        needed += ledger.taken
        if needed > limit:
            raise GradcliError(
                "limit-memory",
                f"this run needs about {show_bytes(needed)} of memory; the limit is "
                f"{show_bytes(limit)}",
                hint=f"the largest value has shape {largest.shape}; --max-memory sets the limit",
                span=largest.span,
            )


def total_bytes(nodes: Iterable[Node]) -> int:
    """What values take if none of them shares memory, or is freed, with the most work of one."""
    return sum(map(nbytes, nodes)) + max(map(work_bytes, nodes), default=0)


def nbytes(node: Node) -> int:
    """The bytes of a node's value; rows of no elements are counted, as they are work too."""
    count = node.size or math.prod(max(1, length) for length in node.shape)
    return count * node.graph.dtype(node.kind).itemsize


def operands_of(unit: Unit) -> tuple[Node, ...]:
    """What a unit reads."""
    return unit.inputs if isinstance(unit, Node) else unit.operands


def results_of(unit: Unit) -> tuple[Node, ...]:
    """What is there after a unit has run."""
    return (unit,) if isinstance(unit, Node) else unit.nodes


def work_bytes(node: Node) -> int:
    """The bytes that a node's forward function takes besides its operands and its value."""
    work = node.op.work
    return 0 if work is None else math.ceil(work(node)) * node.graph.dtype("float").itemsize


def _work(unit: Unit, threads: int) -> int:
    """The bytes that a unit takes while it runs, beside what it reads and what is there then."""
    if isinstance(unit, Region):  # small programs start sooner without what this imports
        from gradcli.engine.blocks import partial_bytes

        return partial_bytes(unit)
    if not isinstance(unit, Node):
        return unit.work_bytes(threads)
    return work_bytes(unit)


def _last_uses(order: Sequence[Unit], outputs: Sequence[Node]) -> list[list[Node]]:
    seen = set(outputs)
    dying: list[list[Node]] = []
    for unit in reversed(order):
        last = []
        for operand in operands_of(unit):
            if operand not in seen:
                seen.add(operand)
                last.append(operand)
        dying.append(last)
    dying.reverse()
    return dying


def memory_holders(sources: Iterable[Node], order: Iterable[Unit]) -> dict[Node, Node]:
    """Whose memory a node's value lies in: its own, or for a view that of its operand."""
    holders = {node: node for node in sources}
    places: dict[Node, Array] = {}  # of views: arrays of the same strides, in no memory
    for unit in order:
        for node in results_of(unit):
            place = _place(node, places) if node.op.view and node is unit else None
            if place is None:
                holders[node] = node
            else:
                holders[node], places[node] = holders[node.inputs[0]], place
    return holders


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
