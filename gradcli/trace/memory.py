"""How a tensor lies in memory in PyTorch: strides, views of one storage, what is contiguous."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops import FUNCTIONS
from gradcli.ops.axes import PERMUTE
from gradcli.ops.control import BIND, DETACH, bind, leaf
from gradcli.ops.shaping import RESHAPE
from gradcli.ops.writing import numbered
from gradcli.trace.arguments import bind_names, call
from gradcli.trace.autograd import Autograd
from gradcli.trace.special import Special
from gradcli.trace.values import Value
from gradcli.trace.wordings import NOT_VIEWED

_IN_ORDER = (RESHAPE, BIND, DETACH)
"""Views that leave elements where they are."""


class Memory:
    """The methods by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {}
        self.methods: dict[str, Special] = {
            "stride": self._stride,
            "storage_offset": self._offset,
            "is_contiguous": self._is_contiguous,
            "contiguous": self._contiguous,
            "view": self._view,
            "untyped_storage": partial(self._same, "untyped_storage"),
            "storage": partial(self._same, "storage"),
            "share_memory_": partial(self._same, "share_memory_"),
            "pin_memory": partial(self._same, "pin_memory"),
            "is_pinned": self._is_never,
            "is_shared": self._is_never,
        }

    def layout(self, node: Node) -> tuple[int, tuple[int, ...]]:
        """Where the tensor begins in its memory, and how far apart neighbours along each axis are,
        in elements.
        """
        base, views = self.values.storage(node)
        usual = _usual(node.shape)
        if not views or not node.size:
            return 0, usual
        self.values.graph.check_room(base.size)
        places = self.values.evaluator.value(self.values.through(views, numbered(base)))
        first = int(places[(0,) * node.ndim])
        strides = tuple(
            int(places[tuple(int(i == axis) for i in range(node.ndim))]) - first
            if length > 1
            else usual[axis]
            for axis, length in enumerate(node.shape)
        )
        spread = np.array(first)
        for length, stride in zip(node.shape, strides, strict=True):
            spread = spread[..., None] + np.arange(length) * stride
        if not np.array_equal(spread, places):
            return 0, usual  # a copy in PyTorch
        return first, strides

    def _is_turned(self, node: Node) -> bool:
        """Whether its axes may lie in another order than those of its memory."""
        return any(view.op is PERMUTE for view in self.values.storage(node)[1])

    def _only(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        given = bind_names(name, ("self", "memory_format"), arguments, keywords, ("memory_format",))
        return self.values.tensor(given["self"], name)

    def _is_usual(self, node: Node) -> bool:
        pairs = zip(node.shape, self.layout(node)[1], _usual(node.shape), strict=True)
        return all(length < 2 or found == wanted for length, found, wanted in pairs)

    def _stride(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("stride", ("self", "dim"), arguments, keywords, ("dim",))
        node = self.values.tensor(given["self"], "stride")
        strides: Value = tuple(
            self.values.graph.constant(float(each)) for each in self.layout(node)[1]
        )
        return self.values.subscript(strides, [given["dim"]]) if "dim" in given else strides

    def _offset(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        first, _ = self.layout(self._only("storage_offset", arguments, keywords))
        return self.values.graph.constant(float(first))

    def _is_contiguous(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        node = self._only("is_contiguous", arguments, keywords)
        return self.values.graph.constant(self._is_usual(node))

    def _contiguous(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The tensor itself, or a copy where its elements lie in another order."""
        node = self._only("contiguous", arguments, keywords)
        _, views = self.values.storage(node)
        if all(view.op in _IN_ORDER for view in views) or self._is_usual(node):
            return node
        copied = bind(node) if node.kind == "float" else leaf(node, marked=False)
        self.values.copies.add(copied)
        return copied

    def _view(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.view(…)`, which PyTorch refuses where the elements lie in another order."""
        result: Value = call(self.values, FUNCTIONS["view"], arguments, keywords)
        if isinstance(arguments[0], Node) and isinstance(result, Node):
            if not self._is_turned(arguments[0]):
                return result
            _, strides = self.layout(arguments[0])
            if not _can_view(arguments[0].shape, strides, result.shape):
                raise GradcliError("value", NOT_VIEWED, hint="x.contiguous().view(…)")
        return result

    def _same(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self._only(name, arguments, keywords)

    def _is_never(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(False)


def _usual(shape: Shape) -> tuple[int, ...]:
    """The strides of elements that lie in the order of the rows."""
    return tuple(
        math.prod(max(1, each) for each in shape[axis + 1 :]) for axis in range(len(shape))
    )


def _can_view(shape: Shape, strides: tuple[int, ...], wanted: Shape) -> bool:
    """Whether memory of these strides can be seen in another shape without a copy."""
    array = np.broadcast_to(np.zeros(()), shape)
    sized = np.lib.stride_tricks.as_strided(array, shape, [each * 8 for each in strides])
    try:
        sized.view().shape = wanted
    except AttributeError:
        return False
    return True
