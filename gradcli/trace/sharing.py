"""Whether loops that are one node give the bits of their passes written out.

Equal nodes are one, and the cotangents of a node are added in the order in which the program reads
it. What passes share with each other, or with the rest of the program, would be added in another
order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradcli.graph import Graph, Node
from gradcli.ops.creation import draw_of
from gradcli.ops.loops import Loop, NotRolled
from gradcli.ops.shaping import RESHAPE, SLICE
from gradcli.trace.takings import Taking, family

NUMBER = "number"
"""What stands for any number where nodes are compared."""

ByNumber: TypeAlias = dict[Any, tuple[Node, Loop]]
"""What passes compute of their number, and of what they take by it: in which step of which loop."""


def check_sharing(
    loops: Sequence[Loop], made_in: Mapping[Loop, range], takings: Mapping[Node, Taking]
) -> None:
    """Raise `NotRolled` where, with its passes written out, a loop would share nodes with the rest
    of the program: then sums of cotangents would be other ones.

    A pass can share only if the first one does, or where it depends alone on its number and on
    what it takes by it. `made_in` has the indices of the nodes that the passes have made which are
    traced one by one.
    """
    by_number: ByNumber = {}
    for loop in loops:
        _check_steps(loop, takings, by_number)
    families = {
        takings[each.node].family for loop in loops for each in loop.rows if each.node in takings
    }
    if by_number:
        _check_numbers(loops[0].graph, by_number, made_in, families)
    if families:
        _check_reads(loops, made_in, takings)


def _check_steps(loop: Loop, takings: Mapping[Node, Taking], by_number: ByNumber) -> None:
    """Raise `NotRolled` where the first pass shares with the program, or passes with each other;
    add to `by_number` what they compute of what they do not carry.
    """
    first = {each.node: each.start for each in loop.carried}
    numbers: dict[Node, Any] = {}
    by_row: set[Node] = set()
    for row in loop.rows:
        taking = takings.get(row.node)
        if draw_of(row.node) is not None:
            continue  # nothing else is that draw
        if taking is None:
            first[row.node] = loop.graph.constant(float(np.asarray(row.source.known)[0]))
            numbers[row.node] = NUMBER
        else:
            first[row.node] = taken = row.node.inputs[0]
            is_slice = taken is taking.sliced
            whole = taking.family
            numbers[row.node] = whole if is_slice else _key(taken, {taking.sliced: whole})
            by_row.add(row.node)
    for node in loop.steps:
        operands = tuple([first.get(each, each) for each in node.inputs])
        if operands != node.inputs and loop.graph.found(node.op, operands, node.attributes):
            raise NotRolled("a loop computes what the program computes elsewhere")
        others = [each for each in node.inputs if each not in numbers]
        if len(others) == len(node.inputs) or not loop.inside.isdisjoint(others):
            continue
        key = _key(node, numbers)
        alone = all(each.known is not None for each in others)
        if alone:
            numbers[node] = key
        if by_row.isdisjoint(node.inputs) and alone:
            continue
        by_row.add(node)
        if by_number.setdefault(key, (node, loop))[0] is not node:
            raise NotRolled("two loops compute the same")


def _check_numbers(
    graph: Graph,
    by_number: ByNumber,
    made_in: Mapping[Loop, range],
    families: set[tuple[Any, ...]],
) -> None:
    """Raise `NotRolled` where a node of the program may be what a pass computes of its number."""
    numbers: dict[Node, Any] = {}
    tensors = {each[1] for each in families}
    for node in graph.shared():
        if node.op is SLICE and node.inputs[0] in tensors:
            for each in families.intersection(family(node, axis) for axis in range(node.ndim)):
                numbers[node] = each
            continue
        key = _key(node, numbers)
        if all(each in numbers or each.known is not None for each in node.inputs):
            numbers[node] = key
        if key in by_number:
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


def _check_reads(
    loops: Sequence[Loop], made_in: Mapping[Loop, range], takings: Mapping[Node, Taking]
) -> None:
    """Raise `NotRolled` where the cotangents of an element that passes take may be added in another
    order. Of two it does not matter, and zeros do not.
    """
    taken = [
        (loop, each, takings[each.node])
        for loop in loops
        for each in loop.rows
        if each.node in takings and each.node.kind == "float"
    ]
    readers: dict[Node, Counter[Node]] = defaultdict(Counter)
    rolled: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    own: set[Node] = set()
    for loop, row, taking in taken:
        reads = sum(node.inputs.count(row.node) for node in loop.steps)
        reads += [moved.next for moved in loop.carried].count(row.node)
        readers[taking.source][row.source] += reads
        rolled[taking.family].update(taking.places_of(loop.count))
        own.add(_slice_of(row.source, taking.source))
    shared = loops[0].graph.shared()
    elements = _elements(shared, readers, rolled, own)
    inside = [made_in[loop] for loop in loops]
    whole, outside = Counter[Node](), Counter[Node]()
    for node in shared:
        if node not in own and node not in elements:
            whole.update(each for each in node.inputs if each in readers)
            if not any(node.index in each for each in inside):
                found = [elements.get(each) for each in node.inputs]
                outside.update(each for each in found if each is not None)
    for tensor, of in readers.items():
        overlap = len(of) > 1 or outside[tensor] > 0
        several = overlap and of.total() + outside[tensor] > 2
        if several or whole[tensor] > (0 if overlap else 1):
            raise NotRolled("what a loop takes element by element is read in other ways, too")


def _slice_of(source: Node, tensor: Node) -> Node:
    """The first step on the way from a tensor to its rows."""
    while source.inputs[0] is not tensor:
        source = source.inputs[0]
    return source


def _elements(
    shared: Iterable[Node],
    tensors: Mapping[Node, Any],
    rolled: Mapping[tuple[Any, ...], set[int]],
    own: set[Node],
) -> dict[Node, Node | None]:
    """The nodes that are what a single pass may take, and from which tensor; None for a pass that
    is traced by itself.
    """
    found: dict[Node, Node | None] = {}
    for node in shared:
        (below, *_) = node.inputs or (node,)
        if node.op is SLICE and below in tensors and node not in own:
            for axis, (start, *_) in enumerate(node.attributes[0]):
                of = family(node, axis)
                if of in rolled:
                    found[node] = below if start in rolled[of] else found.get(node)
        elif node.op is RESHAPE and below.op is SLICE and below in found:
            found[node] = found[below]
    return found
