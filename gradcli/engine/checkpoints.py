"""Loops that keep less: where there is no room for what all passes leave, what is carried from pass
to pass is kept every so many passes, a checkpoint, and the passes in between are run again when
another loop takes their values.

Rows between two checkpoints are a segment. Loops of one number of passes have the same segments,
whichever way they run, so that a loop over what others leave runs each of theirs again but once.
The calls, and so the bits, are those of the passes that were run first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from gradcli.engine.bodies import Body, loop_of
from gradcli.engine.plan import Resources
from gradcli.graph import Array, Node


def runner(
    outputs: Sequence[Node], remade: Collection[Node], segment: int, resources: Resources
) -> Callable[..., list[Any]]:
    """A function of the loop's operands that returns the values of some of its results, and a
    `Column` for each that is to be remade. Among the operands may be columns in place of rows.
    """
    loop = loop_of(outputs)
    held = [each for each in outputs if each not in remade]
    if not remade:
        body = Body(loop, [each.attributes for each in held], resources, (), segment)
        return lambda *operands, **_: body.run(operands)
    again = [each.attributes for each in outputs if each in remade]
    later = Body(loop, again, resources, (), segment)
    carried = [each.node for each in later.carried]
    first = Body(loop, [each.attributes for each in held], resources, carried, segment)
    places = [[each.node for each in first.carried].index(node) for node in carried]

    def run(*operands: Array, **_: Any) -> list[Any]:
        marks: dict[int, list[Any]] = {}
        values: dict[Node, Any] = dict(zip(held, first.run(operands, marks), strict=True))
        kept = {start: [mark[place] for place in places] for start, mark in marks.items()}
        past = _Past(later, operands, kept, segment)
        return [
            values[each] if each in values else Column(past, each.attributes[0]) for each in outputs
        ]

    return run


class _Past:
    """Passes that have been run, of which any segment can be run again."""

    def __init__(
        self,
        body: Body,
        operands: Sequence[Array],
        marks: Mapping[int, Sequence[Any]],
        segment: int,
    ) -> None:
        """`marks` is what is carried into each segment, by the first of its rows."""
        self._body = body
        self._operands = operands
        self._marks = marks
        self._segment = segment
        self._start = -1
        self._columns: dict[Node, Array] = {}

    def rows(self, node: Node, rows: slice) -> Array:
        """The values of a node in rows of one segment."""
        start = rows.start - rows.start % self._segment
        if start != self._start:
            self._columns = {}  # its memory is free for the next ones
            stop = min(start + self._segment, self._body.count)
            self._columns = self._body.again(self._operands, self._marks[start], slice(start, stop))
            self._start = start
        return self._columns[node][rows.start - start : rows.stop - start]


class Column:
    """The values of a node in all passes, of which rows of one segment can be had at a time."""

    def __init__(self, past: _Past, node: Node) -> None:
        self._past = past
        self._node = node

    def __getitem__(self, rows: slice) -> Array:
        return self._past.rows(self._node, rows)
