"""Windows that slide over the last axes: what convolutions and pools are made of.

Adjoint pair: windows ↔ overlap_add. `Window` holds the geometry, which is checked once, there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import WHOLE, call, literal, numbers, subscript
from gradcli.language.syntax import Expression
from gradcli.ops.kinds import General, Linear
from gradcli.ops.shapes import show
from gradcli.ops.shaping import RESHAPE, reshape
from gradcli.ops.splits import leading
from gradcli.ops.tiling import pad_

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

Lengths: TypeAlias = tuple[int, ...]
"""A number for each of the axes that windows slide over."""
Paddings: TypeAlias = tuple[tuple[int, int], ...]
"""Places before and behind each of these axes."""


class Window(NamedTuple):
    """A kernel's size, the step from one window to the next, and that between its own places."""

    kernel: Lengths
    stride: Lengths
    dilation: Lengths

    @property
    def span(self) -> Lengths:
        """The places from the first to the last one of a window."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def counts(self, lengths: Lengths) -> Lengths:
        """How many windows there are along each axis."""
        sides = zip(lengths, self.span, self.stride, strict=True)
        return tuple((length - span) // step + 1 for length, span, step in sides)


def lengths_of(name: str, what: str, given: Lengths, count: int, least: int) -> Lengths:
    """One number for all axes, or one for each; none below `least`."""
    lengths = given * count if len(given) == 1 else given
    if len(lengths) != count:
        raise GradcliError(
            "shape", f"{name}: {what} has {len(given)} numbers for {count} axes: {show(given)}"
        )
    if min(lengths) < least:
        raise GradcliError("value", f"{name}: {what} must be at least {least}, not {min(lengths)}")
    return lengths


def check_fits(name: str, window: Window, lengths: Lengths, padding: Paddings) -> None:
    """Raise `shape` for a kernel that is larger than its padded input."""
    padded = padded_lengths(lengths, padding)
    if any(span > length for span, length in zip(window.span, padded, strict=True)):
        kernel = show(window.kernel)
        spanned = "" if window.span == window.kernel else f" that spans {show(window.span)}"
        around = "" if padded == lengths else f", which is {show(padded)} with its padding"
        raise GradcliError(
            "shape",
            f"{name}: a kernel of {kernel}{spanned} is larger than its input of "
            f"{show(lengths)}{around}",
            hint="use a smaller kernel, or padding",
        )


def padded_lengths(lengths: Lengths, padding: Paddings) -> Lengths:
    """The lengths with places before and behind."""
    return tuple(n + before + behind for n, (before, behind) in zip(lengths, padding, strict=True))


def padded(x: Node, padding: Paddings, value: float = 0.0) -> Node:
    """The last axes of x with `value` before and behind."""
    return pad_(x, tuple(n for ends in reversed(padding) for n in ends), value=value)


# --- the two primitives --------------------------------------------------------------------


def _windows(xp: ArrayNamespace, x: Array, window: Window) -> Array:
    """A copy, in the order in which a product with a kernel reads it."""
    lead = x.ndim - len(window.kernel)
    shape = (*x.shape[:lead], *window.kernel, *window.counts(x.shape[lead:]))
    axes = tuple(zip(x.strides[lead:], x.shape[lead:], strict=True))
    # A step that leaves the axis is never used, and may be too large for NumPy.
    inside = (s * min(d, n) for (s, n), d in zip(axes, window.dilation, strict=True))
    between = (s * min(d, n) for (s, n), d in zip(axes, window.stride, strict=True))
    overlapping = xp.lib.stride_tricks.as_strided(x, shape, (*x.strides[:lead], *inside, *between))
    return xp.ascontiguousarray(overlapping)


def _offsets(window: Window, counts: Lengths) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Each place of a kernel, and the places of the input that it meets."""
    for place in product(*map(range, window.kernel)):
        sides = zip(place, window.dilation, window.stride, counts, strict=True)
        yield place, tuple(slice(p * d, p * d + (n - 1) * s + 1, s) for p, d, s, n in sides)


def _overlap_add(xp: ArrayNamespace, x: Array, lengths: Lengths, window: Window) -> Array:
    axes = len(lengths)
    whole = (slice(None),) * axes
    result = xp.zeros((*x.shape[: x.ndim - 2 * axes], *lengths), x.dtype)
    for place, met in _offsets(window, x.shape[x.ndim - axes :]):
        result[(..., *met)] += x[(..., *place, *whole)]
    return result


def _windows_shape(x: Node, window: Window) -> Shape:
    lead = x.ndim - len(window.kernel)
    return (*x.shape[:lead], *window.kernel, *window.counts(x.shape[lead:]))


def _places_spelled(window: Window, counts: Lengths) -> Iterator[Expression]:
    """For each axis, where in the input each place of each window lies: (*kernel, *counts)."""
    sides = zip(window.kernel, window.dilation, counts, window.stride, strict=True)
    for axis, (kernel, dilation, count, stride) in enumerate(sides):
        grid = np.arange(kernel)[:, None] * dilation + np.arange(count) * stride
        around = [1] * (2 * len(counts))
        around[axis], around[axis + len(counts)] = kernel, count
        yield literal(grid.reshape(around))


def _windows_spelled(node: Node, x: Expression) -> Expression:
    (window,) = node.attributes
    axes = len(window.kernel)
    whole = [WHOLE] * (node.inputs[0].ndim - axes)
    return subscript(x, [*whole, *_places_spelled(window, node.shape[-axes:])])


def _overlap_add_spelled(node: Node, x: Expression) -> Expression:
    lengths, window = node.attributes
    places = _places_spelled(window, node.inputs[0].shape[-len(lengths) :])
    dims = numbers(range(node.ndim - len(lengths), node.ndim))
    return call("put_add", x, numbers(node.shape), dims, *places)


WINDOWS: Linear = Linear(
    "windows",
    infer=_windows_shape,
    forward=_windows,
    adjoints=(
        lambda change, y, x, window: x.graph.apply(
            OVERLAP_ADD, (change,), (x.shape[x.ndim - len(window.kernel) :], window)
        ),
    ),
    selects=True,
    splits=lambda node: leading(node, len(node.attributes[0].kernel)),
    spell=_windows_spelled,
)
OVERLAP_ADD: Linear = Linear(
    "overlap_add",
    infer=lambda x, lengths, window: (*x.shape[: x.ndim - 2 * len(lengths)], *lengths),
    forward=_overlap_add,
    adjoints=(lambda change, y, x, lengths, window: x.graph.apply(WINDOWS, (change,), (window,)),),
    splits=lambda node: leading(node, 2 * len(node.attributes[0])),
    spell=_overlap_add_spelled,
)


AT_ONCE = 1 << 15
"""So many windows, about, are compared at a time: what is known of them stays in the cache."""


def _first_largest(xp: ArrayNamespace, x: Array, window: Window) -> Array:
    axes = len(window.kernel)
    lead, lengths = x.shape[: x.ndim - axes], x.shape[x.ndim - axes :]
    counts = window.counts(lengths)
    tables, found = x.reshape(-1, *lengths), xp.empty((math.prod(lead), *counts), np.int64)
    step = max(1, AT_ONCE // math.prod(counts)) if xp is np else len(found)
    for start in range(0, len(found), step):
        place = slice(start, start + step)
        _compare(xp, tables[place], window, counts, found[place])
    return found.reshape(*lead, 1, *counts)


def _compare(xp: ArrayNamespace, x: Array, window: Window, counts: Lengths, found: Array) -> None:
    """Compare the places of a kernel one after the other, all windows at a time."""
    small = np.min_scalar_type(math.prod(window.kernel))
    (_, met), *others = _offsets(window, counts)
    best = x[(..., *met)].copy()
    place = xp.zeros(best.shape, small)
    for number, (_, met) in enumerate(others, 1):
        each = xp.ascontiguousarray(x[(..., *met)])
        # A mask would be a branch for each window.
        xp.maximum(place, (each > best) * small.type(number), out=place)
        xp.maximum(each, best, out=best)
    if best.dtype.kind == "f" and xp.isnan(best).any():
        rows = _windows(xp, x, window).reshape(len(x), -1, *counts)
        found[...] = xp.argmax(rows, axis=1)
    else:
        found[...] = place


_FIRST_LARGEST = General(
    "argmax",
    infer=lambda x, window: (
        (*x.shape[: x.ndim - len(window.kernel)], 1, *_windows_shape(x, window)[x.ndim :]),
        "int",
    ),
    forward=_first_largest,
    work=lambda node: node.inputs[0].size if node.inputs[0].op.view else 0.0,
    selects=True,
    splits=lambda node: leading(node, len(node.attributes[0].kernel)),
)


def first_largest(rows: Node, axis: int) -> Node | None:
    """Where the largest element of each window is, the first of a tie, without a copy of all
    windows; None where `rows` are no windows in rows along the axis.
    """
    found = rows.inputs[0] if rows.op is RESHAPE else rows
    if found.op is not WINDOWS:
        return None
    (window,) = found.attributes
    if rows.shape[axis] != math.prod(window.kernel) or axis != -len(window.kernel) - 1:
        return None
    return found.graph.apply(_FIRST_LARGEST, found.inputs, (window,))


def windows(x: Node, window: Window) -> Node:
    """All windows over the last axes of x: (…, *lengths) to (…, *kernel, *counts)."""
    return x.graph.apply(WINDOWS, (x,), (window,))


def overlap_add(x: Node, window: Window) -> Node:
    """Windows (…, *kernel, *counts) added where they overlap: (…, *lengths), all of them met."""
    axes = len(window.kernel)
    sides = zip(x.shape[x.ndim - axes :], window.stride, window.span, strict=True)
    lengths = tuple((count - 1) * step + span for count, step, span in sides)
    return x.graph.apply(OVERLAP_ADD, (x,), (lengths, window))


def windows_in_rows(x: Node, window: Window) -> Node:
    """The same with the places of a kernel on one axis: (…, prod(kernel), *counts)."""
    found = windows(x, window)
    axes = len(window.kernel)
    lead = found.shape[: found.ndim - 2 * axes]
    return reshape(found, (*lead, math.prod(window.kernel), *found.shape[found.ndim - axes :]))
