"""All entries of a sparse matrix from few products: one for each colour of its rows or columns."""

from __future__ import annotations

import numpy as np

from gradcli.analysis.linearisation import Linearisation
from gradcli.analysis.matrices import Mode, SparseMatrix
from gradcli.analysis.sparsity.colouring import Colouring, colouring, symmetric_colouring
from gradcli.analysis.sparsity.drawn import drawn
from gradcli.analysis.sparsity.pattern import Pattern, TooManyEntriesError
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.tuples import NamedTuple

MOST = 1 << 24
"""Entries of the largest pattern that is looked for."""
WORTH = 2
"""So many times fewer products than rows or columns are worth the work on the pattern."""
CLOSE = 1e-6
"""By how much of the sum of its parts a product may be off, by rounding."""


class Way(NamedTuple):
    """How a matrix is found."""

    mode: Mode
    found: Colouring


def compressed(linear: Linearisation, most_entries: int, *, symmetric: bool) -> SparseMatrix | None:
    """The matrix, where it has at most `most_entries` and few products find all of them.

    A matrix that ought to be `symmetric` is taken to be so where that saves products, and held
    against a product of its own.
    """
    rows, columns = linear.rows, linear.columns
    try:
        pattern = linear.pattern(min(MOST, most_entries))
    except TooManyEntriesError:
        return None
    ledger = linear.problem.graph.ledger
    needed = (pattern.columns.itemsize + linear.dtype.itemsize) * pattern.size
    ledger.take(
        needed,
        f"the {pattern.size:,} entries of a matrix of {rows.size:,} × {columns.size:,}",
    )
    most = min(pattern.height, pattern.width) // WORTH
    for way in ways(pattern, most, symmetric=symmetric):
        try:
            values = _entries(linear, pattern, way)
        except GradcliError as error:
            if error.diagnostic.code != "not-differentiable":
                raise
            continue  # one mode may have a rule where the other has none
        matrix = SparseMatrix(rows, columns, pattern, values, way.mode, way.found.needed)
        if not way.found.alone.any() or holds(linear, matrix):
            return matrix
    ledger.give_back(needed)
    return None


def ways(pattern: Pattern, most: int, *, symmetric: bool) -> list[Way]:
    """How the matrix can be found with at most so many products: the best way first, then one that
    does not trust in symmetry.
    """
    across = pattern.transposed()
    found: list[Way] = []
    if symmetric and np.array_equal(pattern.keys, across.keys):
        mirrored = symmetric_colouring(pattern, most)
        if mirrored is not None:
            found.append(Way("reverse", mirrored))
    # At least as many colours as a line across has entries.
    by_rows = int(across.lengths.max(initial=0)) <= int(pattern.lengths.max(initial=0))
    plain = colouring(pattern if by_rows else across, most)
    if plain is not None:
        found.append(Way("reverse" if by_rows else "forward", plain))
    return found


def _entries(linear: Linearisation, pattern: Pattern, way: Way) -> Array:
    """The values at the places of the pattern."""
    mode, (colours, count, alone) = way
    seeded, read = pattern.rows, pattern.columns
    if mode == "forward":
        seeded, read = read, seeded
    mirrored = alone[read] & ~alone[seeded] if alone.any() else np.zeros(pattern.size, bool)
    seeded, read = np.where(mirrored, read, seeded), np.where(mirrored, seeded, read)
    order = np.argsort(colours[seeded], kind="stable")
    ends = np.searchsorted(colours[seeded][order], np.arange(count + 1))
    values = np.zeros(pattern.size, linear.dtype)

    def units(start: int, stop: int) -> Array:
        return np.equal(colours, np.arange(start, stop)[:, np.newaxis])

    for start, arrays in linear.products(mode, count, units):
        for row, product in enumerate(np.concatenate(arrays, axis=1), start):
            places = order[ends[row] : ends[row + 1]]
            values[places] = product[read[places]]
    return values


def holds(linear: Linearisation, matrix: SparseMatrix) -> bool:
    """Whether the product with a vector is what the graph finds for it."""
    vector = 0.5 + drawn(matrix.rows.size) / 2.0**65
    ((_, arrays),) = linear.products("reverse", 1, lambda start, stop: vector[np.newaxis])
    found = np.concatenate(arrays, axis=1)[0]
    with np.errstate(all="ignore"):
        size = matrix._replace(values=np.abs(matrix.values)).product(vector)
        return bool((np.abs(found - matrix.product(vector)) <= CLOSE * size).all())
