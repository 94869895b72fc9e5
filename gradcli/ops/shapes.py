"""Shapes and axes: broadcasting, the axes that a call names, the shapes of reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Shape

Axes: TypeAlias = tuple[int, ...]
"""Axes counted from the right (-1 is the last), ascending, so that a leading axis changes none."""
Dims: TypeAlias = "Axes | None"
"""The axes that a reduction is called with. None means all axes, and so does an empty list in a
program, as in PyTorch; inside, () is the axes of a single value, also with a batch axis in front.
"""


def broadcast(name: str, shapes: Sequence[Shape]) -> Shape:
    """The shape that `shapes` broadcast to; the error `shape` names the axis that does not fit."""
    result = shapes[0]
    for shape in shapes[1:]:
        if shape != result and shape:
            result = _broadcast_pair(name, result, shape) if result else shape
    return result


def _broadcast_pair(name: str, a: Shape, b: Shape) -> Shape:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    offset = len(long) - len(short)
    result = list(long)
    for axis in range(len(long) - 1, offset - 1, -1):  # from the right, as PyTorch looks
        length = short[axis - offset]
        if result[axis] == 1:
            result[axis] = length
        elif length not in (1, result[axis]):
            raise GradcliError(
                "shape",
                f"{name}: shapes {show(a)} and {show(b)} do not broadcast: "
                f"axis {axis - len(long)} (from the right) has {a[axis - len(long)]} and "
                f"{b[axis - len(long)]} elements",
                hint="lengths must be equal, or one of them 1",
            )
    return tuple(result)


def show(shape: Shape) -> str:
    """A shape as users read it: `(2, 3)`, `(4,)`, `()`."""
    return str(tuple(shape))


def element(name: str, index: Sequence[int]) -> str:
    """`x[0,1]`, or `x` for a single value."""
    return f"{name}[{','.join(map(str, index))}]" if index else name


def normalize_axis(name: str, axis: int, ndim: int) -> int:
    """The axis counted from the right; the error `axis` shows what is allowed."""
    if not -ndim <= axis < ndim:
        if ndim == 0:
            if axis in (0, -1):  # as in PyTorch, a single value may be addressed as a vector
                return -1
            raise GradcliError("axis", f"{name}: dim {axis} of a single value: it has no axes")
        raise GradcliError(
            "axis",
            f"{name}: dim {axis} is out of range for {ndim} dimension{'s' if ndim > 1 else ''}",
            hint=f"dim is from {-ndim} to {ndim - 1}",
        )
    return axis if axis < 0 else axis - ndim


def normalize_axes(name: str, dim: int | Sequence[int] | None, ndim: int) -> Axes:
    """Ascending axes counted from the right; None means all of them."""
    if dim is None:
        return tuple(range(-ndim, 0))
    wanted = (dim,) if isinstance(dim, int) else tuple(dim)
    axes = sorted(normalize_axis(name, axis, ndim) for axis in wanted)
    if len(set(axes)) < len(axes):
        twice = next(each for each in axes if axes.count(each) > 1) + ndim
        said = f"dim {twice} appears multiple times in the list of dims"
        told = f"{name}: dim {tuple(wanted)} names an axis twice"
        raise RefusedError(("RuntimeError", said), "axis", told)
    return tuple(axes) if ndim else ()


def reduced(shape: Shape, axes: Axes, keepdim: bool) -> Shape:
    """The shape that is left when `axes` (from the right) are reduced."""
    ndim = len(shape)
    if keepdim:
        return tuple(1 if i - ndim in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i - ndim not in axes)
