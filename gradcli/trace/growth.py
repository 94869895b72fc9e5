"""Operands that broadcast so that both grow: (3, 1) and (3,) to (3, 3), which is seldom meant."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Node, Shape
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shapes import show
from gradcli.ops.shaping import EXPAND
from gradcli.trace.autograd import Autograd
from gradcli.trace.values import Value


def watch(autograd: Autograd, result: Value, operands: Sequence[Value]) -> None:
    """A note, once for each place in the program, where operands of an elementwise op or a loss
    grow each other. Raises `shape` where the run is strict.
    """
    nodes = [each for each in operands if isinstance(each, Node)]
    if len({node.shape for node in nodes if node.size != 1}) < 2:
        return
    grown = _growing(result, nodes)
    if grown is None:
        return
    a, b, shape = grown
    told = f"shapes {show(a)} and {show(b)} broadcast to {show(shape)}: both operands grow"
    if autograd.strict:
        raise GradcliError(
            "shape",
            f"{told} (--strict allows no such broadcasting)",
            hint="reshape one of them where element by element is meant: "
            f"reshape(x, {', '.join(map(str, b))})"
            if math.prod(a) == math.prod(b)
            else "expand one of them to the other's shape first",
        )
    note = Note("broadcast-both", f"{_place(autograd)}: {told}")
    if note not in autograd.notes:
        autograd.notes.append(note)


def _growing(result: Value, operands: Sequence[Node]) -> tuple[Shape, Shape, Shape] | None:
    """The shapes of two of the operands that are combined element by element, and what they become;
    what a function makes of its operands first, as `outer` does, is its own affair.
    """
    given, order = set(operands), [each.shape for each in operands]
    made = result if isinstance(result, tuple) else (result,)
    expanded: dict[Shape, list[Shape]] = {}
    for node in _between(result, given):
        if node.op is EXPAND and node not in made and node.inputs[0] in given:
            before = expanded.setdefault(node.shape, [])
            before += [each.shape for each in node.inputs if 1 < each.size < node.size]
            if len(set(before)) > 1:  # a function that begins with that, as cosine_similarity
                return before[0], before[1], node.shape
            continue
        shapes = [each.shape for each in node.inputs if each.size > 1]
        single = len(node.inputs) == 1 and node.shape == node.inputs[0].shape
        if not (single or isinstance(node.op, Elementwise)):
            continue
        if any(each not in given for each in node.inputs if each.size > 1):
            continue
        if node.shape in shapes:
            given.add(node)
        elif len(set(shapes)) > 1 and node.size > max(map(math.prod, shapes)):
            a, b = sorted(dict.fromkeys(shapes), key=order.index)[:2]
            return a, b, node.shape
    return None


def _between(result: Value, given: set[Node]) -> list[Node]:
    """What a function has made of its operands, in the order in which it is computed."""
    found: set[Node] = set()
    stack = list(result) if isinstance(result, tuple) else [result]
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and node not in found and node not in given:
            found.add(node)
            stack += node.inputs
    return sorted(found, key=lambda node: node.index)


def _place(autograd: Autograd) -> str:
    """`line 2, column 5`, with the text's name where it is not the program."""
    span = autograd.values.graph.span
    line, column = autograd.source.locate(span[0] if span else 0)
    told = f"line {line}, column {column}"
    return told if autograd.source.name == "program" else f"{autograd.source.name}, {told}"
