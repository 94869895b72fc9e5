"""How the language writes an op, its operands being given as text: `x[0]`, `mean(x, dim=0)`."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, TypeAlias

import numpy as np

from gradcli.graph import Node
from gradcli.language.precedence import POWER
from gradcli.ops.kinds import JointlyLinear, attribute_names
from gradcli.report.arrays import GAP, number
from gradcli.report.sanitise import sanitise

OPERANDS = 4
"""How many operands of a call are shown."""
ARGUMENT_WIDTH = 24
ATOM = POWER + 1
"""How tightly a name or a call binds: more than any operator."""

Operand: TypeAlias = Callable[[int, int], str]
"""The text of operand number i, in brackets if it binds less tightly than a given strength."""


def written(node: Node, operand: Operand) -> str:
    """Any op but those that have an operator, such as `+`."""
    return (_SHORTHANDS.get(node.op.name) or _call)(node, operand)


def _call(node: Node, operand: Operand) -> str:
    arguments = [operand(position, 0) for position in range(len(node.inputs))[:OPERANDS]]
    if len(node.inputs) > OPERANDS:
        arguments.append(GAP)
    if isinstance(node.op, JointlyLinear):
        arguments = [f"[{', '.join(arguments)}]"]
    return f"{node.op.name}({', '.join(arguments + _attributes(node))})"


# --- subscripts ------------------------------------------------------------------------------


def item_of(node: Node, names: Container[Node]) -> Node | None:
    """The nameless slice that a reshape makes an item of: `x[0]` is `x[0:1]` less an axis."""
    if node.op.name != "reshape":
        return None
    below = node.inputs[0]
    if below.op.name != "slice" or below in names:
        return None
    dropped = _dropped(below, node.ndim)
    left = tuple(length for axis, length in enumerate(below.shape) if axis not in dropped)
    return below if left == node.shape else None


def subscripts(node: Node, ndim: int) -> str:
    """`0:2` of a slice, or `0` of the item of `ndim` axes that it is reshaped to.

    The attribute of a slice is (first, count, step) for every axis.
    """
    dropped = _dropped(node, ndim)
    texts: list[str] = []
    for axis, (first, count, step) in enumerate(node.attributes[0]):
        stop = first + count * step
        bounds = f"{first}:{stop if stop >= 0 else ''}" + (f":{step}" if step != 1 else "")
        whole = (first, count, step) == (0, node.inputs[0].shape[axis], 1)
        texts.append(str(first) if axis in dropped else ":" if whole else bounds)
    return _without_trailing_colons(texts)


def _dropped(node: Node, ndim: int) -> list[int]:
    """The axes of a slice that are gone where it is an item of `ndim` axes."""
    single = [axis for axis, length in enumerate(node.shape) if length == 1]
    return single[: max(0, node.ndim - ndim)]


def _index(node: Node, operand: Operand) -> str:
    """`x[:, i]`; the attribute is the axes that the index arrays stand for."""
    (axes,) = node.attributes
    texts = [":"] * node.inputs[0].ndim
    for position, axis in enumerate(axes, 1):
        texts[axis] = operand(position, 0)
    return f"{operand(0, ATOM)}[{_without_trailing_colons(texts)}]"


def _without_trailing_colons(texts: list[str]) -> str:
    while len(texts) > 1 and texts[-1] == ":":
        texts.pop()
    return ", ".join(texts)


# --- other ops whose attributes are not the arguments of a function ---------------------------


def _permute(node: Node, operand: Operand) -> str:
    (axes,) = node.attributes
    *leading, last, first = axes
    if (last, first) == (-1, -2) and leading == sorted(leading):
        return f"{operand(0, ATOM)}.{'mT' if leading else 'T'}"
    return f"permute({operand(0, 0)}, {', '.join(str(axis + len(axes)) for axis in axes)})"


def _gather(node: Node, operand: Operand) -> str:
    (axis,) = node.attributes
    return f"gather({operand(0, 0)}, {axis + node.ndim}, {operand(1, 0)})"


def _einsum(node: Node, operand: Operand) -> str:
    (equation,) = node.attributes
    return f"einsum('{equation}', {operand(0, 0)}, {operand(1, 0)})"


def _roll(node: Node, operand: Operand) -> str:
    shifts, axes = node.attributes
    return f"roll({operand(0, 0)}, {shifts}, {tuple(axis + node.ndim for axis in axes)})"


def _diagonal(node: Node, operand: Operand) -> str:
    """The op takes the last two axes, the function of the language by default the first two."""
    ndim = node.inputs[0].ndim
    axes = [f"dim1={ndim - 2}", f"dim2={ndim - 1}"] if ndim > 2 else []
    return f"diagonal({', '.join([operand(0, 0), *_attributes(node), *axes])})"


def _embed(node: Node, operand: Operand) -> str:
    shape, slices = node.attributes
    starts, _, steps = zip(*slices, strict=True)
    more = [] if set(steps) == {1} else [steps]
    return f"embed({', '.join([operand(0, 0), *map(str, (shape, starts, *more))])})"


def _put_add(node: Node, operand: Operand) -> str:
    shape, axes = node.attributes
    dims = tuple(axis + len(shape) for axis in axes)
    places = [operand(position, 0) for position in range(1, len(node.inputs))]
    return f"put_add({', '.join([operand(0, 0), str(shape), str(dims), *places])})"


def _arange(node: Node, _: Operand) -> str:
    start, count, step, _kind = node.attributes
    return f"arange({', '.join(map(_argument, (start, start + count * step, step)))})"


_SHORTHANDS: dict[str, Callable[[Node, Operand], str]] = {
    "arange": _arange,
    "bind": lambda node, operand: operand(0, 0),
    "cast": lambda node, operand: f"{node.kind}({operand(0, 0)})",
    "constant": lambda node, operand: f"[{GAP}]",
    "diagonal": _diagonal,
    "einsum": _einsum,
    "embed": _embed,
    "eye": lambda node, operand: f"eye({node.attributes[0]}, {node.attributes[1]})",
    "gather": _gather,
    "index": _index,
    "leaf": lambda node, operand: operand(0, 0),
    "permute": _permute,
    "put_add": _put_add,
    "roll": _roll,
    "slice": lambda node, operand: f"{operand(0, ATOM)}[{subscripts(node, node.ndim)}]",
}


# --- attributes ------------------------------------------------------------------------------

_UNSAID = {"dtype", "seed", "index", "rows", "columns"}
"""Follow from the operands, or say only how random numbers are drawn."""
_DEFAULTS = {("keepdim", False), ("correction", 1), ("offset", 0), ("diagonal", 0)}


def _attributes(node: Node) -> list[str]:
    """The attributes as arguments, under the names that the op's forward function has for them."""
    texts: list[str] = []
    names = _attribute_names(node)
    for name, value in zip(names, node.attributes, strict=True):
        if name in ("axis", "axes"):
            texts += _dim(value, node.inputs[0].ndim, reduced="keepdim" in names)
        elif name == "shape":
            texts += map(str, value)
        elif name not in _UNSAID and (name, value) not in _DEFAULTS:
            texts.append(f"{name}={_argument(value)}" if name else _argument(value))
    return texts


def _attribute_names(node: Node) -> tuple[str, ...]:
    """The attributes' names, or none for each where they are not told apart."""
    names = attribute_names(node)
    return names if len(names) == len(node.attributes) else ("",) * len(node.attributes)


def _dim(axes: int | tuple[int, ...] | None, ndim: int, *, reduced: bool) -> list[str]:
    """Axes counted from the left; all of them go without saying where they are reduced."""
    counted = (axes,) if isinstance(axes, int) else axes or ()
    dims = [axis + ndim for axis in counted]
    if not dims or (reduced and len(dims) == ndim):
        return []
    return [f"dim={dims[0] if len(dims) == 1 else tuple(dims)}"]


def _argument(value: Any) -> str:
    text = number(np.float64(value), 6) if isinstance(value, float) else sanitise(repr(value))
    return text if len(text) <= ARGUMENT_WIDTH else GAP
