"""Plans: in which order nodes are computed, when their values die, and how much memory that takes.

A plan is independent of the device that runs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import CONSTANT, INPUT, Node, ancestors


class Plan:
    """What is needed to compute `outputs`, operands first."""

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.outputs = tuple(outputs)
        order = ancestors(outputs)
        self.sources = [node for node in order if node.op is CONSTANT or node.op is INPUT]
        """Nodes whose value is known before the run."""
        self.schedule = [node for node in order if node.op is not CONSTANT and node.op is not INPUT]
        self.dying = _last_uses(self.schedule, self.outputs)
        """For each step, the operands that no later step needs."""

    def peak_bytes(self) -> int:
        """Most memory that values take at one time, inputs and outputs included."""
        holders = _holders(self.sources, self.schedule)
        kept = {holders[node] for node in self.outputs}
        uses: dict[Node, int] = {}
        for node in self.schedule:
            for operand in node.inputs:
                uses[holders[operand]] = uses.get(holders[operand], 0) + 1
            uses.setdefault(holders[node], 0)
        live = sum(nbytes(node) for node in self.sources)
        live += sum(nbytes(node) for node in self.outputs if nbytes(node) > nbytes(holders[node]))
        peak = live
        for node in self.schedule:
            if holders[node] is node:
                live += nbytes(node)
                peak = max(peak, live)
            for operand in node.inputs:
                holder = holders[operand]
                uses[holder] -= 1
                if not uses[holder] and holder not in kept and holder.op is not INPUT:
                    live -= nbytes(holder)
        return peak

    def check_memory(self, limit: int) -> None:
        """Raise `limit-memory` if the run would take more than `limit` bytes."""
        peak = self.peak_bytes()
        if peak > limit:
            largest = max(self.sources + self.schedule, key=nbytes)
            raise GradcliError(
                "limit-memory",
                f"this run needs about {show_bytes(peak)} of memory; the limit is "
                f"{show_bytes(limit)}",
                hint=f"the largest value has shape {largest.shape}; --max-memory sets the limit",
                span=largest.span,
            )


def nbytes(node: Node) -> int:
    """The bytes of a node's value."""
    return node.size * node.graph.dtype(node.kind).itemsize


def show_bytes(count: int) -> str:
    """A number of bytes as people read it: `1.5 GiB`."""
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024 or unit == "TiB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}" if amount < 1000 else f"{amount:,.0f} {unit}"


def _last_uses(schedule: Sequence[Node], outputs: Sequence[Node]) -> list[list[Node]]:
    seen = set(outputs)
    dying: list[list[Node]] = []
    for node in reversed(schedule):
        last = []
        for operand in node.inputs:
            if operand not in seen:
                seen.add(operand)
                last.append(operand)
        dying.append(last)
    dying.reverse()
    return dying


def _holders(sources: Sequence[Node], schedule: Sequence[Node]) -> dict[Node, Node]:
    """Whose memory a node's value lies in: its own, or for a view that of its operand."""
    holders = {node: node for node in sources}
    for node in schedule:
        holders[node] = holders[node.inputs[0]] if node.op.view else node
    return holders
