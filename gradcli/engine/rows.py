"""Which nodes run together strip by strip: a large product of matrices, a reduction of each row of
a large value that is then spread over the row again, as in a softmax, or the windows of a pool;
what follows from its rows row by row, and the sums and products over all rows at the end. What a
strip of rows leaves between them stays in the cache, and what they read in common is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby

from gradcli.engine import regions
from gradcli.engine.plan import Single, Unit
from gradcli.engine.products import LARGE, is_large
from gradcli.engine.strips import ELEMENTS, SHARES, Strips
from gradcli.engine.swept import is_member
from gradcli.graph import Node, Split
from gradcli.ops.splits import ways

LEAST_ROWS = 1 << 10
"""So many rows are worth strips."""
NARROWEST, WIDEST = 1 << 3, 1 << 13
"""Rows of more elements are not: no cache holds a strip of them. To reduce those of less is not."""
BATCHES, WIDEST_BATCH = 8, 1 << 21
"""So many products of matrices, of at most so many elements, are worth strips of one or a few each:
their memory is used again, and no value takes that of all."""
MANY = 1 << 20
"""So many elements that are taken from others are worth strips: they need not be in memory."""
ATTEMPTS = 32
"""How many of each kind are tried as the beginning of strips."""


def units(
    schedule: Sequence[Node],
    outputs: Sequence[Node],
    apart: Set[Node] = frozenset(),
    large: int = LARGE,
) -> list[Unit]:
    """Strips, regions and single nodes in an order in which they can run.

    Strips begin with products of at least `large` multiplications, with what reduces the rows of a
    value of an eighth as many elements, or with windows; nodes in `apart` are not computed in
    strips.
    """
    order: list[Unit] = [*map(Single, schedule)]
    tried: set[Node] = set()
    products = [node for node in schedule if is_large(node, large)]
    reductions = [node for node in schedule if reduces_rows(node, large // 8)]
    taken = [node for node in schedule if spreads(node)]
    for first in (*products[:ATTEMPTS], *reductions[:ATTEMPTS], *taken[:ATTEMPTS]):
        if first not in tried and first not in apart:
            rows = _Rows(first, order, outputs, apart)
            tried.update(rows.splits)
            if rows.pay():
                strips = Strips(rows.length, rows.splits, rows.results(), rows.in_strip)
                order = _with(strips, order)
    return _with_regions(order, outputs)


def reduces_rows(node: Node, large: int) -> bool:
    """Whether a node reduces the rows, which lie in one piece each, of a value that is `large`."""
    if not node.op.combine or node.inputs[0].size < large or not node.size:
        return False
    axes, row = node.op.axes(node), node.inputs[0].size // node.size
    return NARROWEST <= row <= WIDEST and min(axes) == -len(axes)


def spreads(node: Node) -> bool:
    """Whether a node takes elements from its only operand, as windows do, where one of them is
    large, the rows are independent, and no region sweeps over it.
    """
    if len(node.inputs) != 1:
        return False
    op = node.op
    by_rows = op.splits is not None and not (op.view or op.combine or op.contracts)
    large = max(node.size, node.inputs[0].size) >= MANY
    return by_rows and op.selects and large and not is_member(node)


class _Rows:
    """What can run strip by strip, beginning with a product or a reduction of rows."""

    def __init__(
        self,
        first: Node,
        order: Sequence[Unit],
        outputs: Sequence[Node],
        apart: Set[Node],
    ) -> None:
        self.splits: dict[Node, Split] = {}
        self.in_strip: int | None = None
        """How many make a strip, if not as many as stay in the cache."""
        self._widens = not first.op.combine
        """Whether more follows from the first node than regions sweep over by themselves."""
        self._order = order
        self._users = _users(order)
        self._kept = set(outputs)
        self._apart = apart
        self._widest, least = WIDEST, LEAST_ROWS
        self._begin(first, ways(first))
        if self.length < least or not self._is_narrow(first):
            self._begin(first, [each for each in ways(first) if (each.axis or 0) < -2])
            taken = 0 if first.op.contracts else first.inputs[0].size
            self.in_strip = max(1, ELEMENTS * self.length // max(first.size, taken))
            self._widest, least = WIDEST_BATCH, BATCHES * self.in_strip
        if self.length >= least and self._is_narrow(first):
            self._follow(first)
            self._precede()
            order_of = sorted(self.splits, key=lambda node: node.index)
            self.splits = {node: self.splits[node] for node in order_of}

    def _begin(self, first: Node, splits: Iterable[Split]) -> None:
        """Begin with a node, along its longest axis."""
        self.length = 0
        for split in splits:
            if split.axis is not None and first.shape[split.axis] > self.length:
                self.splits[first] = split
                self.length = first.shape[split.axis]

    def results(self) -> tuple[Node, ...]:
        """The nodes of rows that are needed outside."""
        return tuple(
            node
            for node, split in self.splits.items()
            if split.axis is not None
            and (node in self._kept or not self.splits.keys() >= {*self._users.get(node, ())})
        )

    def pay(self) -> bool:
        """Whether strips save anything, and leave no more behind than their products would."""
        rowwise = [node for node, split in self.splits.items() if split.axis is not None]
        products = sum(node.size for node in rowwise if node.op.contracts)
        left = sum(node.size for node in self.results() if node not in self._kept)
        return len(self.splits) > 1 and self._widens and left <= products

    def _follow(self, first: Node) -> None:
        """Add all that has the rows of the first node, and what they are summed up to."""
        after: set[Node] = set()  # what has no such rows, and what follows from it
        for unit in self._order:
            operands = unit.operands
            if first in unit.outputs or not any(x in self.splits or x in after for x in operands):
                continue
            split = None
            if isinstance(unit, Single) and after.isdisjoint(operands):
                split = self._following(unit.node)
                if split is not None:
                    self.splits[unit.node] = split
                    self._widens |= split.axis is not None and unit.node.size > first.size
            if split is None or split.axis is None:
                after.update(unit.outputs)

    def _following(self, node: Node) -> Split | None:
        """How the work of a node is split along the rows of its operands."""
        if node in self._apart:
            return None
        for split in ways(node):
            operands = list(zip(node.inputs, split.operands, strict=True))
            if split.axis is None:
                cut = sum(each.size for each, axis in operands if axis is not None)
                fits = 2 * SHARES * node.size <= cut
            else:
                fits = node.shape[split.axis] == self.length and self._is_narrow(node)
            own = [(self.splits[each].axis, axis) for each, axis in operands if each in self.splits]
            if fits and all(has == takes for has, takes in own):
                return split
        return None

    def _precede(self) -> None:
        """Add all that is needed row by row, and by nothing else."""
        for unit in reversed(self._order):
            if not isinstance(unit, Single):
                continue
            node = unit.node
            if node not in self.splits and node not in self._kept:
                axes = {
                    axis for user in self._users.get(node, ()) for axis in self._taken(node, user)
                }
                if len(axes) == 1 and node not in self._apart and self._is_narrow(node):
                    for split in ways(node):
                        if split.axis is not None and split.axis in axes:
                            self.splits[node] = split

    def _taken(self, node: Node, user: Node) -> Iterator[int | None]:
        """The axes along which a user takes a node in strips; None where it needs all of it."""
        if user not in self.splits:
            yield None
        else:
            operands = zip(user.inputs, self.splits[user].operands, strict=True)
            yield from (axis for operand, axis in operands if operand is node)

    def _is_narrow(self, node: Node) -> bool:
        return node.size <= self._widest * self.length


def _users(order: Sequence[Unit]) -> dict[Node, list[Node]]:
    """By value, what is computed from it."""
    users: dict[Node, list[Node]] = {}
    for unit in order:
        for operand in unit.operands:
            users.setdefault(operand, []).extend(unit.outputs)
    return users


# --- putting them in order -----------------------------------------------------------------


def _with(strips: Strips, order: Sequence[Unit]) -> list[Unit]:
    """The order with strips behind all that they need, and in front of all else."""
    needed = set(strips.operands)
    before: list[Unit] = []
    rest: list[Unit] = []
    for unit in reversed(order):
        if not needed.isdisjoint(unit.outputs):
            needed.update(unit.operands)
            before.append(unit)
        elif strips.splits.keys().isdisjoint(unit.outputs):
            rest.append(unit)
    return [*reversed(before), strips, *reversed(rest)]


def _with_regions(order: Sequence[Unit], outputs: Sequence[Node]) -> list[Unit]:
    """The order with regions in the place of nodes between strips."""
    found: list[Unit] = []
    used = set(outputs)  # by what comes later
    for alone, group in groupby(reversed(order), lambda unit: isinstance(unit, Single)):
        units = [*group]
        if alone:
            nodes = [node for unit in reversed(units) for node in unit.outputs]
            found[:0] = regions.units(nodes, [node for node in nodes if node in used])
        else:
            found[:0] = reversed(units)
        for unit in units:
            used.update(unit.operands)
    return found
