"""Attributes of tensors, arrays, dtypes and devices that few programs read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.graph import Node
from gradcli.ops.control import DETACH
from gradcli.ops.shaping import reshape
from gradcli.trace.array_layouts import Flags, strides
from gradcli.trace.autograd import Autograd
from gradcli.trace.caught import Caught
from gradcli.trace.conversions import BYTES
from gradcli.trace.dtype_queries import dtype_attribute
from gradcli.trace.items import Unquoted
from gradcli.trace.kinds_of_values import kind_of
from gradcli.trace.objects import ClassName
from gradcli.trace.printing import PrintedNumbers

NOTHING = object()
"""What `found` gives where there is no such attribute."""
_NEVER = frozenset((
    "is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps", "is_nested", "is_mkldnn",
    "is_sparse_csr", "is_xpu", "volatile",
))  # fmt: skip


def _element_bytes(autograd: Autograd, node: Node) -> int:
    return BYTES.get(autograd.dtype_of(node), 8)


def _base(autograd: Autograd, node: Node) -> Node | None:
    """The tensor that it is a view of."""
    base, views = autograd.values.storage(node)
    is_view = any(each.op is not DETACH for each in views)
    return autograd.values.current(base) if is_view else None


def _version(autograd: Autograd, node: Node) -> Node:
    base, _ = autograd.values.storage(node)
    base = autograd.values.current(base)
    return autograd.graph.constant(float(autograd.values.changes.get(base, 0)))


_OF_TENSORS: dict[str, Callable[[Autograd, Node], Any]] = {
    "_version": _version,
    "_base": _base,
    "retains_grad": lambda autograd, node: autograd.graph.constant(node in autograd.retained),
    "itemsize": lambda autograd, node: autograd.graph.constant(
        float(_element_bytes(autograd, node))
    ),
    "nbytes": lambda autograd, node: autograd.graph.constant(
        float(_element_bytes(autograd, node) * node.size)
    ),
    "layout": lambda autograd, node: Unquoted("torch.strided"),
    "output_nr": lambda autograd, node: autograd.graph.constant(0.0),
    "is_cpu": lambda autograd, node: autograd.graph.constant(True),
    "names": lambda autograd, node: (None,) * node.ndim,
    "name": lambda autograd, node: None,
    "real": lambda autograd, node: node,
}


def _flat(autograd: Autograd, node: Node) -> Node:
    """The elements of an array in a row, in its memory."""
    row = reshape(node, -1)
    autograd.values.arrays.add(row)
    return row


_OF_ARRAYS: dict[str, Callable[[Autograd, Node], Any]] = {
    "size": lambda autograd, node: autograd.graph.constant(float(node.size)),
    "base": _base,
    "flat": _flat,
    "strides": strides,
    "flags": Flags,
}


def found(autograd: Autograd, value: Any, name: str) -> Any:
    """The value of an attribute; `NOTHING` where there is none."""
    if name == "__class__":
        return ClassName(kind_of(value, PrintedNumbers(autograd.values)), value)
    if isinstance(value, Node):
        own = autograd.values.attributes.get(autograd.values.first.get(value, value), {})
        if name in own:
            return autograd.values.now(own[name])
        if name in _NEVER:
            return autograd.graph.constant(False)
        if value in autograd.values.arrays and name in _OF_ARRAYS:
            return _OF_ARRAYS[name](autograd, value)
        if name in _OF_TENSORS:
            return _OF_TENSORS[name](autograd, value)
    elif isinstance(value, Caught):
        if name in ("__cause__", "__context__"):
            return getattr(value, "cause", None)
        is_key = value.kind == "KeyError" and value[:1] in ("'", '"')
        said = (value[1:-1] if is_key else str(value),) if value else ()
        args = getattr(value, "args", said)
        if (value.kind, name) in (("StopIteration", "value"), ("SystemExit", "code")):
            return args[0] if args else None
        return args if name == "args" else NOTHING
    elif isinstance(value, str):
        if value.partition(":")[0] in ("cpu", "cuda", "mps") and name in ("type", "index"):
            kind, _, index = value.partition(":")
            return (
                kind if name == "type" else autograd.graph.constant(float(index)) if index else None
            )
        attribute = dtype_attribute(autograd.values, value, name)
        return NOTHING if attribute is None else attribute
    return NOTHING
