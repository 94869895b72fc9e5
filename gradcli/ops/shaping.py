"""Shaping: the same elements in another arrangement. Each primitive's adjoint is another one here:
reshape ↔ reshape, expand ↔ sum_to, slice ↔ embed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape, Split
from gradcli.language.construct import (
    WHOLE,
    argument,
    attribute,
    call,
    number,
    numbers,
    places,
    subscript,
)
from gradcli.language.syntax import Call, Expression, Index, Slice
from gradcli.ops.group import Group
from gradcli.ops.kinds import Linear, aligned
from gradcli.ops.shapes import Axes, broadcast, normalize_axes, normalize_axis, show
from gradcli.ops.splits import each_element, reduction
from gradcli.ops.sums import total
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("shaping")

# --- reshape -------------------------------------------------------------------------------


def is_item(node: Node) -> bool:
    """Whether a node is a slice without axes of length 1: `x[0]` is `x[0:1]` without its first."""
    if node.op is not RESHAPE or node.inputs[0].op is not SLICE:
        return False
    below = node.inputs[0]
    dropped = _dropped(below, node.ndim)
    kept = tuple(length for axis, length in enumerate(below.shape) if axis not in dropped)
    return below.inputs[0].op.fields is None and kept == node.shape


def _dropped(below: Node, ndim: int) -> list[int]:
    """The axes of a slice that an item of it with `ndim` axes does not have."""
    single = [axis for axis, length in enumerate(below.shape) if length == 1]
    return single[: max(0, below.ndim - ndim)]


def _reshape_spelled(node: Node, x: Expression) -> Expression:
    if _is_field(node.inputs[0], node.shape) and isinstance(x, Call):
        return x.arguments[0]
    if not (is_item(node) and isinstance(x, Index)):
        return call("reshape", x, *(map(number, node.shape) if node.shape else [numbers(())]))
    (below,) = node.inputs
    items = list(_slices(below.attributes[0], below.inputs[0].shape))
    for axis in _dropped(below, node.ndim):
        items[axis] = number(below.attributes[0][axis][0])
    return subscript(x.value, items)


def _reshape_splits(node: Node) -> Iterator[Split]:
    """Axes that are kept: as long as before, with as many elements in front of them."""
    (x,) = node.inputs
    before = {
        (prod(x.shape[:i]), length): i - x.ndim for i, length in enumerate(x.shape) if length > 1
    }
    for i, length in enumerate(node.shape):
        axis = before.get((prod(node.shape[:i]), length))
        if axis is not None:
            yield Split(i - node.ndim, (axis,))


RESHAPE: Linear = Linear(
    "reshape",
    infer=lambda x, shape: shape,
    forward=lambda xp, x, shape: xp.reshape(x, shape),
    of_array=lambda node: methodcaller("reshape", *node.attributes),
    adjoints=(lambda change, y, x, shape: x.graph.apply(RESHAPE, (change,), (x.shape,)),),
    batched=lambda y, x, shape: x.graph.apply(RESHAPE, (x,), ((x.shape[0], *shape),)),
    view=True,
    shaped=True,
    exact=True,
    splits=_reshape_splits,
    spell=_reshape_spelled,
)


@table.function(
    needs=("shape",),
    aliases=("view", "view_copy"),
    op=RESHAPE,
    cases=[Case("reshape(x, 3, 2)"), Case("x.view(-1)"), Case("x.reshape(1, -1, 2)")],
    numpy="np.reshape",
    torch="torch.reshape",
)
def reshape(x: Node, *shape: int) -> Node:
    """The same elements, row by row, in another shape; one length may be -1 (what is left)."""
    target = _complete(x, flat(shape))
    return x if target == x.shape else x.graph.apply(RESHAPE, (x,), (target,))


@table.function(
    aliases=("view_as",),
    cases=[Case("reshape_as(x, y)", {"x": (2, 3), "y": (3, 2)})],
)
def reshape_as(x: Node, other: Node) -> Node:
    """x in the shape of another tensor."""
    return reshape(x, other.shape)


def flat(lengths: Sequence[Any]) -> Shape:
    """`(2, 3)` from `2, 3` or from one tuple."""
    if len(lengths) == 1 and isinstance(lengths[0], tuple):
        lengths = lengths[0]
    return tuple(lengths)


def _complete(x: Node, shape: Shape) -> Shape:
    """The shape with its -1 worked out; it must hold as many elements as x."""
    if x.size == prod(shape) and min(shape, default=0) >= 0:
        return shape
    unknown = [i for i, length in enumerate(shape) if length == -1]
    known = prod(length for length in shape if length != -1)
    is_one = len(unknown) == 1 and min(shape) == -1
    fits = is_one and known > 0 and x.size % known == 0
    if not fits:
        raise GradcliError(
            "shape",
            f"reshape: {show(x.shape)} has {x.size} elements, which do not fit {show(shape)}",
            hint="the lengths multiplied must give the same count; one length may be -1",
        )
    i = unknown[0]
    return (*shape[:i], x.size // known, *shape[i + 1 :])


@table.function(
    cases=[Case("flatten(x)"), Case("x.flatten(1)", {"x": (2, 2, 3)})],
    passes_on=True,
    torch="torch.flatten",
)
def flatten(x: Node, start_dim: int = 0, end_dim: int = -1) -> Node:
    """One axis in the place of those from `start_dim` to `end_dim`."""
    first = normalize_axis("flatten", start_dim, x.ndim) + x.ndim
    last = normalize_axis("flatten", end_dim, x.ndim) + x.ndim
    if not x.shape:
        return reshape(x, 1)
    if first > last:
        raise GradcliError("axis", "flatten: start_dim is behind end_dim")
    middle = prod(x.shape[first : last + 1])
    return reshape(x, (*x.shape[:first], middle, *x.shape[last + 1 :]))


@table.function(
    cases=[Case("unflatten(x, 1, (3, 1))"), Case("x.unflatten(0, (-1, 2))", {"x": (4, 3)})]
)
def unflatten(x: Node, dim: int, sizes: tuple[int, ...]) -> Node:
    """The axis `dim` taken apart into axes of lengths `sizes`; one of them may be -1."""
    if not x.shape:
        raise GradcliError("shape", "unflatten: a single value has no axis to take apart")
    at = normalize_axis("unflatten", dim, x.ndim) + x.ndim
    length = x.shape[at]
    known = prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known and length % known == 0:
        sizes = tuple(length // known if size == -1 else size for size in sizes)
    if any(size < 0 for size in sizes) or prod(sizes) != length:
        raise GradcliError(
            "shape",
            f"unflatten: {show(sizes)} does not fit axis {dim} of {show(x.shape)}",
        )
    return reshape(x, (*x.shape[:at], *sizes, *x.shape[at + 1 :]))


@table.function(cases=[Case("ravel(x)")])
def ravel(x: Node) -> Node:
    """All elements, row by row, along one axis."""
    return reshape(x, -1) if x.size else reshape(x, 0)


@table.function(
    aliases=("squeeze_copy",),
    cases=[Case("squeeze(x)", {"x": (1, 3, 1)}), Case("x.squeeze(0)", {"x": (1, 3, 1)})],
    overloaded=True,
)
def squeeze(x: Node, dim: Axes | None = None) -> Node:
    """Without the axes of length 1: all of them, or those in `dim` that have it."""
    axes = normalize_axes("squeeze", dim, x.ndim)
    kept = (n for i, n in enumerate(x.shape) if n != 1 or i - x.ndim not in axes)
    return reshape(x, tuple(kept))


@table.function(
    aliases=("expand_dims", "unsqueeze_copy"),
    cases=[Case("unsqueeze(x, 1)"), Case("x.unsqueeze(-1)")],
)
def unsqueeze(x: Node, dim: int) -> Node:
    """With a new axis of length 1 at `dim`."""
    at = normalize_axis("unsqueeze", dim, x.ndim + 1) + x.ndim + 1
    return x.graph.apply(RESHAPE, (x,), ((*x.shape[:at], 1, *x.shape[at:]),))


@table.function(
    "np.expand_dims",
    cases=[Case("np.expand_dims(x, 0)"), Case("np.expand_dims(x, (0, -1))")],
)
def numpy_expand_dims(x: Node, dim: Axes) -> Node:
    """With new axes of length 1 at `dim`, which are counted in the result."""
    ndim = x.ndim + len(dim)
    new = normalize_axes("expand_dims", dim, ndim)
    lengths = iter(x.shape)
    return reshape(x, tuple(1 if i - ndim in new else next(lengths) for i in range(ndim)))


# --- expand and sum_to ---------------------------------------------------------------------


def _sum_to(xp: ArrayNamespace, x: Array, shape: Shape) -> Array:
    lead = x.ndim - len(shape)
    axes = [i for i in range(x.ndim) if i < lead or shape[i - lead] == 1 != x.shape[i]]
    return xp.reshape(total(xp, x, tuple(axes), False), shape)


def _batched_sum(y: Node, x: Node, shape: Shape) -> Node:
    """The axes that are removed are first kept at length 1, as the batch axis must be kept."""
    count = x.shape[0]
    kept = (count, *(1,) * (x.ndim - 1 - len(shape)), *shape)
    return reshape(x.graph.apply(SUM_TO, (x,), (kept,)), (count, *shape))


def _expand_spelled(node: Node, x: Expression) -> Expression:
    """`zeros(2, 3)`, `ones(2, 3)`, or the value repeated."""
    (below,) = node.inputs
    value = None if below.known is None or below.shape else float(below.known)
    if below.kind == "float" and (value == 1 or (value == 0 and math.copysign(1, value) > 0)):
        return call("ones" if value else "zeros", *map(number, node.shape))
    return call("expand", x, *map(number, node.shape))


EXPAND: Linear = Linear(
    "expand",
    infer=lambda x, shape: shape,
    forward=lambda xp, x, shape: xp.broadcast_to(x, shape),
    adjoints=(lambda change, y, x, shape: x.graph.apply(SUM_TO, (change,), (x.shape,)),),
    batched=lambda y, x, shape: x.graph.apply(
        EXPAND, (aligned(x, len(shape)),), ((x.shape[0], *shape),)
    ),
    view=True,
    moves=True,
    shaped=True,
    exact=True,
    splits=each_element,
    spell=_expand_spelled,
)


def _sum_to_spelled(node: Node, x: Expression) -> Expression:
    """`sum(x, dim=0)` where the summed axes all go, or all stay at length 1."""
    (below,) = node.inputs
    lead = below.ndim - node.ndim
    kept = [i for i in range(lead, below.ndim) if node.shape[i - lead] == 1 != below.shape[i]]
    if lead and kept:
        return call("sum_to", x, *map(number, node.shape))
    dims = kept or list(range(lead))
    keywords = {"keepdim": argument(True)} if kept else {}
    if len(dims) == below.ndim:
        return call("sum", x, **keywords)
    return call("sum", x, dim=number(dims[0]) if len(dims) == 1 else numbers(dims), **keywords)


def of_single_elements(node: Node, splits: Iterable[Split]) -> Iterator[Split]:
    """The splits of a product, except those that take an operand with repeated elements whole, as
    NumPy copies it in each product.
    """
    for split in splits:
        operands = zip(node.inputs, split.operands, strict=True)
        if all(axis is not None or x.op is not EXPAND for x, axis in operands):
            yield split


def _reduced_axes(node: Node) -> Axes:
    (x,), (shape,) = node.inputs, node.attributes
    return tuple(
        axis
        for axis in range(-x.ndim, 0)
        if axis < -len(shape) or shape[axis] == 1 != x.shape[axis]
    )


SUM_TO: Linear = Linear(
    "sum_to",
    infer=lambda x, shape: shape,
    forward=_sum_to,
    adjoints=(lambda change, y, x, shape: x.graph.apply(EXPAND, (change,), (x.shape,)),),
    combine="add",
    shaped=True,
    axes=_reduced_axes,
    splits=reduction,
    batched=_batched_sum,
    spell=_sum_to_spelled,
)


@table.function(
    needs=("shape",),
    aliases=("broadcast_to", "expand_copy"),
    op=EXPAND,
    cases=[Case("expand(x, 4, 2, 3)"), Case("x.expand(2, 3)", {"x": (2, 1)})],
    numpy="np.broadcast_to",
    torch="torch.broadcast_to",
)
def expand(x: Node, *shape: int) -> Node:
    """x repeated along new leading axes and axes of length 1; -1 keeps an axis as it is."""
    target = flat(shape)
    lead = len(target) - x.ndim
    if lead >= 0:
        target = tuple(
            x.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(target)
        )
    if target == x.shape:
        return x
    if lead < 0 or min(target) < 0 or broadcast("expand", [x.shape, target]) != target:
        raise GradcliError("shape", f"expand: {show(x.shape)} does not fit {show(target)}")
    return x.graph.apply(EXPAND, (x,), (target,))


@table.function(
    aliases=("sum_to_size",),
    op=SUM_TO,
    cases=[Case("sum_to(x, 3)"), Case("sum_to(x, 2, 1)"), Case("sum_to(x, ())")],
    passes_on=True,
)
def sum_to(x: Node, *shape: int) -> Node:
    """x summed over the axes that would have been repeated to get from `shape` to x."""
    target = flat(shape)
    if target == x.shape:
        return x
    if len(target) > x.ndim or broadcast("sum_to", [x.shape, target]) != x.shape:
        raise GradcliError("shape", f"sum_to: {show(target)} does not broadcast to {show(x.shape)}")
    return x.graph.apply(SUM_TO, (x,), (target,))


@table.function(cases=[Case("expand_as(x, y)", {"x": (3,), "y": (2, 3)})])
def expand_as(x: Node, other: Node) -> Node:
    """x expanded to the shape of another tensor."""
    return expand(x, other.shape)


# --- slices --------------------------------------------------------------------------------

Slices = tuple[tuple[int, int, int], ...]
"""(first, count, step) for every axis; the step may be negative, never 0."""


def _python_slices(slices: Slices) -> tuple[Any, ...]:
    places: list[Any] = [Ellipsis]
    for first, count, step in slices:
        last = first + count * step
        places.append(slice(first, None if last < 0 else last, step))
    return tuple(places)


def _embed(xp: ArrayNamespace, x: Array, shape: Shape, slices: Slices) -> Array:
    batch = x.shape[: x.ndim - len(shape)]
    result = xp.zeros((*batch, *shape), x.dtype)
    result[_python_slices(slices)] = x
    return result


def _slices(slices: Slices, shape: Shape) -> Iterator[Slice | Expression]:
    """The subscript for each axis."""
    for (first, count, step), length in zip(slices, shape, strict=True):
        whole = (first, count, step) == (0, length, 1)
        yield WHOLE if whole else places(first, count, step, length)


def _slice_spelled(node: Node, x: Expression) -> Expression:
    (below,) = node.inputs
    (slices,) = node.attributes
    if below.op.fields is not None:
        return _field(below, x, slices)
    return subscript(x, list(_slices(slices, below.shape)))


def _field(row: Node, results: Expression, slices: Slices) -> Expression:
    """One of several results that are packed side by side into a row."""
    assert row.op.fields is not None
    *lead, (first, count, step) = slices
    fields = list(row.op.fields(row.inputs[0]))
    while len(fields) > 1 and first >= prod(fields[0][1]):
        first -= prod(fields.pop(0)[1])
    field, shape = fields[0]
    value: Expression = attribute(results, field)
    if len(shape) > 1:
        value = call("flatten", value, number(-2.0))
    within = (*row.shape[:-1], prod(shape))
    items = list(_slices((*lead, (first, count, step)), within))
    return value if all(item is WHOLE for item in items) else subscript(value, items)


def _is_field(below: Node, shape: Shape) -> bool:
    """Whether a node is all of one of several results that are packed, before it has this shape."""
    row = below.inputs[0] if below.op is SLICE else None
    if row is None or row.op.fields is None:
        return False
    (first, count, step) = below.attributes[0][-1]
    before = 0
    for _, own in row.op.fields(row.inputs[0]):
        if (before, prod(own), 1) == (first, count, step):
            return len(own) > 1 and shape == (*row.shape[:-1], *own)
        before += prod(own)
    return False


def _embed_spelled(node: Node, x: Expression) -> Expression:
    shape, slices = node.attributes
    starts, counts, steps = zip(*slices, strict=True)
    around = padding(shape, starts, counts)
    if set(steps) == {1} and max(around) <= MARGIN:
        return call("pad", x, numbers(around))
    more = [] if set(steps) == {1} else [numbers(steps)]
    return call("embed", x, numbers(shape), numbers(starts), *more)


MARGIN = 9
"""Zeros around a tensor are told by how many there are, up to so many."""


def padding(shape: Sequence[int], first: Sequence[int], inside: Sequence[int]) -> list[int]:
    """How many zeros are before and behind each axis, the last axis first, as `pad` takes them,
    around what begins at `first` and has the lengths `inside`.
    """
    found: list[int] = []
    for length, start, count in reversed([*zip(shape, first, inside, strict=True)]):
        found += [start, length - start - count]
    while len(found) > 2 and found[-2:] == [0, 0]:
        del found[-2:]
    return found


SLICE: Linear = Linear(
    "slice",
    infer=lambda x, slices: tuple(count for _, count, _ in slices),
    forward=lambda xp, x, slices: x[_python_slices(slices)],
    adjoints=(lambda change, y, x, slices: embed(change, x.shape, slices),),
    batched=lambda y, x, slices: take_slices(x, (_whole(x), *slices)),
    of_array=lambda node: itemgetter(_python_slices(*node.attributes)),
    selects=True,
    view=True,
    moves=True,
    spell=_slice_spelled,
)
EMBED: Linear = Linear(
    "embed",
    infer=lambda x, shape, slices: shape,
    forward=_embed,
    adjoints=(lambda change, y, x, shape, slices: take_slices(change, slices),),
    batched=lambda y, x, shape, slices: embed(x, (x.shape[0], *shape), (_whole(x), *slices)),
    spell=_embed_spelled,
)


def _whole(x: Node) -> tuple[int, int, int]:
    """The slice that takes all of the first axis."""
    return 0, x.shape[0], 1


def take_slices(x: Node, slices: Slices) -> Node:
    """The elements at a regular grid of places."""
    if slices == tuple((0, length, 1) for length in x.shape):
        return x
    return x.graph.apply(SLICE, (x,), (slices,))


def part(x: Node, axis: int, first: int, count: int) -> Node:
    """`count` places along an axis, from `first` on."""
    slices = [(0, length, 1) for length in x.shape]
    slices[axis] = (first, count, 1)
    return take_slices(x, tuple(slices))


def embed(x: Node, shape: Shape, slices: Slices) -> Node:
    """Zeros of `shape`, with x at a regular grid of places."""
    return x.graph.apply(EMBED, (x,), (shape, slices))
