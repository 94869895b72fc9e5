"""How the language writes an op: a call, an operator or a subscript on given operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from gradcli.graph import Array, Node, Op, Shape
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Expression,
    Index,
    Keyword,
    List,
    Name,
    Number,
    Slice,
    String,
    Tuple,
    Unary,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import JointlyLinear, attribute_names
from gradcli.ops.packing import FIELDS
from gradcli.ops.shapes import Axes
from gradcli.ops.shaping import Slices
from gradcli.ops.table import Function

Operands: TypeAlias = Sequence[Expression]
Spelling: TypeAlias = Callable[[Node, Operands], Expression | None]

NOWHERE = (0, 0)
"""The span of what stands in no text."""
ARITHMETIC = ("+", "-", "*", "/", "//", "%", "@", "**", "&", "|")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def spell(node: Node, operands: Operands) -> Expression | None:
    """The expression of a node over those of its operands; None where the language has none."""
    special = SPELLINGS.get(node.op.name)
    if special is not None:
        return special(node, operands)
    symbol: Any = "@" if node.op.name == "matmul" else getattr(node.op, "infix", "")
    if len(operands) == 2 and symbol in ARITHMETIC:
        return Binary(symbol, operands[0], operands[1], NOWHERE, NOWHERE)
    if len(operands) == 2 and symbol in COMPARISONS:
        return Compare((symbol,), tuple(operands), NOWHERE)
    return _call(node, operands)


# --- atoms ---------------------------------------------------------------------------------


def name(text: str) -> Name:
    return Name(text, NOWHERE)


def number(value: float) -> Expression:
    """A number as the language writes it; a minus is an operator there. `inf` and `nan` are numbers
    and not names, which a user may have given to something else.
    """
    size = Number(abs(value), NOWHERE)
    negative = math.copysign(1.0, value) < 0 and not math.isnan(value)
    return Unary("-", size, NOWHERE) if negative else size


def constant(array: Array) -> Expression:
    """An array as an expression of its kind."""
    return call("long", literal(array)) if array.dtype.kind == "i" else literal(array)


def literal(array: Array) -> Expression:
    """An array as nested lists; one without elements as `zeros(0, 3)`. Recurses over its axes."""
    if not array.size:
        return call("zeros", *map(number, array.shape))
    if array.ndim:
        return List(tuple(literal(part) for part in array), NOWHERE)
    if array.dtype.kind == "b":
        return Constant(bool(array), NOWHERE)
    return number(float(array))


def call(function: str, *arguments: Expression, **keywords: Expression) -> Call:
    named = tuple(Keyword(key, value, NOWHERE) for key, value in keywords.items())
    return Call(name(function), arguments, named, NOWHERE)


def _attribute(value: Expression, field: str) -> Attribute:
    return Attribute(value, field, NOWHERE, NOWHERE)


def _numbers(values: Sequence[float]) -> Tuple:
    return Tuple(tuple(map(number, values)), NOWHERE)


# --- calls ---------------------------------------------------------------------------------


@cache
def _functions() -> dict[Op, Function]:
    """By op: the function of the language that builds it."""
    functions: dict[Op, Function] = {}
    for function in FUNCTIONS.values():
        if function.op is not None:
            functions.setdefault(function.op, function)
    return functions


def _call(node: Node, operands: Operands) -> Expression | None:
    """A call of the op's function, its attributes under the names of the parameters."""
    entry = _functions().get(node.op)
    if entry is None:
        return None
    function = entry.name
    if isinstance(node.op, Elementwise):
        return call(function, *operands)
    if isinstance(node.op, JointlyLinear):
        axis = number(node.attributes[0] + node.ndim)
        return call(function, List(tuple(operands), NOWHERE), dim=axis)
    attributes = attribute_names(node)
    plain = list(operands)
    keywords: dict[str, Expression] = {}
    dim = "dims" if any(each.name == "dims" for each in entry.parameters) else "dim"
    for parameter, value in zip(attributes, node.attributes, strict=False):
        if parameter == "shape":
            plain += map(number, value) if value else [_numbers(())]
        elif parameter in ("axis", "axes"):
            if not (_is_all(value, node) and "keepdim" in attributes):
                keywords[dim] = _dims(value, node.inputs[0].ndim)
        elif value is not False:
            keywords[parameter] = _argument(value)
    return call(function, *plain, **keywords)


def _is_all(axes: int | Axes | None, node: Node) -> bool:
    """Whether a reduction is over all axes, which goes without saying unless there is but one."""
    return axes is None or (isinstance(axes, tuple) and len(axes) == node.inputs[0].ndim)


def _dims(axes: int | Axes, ndim: int) -> Expression:
    """Axes counted from the left."""
    counted = (axes,) if isinstance(axes, int) else axes
    dims = [axis + ndim for axis in counted]
    return number(dims[0]) if len(dims) == 1 else _numbers(dims)


def _argument(value: Any) -> Expression:
    if isinstance(value, bool) or value is None:
        return Constant(value, NOWHERE)
    if isinstance(value, tuple):
        return Tuple(tuple(map(_argument, value)), NOWHERE)
    if isinstance(value, str):
        return String(value, NOWHERE)
    return number(value)


# --- ops whose attributes are not the arguments of a function --------------------------------


def _expand(node: Node, operands: Operands) -> Expression:
    """`zeros(2, 3)`, `ones(2, 3)`, or the value repeated."""
    (below,) = node.inputs
    value = None if below.known is None or below.shape else float(below.known)
    if below.kind == "float" and value in (0, 1) and math.copysign(1, value or 1) > 0:
        return call("ones" if value else "zeros", *map(number, node.shape))
    return call("expand", *operands, *map(number, node.shape))


def _cast(node: Node, operands: Operands) -> Expression:
    if node.kind == "bool":
        return Compare(("!=",), (operands[0], number(0.0)), NOWHERE)
    return call("float" if node.kind == "float" else "long", *operands)


def _place(index: Expression) -> Expression:
    """An index: the numbers of a list need not be made integers first."""
    match index:
        case Call(callee=Name(id="long"), arguments=(List() as numbers,)):
            return numbers
    return index


def _slice(node: Node, operands: Operands) -> Expression:
    (below,) = node.inputs
    (slices,) = node.attributes
    if below.op in FIELDS:
        return _field(below, operands[0], slices)
    return _sliced(operands[0], slices, below.shape)


def _sliced(x: Expression, slices: Slices, shape: Shape) -> Expression:
    items: list[Slice] = []
    for (first, count, step), length in zip(slices, shape, strict=True):
        stop = first + count * step if count else first
        whole = (first, count, step) == (0, length, 1)
        items.append(
            Slice(
                None if whole else number(first),
                None if whole or stop < 0 else number(stop),
                None if step == 1 else number(step),
                NOWHERE,
            )
        )
    return Index(x, tuple(items), NOWHERE)


def _field(packed: Node, results: Expression, slices: Slices) -> Expression:
    """One of the results of a decomposition, whose op packs them side by side into a row."""
    names, shapes_of = FIELDS[packed.op]
    *lead, (first, count, step) = slices
    fields = list(zip(names, shapes_of(packed.inputs[0]), strict=True))
    while len(fields) > 1 and first >= math.prod(fields[0][1]):
        first -= math.prod(fields.pop(0)[1])
    field, shape = fields[0]
    value: Expression = _attribute(results, field)
    if len(shape) > 1:
        value = call("flatten", value, number(-2.0))
    within = (*packed.shape[:-1], math.prod(shape))
    taken = (*lead, (first, count, step))
    whole = taken == tuple((0, each, 1) for each in within)
    return value if whole else _sliced(value, taken, within)


def _embed(node: Node, operands: Operands) -> Expression:
    shape, slices = node.attributes
    starts, _, steps = zip(*slices, strict=True)
    more = [] if set(steps) == {1} else [_numbers(steps)]
    return call("embed", operands[0], _numbers(shape), _numbers(starts), *more)


def _index(node: Node, operands: Operands) -> Expression:
    (axes,) = node.attributes
    items: list[Expression | Slice] = [Slice(None, None, None, NOWHERE)] * node.inputs[0].ndim
    for axis, index in zip(axes, operands[1:], strict=True):
        items[axis] = _place(index)
    return Index(operands[0], tuple(items), NOWHERE)


def _put_add(node: Node, operands: Operands) -> Expression:
    shape, axes = node.attributes
    dims = _numbers([axis + len(shape) for axis in axes])
    return call("put_add", operands[0], _numbers(shape), dims, *map(_place, operands[1:]))


def _scatter_add(node: Node, operands: Operands) -> Expression:
    """`put_add` at every place of the index, its number along the axis replaced."""
    shape, axis = node.attributes
    index = node.inputs[1]
    places: list[Expression] = []
    for i, length in enumerate(index.shape):
        around = [1] * index.ndim
        around[i] = length
        places.append(call("reshape", call("arange", number(length)), *map(number, around)))
    places[axis] = _place(operands[1])
    return call("put_add", operands[0], _numbers(shape), _numbers(range(len(shape))), *places)


def _gather(node: Node, operands: Operands) -> Expression:
    return call("gather", operands[0], number(node.attributes[0] + node.ndim), _place(operands[1]))


def _permute(node: Node, operands: Operands) -> Expression:
    (axes,) = node.attributes
    *leading, last, first = axes
    if (last, first) == (-1, -2) and leading == sorted(leading):
        return Attribute(operands[0], "mT" if leading else "T", NOWHERE, NOWHERE)
    return call("permute", operands[0], *(number(axis + len(axes)) for axis in axes))


def _diagonal(node: Node, operands: Operands) -> Expression:
    """The op takes the last two axes, the function by default the first two."""
    ndim = node.inputs[0].ndim
    return call(
        "diagonal", operands[0], number(node.attributes[0]), number(ndim - 2), number(ndim - 1)
    )


def _diag_embed(node: Node, operands: Operands) -> Expression:
    """A square one, of which rows and columns are left out or put in at the end."""
    rows, columns, offset = node.attributes
    square = call("diag_embed", operands[0], offset=number(offset))
    length = node.inputs[0].shape[-1] + abs(offset)
    if rows == columns == length:
        return square
    cut: list[Slice | Expression] = [
        Slice(None, number(min(length, n)), None, NOWHERE) for n in (rows, columns)
    ]
    whole: list[Slice | Expression] = [Slice(None, None, None, NOWHERE)] * (node.ndim - 2)
    kept = Index(square, (*whole, *cut), NOWHERE)
    return call("embed", kept, _numbers(node.shape), _numbers([0] * node.ndim))


def _arange(node: Node, _: Operands) -> Expression:
    """The end lies half a step behind the last number, so that rounding does not matter."""
    start, count, step, _kind = node.attributes
    return call("arange", *map(number, (start, start + (count - 0.5) * step, step)))


def _ranks(node: Node, operands: Operands) -> Expression:
    return Binary("*", operands[0], number(node.attributes[0]), NOWHERE, NOWHERE)


def _variance(node: Node, operands: Operands) -> Expression:
    """At least eps, which the gradient does not see."""
    (x,) = operands
    least = call("maximum", x, number(node.attributes[0]))
    missing = call("detach", Binary("-", least, x, NOWHERE, NOWHERE))
    return Binary("+", x, missing, NOWHERE, NOWHERE)


def _windows(node: Node, operands: Operands) -> Expression:
    (window,) = node.attributes
    whole = [Slice(None, None, None, NOWHERE)] * (node.inputs[0].ndim - len(window.kernel))
    places = _window_places(window, node.shape[-len(window.kernel) :])
    return Index(operands[0], (*whole, *places), NOWHERE)


def _overlap_add(node: Node, operands: Operands) -> Expression:
    lengths, window = node.attributes
    places = _window_places(window, node.inputs[0].shape[-len(lengths) :])
    dims = _numbers(range(node.ndim - len(lengths), node.ndim))
    return call("put_add", operands[0], _numbers(node.shape), dims, *places)


def _window_places(window: Any, counts: Shape) -> list[Expression]:
    """For each axis, where in the input each place of each window lies: (*kernel, *counts)."""
    places = []
    sides = zip(window.kernel, window.dilation, counts, window.stride, strict=True)
    for axis, (kernel, dilation, count, stride) in enumerate(sides):
        grid = np.arange(kernel)[:, None] * dilation + np.arange(count) * stride
        around = [1] * (2 * len(counts))
        around[axis], around[axis + len(counts)] = kernel, count
        places.append(literal(grid.reshape(around)))
    return places


SPELLINGS: dict[str, Spelling] = {
    "arange": lambda node, operands: _arange(node, operands) if node.size else None,
    "divisor": lambda node, operands: operands[0],
    "detsign": lambda _, operands: _attribute(call("slogdet", *operands), "sign"),
    "bitwise_not": lambda node, operands: Unary("~", operands[0], NOWHERE),
    "bind": lambda node, operands: operands[0],
    "cast": _cast,
    "cumargmax": lambda node, operands: _places("cummax", node, operands),
    "cumargmin": lambda node, operands: _places("cummin", node, operands),
    "diag_embed": _diag_embed,
    "diagonal": _diagonal,
    "einsum": lambda node, operands: call("einsum", String(node.attributes[0], NOWHERE), *operands),
    "embed": _embed,
    "expand": _expand,
    "eye": lambda node, _: call("eye", *map(number, node.attributes[:2])),
    "gather": _gather,
    "index": _index,
    "inv_or_limit": lambda _, operands: call("inv", *operands),
    "leaf": lambda node, operands: operands[0],
    "linspace": lambda node, _: call("linspace", *map(number, node.attributes[:3])),
    "logabsdet": lambda _, operands: _attribute(call("slogdet", *operands), "logabsdet"),
    "neg": lambda node, operands: Unary("-", operands[0], NOWHERE),
    "overlap_add": _overlap_add,
    "packed_eigh": lambda node, operands: call(
        "eigh", *operands, UPLO=String(node.attributes[0], NOWHERE)
    ),
    "packed_qr": lambda _, operands: call("qr", *operands),
    "packed_svd": lambda _, operands: call(
        "svd", *operands, full_matrices=Constant(False, NOWHERE)
    ),
    "permute": _permute,
    "probabilities": lambda node, operands: operands[0],
    "put_add": _put_add,
    "ranks": _ranks,
    "scatter_sum": _scatter_add,
    "slice": _slice,
    "variance_at_least": _variance,
    "windows": _windows,
}
"""By op, where a call of the function of the same name would not do."""


def _places(function: str, node: Node, operands: Operands) -> Expression:
    dim = number(node.attributes[0] + node.ndim)
    return Attribute(call(function, operands[0], dim), "indices", NOWHERE, NOWHERE)
