"""What `x.storage()` gives: the numbers of a tensor's memory, in their order there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.graph import Node
from gradcli.ops.shaping import reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.conversions import BYTES, PART
from gradcli.trace.items import Device, Items, Unquoted
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value


class Storage(Object):
    """The memory in which a tensor and its views lie."""

    what = "a storage"
    title = "torch.storage.TypedStorage"

    def __init__(self, autograd: Autograd, base: Node, put: Callable[[Node, Node], Any]) -> None:
        """`base` is the tensor whose elements are all of the memory; `put` writes into it."""
        self.autograd = autograd
        self.values = autograd.values
        self._base = base
        self._put = put

    def _now(self) -> Node:
        return reshape(self.values.current(self._base), -1)

    def elements(self) -> Items:
        self.values.graph.check_room(self._base.size)
        single = self.values.is_single(self._base)
        numbers = self.values.evaluator.value(self._now()).tolist()
        return Items([self.values.plain(each, single=single) for each in numbers])

    def length(self) -> int:
        return self._base.size

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        from gradcli.ops.writing import numbered, overwritten  # most programs start faster without

        now = self._now()
        places = self.values.tensor(subscript(self.values, numbered(now), items))
        new = overwritten(now, places, self.values.tensor(value, "an element"))
        self._put(self._base, reshape(new, self._base.shape))

    def methods(self) -> dict[str, Method]:
        return {
            "size": lambda *_: self.values.plain(self.length()),
            "nbytes": lambda *_: self.values.plain(self._bytes()),
            "tolist": lambda *_: self.elements(),
            "data_ptr": lambda *_: self.values.plain(
                PART * (1 + self.values.first.get(self._base, self._base).index)
            ),
            "element_size": lambda *_: self.values.plain(self._bytes() // max(1, self._base.size)),
        }

    def attribute(self, name: str) -> Value:
        if name == "dtype":
            return Unquoted(f"torch.{self.autograd.dtype_of(self._base)}")
        return Device("cpu") if name == "device" else super().attribute(name)

    def _bytes(self) -> int:
        return BYTES.get(self.autograd.dtype_of(self._base), 8) * self._base.size

    def shown(self) -> str:
        numbers = self.values.evaluator.value(self._now())
        if self.values.is_single(self._base):
            numbers = numbers.astype("float32")
        dtype, size = self.autograd.dtype_of(self._base), len(numbers)
        end = f"[torch.storage.TypedStorage(dtype=torch.{dtype}, device=cpu) of size {size}]"
        return "\n".join([*(f" {each}" for each in numbers.tolist()), end])


class Bytes(Storage):
    """The same memory, counted in bytes: what `x.untyped_storage()` gives."""

    what = "a storage of bytes"
    title = "torch.storage.UntypedStorage"

    def length(self) -> int:
        return self._bytes()

    def methods(self) -> dict[str, Method]:
        known = super().methods()
        return {name: known[name] for name in ("size", "nbytes", "data_ptr")}


class Storages:
    """The methods that give them by name."""

    def __init__(self, autograd: Autograd, put: Callable[[Node, Node], Any]) -> None:
        """`put` writes into a tensor."""
        self.autograd = autograd
        self._put = put
        self.functions: dict[str, Special] = {"torch.is_storage": self._is_storage}
        self.methods: dict[str, Special] = {
            "storage": partial(self._made, Storage),
            "untyped_storage": partial(self._made, Bytes),
        }

    def _is_storage(self, arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("is_storage", ("obj",), arguments, keywords).values()
        return self.autograd.values.graph.constant(isinstance(value, Storage))

    def _made(self, kind: type[Storage], arguments: list[Value], keywords: Given) -> Storage:
        given = bind_names("storage", ("self",), arguments, keywords)["self"]
        base, _ = self.autograd.values.storage(self.autograd.values.tensor(given))
        return kind(self.autograd, base, self._put)
