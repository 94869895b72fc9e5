"""The text of one member of a region in C++, from its op's entry: for a card or the processor."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.graph import Kind, Node

TYPES: dict[Kind, str] = {"float": "T", "int": "long long", "bool": "bool"}


def expression(node: Node, names: Mapping[Node, str]) -> str:
    """The value of a member: an expression, or statements that end by returning one."""
    text = template(node).format(*(names[operand] for operand in node.inputs), T="T")
    return f"[&] {{ {text} }}()" if "return" in text else text


def template(node: Node) -> str:
    """The same with places for the operands; nothing where the op has no text."""
    cuda = node.op.cuda
    return cuda if isinstance(cuda, str) else cuda(node)
