"""What PyTorch prints behind the elements of a tensor: its dtype, `requires_grad=True`,
`grad_fn=<…>`.
"""

from __future__ import annotations

from gradcli.graph import Node
from gradcli.ops.shaping import RESHAPE
from gradcli.ops.torch_nodes import CallOfFunction, torch_node
from gradcli.trace.autograd import Autograd
from gradcli.trace.values import Values


def suffixes(autograd: Autograd, node: Node) -> tuple[str, ...]:
    """The suffixes of a tensor, without commas."""
    dtype = autograd.dtypes.suffix(node) if autograd.dtypes is not None else ""
    found = (dtype,) if dtype else ()
    if node in autograd.unrecorded_views:
        return (*found, "requires_grad=True")
    if not autograd.requires_grad(node):
        return found
    if autograd.is_leaf(node):
        return (*found, "requires_grad=True")
    return (*found, f"grad_fn=<{node_name(autograd.values, node)}>")


def node_name(values: Values, node: Node) -> str:
    """What PyTorch calls the node that made an intermediate."""
    node = values.rounded.get(node, node)  # what was rounded is what PyTorch has made
    made = values.made_by.get(node)
    name = torch_node(node, CallOfFunction(*made) if made else None)
    if name == "ViewBackward0" and node.op is RESHAPE and values.storage(node)[0] is node:
        return "UnsafeViewBackward0"  # a copy, as no strides show its elements in this order
    return name
