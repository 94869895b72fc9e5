"""A run at a level of detail: a call, a loop or a stretch of the program is one step, or opened."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradcli.graph import Node
from gradcli.ops.kinds import is_promotion
from gradcli.ops.shaping import is_item
from gradcli.trace.items import Items
from gradcli.trace.passages import Passage

MOST = 24
"""The most steps of a level. Where there are more, stretches of them are one step each."""
STRETCHES = 5
"""How many stretches a level is divided into."""
ALL = "all"
"""What opens every call and loop."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One step of a level: a single node, or the nodes of a part of the program."""

    nodes: Sequence[Node]
    """In order."""
    passage: Passage | None = None
    """The call or loop that they belong to."""
    stretch: str = ""
    """Of several steps that are told as one: which of the level they are, `7-12`."""
    results: list[Node] = field(default_factory=list)
    """The nodes that something outside uses."""

    @property
    def single(self) -> bool:
        """Whether it is one op, or one element of a tensor."""
        return self.passage is None and not self.stretch


class Levels:
    """Divides nodes into steps.

    `opened` are names of functions, `for`, `while`, stretches such as `7-12`, or `all`. `wanted`
    are nodes that are told of although nothing may use them: outputs.
    """

    def __init__(
        self, passages: Sequence[Passage], opened: Collection[str], wanted: Collection[Node]
    ) -> None:
        self._passages = list(reversed(passages))  # an inner part ends before the outer one
        self._passages.sort(key=lambda each: (each.first, -each.end))
        self._opened = opened
        self._wanted = set(wanted)

    def items(self, order: Sequence[Node]) -> list[Stage]:
        """The steps that nodes, in topological order, are told in."""
        users = _last_users(order)
        items = list(self._stretches(self._folded(order, users), 1))
        for item in items:
            last = item.nodes[-1:]
            item.results.extend(last if item.single else self._results(item.nodes, users))
        return items

    def _results(self, nodes: Sequence[Node], users: Mapping[Node, int]) -> list[Node]:
        """Those of the nodes of one step that something behind it uses."""
        end = nodes[-1].index
        return [node for node in nodes if node in self._wanted or users.get(node, -1) > end]

    def _folded(self, order: Sequence[Node], users: Mapping[Node, int]) -> list[Stage]:
        """The nodes of each part of the program that is not opened together, others alone."""
        indices = [node.index for node in order]
        found: dict[int, Stage] = {}
        taken = -1  # outer parts come before inner ones, and none overlaps the next
        for passage in self._passages:
            start, stop = (bisect_left(indices, each) for each in (passage.first, passage.end))
            if start < taken or stop - start < 1 or self._is_open(passage):
                continue
            nodes = order[start:stop]
            if self._is_one_step(passage, nodes, users):
                found[start] = Stage(nodes, passage)
                taken = stop
        items: list[Stage] = []
        place = 0
        while place < len(order):
            items.append(found.get(place) or Stage(_element(order, place, users)))
            place += len(items[-1].nodes)
        return items

    def _is_open(self, passage: Passage) -> bool:
        if passage.kind == "pass" or ALL in self._opened:
            return True
        return passage.title in self._opened or passage.kind in self._opened

    def _is_one_step(
        self, passage: Passage, nodes: Sequence[Node], users: Mapping[Node, int]
    ) -> bool:
        """Whether a call can be told by its result, computed from its arguments alone."""
        if passage.kind == "loop":
            return len(nodes) > 1
        told = [node for node in nodes if not is_promotion(node)]
        function = passage.function
        states = function is not None and function.op is None and bool(function.gradients)
        drawn = any(node.op.unique and not node.inputs for node in nodes)
        if drawn or len(told) < (1 if states else 2):
            return False  # numbers that are drawn are no function, and one op tells itself
        return set(self._results(nodes, users)) <= set(nodes_of(passage.result))

    def _stretches(self, items: list[Stage], number: int) -> Iterator[Stage]:
        """Many steps as a few stretches of them; `number` is that of the first step."""
        if len(items) <= MOST or ALL in self._opened:
            yield from items
            return
        each = -(-len(items) // STRETCHES)
        for start in range(0, len(items), each):
            part = items[start : start + each]
            title = f"{number + start}-{number + start + len(part) - 1}"
            if title in self._opened:
                yield from self._stretches(part, number + start)
            else:
                yield Stage([node for item in part for node in item.nodes], stretch=title)


def nodes_of(value: object) -> list[Node]:
    """The tensors in what a call gave: one, or those of a tuple or list."""
    if isinstance(value, Node):
        return [value]
    if isinstance(value, tuple | Items):
        return [each for each in value if isinstance(each, Node)]
    return []


def _element(order: Sequence[Node], place: int, users: Mapping[Node, int]) -> Sequence[Node]:
    """The node there; for `x[0]` two nodes, a part of x and its only element."""
    both = order[place : place + 2]
    item = both[-1]
    is_one = len(both) == 2 and is_item(item) and item.inputs == (both[0],)
    return both if is_one and users[both[0]] == item.index else both[:1]


def _last_users(order: Sequence[Node]) -> dict[Node, int]:
    """For each node the index of the last node that uses it."""
    users: dict[Node, int] = {}
    for node in order:
        for operand in node.inputs:
            users[operand] = node.index
    return users
