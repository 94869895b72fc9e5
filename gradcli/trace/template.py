"""Bodies of loops that are one node, and whether they give the bits of their passes written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.evaluator import Evaluator
from gradcli.engine.loops import Body, are_small
from gradcli.graph import Array, Graph, Node
from gradcli.ops.kinds import CAST
from gradcli.ops.loops import CARRIED, ROW, Carried, Loop, NotRolled, Rows, made_since, moving
from gradcli.trace.rolling import LAST, LEAST, Unlike
from gradcli.trace.values import Value

NUMBER = "number"
"""What stands for any number where nodes are compared."""


class AnyPass:
    """A pass that is traced over what stands for values of any pass."""

    def __init__(self, graph: Graph, evaluator: Evaluator, names: Mapping[str, Node]) -> None:
        self._graph, self._evaluator = graph, evaluator
        self._mark = graph.mark()
        self._looked = len(evaluator.looked)
        self.first = graph.count
        self._carried = {node: graph.apply(CARRIED, (node,)) for node in names.values()}
        self.names = {name: self._carried[node] for name, node in names.items()}
        """What the names stand for."""
        self._counts: list[tuple[Node, Array]] = []
        self._nexts: dict[str, Node] = {}
        self._guards: list[Node] = []

    def counter(self, items: range) -> Node:
        """What stands for a number that each pass has of its own."""
        numbers = np.arange(len(items), dtype=float) * items.step + items.start
        node = self._graph.apply(ROW, (self._graph.constant(numbers),))
        self._counts.append((node, numbers))
        return node

    def drop(self) -> None:
        """Undo what the pass has left in the graph."""
        self._graph.forget(self._mark)
        del self._evaluator.looked[self._looked :]

    def close(self, values: Mapping[str, Value], made: Sequence[Node]) -> None:
        """The pass has ended with these values. Raises `Unlike` if it is not one of many.

        `made` are the nodes that the pass before has made.
        """
        for name, value in values.items():
            if name in self.names:
                if not isinstance(value, Node):
                    raise Unlike(f"{name} is not a tensor")
                self._nexts[name] = value
        looked = self._evaluator.looked[self._looked :]
        self._guards = list(dict.fromkeys(node for node in looked if node.index >= self.first))
        if [*map(_likeness, self._steps(self._nexts.values()))] != [*map(_likeness, made)]:
            raise Unlike("its passes do not build the same graph")
        self._check_names()
        self._check_steps(self._steps([*self._nexts.values(), *self._guards]))

    def _check_names(self) -> None:
        """Names of one value must be so in all passes: then their cotangents are one sum."""
        for name, node in self.names.items():
            for other, same in self.names.items():
                if node is same and self._nexts[name] is not self._nexts[other]:
                    raise Unlike("its passes do not build the same graph")

    def _check_steps(self, steps: Sequence[Node]) -> None:
        counts = [node for node, _ in self._counts]
        inside = self._inside()
        if not set(counts).isdisjoint(self._guards):
            raise Unlike("it looks at the number of the pass")
        if self._graph.shares and len(moving(steps, inside.__contains__)) < len(steps):
            raise Unlike("its passes do not build the same graph")
        if not {*steps, *inside}.issuperset(self._nexts.values()):
            raise Unlike("its passes do not build the same graph")
        if any(node.op.refuses for node in steps):
            raise Unlike("a function in it may refuse its operands")
        if not all(_is_free_of(node, counts) for node in steps):
            raise Unlike("it does more than arithmetic with the number of the pass")

    @property
    def ends(self) -> bool:
        """Whether the loop may end: its passes are counted, or look at something."""
        return bool(self._guards or self._counts)

    def _inside(self) -> list[Node]:
        return [*self._carried.values(), *(node for node, _ in self._counts)]

    def _steps(self, results: Iterable[Node]) -> list[Node]:
        return made_since(results, self._inside().__contains__, self.first)

    def _loop(self, count: int) -> Loop:
        """The loop with so many passes."""
        steps = self._steps([*self._nexts.values(), *self._guards])
        nexts = {self.names[name]: node for name, node in self._nexts.items()}
        used = {operand for node in steps for operand in node.inputs} | set(nexts.values())
        used.update(self._guards)
        carried = [
            Carried(node, start, nexts[node])
            for start, node in self._carried.items()
            if node in used
        ]
        rows = [
            Rows(node, self._graph.constant(numbers[:count]))
            for node, numbers in self._counts
            if node in used
        ]
        return Loop(carried, rows, steps, count, self.first)

    def rolled(self, most: int) -> tuple[Loop, dict[str, Node]]:
        """The loop, of `most` passes at most, and what names are bound to after it.

        Raises `Unlike` where these are too few.
        """
        loop, count = self._loop(most), most
        if not are_small(loop):
            raise Unlike("its arrays are large")
        operands: list[Array] = []
        if self._guards:
            expected = [self._evaluator.computed(node) for node in self._guards]
            operands = [self._evaluator.computed(node) for node in loop.operands]
            held = Body(loop, [(node, True) for node in self._guards]).holds(operands, expected)
            count = held if held == most else held - LAST
        if count < LEAST:
            raise Unlike("what it looks at changes after a few passes")
        if count != most:
            loop = self._loop(count)
        results = {name: loop.last(node) for name, node in self._nexts.items()}
        if self._guards:
            nodes = list(dict.fromkeys(each for each in results.values() if each.op is loop))
            operands = [self._evaluator.computed(node) for node in loop.operands]
            found = Body(loop, [node.attributes for node in nodes]).run(operands)
            self._evaluator.give(dict(zip(nodes, found, strict=True)))
        looked = self._evaluator.looked
        looked[self._looked :] = [
            node for node in looked[self._looked :] if node.index < self.first
        ] + [loop.every(node) for node in self._guards]
        return loop, results


def check_sharing(loops: Sequence[Loop], made_in: Mapping[Loop, range]) -> None:
    """Raise `NotRolled` where, with its passes written out, a loop would share nodes with the rest
    of the program: then sums of cotangents would be other ones.

    A pass can share only if the first one does, or where it depends on its number alone.
    `made_in` has the indices of the nodes that the passes have made which are traced one by one.
    """
    by_number: dict[Any, tuple[Node, Loop]] = {}
    for loop in loops:
        graph = loop.graph
        counts = {each.node: float(np.asarray(each.source.known)[0]) for each in loop.rows}
        first = {each.node: each.start for each in loop.carried}
        first |= {node: graph.constant(number) for node, number in counts.items()}
        numbers: dict[Node, Any] = dict.fromkeys(counts, NUMBER)
        for node in loop.steps:
            operands = tuple([first.get(each, each) for each in node.inputs])
            if operands != node.inputs and graph.found(node.op, operands, node.attributes):
                raise NotRolled("a loop computes what the program computes elsewhere")
            key = _key(node, numbers)
            if key is None or numbers.keys().isdisjoint(node.inputs):
                continue
            if loop.inside.isdisjoint([each for each in node.inputs if each not in numbers]):
                if all(each in numbers or each.known is not None for each in node.inputs):
                    numbers[node] = key
                elif by_number.setdefault(key, (node, loop))[0] is not node:
                    raise NotRolled("two loops compute the same")
    if by_number:
        _check_numbers(loops[0].graph, by_number, made_in)


def _check_numbers(
    graph: Graph, by_number: Mapping[Any, tuple[Node, Loop]], made_in: Mapping[Loop, range]
) -> None:
    """Raise `NotRolled` where a node of the program may be what a pass computes of its number."""
    numbers: dict[Node, Any] = {}
    for node in graph.shared():
        key = _key(node, numbers)
        if all(each in numbers or each.known is not None for each in node.inputs):
            numbers[node] = key
        elif key in by_number:
            _, loop = by_number[key]
            if node not in loop.inside and node.index not in made_in[loop]:
                raise NotRolled("a loop computes what the program computes elsewhere")


def _key(node: Node, numbers: Mapping[Node, Any]) -> Any:
    """What nodes have in common that differ in numbers alone."""
    operands = [
        numbers.get(each, NUMBER if each.known is not None and not each.shape else each)
        for each in node.inputs
    ]
    return (node.op, tuple(operands), node.attributes)


def _likeness(node: Node) -> tuple[Any, ...]:
    """What nodes of two passes have in common."""
    op: Any = ("loop", node.op.count) if isinstance(node.op, Loop) else node.op
    return op, node.shape, node.kind


def _is_free_of(node: Node, counts: Sequence[Node]) -> bool:
    """Whether a step is the same whether or not the number of the pass is known to it."""
    if not any(each in counts for each in node.inputs):
        return True
    if node.op is CAST or any(each.kind != "float" for each in node.inputs):
        return False
    return node.op.by_number is None or node.inputs[1] not in counts
