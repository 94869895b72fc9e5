"""Loops as one node: a body that is computed again and again, each time from what it left.

A `Loop` is an op of its own, made for one loop. Its *body* are nodes of the same graph:

- *carried* nodes have, in the first pass, the value that the first operands of the loop have, and
  in every other the value that their *next* node had in the pass before;
- *rows* have in pass k the k-th part, along the first axis, of the operands that follow;
- *steps* are computed in each pass, from these, from each other and from *outer* nodes, which are
  the same in all passes and the last operands of the loop.

A node of the loop is a result of it: the value of one node of the body in the last pass, or its
values in all passes, with an axis for the passes in front. All results of a loop have the same
operands, and an engine computes at once those that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from gradcli.graph import OPERATORS, Attributes, Graph, Kind, Node, Op, Shape
from gradcli.ops.kinds import Linear
from gradcli.tuples import NamedTuple


class NotRolled(Exception):  # noqa: N818 (no error: a way back)
    """A loop as one node has no rule for what is asked of it: the program is to be traced once
    more, with its loops unrolled.
    """


class Unlike(Exception):  # noqa: N818 (no error: a pass is traced as it is)
    """A pass is not one of many that could be one node."""


CARRIED = Linear(
    "carried",
    infer=lambda x: x.shape,
    forward=lambda xp, x: x,
    adjoints=(lambda change, y, x: change,),
    view=True,
    unique=True,
)
"""What a pass gets from the one before. Its operand is what the first pass gets: read as a node by
itself, it belongs to the first pass.
"""

ROW = Linear(
    "row",
    infer=lambda x: x.shape[1:],
    forward=lambda xp, x: x[0],
    adjoints=(None,),
    view=True,
    moves=True,
    unique=True,
)
"""The part of an operand that a pass takes, counted from the pass that is run first."""


class Carried(NamedTuple):
    """A value that goes from pass to pass."""

    node: Node
    """What stands for it in the body."""
    start: Node
    """What it is in the first pass."""
    next: Node
    """What it is in the pass after."""


class Rows(NamedTuple):
    """A value that each pass takes from an array."""

    node: Node
    """What stands for it in the body."""
    source: Node
    """All of its values, one behind the other along the first axis."""


class Stretch(NamedTuple):
    """Tensors that stand one behind the other along the first axis of another one."""

    rows: Node


class Loop(Op):
    """A body and how often it is run. Results are made by `last` and `every`."""

    def __init__(
        self,
        carried: Sequence[Carried],
        rows: Sequence[Rows],
        steps: Sequence[Node],
        count: int,
        first: int,
        backwards: bool = False,
        before: int = 0,
        is_opaque: bool = False,
    ) -> None:
        """The body's nodes that were made for it have indices from `first` on; `steps` are in
        topological order. A loop that runs `backwards` begins with the last rows, and the values
        of its passes stand in the order of its rows. The program has made `before` passes by
        itself before the first row's. No derivative is taken through a loop that `is_opaque`, as
        its passes change leaves or free graphs.
        """
        super().__init__("loop")
        self.carried = tuple(carried)
        self.rows = tuple(rows)
        self.steps = list(steps)
        self.count = count
        self.first = first
        self.backwards = backwards
        self.before = before
        self.is_opaque = is_opaque
        self.inside = {*steps, *(each.node for each in carried), *(each.node for each in rows)}
        """The nodes of the body."""
        read = [operand for node in steps for operand in node.inputs]
        read += [each.next for each in carried]
        self.outer = tuple(dict.fromkeys(node for node in read if node not in self.inside))
        self.operands = (
            *(each.start for each in carried),
            *(each.source for each in rows),
            *self.outer,
        )
        self.graph: Graph = self.operands[0].graph
        self.index = self.graph.count
        """Its place among the nodes of the graph."""
        self._sources = {each.node: each.source for each in rows}
        self._results: dict[Attributes, Node] = {}
        self._reached: dict[Node, set[Node]] = {}
        """The operands that gradients of nodes can flow back to, as far as that was asked."""

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        node, every = attributes
        return (self.count, *node.shape) if every else node.shape, node.kind

    def differentiable(self, node: Node, operand: int) -> bool:
        """Whether a gradient can flow to an operand in any number of passes."""
        if not super().differentiable(node, operand):
            return False
        result, _ = node.attributes
        if result not in self._reached:
            self._reached[result] = self._sources_of(result, by_gradient=True)
        return self.operands[operand] in self._reached[result]

    def sources(self, node: Node) -> set[Node]:
        """The operands that the value of a result depends on, in any number of passes."""
        result, _ = node.attributes
        return self._sources_of(result, by_gradient=False)

    def _sources_of(self, result: Node, *, by_gradient: bool) -> set[Node]:
        """The operands that are reached from a node of the body."""
        nexts = {each.node: each for each in self.carried}
        seen, found, stack = {result}, set[Node](), [result]
        while stack:
            node = stack.pop()
            operands: list[Node] = []
            if node in nexts:
                found.add(nexts[node].start)
                operands = [nexts[node].next]
            elif node in self._sources:
                found.add(self._sources[node])
            elif self.has(node):
                operands = [
                    each
                    for at, each in enumerate(node.inputs)
                    if not by_gradient or node.op.differentiable(node, at)
                ]
            else:
                found.add(node)
            stack += [each for each in operands if each not in seen]
            seen.update(operands)
        return found

    def has_edge(self, node: Node) -> bool:
        return any(step.op.has_edge(step) for step in self.steps)

    def last(self, node: Node) -> Node:
        """The value of a node in the pass that is run last."""
        return self._result(node, False) if self.has(node) else node

    def every(self, node: Node) -> Node:
        """The values of a node in all passes, along a new first axis."""
        if node in self._sources:
            return self._sources[node]
        if self.has(node):
            return self._result(node, True)
        return OPERATORS["expand"](node, (self.count, *node.shape))

    def carried_on(self, node: Node) -> Node:
        """What is carried on in place of a node; for what is not carried the node itself."""
        return next((each.next for each in self.carried if each.node is node), node)

    def source(self, node: Node) -> Node | None:
        """What the rows are taken from that a node of the body stands for."""
        return self._sources.get(node)

    def has(self, node: Node) -> bool:
        """Whether a node is part of the body, or a further result of a loop in it."""
        if node in self.inside:
            return True
        return isinstance(node.op, Loop) and self.first <= node.op.index < self.index

    def _result(self, node: Node, every: bool) -> Node:
        if node not in self.inside:
            self.inside.add(node)
            self.steps = sorted([*self.steps, node], key=place)
        key = (node, every)
        if key not in self._results:
            self._results[key] = self.graph.apply(self, self.operands, key)
        return self._results[key]


def written_out(node: Node, body: Loop | None = None) -> Node:
    """The node that computes a value where passes are written out: for a result of a loop, and for
    what a body gets from the pass before or from the passes of another loop. Others do so
    themselves.
    """
    seen: set[Node] = set()
    while node not in seen:
        seen.add(node)
        rows = None if body is None else body.source(node)
        result = node if rows is None else rows
        if isinstance(result.op, Loop) and result.attributes[1] is (rows is not None):
            body, node = result.op, result.attributes[0]
        elif body is not None:
            node = body.carried_on(node)
    return node


def operands_of(node: Node) -> Iterable[Node]:
    """What a value is computed from; of a result of a loop only what that one needs."""
    return node.op.sources(node) if isinstance(node.op, Loop) else node.inputs


def behind(
    outputs: Iterable[Node], is_end: Callable[[Node], bool] = lambda node: False
) -> set[Node]:
    """The outputs and what they are computed from, down to nodes that are ends."""
    seen = set(outputs)
    stack = list(seen)
    while stack:
        node = stack.pop()
        if not is_end(node):
            fresh = [each for each in operands_of(node) if each not in seen]
            seen.update(fresh)
            stack += fresh
    return seen


def place(node: Node) -> tuple[int, int]:
    """Where a node stands in the order of the program: a loop's results where the loop does."""
    return (node.op.index if isinstance(node.op, Loop) else node.index), node.index


def results_of(order: Iterable[Node]) -> dict[Loop, list[Node]]:
    """The results of loops among some nodes, by loop."""
    found: dict[Loop, list[Node]] = {}
    for node in order:
        if isinstance(node.op, Loop):
            found.setdefault(node.op, []).append(node)
    return found


def made_since(
    results: Iterable[Node],
    is_inside: Callable[[Node], bool],
    first: int,
    operands_of: Callable[[Node], Iterable[Node]] = attrgetter("inputs"),
) -> list[Node]:
    """The nodes that were made from index `first` on and lead to `results`, operands first, down to
    those that are inside already and to constants.
    """
    seen: set[Node] = set()
    found: list[Node] = []
    pending = list(results)
    while pending:
        node = pending.pop()
        if (
            node not in seen
            and place(node)[0] >= first
            and node.known is None
            and not is_inside(node)
        ):
            seen.add(node)
            found.append(node)
            pending += operands_of(node)
    return sorted(found, key=place)


def built_of(node: Node) -> Iterable[Node]:
    """What a node is built of, whichever way the passes of a loop find their rows in a tensor."""
    if not isinstance(node.op, Loop):
        return node.inputs
    starts = [each.start for each in node.op.carried]
    rows = [each.source for each in node.op.rows if each.node.kind == "float"]  # else places
    return (*starts, *map(_whole, rows), *node.op.outer)


def _whole(rows: Node) -> Node:
    """The tensor that rows are a part of."""
    while rows.op.view and rows.op is not CARRIED:
        rows = rows.inputs[0]
    return rows


def moving(nodes: Iterable[Node], is_inside: Callable[[Node], bool]) -> list[Node]:
    """Those of `nodes`, which are in topological order, that depend on some that are inside."""
    found: dict[Node, None] = {}
    for node in nodes:
        if any(operand in found or is_inside(operand) for operand in node.inputs):
            found[node] = None
    return list(found)
