"""Elements of tensors that the passes of a loop take by their number: `x[k]`, `x[:, k - 1]`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.graph import Array, Graph, Node
from gradcli.ops.axes import flip, movedim
from gradcli.ops.control import LEAF
from gradcli.ops.creation import draw_of
from gradcli.ops.indexing import Item, getitem
from gradcli.ops.loops import CARRIED, ROW, Rows, Unlike, built_of, made_since, place
from gradcli.ops.shaping import SLICE
from gradcli.ops.writing import taken
from gradcli.trace.pass_numbers import PassNumbers


class Taking(NamedTuple):
    """What each pass takes from a tensor."""

    node: Node
    """What stands for it in the body."""
    source: Node
    places: Sequence[Item]
    at: int
    """Which of these places is another one in each pass."""
    numbers: Array
    """That place in each pass."""

    @property
    def sliced(self) -> Node:
        """The slice in what the first pass takes."""
        node = self.node.inputs[0]
        return node if node.op is SLICE else node.inputs[0]

    @property
    def family(self) -> tuple[Any, ...]:
        """What the slices of all passes have in common."""
        return family(self.sliced, self.axis)

    @property
    def axis(self) -> int:
        """The axis of the tensor that passes take different elements of."""
        return sum(each is not None for each in self.places[: self.at])

    def places_of(self, count: int) -> range:
        """The elements along that axis that the first passes take."""
        length = self.source.shape[self.axis]
        first, second = (int(each) % length for each in self.numbers[:2])
        return range(first, first + count * (second - first), second - first)

    def rows(self, count: int) -> Node:
        """What the first passes take, one behind the other."""
        taken = self.places_of(count)
        ascending = taken if taken.step > 0 else taken[::-1]
        places = list(self.places)
        places[self.at] = slice(ascending.start, ascending[-1] + 1, ascending.step)
        found = getitem(self.source, places)
        axis = sum(not isinstance(each, int) for each in places[: self.at])
        found = found if taken.step > 0 else flip(found, (axis,))
        return movedim(found, (axis,), (0,)) if axis else found


def family(sliced: Node, axis: int) -> tuple[Any, ...]:
    """What slices have in common that differ in where they begin along an axis."""
    slices = list(sliced.attributes[0])
    slices[axis] = slices[axis][1:]
    return "row", sliced.inputs[0], tuple(slices)


class Takings:
    """All that one pass takes by its number."""

    def __init__(
        self, graph: Graph, first: int, apart: set[Node], depth: int, outer: Takings | None
    ) -> None:
        """The nodes of the pass have indices from `first` on. What is taken from tensors that are
        `apart` is read pass by pass. `depth` is how deep the loop is nested, `outer` what a pass of
        the loop around it takes.
        """
        self._graph, self._first, self._apart = graph, first, apart
        self._depth, self._outer = depth, outer
        self._found: dict[Any, Taking] = {}
        self._offsets: dict[bytes, tuple[Node, Array]] = {}
        """How far what passes read is from what the first one reads."""
        self._reads: dict[Node, Node] = {}
        """What is read of tensors that passes make or change, and what the first pass builds there.
        """

    def __iter__(self) -> Iterator[Taking]:
        return iter(self._found.values())

    def take(self, source: Node, places: Sequence[Item], at: int, numbers: Array) -> Node:
        """What stands for `source[places]`, where the place `at` is one of `numbers` in each pass.
        Raises `Unlike` if it has to be taken one by one.
        """
        places = list(places)
        if any(isinstance(each, Node) for each in places):
            raise Unlike("it takes elements by several arrays of places")
        if Ellipsis in places:
            dots, used = places.index(Ellipsis), sum(each is not None for each in places) - 1
            places[dots : dots + 1] = [slice(None)] * (source.ndim - used)
            at += source.ndim - used - 1 if dots < at else 0
        if source.index >= self._first and not self._is_always_made(source):
            raise Unlike("it takes elements by its number from what it has made")
        first = getitem(source, places)
        key = first, at, numbers.tobytes()
        if key not in self._found:
            node = self._graph.apply(CARRIED, (first,))
            found = Taking(node, source, places, at, numbers)
            _check(numbers, source.shape[found.axis])
            self._found[key] = found
        return self._found[key].node

    def _is_always_made(self, source: Node) -> bool:
        """Whether all passes make the same tensor, of nothing but constants."""
        made = made_since([source], lambda _: False, self._first)
        return not any(
            each.op is LEAF
            or draw_of(each) is not None
            or any(below.known is None and below not in made for below in each.inputs)
            for each in made
        )

    def element(
        self, source: Node, places: Sequence[Item], moving: Mapping[int, PassNumbers]
    ) -> Node:
        """What stands for `source[places]`, of a tensor that passes may make or change, where
        indices or slices move.
        """
        ((at, numbers), *more) = moving.items()
        alone = None if more else numbers.alone(self._depth)
        if alone is not None and self._may_be_rows(source, places[at], alone):
            return self.take(source, places, at, alone)
        if self._graph.shares:
            raise Unlike("it takes elements by several arrays of places")
        read = taken(source, self._numbers(source, places, moving))
        self._reads[read] = self._of_first_pass(source, places, moving)
        return read

    def _may_be_rows(self, source: Node, place: Item, numbers: Array) -> bool:
        """Whether what passes take may lie one behind the other, and the tensor does not change."""
        if self._graph.shares:
            return True
        is_given = source.index < self._first or self._is_always_made(source)
        is_even = not isinstance(place, slice) and np.ptp(np.diff(numbers)) == 0
        return is_even and is_given and source not in self._apart

    def _of_first_pass(
        self, source: Node, places: Sequence[Item], moving: Mapping[int, PassNumbers]
    ) -> Node:
        """What the first pass takes, which the loop around may have for its own passes."""
        left = {at: each.without(self._depth) for at, each in moving.items()}
        still = {at: each for at, each in left.items() if each.along}
        if not still:
            return getitem(source, places)
        assert self._outer is not None
        return self._outer.element(source, places, still)

    def _numbers(
        self, source: Node, places: Sequence[Item], moving: Mapping[int, PassNumbers]
    ) -> Node:
        """The numbers of the elements of `source[places]`, row by row, as they are in each pass."""
        if any(isinstance(each, Node) or each is Ellipsis for each in places):
            raise Unlike("it takes elements by several arrays of places")
        self._graph.ledger.require(16 * source.size, "where elements are")
        plain: Any = tuple(places)
        numbers = self._graph.constant(np.arange(source.size).reshape(source.shape)[plain])
        further: dict[int, Array] = {}
        for at, begins in moving.items():
            axis = sum(each is not None for each in places[:at])
            stride = math.prod(source.shape[axis + 1 :])
            for depth, more in _steps(begins, places[at], source.shape[axis]).items():
                further[depth] = further.get(depth, 0) + more.astype(np.int64) * stride
        for depth, more in further.items():
            numbers = self._at_depth(depth)._offset(more) + numbers
        return numbers

    def _at_depth(self, depth: int) -> Takings:
        """What the pass of a loop so deep takes."""
        found = self
        while found._depth != depth:
            assert found._outer is not None
            found = found._outer
        return found

    def _offset(self, further: Array) -> Node:
        """What stands for integers that each pass has of its own."""
        key = further.tobytes()
        if key not in self._offsets:
            rows = self._graph.constant(further)
            self._offsets[key] = self._graph.apply(ROW, (rows,)), further
        node, _ = self._offsets[key]
        return node

    @property
    def nodes(self) -> list[Node]:
        """All that stands for something."""
        return [*(each.node for each in self), *(node for node, _ in self._offsets.values())]

    def built(self, results: Iterable[Node], inside: Collection[Node]) -> list[Node]:
        """What a single pass builds for its results, of what is inside and what it takes."""
        ends = {*inside, *self._reads}
        instead = {each.node: each.node.inputs[0] for each in self} | self._reads
        pending, seen, found = list(results), set[Node](), set[Node]()
        while pending:
            steps = made_since(pending, ends.__contains__, self._first, built_of)
            found.update(steps)
            used = {*pending, *(each for node in steps for each in built_of(node))} - seen
            seen |= used
            pending = [instead[each] for each in used if each in instead]
        return sorted(found, key=place)

    def check_ways(self, used: Collection[Node]) -> None:
        """Raise `Unlike` where tensors are taken from in several ways, and add these to those that
        are apart: the cotangents of their elements are to be added pass by pass.
        """
        ways = Counter(
            each.source for each in self if each.node in used and each.node.kind == "float"
        )
        several = {source for source, count in ways.items() if count + (source in used) > 1}
        self._apart.update(several)
        if several:
            raise Unlike("it takes elements of one tensor in several ways")

    def rows(self, used: Collection[Node], count: int) -> list[Rows]:
        """Those that are used as rows of a loop."""
        rows = [Rows(each.node, each.rows(count)) for each in self if each.node in used]
        rows += [
            Rows(node, self._graph.constant(further[:count]))
            for node, further in self._offsets.values()
            if node in used
        ]
        return rows


def _steps(begins: PassNumbers, place: Item, length: int) -> Mapping[int, Array]:
    """How far each pass is along an axis from where the first one is, by the depth of its loop.
    Raises `Unlike` where it is outside.
    """
    width = place.stop - place.start if isinstance(place, slice) else 1
    lowest = 0 if isinstance(place, slice) else -length
    least, largest = begins.ends()
    if width < 1 or least < lowest or largest + width > length:
        raise Unlike("it takes elements that there are not")
    if least >= 0 or largest < 0:
        return {depth: begins.further(depth) for depth in begins.along}
    (depth, *others) = begins.along
    if others:
        raise Unlike("it counts from both ends of an axis by the numbers of two loops")
    where = begins.along[depth] % length
    return {depth: where - where[0]}


def _check(numbers: Array, length: int) -> None:
    """Raise `Unlike` where these are not places one behind the other."""
    if not ((-length <= numbers) & (numbers < length)).all():
        raise Unlike("it takes elements that there are not")
    steps = np.diff(numbers % length)
    if not steps[0] or (steps != steps[0]).any():
        raise Unlike("the elements that it takes are not evenly spaced")
