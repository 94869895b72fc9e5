"""The answers of analyses: matrices of derivatives, and their products with vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gradcli.analysis.sparsity.pattern import Pattern
from gradcli.diagnostics import Note
from gradcli.graph import Array, Shape
from gradcli.ops.shapes import element
from gradcli.tuples import NamedTuple

Mode: TypeAlias = Literal["reverse", "forward"]


class Side(NamedTuple):
    """The meaning of a matrix's rows or columns: the elements of named tensors."""

    shapes: dict[str, Shape]

    @property
    def size(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes.values())

    def slices(self) -> Iterator[tuple[str, Shape, slice]]:
        """Each name, its shape, and its part of the rows or columns."""
        start = 0
        for name, shape in self.shapes.items():
            stop = start + math.prod(shape)
            yield name, shape, slice(start, stop)
            start = stop

    def label(self, place: int) -> str:
        """`x[0,1]`, or `x` for a single value."""
        for name, shape, part in self.slices():
            if place < part.stop:
                return element(name, np.unravel_index(place - part.start, shape) if shape else ())
        raise IndexError(place)

    def labels(self) -> Iterator[str]:
        """The labels of all rows or columns."""
        for name, shape in self.shapes.items():
            for index in np.ndindex(shape):
                yield element(name, index)


class DenseMatrix(NamedTuple):
    """A Jacobian or Hessian: one row an element of the outputs, one column an element of leaves."""

    rows: Side
    columns: Side
    values: Array
    """Shape (rows, columns)."""
    mode: Mode

    def blocks(self) -> dict[str, dict[str, Array]]:
        """By row name and column name, in the shape of both together."""
        return {
            row: {
                column: self.values[part, place].reshape((*shape, *other))
                for column, other, place in self.columns.slices()
            }
            for row, shape, part in self.rows.slices()
        }

    def product(self, vector: Array) -> Array:
        """vᵀ·M."""
        with np.errstate(all="ignore"):
            return vector @ self.values

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.values.size

    @property
    def zeros(self) -> int:
        """How many entries are exactly 0."""
        return int(self.values.size - np.count_nonzero(self.values))

    def asymmetry(self) -> float:
        """The largest difference between an entry and its mirror image."""
        return _off(self.values, self.values.T)


class SparseMatrix(NamedTuple):
    """The same, with the entries alone that may be different from 0."""

    rows: Side
    columns: Side
    pattern: Pattern
    values: Array
    """One for each entry of the pattern, in its order: row by row."""
    mode: Mode
    products: int
    """With so many seeds it was found."""

    def product(self, vector: Array) -> Array:
        """vᵀ·M."""
        with np.errstate(all="ignore"):
            parts = vector[self.pattern.rows] * self.values
        return np.bincount(self.pattern.columns, parts, self.columns.size)

    @property
    def size(self) -> int:
        """How many entries there are, with those that are 0."""
        return self.rows.size * self.columns.size

    @property
    def zeros(self) -> int:
        """How many entries are exactly 0."""
        return int(self.size - np.count_nonzero(self.values))

    def asymmetry(self) -> float:
        """The largest difference between an entry and its mirror image."""
        keys = self.pattern.keys
        mirrored = self.pattern.columns * self.columns.size + self.pattern.rows
        places = np.minimum(np.searchsorted(keys, mirrored), max(0, len(keys) - 1))
        images = np.where(keys[places] == mirrored, self.values[places], 0.0)
        return _off(self.values, images)


Matrix: TypeAlias = DenseMatrix | SparseMatrix


class Sparsity(NamedTuple):
    """Where a matrix of derivatives may be different from 0."""

    name: Literal["jacobian", "hessian"]
    rows: Side
    columns: Side
    pattern: Pattern
    mode: Mode
    products: int
    """With so many seeds the matrix can be found."""


def _off(values: Array, images: Array) -> float:
    """The largest difference between values and what they should be the same as."""
    same = (values == images) | (np.isnan(values) & np.isnan(images))
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(values - images)[~same], initial=0.0))


def _largest(array: Array) -> float:
    """The largest absolute value among the finite ones."""
    return float(np.max(np.abs(array[np.isfinite(array)]), initial=0.0))


class Jacobian(NamedTuple):
    """J, and with a gradient v also v and vᵀ·J, which must be equal to the grads."""

    matrix: Matrix
    outputs: dict[str, Array]
    """Their values."""
    gradient: dict[str, Array] | None
    product: dict[str, Array]
    """vᵀ·J by leaf, in the leaf's shape; empty without v."""
    grads: dict[str, Array]
    """What a backward pass finds."""

    @property
    def agree(self) -> bool:
        """Whether vᵀ·J and the grads are the same up to rounding."""
        largest = max(_largest(grad) for grad in self.grads.values())
        return all(
            np.allclose(self.product[name], grad, rtol=1e-9, atol=1e-12 * largest, equal_nan=True)
            for name, grad in self.grads.items()
        )


class Hessian:
    """Second derivatives of one number by all leaves; their properties are computed on demand."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    @cached_property
    def asymmetry(self) -> float:
        """The largest difference between an entry and its mirror image."""
        return self.matrix.asymmetry()

    @cached_property
    def eigenvalues(self) -> Array:
        """The eigenvalues of the symmetric part, ascending; empty if an entry is not finite, and
        for a sparse matrix.
        """
        values = self.matrix.values
        if isinstance(self.matrix, SparseMatrix) or not np.isfinite(values).all():
            return np.empty(0)
        with np.errstate(all="ignore"):
            return np.linalg.eigvalsh(values / 2 + values.T / 2)

    @property
    def symmetric(self) -> bool:
        """Whether mirror images are the same up to rounding."""
        return self.asymmetry <= 1e-9 * _largest(self.matrix.values)

    @property
    def definiteness(self) -> str:
        """`positive definite`, `negative semidefinite`, `indefinite`, `zero`, or `unknown`."""
        if not self.eigenvalues.size or not np.isfinite(self.eigenvalues).all():
            return "unknown"
        low, high = float(self.eigenvalues[0]), float(self.eigenvalues[-1])
        largest = max(abs(low), abs(high))
        slack = largest * self.eigenvalues.size * float(np.finfo(self.eigenvalues.dtype).eps)
        if largest == 0:
            return "zero"
        if low < -slack and high > slack:
            return "indefinite"
        sign, nearest_to_zero = ("positive", low) if high > slack else ("negative", high)
        return f"{sign} {'definite' if abs(nearest_to_zero) > slack else 'semidefinite'}"


class MatrixProduct(NamedTuple):
    """J·t or H·u: the vectors that were given, and the products by name."""

    name: Literal["jvp", "hvp"]
    vectors: dict[str, Array]
    products: dict[str, Array]


Answer: TypeAlias = Jacobian | Hessian | MatrixProduct | Sparsity


class Shown(NamedTuple):
    """An answer, and its notes."""

    answer: Answer
    notes: Sequence[Note]
    seed: int | None
