"""A loop of a graph as a loop of the language.

Backwards, the passes of a loop read what the passes forward have left. Of that the language keeps
the values that are carried from pass to pass, in a list, and computes the others from these again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradcli.graph import CONSTANT, Node
from gradcli.language.construct import NOWHERE, binary, call, listed, name, number, subscript
from gradcli.language.rewrite import places, with_values
from gradcli.language.syntax import Assign, Expression, For, Name, Statement
from gradcli.ops.loops import Loop, Rows, behind, place
from gradcli.simplify import simplify

Use = tuple[Loop, tuple[Node, ...]]
"""A loop and its operands: an op, and those of one of its nodes."""
Unparse = Callable[[Mapping[Node, str], Mapping[str, Node]], list[Statement]]
"""Assignments to the names of nodes, over the names of others."""


class Unwritten(Exception):  # noqa: N818 (no error: the passes are written out)
    """A loop has no words in the language."""


@dataclass(slots=True, eq=False)
class WrittenLoop:
    """A loop and what is written of it."""

    loop: Loop
    inputs: tuple[Node, ...]
    asked: list[Node]
    """The results that something else reads than a loop that computes them again."""
    plain: dict[Node, Node]
    """The nodes of the body, simplified."""
    kept: dict[Node, str] = field(default_factory=dict)
    """Carried values that a later loop reads, and the names of their lists."""
    is_written: bool = False

    def operand(self, node: Node) -> Node:
        """What is given for an operand of the loop as it was made."""
        return self.inputs[self.loop.operands.index(node)]

    def is_read_again(self, row: Rows) -> bool:
        """Whether a row is a value of an earlier loop's pass, which is computed again."""
        source = self.operand(row.source)
        return isinstance(source.op, Loop) and source.attributes == (row.node, True)

    def read(self) -> Iterator[Node]:
        """The operands that have to be written."""
        rows = {row.source: row for row in self.loop.rows}
        for node, given in zip(self.loop.operands, self.inputs, strict=True):
            if node not in rows or not (self.is_read_again(rows[node]) or _counted(given)):
                yield given


class LoopWriter:
    """Writes the loops among the nodes of a program."""

    def __init__(
        self, nodes: Sequence[Node], results: Iterable[Node], fresh: Callable[[str], str]
    ) -> None:
        """`nodes` are in topological order, `results` those among them that are asked for. `fresh`
        gives a new name, like another one.
        """
        self._fresh = fresh
        self.uses: Counter[Node] = Counter()
        """How often each node is read, once by a loop."""
        read = set(results)
        uses: dict[Use, list[Node]] = {}
        for node in nodes:
            if isinstance(node.op, Loop):
                uses.setdefault((node.op, node.inputs), []).append(node)
            else:
                self.uses.update(node.inputs)
        for loop, inputs in uses:
            self.uses.update(dict.fromkeys(WrittenLoop(loop, inputs, [], {}).read(), 1))
        read.update(self.uses)
        self._told: dict[Use, WrittenLoop] = {}
        self._owners: dict[Node, WrittenLoop] = {}
        for (loop, inputs), found in uses.items():
            told = _told(loop, inputs, [node for node in found if node in read])
            self._told[loop, inputs] = told
            if told.asked:
                self._note_what_is_read_again(told)
            rows = [row.node for row in loop.rows if not told.is_read_again(row)]
            for node in (*(each.node for each in loop.carried), *rows):
                self._owners.setdefault(node, told)

    def _note_what_is_read_again(self, told: WrittenLoop) -> None:
        """The values of earlier loops that the passes of this one read."""
        for node, _ in self._foreign(told):
            owner = self._owners[node]
            carried = [each.node for each in owner.loop.carried]
            if node in carried and node not in owner.kept:
                owner.kept[node] = self._fresh("kept")

    def _foreign(self, told: WrittenLoop) -> Iterator[tuple[Node, Node]]:
        """The carried values and rows of earlier loops in a body, and what they have become."""
        own = {each.node for each in told.loop.carried}
        own.update(row.node for row in told.loop.rows if not told.is_read_again(row))
        ends = {told.plain[node]: node for node in (*self._owners, *own) if node in told.plain}
        read = behind((told.plain[node] for node in _outputs(told)), ends.__contains__)
        for node in sorted(read & ends.keys(), key=place):
            if ends[node] not in own:
                yield ends[node], node

    def is_needed(self, node: Node) -> bool:
        """Whether the loop that a node is a result of is to be written now."""
        assert isinstance(node.op, Loop)
        told = self._told[node.op, node.inputs]
        return not told.is_written and bool(told.asked or told.kept)

    def write(
        self, node: Node, written: Mapping[Node, Expression], unparse: Unparse
    ) -> tuple[list[Statement], dict[Node, str]]:
        """The statements of the loop that a node is a result of, and the names of its results."""
        assert isinstance(node.op, Loop)
        told = self._told[node.op, node.inputs]
        told.is_written = True
        loop, start = told.loop, list[Statement]()
        counter = self._fresh("k")
        bound = self._bound(told, written, start)
        rows = {
            row.node: self._row(told, row.source, counter, written, start)
            for row in loop.rows
            if not told.is_read_again(row)
        }
        body: list[Statement] = []
        titles = {each.node: self._fresh("") for each in loop.carried}
        for each in loop.carried:
            begin = written[told.operand(each.start)]
            start.append(_assign(titles[each.node], begin))
            bound[told.plain[each.node]] = titles[each.node]
        for carried, items in told.kept.items():
            start.append(_assign(items, listed([name(titles[carried])])))
        for other, _ in self._foreign(told):
            owner = self._owners[other]
            if other in owner.kept:
                rows[other] = subscript(name(owner.kept[other]), [name(counter)])
            else:
                (source,) = [row.source for row in owner.loop.rows if row.node is other]
                rows[other] = self._row(owner, source, counter, written, start)
        for other, text in rows.items():
            if other in told.plain:
                bound[told.plain[other]] = self._named(text, body)
        results = self._results(told, bound, body, titles, unparse, start)
        body.extend(results[0])
        numbers = (loop.count - 1, -1, -1) if loop.backwards else (loop.count,)
        passes = call("range", *map(number, map(float, numbers)))
        whole = For(name(counter), passes, tuple(body), (), NOWHERE)
        behind = [_assign(items, call("stack", name(items))) for items in told.kept.values()]
        return [*start, whole, *behind, *results[1]], results[2]

    def _results(
        self,
        told: WrittenLoop,
        bound: Mapping[Node, str],
        body: list[Statement],
        titles: Mapping[Node, str],
        unparse: Unparse,
        start: list[Statement],
    ) -> tuple[list[Statement], list[Statement], dict[Node, str]]:
        """The rest of the body, what follows the loop, and the names of results."""
        nexts = {each.next: titles[each.node] for each in told.loop.carried}
        made = {self._fresh(""): told.plain[node] for node in dict.fromkeys(_outputs(told))}
        by_node = dict(zip(dict.fromkeys(_outputs(told)), made, strict=True))
        inside = [*unparse(bound, made)]
        behind: list[Statement] = []
        names: dict[Node, str] = {}
        for result in told.asked:
            node, every = result.attributes
            if every:
                items, names[result] = self._fresh("made"), self._fresh("")
                start.append(_assign(items, listed(())))
                inside.append(_assign(items, call("append", name(items), name(by_node[node]))))
                rows: Expression = call("stack", name(items))
                rows = call("flip", rows, number(0.0)) if told.loop.backwards else rows
                behind.append(_assign(names[result], rows))
            elif node in nexts:
                names[result] = nexts[node]
            else:
                raise Unwritten("the last value of what is not carried on")
        for carried, items in told.kept.items():
            (after,) = [each.next for each in told.loop.carried if each.node is carried]
            inside.append(_assign(items, call("append", name(items), name(by_node[after]))))
        moved = {by_node[each.next]: titles[each.node] for each in told.loop.carried}
        if len(moved) < len(told.loop.carried):
            raise Unwritten("two values that are one")
        return _moved(inside, moved), behind, names

    def _bound(
        self, told: WrittenLoop, written: Mapping[Node, Expression], start: list[Statement]
    ) -> dict[Node, str]:
        """Names for what is the same in all passes."""
        bound: dict[Node, str] = {}
        for node in told.loop.outer:
            given = told.operand(node)
            if given.op is not CONSTANT and node in told.plain:
                bound[told.plain[node]] = self._named(written[given], start)
        return bound

    def _named(self, text: Expression, start: list[Statement]) -> str:
        if isinstance(text, Name):
            return text.id
        title = self._fresh("")
        start.append(_assign(title, text))
        return title

    def _row(
        self,
        told: WrittenLoop,
        source: Node,
        counter: str,
        written: Mapping[Node, Expression],
        start: list[Statement],
    ) -> Expression:
        """What a pass takes from an operand."""
        given = told.operand(source)
        counted = _counted(given)
        if counted is not None:
            first, step = counted
            text: Expression = name(counter)
            text = text if step == 1 else binary("*", text, number(step))
            text = binary("+", text, number(first)) if first else text
            return call("long", text) if given.kind == "int" else text
        return subscript(name(self._named(written[given], start)), [name(counter)])


def _counted(node: Node) -> tuple[float, float] | None:
    """First and step of numbers that follow from that of the pass."""
    known = node.known if node.op is CONSTANT else None
    if known is None or known.ndim != 1:
        return None
    steps = np.diff(known)
    return (float(known[0]), float(steps[0])) if (steps == steps[0]).all() else None


def _moved(body: Sequence[Statement], titles: Mapping[str, str]) -> list[Statement]:
    """A body that ends by moving values to where the next pass finds them: those that nothing reads
    behind their assignment in its old sense are assigned there at once.
    """
    statements = [each for each in body if isinstance(each, Assign)]
    reads = [_names(each.value) for each in statements]
    for made, title in titles.items():
        where = [n for n, each in enumerate(statements) if _target(each) == made]
        if len(where) == 1 and not any(title in each for each in reads[where[0] + 1 :]):
            new = {made: name(title)}
            statements[where[0]] = _assign(title, statements[where[0]].value)
            statements = [
                _assign(_target(each), with_values(each.value, new)) for each in statements
            ]
            reads = [_names(each.value) for each in statements]
        else:
            statements.append(_assign(title, name(made)))
            reads.append({made})
    return [*statements]


def _names(expression: Expression) -> set[str]:
    """The names of values in an expression."""
    found = (each.part for each in places(expression) if each.is_value)
    return {part.id for part in found if isinstance(part, Name)}


def _target(statement: Assign) -> str:
    assert isinstance(statement.target, Name)
    return statement.target.id


def _outputs(told: WrittenLoop) -> list[Node]:
    """What a pass computes: what it carries on, and what is collected."""
    asked = [result.attributes[0] for result in told.asked]
    return [*(each.next for each in told.loop.carried), *asked]


def _told(loop: Loop, inputs: tuple[Node, ...], asked: list[Node]) -> WrittenLoop:
    if any(isinstance(node.op, Loop) for node in loop.steps):
        raise Unwritten("a loop in a loop")
    told = WrittenLoop(loop, inputs, asked, {})
    told.plain = simplify(_outputs(told))
    return told


def _assign(title: str, text: Expression) -> Assign:
    return Assign(name(title), text, NOWHERE)
