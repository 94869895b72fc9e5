"""Slices at computed places that are copied at once, `torch.stack([x[i : i + n] for i in places])`:
their elements are taken by arrays of places. So passes of a loop that draw the places build one
graph, which they do not where a slice begins at a number that was looked at.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.ops.arithmetic import add
from gradcli.ops.comparison import ge, le, logical_and
from gradcli.ops.kinds import CAST
from gradcli.trace.values import Value, Values


def window_in(items: syntax.Expression | syntax.Starred) -> syntax.Index | None:
    """What makes the items of a list, if these may be such slices."""
    item = items.item if isinstance(items, syntax.Comprehension) else None
    if not isinstance(item, syntax.Index) or len(item.items) != 1:
        return None
    (place,) = item.items
    is_plain = isinstance(place, syntax.Slice) and place.step is None
    return item if is_plain else None


def places_between(values: Values, x: Value, bounds: list[Value]) -> Node | None:
    """The places of `x[lower:upper]` in integers or truth values, if the bounds are computed, lie
    inside, and are as far apart whatever their values are; None where it is a slice like others.
    """
    lower, upper, _ = bounds
    if not isinstance(x, Node) or not x.shape or x.kind == "float" or x in values.arrays:
        return None
    if not (_is_computed(lower) and _is_computed(upper)):
        return None
    (first, before), (last, behind) = _parted(lower), _parted(upper)
    if first is not last or behind <= before:
        return None
    inside = logical_and(ge(lower, 0), le(upper, x.shape[0]))
    if not values.evaluator.value(inside):
        return None
    return lower + x.graph.constant(np.arange(behind - before))


def _is_computed(value: Value) -> TypeGuard[Node]:
    return isinstance(value, Node) and value.kind == "int" and not value.shape


def _parted(node: Node) -> tuple[Node, int]:
    """A sum without the numbers in it, and these."""
    numbers = 0
    while node.op is add.op:
        (first, number), (second, other) = [(each, _number(each)) for each in node.inputs]
        if number is None and other is None:
            break
        node, more = (first, other) if other is not None else (second, number)
        numbers += more or 0
    return node, numbers


def _number(node: Node) -> int | None:
    """The integer that a node is, if it is the same in all passes."""
    plain = node.inputs[0] if node.op is CAST else node
    number = None if plain.shape else plain.graph.look(plain)
    return None if number is None else int(number)
