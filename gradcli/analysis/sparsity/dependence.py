"""Which elements of leaves each element of a node may change with: read off the graph.

A pattern has every place where a derivative is different from 0. It has more where that cannot be
known without the values: an op is taken to mix all elements, except along axes on which it says
that it can be split. Linear ops that only place elements, or only add them up by places, are asked
where they put which: they are run on the numbers of the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gradcli.analysis.sparsity.drawn import drawn
from gradcli.analysis.sparsity.pattern import Pattern, Room, empty, identity, stacked, united
from gradcli.differentiate.product import multiply
from gradcli.graph import Array, Node, Shape
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import JointlyLinear, Linear
from gradcli.ops.splits import ways
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors, dependents

Values = Callable[[Sequence[Node], Mapping[Node, Array]], Sequence[Array]]
"""The values of nodes at the point, with what is fed to some."""


class _Link(NamedTuple):
    """How a node's elements depend on those of an operand: elements of both are in groups, and
    those of one group may depend on each other.
    """

    groups: Array | None
    """The group of each of the operand's elements, -1 for none; without it each is one."""
    total: int
    """How many groups there are."""
    picked: Array | None
    """The group of each of the node's elements, -1 for none; without it each is one."""

    def through(self, pattern: Pattern, room: Room) -> Pattern:
        """The node's pattern, from that of the operand."""
        if self.groups is not None:
            pattern = pattern.grouped(self.groups, self.total, room)
        return pattern if self.picked is None else pattern.picked(self.picked, room)


_ALIKE = _Link(None, 0, None)


def dependence(
    outputs: Sequence[Node], leaves: Sequence[Node], values: Values, room: Room
) -> Pattern:
    """The pattern of the derivatives of all outputs by all leaves.

    Raises `TooManyEntriesError` where a pattern on the way has more entries than there is room for.
    """
    width = sum(leaf.size for leaf in leaves)
    order = ancestors(outputs)
    linked = dependents(order, leaves)
    found: dict[Node, Pattern] = {}
    first = 0
    for leaf in leaves:
        found[leaf] = identity(leaf.size, first, width)
        first += leaf.size
    links = _Links(order, linked, values)
    for node in order:
        if node not in linked:
            continue
        parts = [found[node]] if node in found else []
        for position, operand in enumerate(node.inputs):
            if operand in found and _flows(node, position):
                parts.append(links.of(node, position).through(found[operand], room))
        if parts:
            found[node] = united(parts, room)
    return stacked([found.get(node) or empty(node.size, width) for node in outputs], width)


def _flows(node: Node, position: int) -> bool:
    """Whether the derivative by an operand is not 0 everywhere."""
    op = node.op
    if not op.differentiable(node, position):
        return False
    return not isinstance(op, Elementwise) or (op.chain or op.partials)[position] is not None


class _Links:
    """How nodes depend on their operands."""

    def __init__(self, order: Sequence[Node], linked: set[Node], values: Values) -> None:
        self._values = values
        places = [
            operand
            for node in order
            if node in linked and isinstance(node.op, Linear)
            for operand in node.inputs
            if operand.kind != "float"
        ]
        distinct = list(dict.fromkeys(places))
        self._places = dict(zip(distinct, values(distinct, {}), strict=True)) if distinct else {}
        """The values of what says where elements are put."""

    def of(self, node: Node, position: int) -> _Link:
        """How a node depends on one operand."""
        if isinstance(node.op, Elementwise):
            return _repeated(node.inputs[position].shape, node.shape)
        if self._places_elements(node, position):
            return (
                self._gathered(node, position)
                or self._added(node, position)
                or _by_axes(node, position)
            )
        return _by_axes(node, position)

    def _places_elements(self, node: Node, position: int) -> bool:
        """Whether an op may be asked where it puts elements: nothing else goes into it."""
        if isinstance(node.op, JointlyLinear):
            return True
        others = (*node.inputs[:position], *node.inputs[position + 1 :])
        return isinstance(node.op, Linear) and all(each in self._places for each in others)

    def _gathered(self, node: Node, position: int) -> _Link | None:
        """Where each element of the result is one of the operand's, or 0."""

        def put(array: Array) -> Array:
            operands = (
                array if at == position else self._places.get(each, np.zeros(each.shape))
                for at, each in enumerate(node.inputs)
            )
            return node.op.forward(np, *operands, *node.attributes)

        picked = _numbers(put, node.inputs[position].shape)
        return None if picked is None else _Link(None, 0, picked)

    def _added(self, node: Node, position: int) -> _Link | None:
        """Where each element of the operand is added to one of the result's, or to none."""
        seed = node.graph.input("seed", node.shape, "float")
        back = node.op.vjp(node, position, seed, multiply)
        if back is None or back.shape != node.inputs[position].shape:
            return None

        def pull(array: Array) -> Array:
            return self._values([back], {seed: array})[0]

        groups = _numbers(pull, node.shape)
        return None if groups is None else _Link(groups, node.size, None)


def _numbers(put: Callable[[Array], Array], shape: Shape) -> Array | None:
    """The number of the element that `put`, which is linear, takes to each place, -1 for none;
    None where what it puts there is not an element.
    """
    size = int(np.prod(shape, dtype=np.int64))
    with np.errstate(all="ignore"):
        found = np.ravel(put(np.arange(1.0, size + 1).reshape(shape)))
        if not ((found >= 0) & (found <= size) & (found == np.floor(found))).all():
            return None
        numbers = found.astype(np.int64)
        # A sum of numbers may be a number, too; that of other values is then another. Those drawn
        # here are exact in float32.
        others = (drawn(size + 1) >> np.uint64(41) | np.uint64(1)).astype(np.float64)
        others[0] = 0.0
        if not np.array_equal(np.ravel(put(others[1:].reshape(shape))), others[numbers]):
            return None
    return numbers - 1


def _repeated(shape: Shape, whole: Shape) -> _Link:
    """Each element by one of the operand's, which is repeated along some axes."""
    if shape == whole:
        return _ALIKE
    numbers = np.arange(np.prod(shape, dtype=np.int64)).reshape(shape)
    return _Link(None, 0, np.broadcast_to(numbers, whole).reshape(-1))


def _by_axes(node: Node, position: int) -> _Link:
    """All elements by all, except along axes on which the work can be split."""
    operand = node.inputs[position]
    pairs: dict[int, int] = {}
    for split in ways(node):
        axis, other = split.axis, split.operands[position]
        if (
            axis is not None
            and other is not None
            and axis not in pairs
            and other not in pairs.values()
            and node.shape[axis] == operand.shape[other]
        ):
            pairs[axis] = other
    count = int(np.prod([node.shape[axis] for axis in pairs], dtype=np.int64))
    return _Link(
        _along(operand.shape, list(pairs.values())), count, _along(node.shape, list(pairs))
    )


def _along(shape: Shape, axes: Sequence[int]) -> Array:
    """For each element its place along these axes together."""
    numbers = np.zeros((1,) * len(shape), np.int64)
    for axis in axes:
        places = np.arange(shape[axis]).reshape((-1,) + (1,) * (-axis - 1))
        numbers = numbers * shape[axis] + places
    return np.broadcast_to(numbers, shape).reshape(-1)
