"""Large products of matrices as tiles, spread over threads, with BLAS on one thread.

The tiles depend on the shapes alone, and what is added up is added in order: the same bits come
out for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.threads import spread
from gradcli.graph import NUMPY, Array, Node, Shape
from gradcli.ops.sums import total

LARGE = 1 << 22
"""From this many multiplications on, a product uses several threads."""

COLUMNS = 256
ROWS = 256
ELEMENTS = 1 << 13
"""A tile of the result has up to COLUMNS columns, and ROWS rows, more where it is narrow: about
ELEMENTS elements at least."""

DEPTH = 1 << 13
"""What one tile sums up where the result is a single tile."""


def is_large(node: Node, large: int = LARGE) -> bool:
    """Whether an op multiplies matrices and may be worth threads, by its shapes: if it has about
    `large` multiplications.
    """
    if not node.op.contracts or len(node.inputs) > 2:
        return False
    a, b = node.inputs[0], node.inputs[-1]
    return a.size * b.size * node.size >= large**2  # (m·k)(k·n)(m·n) is (m·k·n)²


def namespace(node: Node, threads: int = 1) -> Any:
    """The array namespace that a node is computed with: NumPy, or what stands for it where several
    threads pay.
    """
    if node.op.orders and threads > 1:
        from gradcli.engine.orders import Sorter  # few programs put anything in order

        return Sorter(threads)
    return Tiled(threads) if is_large(node) else np


class Whole:
    """NumPy, but products of matrices are computed at once, into memory that is given."""

    def __init__(self, empty: Callable[[Shape, np.dtype[Any]], Array]) -> None:
        self._empty = empty

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def matmul(self, a: Array, b: Array) -> Array:
        """`numpy.matmul`."""
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        shape = (*batch, *a.shape[-2:-1], *(b.shape[-1:] if b.ndim > 1 else ()))
        result = self._empty(shape, np.result_type(a, b))
        return np.matmul(self._for_blas(a), self._for_blas(b), out=result)

    def _for_blas(self, a: Array) -> Array:
        """Without repeated elements, for which NumPy would copy the other operand too."""
        if 0 not in a.strides:
            return a
        plain = self._empty(a.shape, a.dtype)
        np.copyto(plain, a)
        return plain


def whole(empty: Callable[[Shape, np.dtype[Any]], Array]) -> Callable[[Node], Any]:
    """The same where products are not cut and lie in memory that `empty` gives."""
    xp = Whole(empty)
    return lambda node: xp if node.op.contracts else np


class Tiled:
    """NumPy, except for products of matrices."""

    def __init__(self, threads: int, large: int = LARGE) -> None:
        self._threads = threads
        self._large = large

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def matmul(self, a: Array, b: Array) -> Array:
        """`numpy.matmul`."""
        row, column = a.ndim == 1, b.ndim == 1
        a, b = a[None] if row else a, b[:, None] if column else b
        if b.ndim == 2 and (a.ndim == 2 or a.flags.c_contiguous):
            product = self._product(a.reshape(math.prod(a.shape[:-1]), a.shape[-1]), b)
            product = product.reshape(*a.shape[:-1], b.shape[1])
        else:
            product = self._products(a, b)
        product = product[..., 0, :] if row else product
        return product[..., 0] if column else product

    def _product(self, a: Array, b: Array) -> Array:
        """The product of two matrices."""
        (m, k), n = a.shape, b.shape[1]
        columns = min(n, COLUMNS)
        rows = max(ROWS, ELEMENTS // max(columns, 1))
        tiles = [(i, j) for i in range(0, m, rows) for j in range(0, n, columns or 1)]
        if len(tiles) <= 1:
            return self._long_product(a, b)
        result = np.empty((m, n), np.result_type(a, b))

        def tile(number: int) -> None:
            i, j = tiles[number]
            across, along = slice(i, i + rows), slice(j, j + columns)
            np.matmul(a[across], b[:, along], out=result[across, along])

        self._spread(len(tiles), m * k * n, tile)
        return result

    def _long_product(self, a: Array, b: Array) -> Array:
        """The product of two matrices, whose result is small: a sum over parts of the middle."""
        (m, k), n = a.shape, b.shape[1]
        count = -(-k // DEPTH)
        if count <= 1:
            return np.matmul(a, b)  # type: ignore[no-any-return]
        results = np.empty((count, m, n), np.result_type(a, b))

        def part(number: int) -> None:
            middle = slice(number * DEPTH, (number + 1) * DEPTH)
            np.matmul(a[:, middle], b[middle], out=results[number])

        self._spread(count, m * k * n, part)
        return total(NUMPY, results, (0,), False)

    def _products(self, a: Array, b: Array) -> Array:
        """The products of batches of matrices."""
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = np.broadcast_to(a, batch + a.shape[-2:])
        b = np.broadcast_to(b, batch + b.shape[-2:])
        (m, k), n = a.shape[-2:], b.shape[-1]
        result = np.empty((*batch, m, n), np.result_type(a, b))
        work = math.prod(batch) * m * k * n
        step = max(1, self._large * batch[0] // max(work, 1))

        def part(number: int) -> None:
            place = slice(number * step, (number + 1) * step)
            np.matmul(a[place], b[place], out=result[place])

        self._spread(-(-batch[0] // step), work, part)
        return result

    def _spread(self, count: int, work: int, part: Callable[[int], None]) -> None:
        spread(count, self._threads if work >= self._large else 1, lambda: part)
