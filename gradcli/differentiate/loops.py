"""The derivatives of a loop are loops, over the derivatives of its body.

Reverse mode runs through the passes from the last to the first. What the body has left in each pass
are rows of the new loop; the cotangents of what was carried are carried the other way, with the
sums of the cotangents of what all passes share.

The passes of a loop as one node must give the bits of the same passes written out. So a sum goes on
where the nodes after the loop have left it, and a rule that would add in another order, or that is
not the same in all passes, raises `NotRolled`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence

from gradcli.differentiate.product import Changes, add
from gradcli.graph import OPERATORS, Graph, Node
from gradcli.ops.joining import cat
from gradcli.ops.loops import (
    CARRIED,
    ROW,
    Carried,
    Loop,
    NotRolled,
    Rows,
    made_since,
    moving,
    place,
)
from gradcli.ops.shaping import reshape
from gradcli.walks import dependents


class _Builder:
    """A loop over the derivative of another one's body, as it is being built."""

    def __init__(self, loop: Loop, *, backwards: bool) -> None:
        self.loop = loop
        self.graph: Graph = loop.graph
        self.backwards = backwards
        self.first = self.graph.count
        self.carried: list[tuple[Node, Node, Node]] = []
        self.rows: list[Rows] = []

    def carry(self, start: Node) -> Node:
        """What stands for a value that is carried, and is this one in the first pass."""
        return self.graph.apply(CARRIED, (start,))

    def row(self, source: Node) -> Node:
        """What stands for a pass's part of an array."""
        node = self.graph.apply(ROW, (source,))
        self.rows.append(Rows(node, source))
        return node

    def made(
        self, carried: Sequence[Carried], results: Sequence[Node]
    ) -> tuple[Loop, list[Node], list[Node]]:
        """The loop, what is carried on in it, and its nodes for `results`."""
        loop, count = self.loop, len(carried)
        wanted = [*(each.next for each in carried), *results]
        placed = loop.inside | {each.node for each in carried} | {each.node for each in self.rows}
        steps = self._steps(wanted, placed)
        read = dict.fromkeys([*wanted, *(each for node in steps for each in node.inputs)])
        theirs = [node for node in read if loop.has(node)]
        delayed = self._delayed(theirs, steps)
        if delayed:
            wanted = _replaced(wanted, steps, {v: each.node for v, each in delayed.items()})
            placed.update(each.node for each in delayed.values())
            steps = self._steps(wanted, placed)
            theirs = [node for node in theirs if node not in delayed]
            theirs += [each.next for each in delayed.values()]
        nexts = wanted[:count]
        moved = [each._replace(next=next) for each, next in zip(carried, nexts, strict=True)]
        rows = [*self.rows, *(Rows(node, loop.every(node)) for node in dict.fromkeys(theirs))]
        carried = [*moved, *delayed.values()]
        new = Loop(carried, rows, steps, loop.count, self.first, self.backwards, loop.before)
        return new, nexts, wanted[count:]

    def _steps(self, wanted: Iterable[Node], placed: Collection[Node]) -> list[Node]:
        """The nodes that a pass computes for those that are wanted: what depends on its own values.
        Where equal nodes are not one, also what has just been made.

        Raises `NotRolled` where that is the same in all passes: unrolled, it would stand in one.
        """
        oldest = min(place(node)[0] for node in placed)

        def is_placed(node: Node) -> bool:
            return node in placed or self.loop.has(node)

        found = made_since(wanted, is_placed, oldest)
        new = [node for node in found if place(node)[0] >= self.first]
        steps = moving(found, is_placed)
        if not self.graph.shares:
            return sorted({*steps, *new}, key=place)
        fixed = set(new).difference(steps)
        if any(each.known is None for node in fixed for each in node.inputs if each not in fixed):
            raise NotRolled("a value is the same in all passes")
        return steps

    def _delayed(self, theirs: Iterable[Node], steps: Sequence[Node]) -> dict[Node, Carried]:
        """What a pass carried on is what the next one got: in a loop that runs the other way, the
        row of one pass is carried to the next. So the cotangents of that value are one sum.
        """
        if self.backwards == self.loop.backwards:
            return {}
        nexts = {each.next: each.node for each in self.loop.carried}
        whole: set[Node] = set()  # what leads to a loop, which stands at a place of its own
        for node in reversed(steps):
            if isinstance(node.op, Loop) or node in whole:
                whole.update(node.inputs)
        found = {}
        for node in theirs:
            if node in nexts and node not in whole and node not in nexts.values():
                start = self.loop.last(node)
                found[node] = Carried(self.carry(start), start, nexts[node])
        return found


def _replaced(
    wanted: Sequence[Node], steps: Sequence[Node], replacements: Mapping[Node, Node]
) -> list[Node]:
    """Nodes with others in place of some that they are computed from."""
    done = dict(replacements)
    for node in steps:
        operands = tuple([done.get(each, each) for each in node.inputs])
        if operands != node.inputs:
            done[node] = node.graph.apply(node.op, operands, node.attributes)
    return [done.get(node, node) for node in wanted]


def _same(before: Collection[Node], after: Collection[Node]) -> None:
    if set(before) != set(after):
        raise NotRolled("a derivative is not the same in all passes")


def _full(change: Node, node: Node) -> Node:
    return change if change.shape == node.shape else OPERATORS["expand"](change, node.shape)


def _linked(loop: Loop, linked: Container[Node]) -> set[Node]:
    """The nodes of the body, and outer ones, that a gradient links to what is asked for."""
    if loop.is_opaque:
        raise NotRolled("a gradient flows through passes that differentiate by themselves")
    starts = [each.node for each in loop.carried if each.start in linked]
    sources = [*starts, *(node for node in loop.outer if node in linked)]
    sources += [each.node for each in loop.rows if each.source in linked]
    found = dependents(loop.steps, sources)
    _same(starts, [each.node for each in loop.carried if each.next in found])
    return found


def _check_sums(loop: Loop, linked: set[Node], sources: Sequence[Rows]) -> None:
    """Raise `NotRolled` where the cotangents of one node come from several places of a body."""
    starts = [each.start for each in loop.carried if each.node in linked]
    operands = [*starts, *(each.source for each in sources), *linked.intersection(loop.outer)]
    if len(set(operands)) < len(operands):
        raise NotRolled("a value is read in several ways")
    taken = [each.source for each in sources if not isinstance(each.source.op, Loop)]
    arrays = [source.inputs[0] for source in taken if source.inputs]
    if loop.backwards and len(set(arrays)) < len(arrays):
        raise NotRolled("a second derivative reads parts of one array in two passes")
    for row in sources:
        other = row.source.op
        if isinstance(other, Loop) and row.node in [moved.next for moved in other.carried]:
            raise NotRolled("a value is read in two passes")


def _neutral(node: Node) -> Node:
    """-0, to which anything can be added without a change of any bit."""
    return _full(node.graph.constant(-0.0), node)


# --- reverse mode --------------------------------------------------------------------------


def pull_back(
    loop: Loop,
    results: Sequence[Node],
    changes: Changes,
    linked: Container[Node],
    selected: set[Node],
    walk: Callable[[Sequence[Node], Changes, set[Node], set[Node]], None],
) -> None:
    """Take the cotangents of a loop's results to its operands; `walk` does so for the body."""
    build = _Builder(loop, backwards=not loop.backwards)
    inner_linked = _linked(loop, linked)
    inner: Changes = {}
    inner_selected: set[Node] = set()
    of_next = {each.next: each for each in loop.carried}
    begun: dict[Node, tuple[Carried, Node]] = {}
    for result in sorted(results, key=lambda each: not each.attributes[1]):
        change = changes.get(result)
        node, every = result.attributes
        if change is None or node not in inner_linked:
            continue
        if result in selected:
            inner_selected.add(node)
        part = _full(change, result)
        if every == (node in of_next):  # its cotangent is one sum with what it is carried on as
            raise NotRolled("a result is read in another way than it is carried on")
        if every:
            add(inner, node, build.row(part))
        else:
            begun[of_next[node].node] = of_next[node], part
    _starts_with_more(loop, build, changes, inner, inner_linked)
    carried: dict[Node, Node] = {}
    for each, part in begun.values():
        carried[each.node] = build.carry(part)
        add(inner, each.next, carried[each.node])
    sums = {
        node: build.carry(_full(changes[node], node) if node in changes else _neutral(node))
        for node in loop.outer
        if node in inner_linked
    }
    inner |= sums
    sources = [each for each in loop.rows if each.node in inner_linked]
    _check_sums(loop, inner_linked, sources)
    for row in [each for each in sources if each.source in changes]:
        add(inner, row.node, build.row(_full(changes[row.source], row.source)))
    was_selected = {each.node for each, _ in begun.values() if each.next in inner_selected}
    walk(loop.steps, inner, inner_linked, inner_selected)
    found = [each for each in loop.carried if each.node in inner]
    _same(carried, [each.node for each in found])
    _same(was_selected, [each.node for each in found if each.node in inner_selected])
    sums = {node: begin for node, begin in sums.items() if inner[node] is not begin}
    rows = [row for row in sources if row.node in inner]
    pairs = [
        *((each.start, carried[each.node], _full(inner[each.node], each.node)) for each in found),
        *((node, begin, _full(inner[node], node)) for node, begin in sums.items()),
    ]
    if not pairs and not rows:
        return  # no cotangent gets through the body
    back, nexts, made = build.made(
        [Carried(begin, begin.inputs[0], after) for _, begin, after in pairs],
        [_full(inner[row.node], row.node) for row in rows],
    )
    for node in sums:
        changes.pop(node, None)
    for (node, *_), change in zip(pairs, nexts, strict=True):
        add(changes, node, back.last(change))
    for row, change in zip(rows, made, strict=True):
        changes[row.source] = back.every(change)
    selected.update(each.start for each in found if each.node in inner_selected)
    selected.update(node for node in sums if node in inner_selected)
    selected.update(row.source for row in rows if row.node in inner_selected)


def _starts_with_more(
    loop: Loop,
    build: _Builder,
    changes: Changes,
    inner: Changes,
    linked: Container[Node],
) -> None:
    """What nodes after the loop have added to the cotangents of what the first pass gets is where
    the sum of that pass begins.
    """
    starts = [each for each in loop.carried if each.node in linked and each.start in changes]
    for each in starts:
        if each.node in inner:
            raise NotRolled("a value before the loop is used after it")
        change = reshape(_full(changes.pop(each.start), each.start), 1, *each.node.shape)
        shape = (loop.count - 1, *each.node.shape)
        rest = OPERATORS["expand"](loop.graph.constant(-0.0), shape)
        parts = [rest, change] if loop.backwards else [change, rest]
        inner[each.node] = build.row(cat(parts, 0))


# --- forward mode --------------------------------------------------------------------------


def push_forward(
    loop: Loop,
    results: Sequence[Node],
    changes: Changes,
    selected: set[Node],
    walk: Callable[[Sequence[Node], Changes, set[Node], Container[Node]], None],
) -> None:
    """Take the tangents of a loop's operands to its results; `walk` does so for the body."""
    build = _Builder(loop, backwards=loop.backwards)
    inner: Changes = {node: changes[node] for node in loop.outer if node in changes}
    inner_selected = selected.intersection(loop.outer)
    carried: dict[Node, Node] = {}
    for each in loop.carried:
        if each.start in changes:
            carried[each.node] = build.carry(changes[each.start])
            inner[each.node] = carried[each.node]
            inner_selected.update([each.node] if each.start in selected else [])
    for row in loop.rows:
        if row.source in changes:
            inner[row.node] = build.row(changes[row.source])
            inner_selected.update([row.node] if row.source in selected else [])
    walk(loop.steps, inner, inner_selected, {*loop.steps})
    found = [each for each in loop.carried if each.next in inner]
    _same(carried, [each.node for each in found])
    _same(
        [each.node for each in found if each.node in inner_selected],
        [each.node for each in found if each.next in inner_selected],
    )
    asked = [each for each in results if each.attributes[0] in inner]
    forward, _, made = build.made(
        [Carried(carried[each.node], changes[each.start], inner[each.next]) for each in found],
        [inner[each.attributes[0]] for each in asked],
    )
    for result, change in zip(asked, made, strict=True):
        node, every = result.attributes
        changes[result] = forward.every(change) if every else forward.last(change)
        if node in inner_selected:
            selected.add(result)
