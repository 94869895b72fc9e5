"""A run at a level of detail: a call, a loop or a stretch of the program is one step, or opened."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from textwrap import dedent

from gradcli.graph import Node
from gradcli.language.syntax import For, Program, While, bodies
from gradcli.ops.kinds import is_promotion
from gradcli.ops.loops import Loop
from gradcli.ops.shaping import is_item
from gradcli.trace.items import Items
from gradcli.trace.loops import REPEATED
from gradcli.trace.passages import Passage

MOST = 24
"""The most steps of a program that are told one by one; of more, stretches are one step each."""
WITHIN = 8
"""The same for the steps of a stretch that is opened."""
STRETCHES = 5
"""How many stretches a level is divided into, unless that would give too many values to tell."""
ROOM = 12
"""About how many lines of a screen are for what stretches hand on."""
FEW = 4
"""Of what a stretch hands on, so many values are told."""
ALL = "all"
"""What opens every call and loop."""
NUMBERED = "pass "
"""What opens one pass of every loop: `pass 3`."""


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

    @property
    def title(self) -> str:
        """What it is called by those who open it; empty where that is not possible."""
        if self.passage is None:
            return self.stretch
        return "" if self.passage.kind == "write" else self.passage.title


class Levels:
    """Divides nodes into steps.

    `opened` are names of functions, `for`, `while`, one pass such as `pass 3`, stretches such as
    `7-12`, or `all`. `wanted` are nodes that are told of although nothing may use them: outputs.
    """

    def __init__(
        self, passages: Sequence[Passage], opened: Collection[str], wanted: Collection[Node]
    ) -> None:
        self._passages = list(reversed(passages))  # an inner part ends before the outer one
        self._passages.sort(key=lambda each: (each.first, -each.end))
        self._opened = opened
        self._alone = passes_in(opened)
        self._ranges = [*_ranges(opened)]
        self._wanted = set(wanted)

    def items(self, order: Sequence[Node]) -> list[Stage]:
        """The steps that nodes, in topological order, are told in."""
        users = _last_users(order)
        steps = self._folded(order, users)
        return self._with_results(self._stretches(steps, 1, users, MOST), users)

    def parts(self, order: Sequence[Node]) -> list[Stage]:
        """The same, however many they are."""
        users = _last_users(order)
        return self._with_results(self._folded(order, users), users)

    def _with_results(self, items: Iterable[Stage], users: Mapping[Node, int]) -> list[Stage]:
        found = list(items)
        for item in found:
            last = item.nodes[-1:]
            item.results.extend(last if item.single else self._results(item.nodes, users))
        return found

    def _results(self, nodes: Sequence[Node], users: Mapping[Node, int]) -> list[Node]:
        """Those of the nodes of one step that something behind it uses."""
        end = nodes[-1].index
        return [node for node in nodes if node in self._wanted or users.get(node, -1) > end]

    def _folded(self, order: Sequence[Node], users: Mapping[Node, int]) -> list[Stage]:
        """The nodes of each part of the program that is not opened together, others alone."""
        indices = [node.index for node in order]
        found: dict[int, Stage] = {}
        taken = -1  # outer parts come before inner ones, and none overlaps the next
        for passage in self._parts(indices):
            start, stop = (bisect_left(indices, each) for each in (passage.first, passage.end))
            nodes = order[start:stop]
            if start < taken or not nodes or self._is_open(passage, nodes):
                continue
            if self._is_one_step(passage, nodes, users):
                found[start] = Stage(nodes, passage)
                taken = stop
        items: list[Stage] = []
        place = 0
        while place < len(order):
            items.append(found.get(place) or Stage(_element(order, place, users)))
            place += len(items[-1].nodes)
        return items

    def _parts(self, indices: Sequence[int]) -> list[Passage]:
        """The parts of the program, and the passes of open loops that are told together."""
        found = list(self._passages)
        for number, loop in enumerate(self._passages):
            if loop.kind == "loop" and ALL not in self._opened and self._is_open(loop, ()):
                found += self._together(loop, self._passages[number + 1 :], indices)
        return sorted(found, key=lambda each: (each.first, -each.end))

    def _together(
        self, loop: Passage, parts: Sequence[Passage], indices: Sequence[int]
    ) -> Iterator[Passage]:
        """The passes of a loop between those that are opened; `parts` may be some of its own."""
        passes: dict[int, Passage] = {}
        for each in parts:
            if each.first >= loop.end:
                break
            if each.kind == "pass" and each.span == loop.span:
                passes[int(each.title)] = each
        done, begin = 0, loop.first
        for number in sorted(self._told_of(loop, passes, indices)):
            if number > done + 1:
                yield _several(loop, done + 1, number - 1, begin, passes[number].first)
            done, begin = number, passes[number].end
        if done < loop.result:
            yield _several(loop, done + 1, loop.result, begin, loop.end)

    def _told_of(
        self, loop: Passage, passes: Mapping[int, Passage], indices: Sequence[int]
    ) -> Collection[int]:
        """The passes that are opened: those that were asked for; or else all, the first and the
        last one, or the first one, whichever is not too many steps.
        """
        asked = passes.keys() & self._alone
        if asked:
            return asked
        if len(passes) == loop.result and _length(loop, indices) <= MOST:
            return passes.keys()
        ends = passes.keys() & {1, loop.result}
        steps = sum(_length(passes[number], indices) for number in ends)
        return ends if steps <= MOST // 2 else passes.keys() & {1}

    def _is_open(self, passage: Passage, nodes: Sequence[Node]) -> bool:
        if passage.kind == "passes" and any(isinstance(node.op, Loop) for node in nodes):
            return False  # its passes are one node
        if passage.kind in ("write", "grad"):
            return passage.kind == "grad"  # its steps are told; what it is of, with its result
        if passage.kind == "pass" or ALL in self._opened:
            return True
        if passage.kind == "loop" and self._alone:
            return True
        return passage.title in self._opened or passage.kind in self._opened

    def _is_one_step(
        self, passage: Passage, nodes: Sequence[Node], users: Mapping[Node, int]
    ) -> bool:
        """Whether a call can be told by its result, computed from its arguments alone."""
        if passage.kind in ("loop", "passes"):
            return len(nodes) > 1 or isinstance(nodes[0].op, Loop)
        told = [node for node in nodes if not is_promotion(node)]
        function = passage.function
        states = function is not None and function.op is None  # its op may have another name
        states = states or passage.kind == "write"
        drawn = any(node.op.unique and not node.inputs for node in nodes)
        if drawn or len(told) < (1 if states else 2):
            return False  # numbers that are drawn are no function, and one op tells itself
        return set(self._results(nodes, users)) <= set(nodes_of(passage.result))

    def _stretches(
        self, items: list[Stage], number: int, users: Mapping[Node, int], most: int
    ) -> Iterator[Stage]:
        """More steps than `most` as a few stretches of them; `number` is that of the first step."""
        if len(items) <= most or ALL in self._opened:
            yield from items
            return
        for start, stop in pairwise(_cuts(items, users, self._wanted)):
            part = items[start:stop]
            first, last = number + start, number + stop - 1
            if self._opens(first, last):
                yield from self._stretches(part, first, users, WITHIN)
            else:
                nodes = [node for item in part for node in item.nodes]
                yield Stage(nodes, stretch=f"{first}-{last}")

    def _opens(self, first: int, last: int) -> bool:
        """Whether a stretch has steps that were asked for, which are no more than it has."""
        return any(
            first <= high and low <= last and high - low <= last - first
            for low, high in self._ranges
        )


def _cuts(items: Sequence[Stage], users: Mapping[Node, int], wanted: Collection[Node]) -> list[int]:
    """Where stretches of about one length begin, and the end: each where few values are used
    further on, as these are told, with those that are wanted. Where that are several, stretches
    are fewer, and longer.
    """
    starts = [item.nodes[0].index for item in items]
    ends = [_end(item, starts, users) for item in items]
    changes = [0] * (len(items) + 1)
    for place, end in enumerate(ends):
        if end > place + 1:
            changes[place + 1] += 1
            changes[end] -= 1
    crossing = list(accumulate(changes))
    told = [any(node in wanted for node in item.nodes) for item in items]
    for count in range(STRETCHES, 1, -1):
        cuts = _evenly(crossing, len(items), count)
        handed = [
            min(FEW, sum(told[k] or ends[k] > stop for k in range(start, stop)))
            for start, stop in pairwise(cuts)
        ]
        if sum(2 + each for each in handed[1:-1]) <= ROOM - 3:
            break
    return cuts


def _end(item: Stage, starts: Sequence[int], users: Mapping[Node, int]) -> int:
    """The first item that begins behind the last use of a step."""
    return max(bisect_right(starts, users.get(node, -1)) for node in item.nodes)


def _evenly(crossing: Sequence[int], length: int, count: int) -> list[int]:
    """So many stretches of about one length, each from where few values cross."""
    each = -(-length // count)
    around = each // 4
    inner = (
        min(
            range(middle - around, middle + max(around, 1)),
            key=lambda k: (crossing[k], abs(k - middle)),
        )
        for middle in range(each, length - around, each)
    )
    return [0, *inner, length]


def passes_in(opened: Collection[str]) -> frozenset[int]:
    """The passes that are opened by their number, as `pass 3`."""
    numbers = (each.removeprefix(NUMBERED) for each in opened if each.startswith(NUMBERED))
    return frozenset(int(each) for each in numbers if each.isdecimal())


def _ranges(opened: Collection[str]) -> Iterator[tuple[int, int]]:
    """The first and the last of the steps that are opened by their numbers, as `7-12`."""
    for each in opened:
        first, dash, last = each.partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            yield int(first), int(last)


def _length(part: Passage, indices: Sequence[int]) -> int:
    """How many of the nodes with these indices a part of the program has made."""
    return bisect_left(indices, part.end) - bisect_left(indices, part.first)


def body_of(passage: Passage, program: Program) -> list[str]:
    """The lines of a loop's body, as the program has them."""
    if passage.title == REPEATED and passage.span is not None:
        return program.source.text[slice(*passage.span)].splitlines()
    inside = [*program.statements]
    for statement in inside:
        inside += [each for body in bodies(statement) for each in body]
        if isinstance(statement, For | While) and statement.span == passage.span:
            first, last = statement.body[0], statement.body[-1]
            text = program.source.text[: last.span[1]]
            line = text.rfind("\n", 0, first.span[0]) + 1
            begin = first.span[0] if text[line : first.span[0]].strip() else line
            return [each.rstrip() for each in dedent(text[begin:]).splitlines()]
    return []


def _several(loop: Passage, first: int, last: int, begin: int, end: int) -> Passage:
    """Passes of a loop as one part of it; `begin` and `end` are indices of nodes."""
    title = f"{first}-{last}" if last > first else str(first)
    return Passage("passes", title, loop.span, begin, end, result=last - first + 1)


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
