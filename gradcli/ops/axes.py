"""The order of axes, and of elements along them: permute, flip and roll are their own adjoints, in
the inverse order.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Split
from gradcli.language.construct import attribute, call, number, numbers
from gradcli.language.syntax import Expression
from gradcli.ops.group import Group
from gradcli.ops.kinds import Linear
from gradcli.ops.shapes import Axes, normalize_axes, normalize_axis, show
from gradcli.ops.shaping import flat, reshape
from gradcli.ops.table import Case

table = Group("shaping")


def _inverse(axes: Axes) -> Axes:
    """The permutation that undoes `axes`, both counted from the right."""
    places = {axis: i - len(axes) for i, axis in enumerate(axes)}
    return tuple(places[i - len(axes)] for i in range(len(axes)))


def _permute_spelled(node: Node, x: Expression) -> Expression:
    (axes,) = node.attributes
    *leading, last, first = axes
    if (last, first) == (-1, -2) and leading == sorted(leading):
        return attribute(x, "mT" if leading else "T")
    return call("permute", x, *(number(axis + len(axes)) for axis in axes))


def _permute_splits(node: Node) -> Iterator[Split]:
    for i, axis in enumerate(node.attributes[0]):
        yield Split(i - node.ndim, (axis,))


PERMUTE: Linear = Linear(
    "permute",
    infer=lambda x, axes: tuple(x.shape[axis] for axis in axes),
    forward=lambda xp, x, axes: x.transpose(
        [*range(x.ndim - len(axes)), *[axis + x.ndim for axis in axes]]
    ),
    adjoints=(lambda change, y, x, axes: x.graph.apply(PERMUTE, (change,), (_inverse(axes),)),),
    batched=lambda y, x, axes: x.graph.apply(PERMUTE, (x,), ((-x.ndim, *axes),)),
    view=True,
    moves=True,
    splits=_permute_splits,
    spell=_permute_spelled,
)


@table.function(
    needs=("dims",),
    aliases=("permute_copy",),
    op=PERMUTE,
    cases=[Case("permute(x, 2, 0, 1)", {"x": (2, 3, 4)}), Case("permute(x, (1, 0))")],
    numpy="np.transpose",
    torch="torch.permute",
)
def permute(x: Node, *dims: int) -> Node:
    """The axes in another order."""
    wanted = flat(dims)
    is_whole = len(wanted) == x.ndim
    axes = tuple(normalize_axis("permute", axis, x.ndim) for axis in wanted) if is_whole else ()
    if not is_whole or sorted(axes) != list(range(-x.ndim, 0)):
        raise GradcliError(
            "axis", f"permute: {wanted} does not name each of {x.ndim} axes exactly once"
        )
    if list(axes) == sorted(axes):
        return x
    return x.graph.apply(PERMUTE, (x,), (axes,))


@table.function(
    aliases=("swapaxes", "swapdims", "transpose_copy"),
    needs=("dim0", "dim1"),
    cases=[Case("transpose(x, 0, 1)"), Case("x.transpose(-1, 0)", {"x": (2, 3, 4)})],
)
def transpose(x: Node, dim0: int | None = None, dim1: int | None = None) -> Node:
    """Two axes swapped; without any named, all axes in reverse order (as NumPy does)."""
    order = list(range(-x.ndim, 0))
    if dim0 is None or dim1 is None:
        return permute(x, tuple(reversed(order)))
    a = normalize_axis("transpose", dim0, x.ndim)
    b = normalize_axis("transpose", dim1, x.ndim)
    if x.ndim:
        order[a], order[b] = order[b], order[a]
    return permute(x, tuple(order))


@table.function(
    "np.transpose",
    cases=[Case("np.transpose(x)"), Case("np.transpose(x, (0, 2, 1))", {"x": (2, 3, 4)})],
)
def numpy_transpose(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """The axes in another order as NumPy has it: in reverse where none is named."""
    return permute(x, tuple(reversed(range(x.ndim))) if axes is None else axes)


@table.function(aliases=("t_copy",), latex=r"{0}^{{\top}}", cases=[Case("t(x)"), Case("x.T")])
def t(x: Node) -> Node:
    """The transpose of a matrix; a vector or a single value stays as it is."""
    if x.ndim > 2:
        raise GradcliError(
            "shape",
            f".T is for at most 2 dimensions; this is {show(x.shape)}",
            hint="use .mT to swap the last two axes, or permute(x, …) for any order",
        )
    return permute(x, tuple(reversed(range(-x.ndim, 0))))


@table.function(
    "mT", aliases=("matrix_transpose", "adjoint"), latex=r"{0}^{{\top}}", cases=[Case("mT(x)")]
)
def matrix_transpose(x: Node) -> Node:
    """The last two axes swapped."""
    if x.ndim < 2:
        raise GradcliError(
            "shape",
            f".mT needs at least 2 dimensions; this is {show(x.shape)}",
            hint="x[:, None] is a column, x[None] a row",
        )
    return transpose(x, -1, -2)


@table.function(
    aliases=("moveaxis",), cases=[Case("movedim(x, 0, 2)", {"x": (2, 3, 4)})], overloaded=True
)
def movedim(x: Node, source: Axes, destination: Axes) -> Node:
    """The axes `source` moved to the places `destination`; the others keep their order."""
    if len(source) != len(destination):
        raise GradcliError("axis", "movedim: as many sources as destinations are needed")
    taken = {
        normalize_axis("movedim", to, x.ndim): normalize_axis("movedim", axis, x.ndim)
        for axis, to in zip(source, destination, strict=True)
    }
    rest = iter(axis for axis in range(-x.ndim, 0) if axis not in taken.values())
    return permute(x, tuple(taken[i] if i in taken else next(rest) for i in range(-x.ndim, 0)))


FLIP: Linear = Linear(
    "flip",
    infer=lambda x, axes: x.shape,
    forward=lambda xp, x, axes: xp.flip(x, axis=axes),
    adjoints=(lambda change, y, x, axes: x.graph.apply(FLIP, (change,), (axes,)),),
    view=True,
    moves=True,
)


@table.function(
    op=FLIP,
    cases=[Case("flip(x, 0)"), Case("flip(x, (0, 1))")],
    own_memory=True,
    needs=("dim",),
    order="kept",
)
def flip(x: Node, dim: Axes | None = None) -> Node:
    """The elements in reverse order along `dim` (all axes without it)."""
    axes = normalize_axes("flip", dim, x.ndim)
    return x.graph.apply(FLIP, (x,), (axes,)) if axes else x


@table.function(cases=[Case("fliplr(x)")], own_memory=True, order="kept")
def fliplr(x: Node) -> Node:
    """The columns in reverse order: x turned around along axis 1 of two or more."""
    if x.ndim < 2:
        raise GradcliError("shape", f"fliplr needs at least 2 dimensions; this is {show(x.shape)}")
    return flip(x, (1,))


@table.function(
    cases=[Case("flipud(x)"), Case("flipud(x)", {"x": (3,)})], own_memory=True, order="kept"
)
def flipud(x: Node) -> Node:
    """The rows in reverse order: x turned around along axis 0."""
    if not x.ndim:
        raise GradcliError("shape", "flipud needs at least 1 dimension; this is a single value")
    return flip(x, (0,))


@table.function(
    cases=[Case("rot90(x)"), Case("rot90(x, k=-1, dims=(1, 2))", {"x": (2, 2, 3)})], own_memory=True
)
def rot90(x: Node, k: int = 1, dims: tuple[int, ...] = (0, 1)) -> Node:
    """x turned by 90 degrees `k` times in the plane of two axes, from the first to the second."""
    if len(dims) != 2 or len(normalize_axes("rot90", dims, x.ndim)) != 2:
        raise GradcliError("axis", f"rot90 turns in the plane of two axes; dims is {dims}")
    first, second = dims
    turned = (
        x,
        transpose(flip(x, (second,)), first, second),
        flip(x, (first, second)),
        flip(transpose(x, first, second), (second,)),
    )
    return turned[k % 4]


def _roll_spelled(node: Node, x: Expression) -> Expression:
    shifts, axes = node.attributes
    if node.ndim == len(shifts) == 1:
        return call("roll", x, number(shifts[0]))
    dims = [axis % node.ndim for axis in axes]
    if len(shifts) == 1:
        return call("roll", x, number(shifts[0]), number(dims[0]))
    return call("roll", x, numbers(shifts), numbers(dims))


ROLL: Linear = Linear(
    "roll",
    infer=lambda x, shifts, axes: x.shape,
    forward=lambda xp, x, shifts, axes: xp.roll(x, shifts, axis=axes),
    adjoints=(
        lambda change, y, x, shifts, axes: x.graph.apply(
            ROLL, (change,), (tuple(-shift for shift in shifts), axes)
        ),
    ),
    spell=_roll_spelled,
)


@table.function(
    op=ROLL,
    cases=[Case("roll(x, 1)"), Case("roll(x, -1, 1)"), Case("roll(x, (1, 2), dims=(0, 1))")],
    torch="torch.roll",
    keeps_integers=True,
)
def roll(x: Node, shifts: tuple[int, ...], dims: tuple[int, ...] | None = None) -> Node:
    """Elements moved along `dims`; those that leave at one end return at the other.

    Without `dims` all elements count as one row.
    """
    if dims is None:
        return reshape(roll(reshape(x, (x.size,)), shifts, (0,)), x.shape)
    if len(shifts) != len(dims):
        raise GradcliError(
            "axis", f"roll: {len(shifts)} shifts for {len(dims)} dims; there must be one for each"
        )
    axes = tuple(normalize_axis("roll", axis, x.ndim) for axis in dims)
    return x.graph.apply(ROLL, (x,), (shifts, axes)) if x.shape else x
