"""In which order the elements of results lie in memory: PyTorch's elementwise functions and copies
keep the order of their operands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.graph import Array, Node, Shape
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import BIND
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST
from gradcli.trace.strides import layout, usual
from gradcli.trace.values import Value, Values

Strides = tuple[int, ...]
WORDS = (
    "transpose", "permute", ".t()", ".T", ".mT", ".H", "movedim", "moveaxis", "swapaxes",
    "swapdims", "channels_last", "as_strided", "rot90", "rearrange",
)  # fmt: skip
"""One of these stands in a program in which tensors may lie in another order than their own."""
_COPIES = ("to", "clone")
"""Methods outside the op table that keep the order, too."""
_CHANNELS_LAST = (1, 3, 2, 0)
"""The axes of pictures from the one whose neighbours lie closest."""


class MemoryOrders:
    """The strides of tensors that are no views, found when they are asked for."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._known: dict[Node, Strides] = {}

    def strides(self, tensor: Node) -> Strides:
        """How far apart neighbours along each axis are in the memory of a tensor of its own."""
        first = self._values.first
        waiting = [first.get(tensor, tensor)]
        while waiting:
            node = waiting[-1]
            if node in self._known:
                waiting.pop()
                continue
            operands = self._operands(node) if node.ndim > 1 else []
            bases = [self._base(each) for each in operands]
            unknown = [each for each in bases if each not in self._known]
            if unknown:
                waiting += unknown
                continue
            made = self._values.made_by.get(node, ("",))
            kept = self._kept(node.shape, operands, _order(made[0]) == "channels")
            self._known[waiting.pop()] = kept
        return self._known[first.get(tensor, tensor)]

    def placed(self, base: Node, places: Array) -> Array:
        """Where elements lie in the memory of a tensor whose elements have these numbers."""
        strides = self.strides(base)
        if strides == usual(base.shape):
            return places
        found = np.unravel_index(places.astype(np.int64), base.shape)
        memory = np.zeros(places.shape, np.int64)
        for axis, step in zip(found, strides, strict=True):
            memory += axis * step
        return memory

    def _base(self, node: Node) -> Node:
        base, _ = self._values.lie(node)
        return self._values.first.get(base, base)

    def _operands(self, node: Node) -> list[Node]:
        """The tensors whose order a result has; none where it lies in its own."""
        made = self._values.made_by.get(node)
        if made is not None:
            name, arguments, keywords = made
            order = _order(name)
            if order == "first" and arguments:
                return self._tensors(node, arguments[:1])
            if order == "channels" and node.ndim == 4:
                return self._tensors(node, [*arguments[:2], keywords.get("weight")])
            if order not in ("kept", "first"):
                return []
            given = self._tensors(node, [*arguments, *keywords.values()])
            return given or self._tensors(node, node.inputs)
        is_copy = node.op is CAST or (node.op is BIND and node in self._values.kept_order)
        if is_copy or isinstance(node.op, Elementwise):
            return self._tensors(node, node.inputs)
        return []

    def _tensors(self, node: Node, given: Sequence[Value]) -> list[Node]:
        nodes = [each for each in given if isinstance(each, Node)]
        return [each for each in nodes if each.ndim == node.ndim and each.size > 1]

    def _layout(self, node: Node) -> Strides:
        base, views = self._values.lie(node)
        if not views:
            return self.strides(base)
        return layout(self.placed(base, self._values.places(base, views)))[1]

    def _kept(self, shape: Shape, operands: Sequence[Node], of_pictures: bool) -> Strides:
        """The strides of a result by PyTorch's rule."""
        found = [(each.shape, self._layout(each)) for each in operands]
        if of_pictures:
            are_last = any(own == _in_order(of, _CHANNELS_LAST) != usual(of) for of, own in found)
            return _in_order(shape, _CHANNELS_LAST) if are_last else usual(shape)
        if all(strides == usual(own) for own, strides in found):
            return usual(shape)
        whole = [strides for own, strides in found if own == shape]
        if len(whole) == len(found) and len(set(whole)) == 1 and _is_dense(shape, whole[0]):
            return whole[0]
        steps = [
            tuple(0 if length == 1 < full else step
                  for length, full, step in zip(own, shape, strides, strict=True))
            for own, strides in found
        ]  # fmt: skip
        return _in_order(shape, _sorted_axes(shape, steps))


def _order(name: str) -> str:
    """The `order` of a function, by its name."""
    function = FUNCTIONS.get(name)
    if function is None:
        return "first" if name == "empty_like" else "kept" if name in _COPIES else ""
    return "kept" if isinstance(function.op, Elementwise) else function.order


def _is_dense(shape: Shape, strides: Strides) -> bool:
    """Whether elements lie next to each other, none twice."""
    pairs = sorted(
        (step, length) for step, length in zip(strides, shape, strict=True) if length > 1
    )
    expected = 1
    for step, length in pairs:
        if step != expected:
            return False
        expected *= length
    return True


def _sorted_axes(shape: Shape, operands: Sequence[Strides]) -> list[int]:
    """The axes from the one whose neighbours lie closest, by the first operand that tells."""
    axes = list(range(len(shape)))[::-1]
    for place in range(1, len(axes)):
        moved = place
        for before in range(place - 1, -1, -1):
            order = _compared(shape, operands, axes[before], axes[moved])
            if order > 0:
                axes[before], axes[moved] = axes[moved], axes[before]
                moved = before
            elif order < 0:
                break
    return axes


def _compared(shape: Shape, operands: Sequence[Strides], one: int, other: int) -> int:
    """Below 0 where the axis `one` is to come first, above 0 where the other is."""
    for strides in operands:
        a, b = strides[one], strides[other]
        if not a or not b:
            continue
        if a != b:
            return -1 if a < b else 1
        if shape[one] > shape[other]:
            return 1
    return 0


def _in_order(shape: Shape, axes: Sequence[int]) -> Strides:
    found, step = [0] * len(shape), 1
    for axis in axes:
        found[axis] = step
        step *= max(1, shape[axis])
    return tuple(found)
