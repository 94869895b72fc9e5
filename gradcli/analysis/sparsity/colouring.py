"""Rows or columns of a matrix that one seed can serve, as they share no place: one colour for them.

Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices", 1974: a greedy colouring.
Powell and Toint, "On the estimation of sparse Hessian matrices", 1979: by symmetry a few rows with
many entries, found alone, leave the columns of the others with fewer.
"""

from __future__ import annotations

import numpy as np

from gradcli.analysis.sparsity.pattern import Pattern
from gradcli.graph import Array
from gradcli.tuples import NamedTuple


class Colouring(NamedTuple):
    """A colour for each row."""

    colours: Array
    needed: int
    """How many there are."""
    alone: Array
    """For each row whether it has a colour of its own, and is the mirror image of its column."""


def colouring(pattern: Pattern, most: int) -> Colouring | None:
    """Colours for rows, such that two of one colour have no column in common.

    None where that takes more than `most` colours.
    """
    nobody = np.zeros(pattern.height, bool)
    found = _greedy(pattern, pattern.transposed(), most)
    return None if found is None else Colouring(*found, nobody)


def symmetric_colouring(pattern: Pattern, most: int) -> Colouring | None:
    """The same for a symmetric matrix, with fewer colours where few rows have most entries."""
    ascending = np.argsort(pattern.lengths, kind="stable")[::-1]
    lengths = pattern.lengths[ascending]
    few = min(len(lengths), most)
    cost = np.arange(few) + lengths[:few]
    hubs = int(np.argmin(cost)) if few else 0
    if not hubs:
        return None
    alone = np.zeros(pattern.height, bool)
    alone[ascending[:hubs]] = True
    rows = pattern.rows
    kept = ~alone[rows] & ~alone[pattern.columns]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=pattern.height))])
    rest = Pattern(starts, pattern.columns[kept], pattern.width)
    found = _greedy(rest, rest.transposed(), most - hubs)
    if found is None:
        return None
    colours, count = found
    colours[alone] = count + np.arange(hubs)
    return Colouring(colours, count + hubs, alone)


def _greedy(pattern: Pattern, across: Pattern, most: int) -> tuple[Array, int] | None:
    """The first colour for each row that no earlier row with a common column has.

    The colours around a column are the bits of one number.
    """
    if int(across.lengths.max(initial=0)) > most:
        return None
    around = [0] * pattern.width
    starts, columns = pattern.starts.tolist(), pattern.columns.tolist()
    colours = np.zeros(pattern.height, np.int64)
    count = 0
    for row in range(pattern.height):
        own = columns[starts[row] : starts[row + 1]]
        taken = 0
        for column in own:
            taken |= around[column]
        bit = ~taken & (taken + 1)
        for column in own:
            around[column] |= bit
        colours[row] = colour = bit.bit_length() - 1
        count = max(count, colour + 1)
        if count > most:
            return None
    return colours, count
