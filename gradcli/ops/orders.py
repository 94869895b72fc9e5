"""Stable orders: the places of elements from the least to the greatest, ties in theirs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.graph import NUMPY, Array, Shape

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

FEW = 1 << 8
"""Rows of fewer elements are sorted as fast by NumPy's stable order."""
MANY, MOST = 1 << 18, 1 << 32
"""Rows of so many floats are sorted as whole numbers that hold their places, too."""
FEW_ALIKE = 4
"""Of which at most this part may have the same high bits."""


SEARCHED = 1 << 16
"""Of so many elements, few are looked at closer where one is searched."""
SAMPLES, MARGIN = 1 << 13, 1 << 8
"""How many of them say where it lies; by how many places it may be off."""
SEVERAL = 4
"""Where more elements of a row are searched than so many, it is put in order."""
LENGTHY, PART = 1 << 12, 1 << 3
"""Where no more than this part of a row is wanted, the rest of one so long is not put in order."""


def stable_order(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    """The places of the elements along an axis, nan last.

    NumPy's other order is three times as fast: it uses all lanes of the processor, and the places
    of ties are put in order afterwards. As fast again is to sort numbers in place of places.
    """
    sort = getattr(xp, "sort_in_place", np.ndarray.sort if xp is np else None)
    if sort is None or x.ndim == 0 or x.shape[axis] < FEW:
        return xp.argsort(x, axis=axis, kind="stable")
    rows = np.moveaxis(x, axis, -1)
    if x.dtype.kind == "f" and MANY <= rows.shape[-1] <= MOST and not np.isnan(np.min(rows)):
        order = np.empty(rows.shape, np.int64)
        for row in np.ndindex(rows.shape[:-1]):
            _order_of_row(rows[row], order[row], sort)
        return np.moveaxis(order, -1, axis)
    return np.moveaxis(_order_of_rows(rows), -1, axis)


def order_of(xp: ArrayNamespace, x: Array, axis: int, descending: bool) -> Array:
    """`stable_order`, or that from the greatest to the least: nan first, ties in their order."""
    if not descending:
        return stable_order(xp, x, axis)
    backwards = stable_order(xp, xp.flip(x, axis=axis), axis)
    return x.shape[axis] - 1 - xp.flip(backwards, axis=axis)  # type: ignore[no-any-return]


def order_elements(size: float, length: int) -> float:
    """The elements that `stable_order` has in memory besides operand and result, as `Op.work`
    counts them.
    """
    if length < FEW:
        return length / 2
    return 1.25 * size if length < MANY else max(1.25 * size, 2.25 * length)


def among_few(x: Array, place: int) -> Array | None:
    """The element of a vector that is at a place in their order, as one of those between two that
    lie around it in the order of some; None if it is not, or the vector is short. There is no nan.
    """
    if x.size < SEARCHED:
        return None
    some = np.sort(x[:: x.size // SAMPLES])
    middle = place * some.size // x.size
    least = some[middle - MARGIN] if middle >= MARGIN else -np.inf
    most = some[middle + MARGIN] if middle + MARGIN < some.size else np.inf
    before, between = 0, []
    for start in range(0, x.size, SEARCHED):  # a block stays in the cache
        block = x[start : start + SEARCHED]
        inside = block >= least
        before += block.size - int(np.count_nonzero(inside))
        inside &= block <= most
        between.append(block[inside])
    few, place = np.concatenate(between), place - before
    if not 0 <= place < few.size:
        return None
    return np.partition(few, place)[place : place + 1]


def places_along(xp: ArrayNamespace, x: Array, axis: int, ranks: Array) -> Array:
    """Which places have these ranks, counted from 0, in the stable order along an axis. Long rows
    are not put in order for a few of them.
    """
    return xp.moveaxis(
        _places_in_rows(xp, xp.moveaxis(x, axis, -1), xp.moveaxis(ranks, axis, -1)), -1, axis
    )


def _places_in_rows(xp: ArrayNamespace, rows: Array, ranks: Array) -> Array:
    shape = (*rows.shape[:-1], ranks.shape[-1])
    ranks = xp.broadcast_to(ranks, shape)
    if xp is not np or rows.shape[-1] < FEW or shape[-1] > SEVERAL:
        return xp.take_along_axis(stable_order(xp, rows, -1), ranks, axis=-1)
    found = np.empty(shape, np.int64)
    for place in np.ndindex(shape):
        found[place] = _place_in_row(rows[place[:-1]], int(ranks[place]))
    return found


def _place_in_row(x: Array, rank: int) -> int:
    has_nan = _has_nan(x)
    value = _element_of_rank(x, rank, has_nan)
    if has_nan and np.isnan(value):  # the last ones
        alike = np.isnan(x)
        before = x.size - np.count_nonzero(alike)
    else:
        before = np.count_nonzero(x < value)
        alike = x == value
    return int(np.flatnonzero(alike)[rank - before])


def _has_nan(x: Array) -> bool:
    return x.dtype.kind == "f" and bool(np.isnan(np.max(x)))


def _element_of_rank(x: Array, rank: int, has_nan: bool) -> Any:
    found = None if has_nan else among_few(x, rank)
    return np.partition(x, rank)[rank] if found is None else found[0]


def rank_elements(shape: Shape, axis: int, results: int) -> float:
    """The elements that `places_along` has in memory besides operand and results, as `Op.work`
    counts them: `results` of them along the axes of `shape`.
    """
    size, length = math.prod(shape), shape[axis]
    is_sorted = length < FEW or results * length > SEVERAL * size
    searched = size + order_elements(size, length) if is_sorted else 1.5 * length
    return searched + size / 4 + 3 * results


def first_places(xp: ArrayNamespace, x: Array, axis: int, count: int, descending: bool) -> Array:
    """The first places of the stable order along an axis: of long rows only those are put in
    order that hold no more than the last of them.
    """
    rows = xp.moveaxis(x, axis, -1)
    if xp is not np or not _is_searched(rows.shape[-1], count):
        order = order_of(xp, rows, -1, descending)[..., :count]
        return xp.moveaxis(order, -1, axis).copy()
    found = np.empty((*rows.shape[:-1], count), np.int64)
    for row in np.ndindex(rows.shape[:-1]):
        found[row] = _first_in_row(rows[row], count, descending)
    return np.moveaxis(found, -1, axis)


def _is_searched(length: int, count: int) -> bool:
    return length >= LENGTHY and 0 < count <= length // PART


def _first_in_row(x: Array, count: int, descending: bool) -> Array:
    if _has_nan(x):
        return order_of(NUMPY, x, 0, descending)[:count]
    last = _element_of_rank(x, x.size - count if descending else count - 1, has_nan=False)
    before = np.flatnonzero(x > last if descending else x < last)
    alike = np.flatnonzero(x == last)[: count - before.size]
    return np.concatenate((before[order_of(NUMPY, x[before], 0, descending)], alike))


def first_elements(shape: Shape, axis: int, count: int, descending: bool) -> float:
    """The elements that `first_places` has in memory besides operand and result, as `Op.work`
    counts them.
    """
    length = shape[axis]
    ordered = length if _is_searched(length, count) else math.prod(shape)
    return (1 + descending) * ordered + order_elements(ordered, length)


def _order_of_rows(rows: Array) -> Array:
    """The stable order of each row, by NumPy's other one."""
    order = np.argsort(rows, axis=-1)
    ties = _ties(np.take_along_axis(rows, order, -1))
    if ties.any():
        # Ties of a row have one number: numbers and places together are sorted as integers.
        groups = np.cumsum(~ties, axis=-1)
        groups *= rows.shape[-1]
        order[..., 1:] += groups
        order.sort(axis=-1)
        order[..., 1:] -= groups
    return order


def _order_of_row(x: Array, order: Array, sort: Callable[[Array], None]) -> None:
    """Write the stable order of a long row without nan; `sort` is what sorts a vector in place.

    Whole numbers are sorted whose high bits are those of an element, and whose low bits are its
    place. Elements of which only the low bits differ are put in order afterwards, if they are few.
    """
    bits = (x.size - 1).bit_length()
    places = (1 << bits) - 1
    keys = np.add(x, 0.0, dtype=np.float64).view(np.int64)  # -0 becomes 0
    signs = keys >> 63
    signs &= np.iinfo(np.int64).max
    keys ^= signs  # below 0 the larger bits are those of the smaller number
    del signs
    keys &= ~places
    keys |= np.arange(x.size)
    sort(keys)
    np.bitwise_and(keys, places, out=order)
    keys >>= bits
    same = keys[1:] == keys[:-1]
    del keys
    if same.any():
        alike = np.zeros(x.size, bool)
        alike[1:] = same
        alike[:-1] |= same
        if np.count_nonzero(alike) > x.size // FEW_ALIKE:
            del same, alike
            order[:] = _order_of_rows(x)
            return
        found = order[alike]
        values = x[found]
        if (values[1:] < values[:-1]).any():
            again = np.argsort(values, kind="stable")
            del values
            order[alike] = found[again]


def _ties(sorted_rows: Array) -> Array:
    """Whether each element is the same as the one before it; each nan is."""
    before, after = sorted_rows[..., :-1], sorted_rows[..., 1:]
    ties: Array = before == after
    if sorted_rows.dtype.kind == "f" and np.isnan(sorted_rows[..., -1]).any():
        ties |= np.isnan(before)
    return ties
