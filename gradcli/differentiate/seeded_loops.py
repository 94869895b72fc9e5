"""Loops as one node with many seeds at once: the body with a batch axis, run as often as before."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from gradcli.differentiate.product import Changes
from gradcli.graph import OPERATORS, Graph, Node
from gradcli.ops.axes import movedim
from gradcli.ops.loops import CARRIED, ROW, Carried, Loop, Rows, made_since, moving, place


def batch_passes(
    loop: Loop,
    results: Sequence[Node],
    batch: Changes,
    count: int,
    walk: Callable[[Sequence[Node], Changes], None],
) -> None:
    """Give results of a loop the batch axis of length `count` that some of its operands have;
    `walk` does so for the body.

    What has no such axis is computed by the new loop too: nothing computes the old one any more.
    """
    if not results:
        return  # another result has brought them all
    graph: Graph = loop.graph
    mark = graph.count
    inner: Changes = {node: batch[node] for node in loop.outer if node in batch}
    moved = _with_batch(loop, batch)
    for each in loop.carried:
        if each.node in moved:
            inner[each.node] = graph.apply(CARRIED, (_many(each.start, batch, count),))
    sources = {
        row.node: movedim(batch[row.source], (0,), (1,)) if row.node in moved else row.source
        for row in loop.rows
    }
    for row in loop.rows:
        if row.node in moved:
            inner[row.node] = graph.apply(ROW, (sources[row.node],))
    placed = {inner.get(node, node) for node in (*(each.node for each in loop.carried), *sources)}
    oldest = min(place(node)[0] for node in loop.inside)  # also of the loop that it is made from
    walk(loop.steps, inner)
    carried = [
        Carried(
            inner.get(each.node, each.node),
            inner[each.node].inputs[0] if each.node in moved else each.start,
            _many(each.next, inner, count) if each.node in moved else each.next,
        )
        for each in loop.carried
    ]
    asked = {result.attributes[0]: inner.get(result.attributes[0]) for result in results}
    wanted = [each.next for each in carried]
    wanted += [batched or node for node, batched in asked.items()]
    steps = moving(made_since(wanted, placed.__contains__, oldest), placed.__contains__)
    rows = [Rows(inner.get(node, node), source) for node, source in sources.items()]
    new = Loop(carried, rows, steps, loop.count, mark, loop.backwards, loop.before)
    for result in results:
        node, every = result.attributes
        found = asked[node]
        if found is None:
            plain = new.every(node) if every else new.last(node)
            batch[result] = OPERATORS["expand"](plain, (count, *result.shape))
        else:
            batch[result] = movedim(new.every(found), (0,), (1,)) if every else new.last(found)


def _with_batch(loop: Loop, batch: Container[Node]) -> set[Node]:
    """The nodes of the body that depend on operands with a batch axis, in any pass."""
    found = {node for node in loop.outer if node in batch}
    found.update(each.node for each in loop.carried if each.start in batch)
    found.update(row.node for row in loop.rows if row.source in batch)
    while True:
        found.update(moving(loop.steps, found.__contains__))
        later = {each.node for each in loop.carried if each.next in found} - found
        if not later:
            return found
        found |= later


def _many(node: Node, batch: Mapping[Node, Node], count: int) -> Node:
    """A node with the batch axis, which repeats it where it has none."""
    return batch.get(node) or OPERATORS["expand"](node, (count, *node.shape))
