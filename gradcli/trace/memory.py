"""How a tensor lies in memory in PyTorch: strides, views of one storage, what is contiguous."""

from __future__ import annotations

from functools import partial

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import bind, leaf
from gradcli.trace.arguments import bind_names, call
from gradcli.trace.autograd import Autograd
from gradcli.trace.changes import IN_ORDER
from gradcli.trace.memory_orders import WORDS, MemoryOrders
from gradcli.trace.special import Special
from gradcli.trace.strides import Layout, can_view, layout, usual
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values
from gradcli.trace.wordings import NOT_VIEWED


class Memory:
    """The methods by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.orders = MemoryOrders(self.values)
        self.functions: dict[str, Special] = {}
        self.methods: dict[str, Special] = {
            "stride": self._stride,
            "storage_offset": self._offset,
            "is_contiguous": self._is_contiguous,
            "contiguous": self._contiguous,
            "view": self._view,
            "share_memory_": partial(self._same, "share_memory_"),
            "pin_memory": partial(self._same, "pin_memory"),
            "is_pinned": self._is_never,
            "is_shared": self._is_never,
        }

    def layout(self, node: Node) -> Layout:
        """Where the tensor begins in its memory, and how far apart neighbours along each axis are,
        in elements.
        """
        base, views = self.values.lie(node)
        may_differ = self.autograd.mentions.any_of(WORDS)
        if not views:
            return 0, self.orders.strides(base) if may_differ else usual(node.shape)
        places = self.values.places(base, views)
        return layout(self.orders.placed(base, places) if may_differ else places)

    def _is_spread(self, node: Node) -> bool:
        """Whether its elements may lie in another order than their own, or with others between."""
        base, views = self.values.lie(node)
        return any(view.op not in IN_ORDER for view in views) or self._is_turned(base)

    def _is_turned(self, base: Node) -> bool:
        """Whether a tensor that is no view lies in another order than its own."""
        if not self.autograd.mentions.any_of(WORDS):
            return False
        return self.orders.strides(base) != usual(base.shape)

    def _in_format(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> tuple[Node, bool]:
        """The tensor, and whether its channels are wanted last in memory."""
        given = bind_names(name, ("self", "memory_format"), arguments, keywords, ("memory_format",))
        node = self.values.tensor(given["self"], name)
        return node, is_channels_last(given.get("memory_format"))

    def _only(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        given = bind_names(name, ("self", "memory_format"), arguments, keywords, ("memory_format",))
        return self.values.tensor(given["self"], name)

    def _is_in_rows(self, node: Node) -> bool:
        pairs = zip(node.shape, self.layout(node)[1], usual(node.shape), strict=True)
        return all(length < 2 or found == wanted for length, found, wanted in pairs)

    def _stride(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("stride", ("self", "dim"), arguments, keywords, ("dim",))
        node = self.values.tensor(given["self"], "stride")
        strides: Value = tuple(
            self.values.graph.constant(float(each)) for each in self.layout(node)[1]
        )
        return subscript(self.values, strides, [given["dim"]]) if "dim" in given else strides

    def _offset(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        first, _ = self.layout(self._only("storage_offset", arguments, keywords))
        return self.values.graph.constant(float(first))

    def _is_contiguous(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        node, channels_last = self._in_format("is_contiguous", arguments, keywords)
        if channels_last:
            node = FUNCTIONS["movedim"].build(node, (1,), (-1,))
        return self.values.graph.constant(self._is_in_rows(node))

    def _contiguous(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The tensor itself, or a copy where its elements lie in another order."""
        node, channels_last = self._in_format("contiguous", arguments, keywords)
        if channels_last:
            return with_channels_last(self.values, node)
        if not self._is_spread(node) or self._is_in_rows(node):
            return node
        copied = bind(node) if node.kind == "float" else leaf(node, marked=False)
        self.values.copies.add(copied)
        return copied

    def _view(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.view(…)`, which PyTorch refuses where the elements lie in another order."""
        result: Value = call(self.values, FUNCTIONS["view"], arguments, keywords)
        if isinstance(arguments[0], Node) and isinstance(result, Node):
            if result is arguments[0]:
                return self.autograd.another(result, "view", arguments, keywords)
            self.values.made_by[result] = "view", arguments, keywords
            if not self._is_spread(arguments[0]):
                return result
            _, strides = self.layout(arguments[0])
            if not can_view(arguments[0].shape, strides, result.shape):
                raise GradcliError("value", NOT_VIEWED, hint="x.contiguous().view(…)")
        return result

    def _same(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self._only(name, arguments, keywords)

    def _is_never(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(False)


def is_channels_last(memory_format: Value) -> bool:
    """Whether it is `torch.channels_last`, or that of volumes."""
    return isinstance(memory_format, str) and "channels_last" in memory_format


def with_channels_last(values: Values, node: Node) -> Node:
    """A copy of pictures whose channels lie next to each other in memory."""
    if node.ndim not in (4, 5):
        raise GradcliError("value", "required rank 4 tensor to use channels_last format",
                           hint="batch, channels, rows and columns")  # fmt: skip
    inside = FUNCTIONS["movedim"].build(node, (1,), (-1,))
    copied = bind(inside) if node.kind == "float" else leaf(inside, marked=False)
    values.copies.add(copied)
    return f("movedim", copied, (-1,), (1,))
