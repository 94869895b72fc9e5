"""Values that decide how a program goes on, computed while it is traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from gradcli.diagnostics import Note
from gradcli.engine.cpu import compute, compute_loop
from gradcli.engine.plan import Single, memory_holders, nbytes, total_bytes, work_bytes
from gradcli.graph import EMPTY, INTERNED_BYTES, Array, Node
from gradcli.ledger import Ledger
from gradcli.ops.loops import Loop, results_of

SWEPT = 1 << 27
"""With fewer bytes of values, all are kept."""
AGAIN = 10_000
"""So many values are computed again that were dropped as not used any more."""


class Evaluator:
    """Values that the tracer looks at, one after another, each node computed once.

    Values are kept while they take up to half of what the ledger allows, those that the program
    may use no more while they are few; what was dropped is computed again when needed.
    """

    def __init__(self, inputs: Mapping[Node, Array], ledger: Ledger) -> None:
        """`inputs` may give values of other nodes too, in place of what these are or have."""
        self._inputs = inputs
        self._ledger = ledger
        self._kept: dict[Node, Array] = {}
        """The oldest first."""
        self._users: Counter[int] = Counter()
        """How many kept values lie in an array, by its id; views of inputs are not counted."""
        self._bytes = 0
        """What these arrays take."""
        self._lowered: dict[Node, Node] = {}
        self.living: Callable[[], Iterable[Node]] | None = None
        """What the program may still use: where much is kept, the rest is dropped."""
        self._dropped: set[Node] = set()
        """What was dropped so."""
        self._again = 0
        """How much of that was computed again."""
        self._swept: dict[Node, None] = {}
        """What was kept when that was last looked at."""
        self._sweeps_at = SWEPT
        """How many bytes are kept when it is looked at next."""
        self.looked: list[Node] = []
        """The nodes that were asked for: a plan holds only while their values are the same."""
        self.rounded: Callable[[Node, Array], Array] | None = None
        """What a value is where the program computes in fewer digits than the run, if it does."""
        self.remarks: list[Note] = []
        """What is said of that."""

    def value(self, node: Node) -> Array:
        """The value of a node."""
        value = node.graph.look(node)
        if value is None:
            self.looked.append(node)
            value = self.computed(node)
            if self.rounded is not None:
                value = self.rounded(node, value)
        if value.nbytes > INTERNED_BYTES and (spread := value.nbytes - _root(value).nbytes) > 0:
            # Who looks at a number that is spread over a shape makes an array of that shape of it.
            self._ledger.require(spread, "a value that decides how the program goes on", node.span)
        return value

    def give(self, values: Mapping[Node, Array]) -> None:
        """Values that were computed elsewhere."""
        for node, value in values.items():
            self._keep(node, value, ())

    def computed(self, node: Node) -> Array:
        """The value of a node, by which nothing is decided."""
        known = self._known(node)
        if known is not None:
            return known
        pending = self._unknown(node)
        from gradcli.engine.lowering import lower  # most programs start faster without

        lower(pending, self._lowered)
        if node in self._lowered:
            node = self._lowered[node]
            pending = self._unknown(node)
        if self._dropped:
            self._see_again(pending)
        total = total_bytes(pending)
        if total > self._ledger.room:
            self._make_room(pending)
        if total > SWEPT and self.living is not None:
            pending = _in_turn(node, pending)
            values = self._found(pending, self._passing(pending, self.living))
        else:
            values = self._found(pending, EMPTY)
        if self._bytes > self._sweeps_at and self.living is not None:
            self._sweep(self.living)
        while self._kept and self._bytes > self._ledger.limit // 2:
            self._drop(next(iter(self._kept)))
        return values[node]

    def _found(
        self, pending: Sequence[Node], passing: Mapping[Node, Sequence[Node]]
    ) -> Mapping[Node, Array]:
        """The values of what is pending, without what is let go when the computation comes to some
        of it.
        """
        values: dict[Node, Array] = {}
        loops = results_of(pending)
        with np.errstate(all="ignore"):
            for current in pending:
                for used in passing.get(current, ()):
                    self._let_go(used)
                    del values[used]
                if current in values:
                    continue  # its loop has given it with another result
                operands = []
                for operand in current.inputs:
                    known = values.get(operand)
                    operands.append(self._recall(operand) if known is None else known)
                if isinstance(current.op, Loop):
                    results = loops[current.op]
                    found = compute_loop(results, operands)
                    for result, value in zip(results, found, strict=True):
                        values[result] = value
                        self._keep(result, value, operands)
                else:
                    value = values[current] = self._compute(current, operands)
                    self._keep(current, value, operands)
        return values

    def _compute(self, node: Node, operands: Sequence[Array]) -> Array:
        """The value of a node that is no loop's."""
        return compute(node, operands)

    def kept(self) -> dict[Node, Array]:
        """The values that are kept, by node as it was traced."""
        traced = {node: made for node, made in self._lowered.items() if made in self._kept}
        return self._kept | {node: self._kept[made] for node, made in traced.items()}

    def clear(self) -> None:
        """Drop all values: nothing more is looked at, or much later."""
        for node in list(self._kept):
            self._drop(node)

    def _known(self, node: Node) -> Array | None:
        given = self._inputs.get(node, node.known)
        return self._kept.get(self._lowered.get(node, node)) if given is None else given

    def _recall(self, node: Node) -> Array:
        value = self._known(node)
        assert value is not None, "a pending node's operands are pending or known"
        return value

    def _unknown(self, node: Node) -> list[Node]:
        """The nodes to compute for `node`, operands first."""
        found = {node}
        stack = [node]
        while stack:
            for operand in stack.pop().inputs:
                if operand not in found and self._known(operand) is None:
                    found.add(operand)
                    stack.append(operand)
        return sorted(found, key=lambda each: each.index)

    def _make_room(self, pending: list[Node]) -> None:
        """Drop older values, as there may not be enough room for all that is computed now.

        Raises `limit-memory` where that does not help.
        """
        needed = self._needed(pending)
        operands = {each for node in pending for each in node.inputs}
        for node in list(self._kept):
            if needed <= self._ledger.room:
                return
            if node not in operands:
                self._drop(node)
        what = "a value that decides how the program goes on"
        self._ledger.require(needed, what, pending[-1].span)

    def _needed(self, pending: list[Node]) -> int:
        """The bytes that values take which lie in memory of their own, and the most work of one."""
        known = {each for node in pending for each in node.inputs} - set(pending)
        holders = memory_holders(known, map(Single, pending))
        own = sum(nbytes(node) for node in pending if holders[node] is node)
        return own + max(map(work_bytes, pending))

    def _keep(self, node: Node, value: Array, operands: Sequence[Array]) -> None:
        """Keep a value, and put the memory that it lies in on the ledger."""
        self._kept[node] = value
        root = _root(value)
        if root.nbytes > INTERNED_BYTES:
            known = id(root) in self._users
            if known or not (node.op.view and np.may_share_memory(value, operands[0])):
                self._users[id(root)] += 1
                if not known:
                    self._count(root.nbytes)

    def _sweep(self, living: Callable[[], Iterable[Node]]) -> None:
        """Drop the large values that were kept at the last sweep, too, and that nothing that the
        program may still use is, or is to be computed from.
        """
        used = self._used(living, ())
        for node in self._swept.keys() - used:
            if node in self._kept and _root(self._kept[node]).nbytes > INTERNED_BYTES:
                self._let_go(node)
        self._swept = dict.fromkeys(self._kept)
        self._sweeps_at = max(SWEPT, 2 * self._bytes)

    def _used(
        self, living: Callable[[], Iterable[Node]], pending: Collection[Node]
    ) -> Collection[Node]:
        """What the program may still use, and the known and `pending` nodes that this is to be
        computed from.
        """
        used, waiting = set[Node](), [*living()]
        while waiting:
            node = waiting.pop()
            node = self._lowered.get(node, node)
            if node not in used:
                used.add(node)
                is_found = node in pending or self._known(node) is not None
                waiting += () if is_found else node.inputs
        return used

    def _passing(
        self, pending: Sequence[Node], living: Callable[[], Iterable[Node]]
    ) -> Mapping[Node, Sequence[Node]]:
        """By pending nodes, those that nothing needs from there on, where many are computed at
        once; the last are kept, as backward may come to them.
        """
        left = sum(map(nbytes, pending)) - SWEPT // 2
        used, last = self._used(living, {*pending}), dict[Node, Node]()
        passing: dict[Node, list[Node]] = {}
        for node in pending:
            last |= {operand: node for operand in node.inputs if operand in last}
            left -= nbytes(node)
            if left > 0 and nbytes(node) > INTERNED_BYTES and node not in used:
                last[node] = node
        behind = dict(pairwise(pending))
        for node, end in last.items():
            if end in behind:
                passing.setdefault(behind[end], []).append(node)
        return passing

    def _let_go(self, node: Node) -> None:
        """Drop what the program may use no more."""
        self._drop(node)
        self._dropped.add(node)

    def _see_again(self, pending: Sequence[Node]) -> None:
        """Drop no more where a program goes on to use what was dropped."""
        self._again += len(self._dropped.intersection(pending))
        if self._again > AGAIN:
            self.living = None

    def has_dropped(self, node: Node) -> bool:
        """Whether a value was computed, and then dropped as the program may use it no more."""
        return self._lowered.get(node, node) in self._dropped

    def _drop(self, node: Node) -> None:
        root = _root(self._kept.pop(node))
        if id(root) in self._users:
            self._users[id(root)] -= 1
            if not self._users[id(root)]:
                del self._users[id(root)]
                self._count(-root.nbytes)

    def _count(self, change: int) -> None:
        self._bytes += change
        self._ledger.taken += change


def _in_turn(node: Node, pending: Collection[Node]) -> list[Node]:
    """What is pending for a node, each only when it is needed."""
    inside, order, waiting = {*pending}, dict[Node, None](), [node]
    while waiting:
        current = waiting[-1]
        fresh = [each for each in current.inputs if each in inside and each not in order]
        if fresh:
            waiting += fresh
        else:
            order[waiting.pop()] = None
    return [*order]


def _root(value: Array) -> Array:
    """The array whose memory a value lies in."""
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value
