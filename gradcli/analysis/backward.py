"""One backward pass, told step by step: the grad of each value as the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from gradcli.analysis.levels import Stage
from gradcli.differentiate import contributions, walk_back
from gradcli.graph import OPERATORS, Array, Node, Shape
from gradcli.ops.loops import Loop, place
from gradcli.ops.shaping import SUM_TO

LONGEST = 64
"""Rules of more operands are not compared."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a node's grad that comes from one of its uses."""

    through: Stage | None
    """The step that uses it; None for the given gradient of an output."""
    rule: Node
    """The local rule over the nodes and the symbols that stand for grads."""
    value: Array
    summed_from: Shape | None
    """The shape of the contribution before it was summed over what had been broadcast."""
    total: Array
    """The sum of this part and all before it."""
    uses: int = 1
    """How often the step uses the value, each time with the same effect."""


@dataclass(frozen=True, slots=True)
class Grad:
    """The grad of a node, and its parts."""

    node: Node
    parts: list[Part]
    title: str
    """What the parts of other grads call `value`: `x.grad`, and where that also counts what it
    held and goes on to other values, `x_new`."""
    held: Array | None = None
    """What an earlier pass left in `.grad`, which this one adds to."""

    @property
    def value(self) -> Array:
        """What this pass finds."""
        return self.parts[-1].total

    @property
    def total(self) -> Array:
        """What `.grad` holds afterwards."""
        return np.asarray(self.value if self.held is None else self.held + self.value)


@dataclass(frozen=True, slots=True)
class ToldPass:
    """One backward pass."""

    grads: list[Grad]
    outputs: dict[str, Node]
    given: dict[str, Node]
    """The outputs for which a gradient was given."""
    leaves: list[Node]
    symbols: dict[Node, str]
    """The nodes that stand for grads, and their names: `x.grad`."""
    line: int | None = None
    """Where the program itself calls it."""
    number: int | None = None
    """Which of several it is, from 1."""
    left: Mapping[Node, Array] = field(default_factory=dict)
    """What `.grad` holds after a pass of the program's own: its hooks may have changed that."""

    @property
    def title(self) -> str:
        """`backward 2 in line 4`."""
        number = "" if self.number is None else f" {self.number}"
        return f"backward{number}" + ("" if self.line is None else f" in line {self.line}")


class PassWalk:
    """The walk of one backward pass over the steps."""

    def __init__(
        self,
        parts: dict[Node, list[Part]],
        linked: Container[Node],
        held: Mapping[Node, Array],
        names: Mapping[Node, str],
        value: Callable[[Node], Array],
        feeds: dict[Node, Array],
    ) -> None:
        """`parts` are the gradients of the outputs, `linked` the nodes that lead to leaves, and
        `held` what earlier passes left; values of grads are added to the `feeds` of `value`.
        """
        self._parts = parts
        self._linked = linked
        self._held = held
        self._names = names
        self._value = value
        self._feeds = feeds
        self._selected: set[Node] = set()
        self.grads: list[Grad] = []
        self.symbols: dict[Node, str] = {}

    def through(self, item: Stage) -> None:
        """The grads of a step's results, and what they add to those of its operands."""
        if len(item.nodes) == 1 and not isinstance(item.nodes[0].op, Loop):
            (node,) = item.nodes
            symbols = self._reached([node])
            if node in symbols and node in self._linked:
                for operand, rule, uses in self._rules(node, symbols[node]):
                    self._add(item, operand, rule, uses)
        else:
            for operand, rule in self._through_several(item).items():
                self._add(item, operand, rule)

    def _rules(self, node: Node, change: Node) -> Iterator[tuple[Node, Node, int]]:
        """What an op adds to the cotangents of its operands, and by how many uses.

        One that uses an operand twice adds twice; where both add the same, as in `y * y`, that is
        told as one rule over twice the change, in which all rules are linear.
        """
        found = [*contributions(node, change, self._linked, self._selected)]
        for number, (position, rule) in enumerate(found):
            operand = node.inputs[position]
            same = [at for at, each in found if node.inputs[at] is operand and _alike(each, rule)]
            if len(same) == 1:
                yield operand, rule, 1
            elif number == [at for at, _ in found].index(same[0]):
                times = float(len(same)) * change
                again = contributions(node, times, self._linked, set(self._selected))
                yield operand, dict(again)[position], len(same)

    def _through_several(self, item: Stage) -> dict[Node, Node]:
        """What a step of several nodes adds to the cotangents of its operands.

        A result may be used within the step as well: then that is a part of its grad.
        """
        results = set(item.results)
        changes: dict[Node, Node] = {}
        behind: list[Node] = []
        nodes = sorted(item.nodes, key=place)
        for _, group in groupby(reversed(nodes), key=lambda node: place(node)[0]):
            together = [*group]  # the results of a loop are reached at once
            ends = [node for node in together if node in results]
            if ends:
                self._walk(behind, changes)
                behind = []
                for node in ends:
                    if node in changes:
                        self._add(item, node, changes.pop(node))
                changes |= self._reached(ends)
            behind += together
        self._walk(behind, changes)
        inside = set(nodes)
        return {node: change for node, change in changes.items() if node not in inside}

    def _walk(self, nodes: Sequence[Node], changes: dict[Node, Node]) -> None:
        """Take cotangents from nodes, the last one first, to their operands."""
        walk_back(nodes[::-1], changes, self._linked, self._selected, contributions)
        for node in nodes:
            changes.pop(node, None)

    def _reached(self, nodes: Iterable[Node]) -> dict[Node, Node]:
        """The nodes that stand for the grads of those of some nodes that have one."""
        return {node: self._symbol(node) for node in nodes if node in self._parts}

    def _add(self, item: Stage, operand: Node, change: Node, uses: int = 1) -> None:
        rule = _whole(change, operand)
        value = np.asarray(self._value(rule))
        shape = rule.inputs[0].shape if rule.op is SUM_TO else None
        add_part(self._parts, operand, Part(item, rule, value, shape, value, uses))

    def _symbol(self, node: Node) -> Node:
        """The node that stands for the grad of a node, which is complete now."""
        held = self._held.get(node)
        goes_on = any(each in self._linked for each in node.inputs)
        new = held is not None and goes_on
        title = self._free(f"{self._names[node]}_new") if new else f"{self._names[node]}.grad"
        self.grads.append(Grad(node, self._parts[node], title, held))
        symbol = node.graph.input(title, node.shape, "float")
        self._feeds[symbol] = self.grads[-1].value
        self.symbols[symbol] = title
        return symbol

    def _free(self, title: str) -> str:
        taken = {*self._names.values(), *self.symbols.values()}
        while title in taken:
            title += "_"
        return title


def _alike(first: Node, second: Node) -> bool:
    """Whether two rules compute the same in the same way."""
    stack = [(first, second)]
    for a, b in stack:
        if a is b:
            continue
        if a.op is not b.op or a.attributes != b.attributes or a.op.unique or not a.inputs:
            return False
        if len(a.inputs) != len(b.inputs) or len(stack) > LONGEST:
            return False
        stack += zip(a.inputs, b.inputs, strict=True)
    return True


def _whole(rule: Node, operand: Node) -> Node:
    """A cotangent in the operand's shape: one number may stand for all elements."""
    fits = rule.shape == operand.shape
    return rule if fits else OPERATORS["expand"](rule, operand.shape)


def add_part(parts: dict[Node, list[Part]], node: Node, part: Part) -> None:
    """One more part of the grad of a node."""
    before = parts.setdefault(node, [])
    with np.errstate(all="ignore"):  # inf - inf is the nan that reverse mode has
        before.append(replace(part, total=before[-1].total + part.value) if before else part)
