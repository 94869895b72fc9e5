"""Whole matrices of derivatives, and their products with vectors.

A matrix is found row by row with reverse mode or column by column with forward mode, whichever
takes fewer seeds; a large one in which most entries are 0, from seeds for many rows at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Literal

import numpy as np

from gradcli.analysis.linearisation import Linearisation
from gradcli.analysis.matrices import (
    DenseMatrix,
    Hessian,
    Jacobian,
    Matrix,
    MatrixProduct,
    Mode,
    SparseMatrix,
    Sparsity,
)
from gradcli.analysis.problem import Problem, View
from gradcli.analysis.sparsity.compressed import MOST, compressed, ways
from gradcli.analysis.sparsity.pattern import TooManyEntriesError
from gradcli.diagnostics import GradcliError, nearest
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import Array, Node
from gradcli.ops.kinds import zeros_like
from gradcli.ops.shapes import show

SEEDED = 1 << 16
"""Elements of the largest array while many seeds are at work: more leave the cache."""

COPIES = 3
"""Copies of a Hessian in memory while its symmetry and eigenvalues are found."""

PATTERN_FROM = 1 << 16
"""Entries of the smallest matrix whose pattern is looked for."""
FEW = 32
"""With so few rows or columns, a seed for each is no effort."""
SPARSE = 4
"""The part of all entries that a sparse matrix has, at most: one of so many."""
DENSE_UP_TO = 1 << 24
"""Entries of the largest sparse matrix that is answered with its zeros."""


def jacobian(problem: Problem, at_once: int = SEEDED) -> Jacobian:
    """The Jacobian of all outputs by all leaves. Raises `limit-memory`.

    As many seeds go in together as make arrays of `at_once` elements.
    """
    matrix = derivative_matrix(problem, problem.outputs, at_once)
    product: dict[str, Array] = {}
    if problem.grads and problem.gradient is not None:
        parts = [np.ravel(problem.gradient[name]) for name in problem.outputs]
        row = matrix.product(np.concatenate(parts))
        product = {name: row[part].reshape(shape) for name, shape, part in matrix.columns.slices()}
    outputs = dict(zip(problem.outputs, problem.values([*problem.outputs.values()]), strict=True))
    gradient = problem.gradient if product else None
    return Jacobian(matrix, outputs, gradient, product, problem.grads)


def hessian(problem: Problem, at_once: int = SEEDED) -> Hessian:
    """The Hessian of the only output, or of v·outputs where a gradient v is given.

    Raises `gradient-required` where an output has several elements and there is no v.
    """
    hessian = Hessian(derivative_matrix(problem, _grads(problem), at_once, symmetric=True))
    work = COPIES * hessian.matrix.values.nbytes
    problem.graph.ledger.require(work, "the eigenvalues and symmetry of a Hessian")
    return hessian


def jacobian_sparsity(problem: Problem) -> Sparsity:
    """Where the Jacobian of all outputs by all leaves may be different from 0.

    Raises `limit-memory` where these are too many places.
    """
    return _sparsity("jacobian", problem, problem.outputs)


def hessian_sparsity(problem: Problem) -> Sparsity:
    """The same for the Hessian. Raises what `hessian` does."""
    return _sparsity("hessian", problem, _grads(problem))


def _sparsity(
    name: Literal["jacobian", "hessian"], problem: Problem, outputs: Mapping[str, Node]
) -> Sparsity:
    linear = Linearisation(problem, outputs, SEEDED)
    rows, columns = linear.rows, linear.columns
    try:
        pattern = linear.pattern(MOST)
    except TooManyEntriesError:
        what = f"the pattern of a matrix of {rows.size:,} × {columns.size:,}"
        raise GradcliError("limit-memory", f"{what} has over {MOST:,} entries") from None
    usual = min(rows.size, columns.size)
    for mode, found in ways(pattern, usual - 1, symmetric=name == "hessian"):
        return Sparsity(name, rows, columns, pattern, mode, found.needed)
    return Sparsity(name, rows, columns, pattern, usual_mode(rows.size, columns.size), usual)


def usual_mode(rows: int, columns: int) -> Mode:
    """The mode with fewer seeds."""
    return "reverse" if rows <= columns else "forward"


def tangent_product(problem: Problem, tangents: Mapping[str, Array]) -> MatrixProduct:
    """J·t by output; leaves without a tangent stay where they are. Raises `name`, `shape`."""
    directions = fitted(problem, tangents, "--tangent")
    return MatrixProduct("jvp", directions, _along(problem, problem.outputs, directions))


def hessian_product(problem: Problem, vectors: Mapping[str, Array]) -> MatrixProduct:
    """H·u by leaf. Raises `name`, `shape`, `gradient-required`."""
    directions = fitted(problem, vectors, "--vector")
    return MatrixProduct("hvp", directions, _along(problem, _grads(problem), directions))


def derivative_matrix(
    problem: Problem, outputs: Mapping[str, Node], at_once: int = SEEDED, *, symmetric: bool = False
) -> Matrix:
    """The derivatives of nodes by the leaves, all elements by all elements.

    Raises `NotRolled` where a loop that is one node has no rule for many seeds, or no pattern.
    """
    linear = Linearisation(problem, outputs, at_once)
    size = linear.rows.size * linear.columns.size
    if size >= PATTERN_FROM and min(linear.rows.size, linear.columns.size) > FEW:
        found = compressed(linear, size // SPARSE, symmetric=symmetric)
        if found is not None:
            return found if size > DENSE_UP_TO else _dense(linear, found)
    return _whole(linear)


def _dense(linear: Linearisation, found: SparseMatrix) -> DenseMatrix:
    """The same with its zeros."""
    values = linear.allocate(np.zeros)
    values.reshape(-1)[found.pattern.keys] = found.values
    return DenseMatrix(found.rows, found.columns, values, found.mode)


def _whole(linear: Linearisation) -> DenseMatrix:
    """One seed for each row, or for each column."""
    values = linear.allocate()
    rows, columns = values.shape
    mode = usual_mode(rows, columns)
    across = values if mode == "reverse" else values.T
    for start, arrays in linear.products(mode, len(across)):
        stops = itertools.accumulate(array.shape[1] for array in arrays)
        for array, stop in zip(arrays, stops, strict=True):
            across[start : start + len(array), stop - array.shape[1] : stop] = array
    return DenseMatrix(linear.rows, linear.columns, values, mode)


def _grads(problem: Problem) -> dict[str, Node]:
    """The gradients of the leaves as nodes."""
    if problem.gradient is None:
        name, node = next((n, o) for n, o in problem.outputs.items() if o.size != 1)
        raise GradcliError(
            "gradient-required",
            f"the output {name} has shape {show(node.shape)}: a Hessian is that of one number",
            hint="put sum(…) around it, or weigh its elements with --gradient",
        )
    leaves = list(problem.leaves.values())
    cotangents = [problem.graph.constant(problem.gradient[name]) for name in problem.outputs]
    found = vjp(list(problem.outputs.values()), cotangents, leaves)
    return {
        name: zeros_like(leaf) if grad is None else grad
        for (name, leaf), grad in zip(problem.leaves.items(), found, strict=True)
    }


def _along(
    problem: Problem, outputs: Mapping[str, Node], directions: Mapping[str, Array]
) -> dict[str, Array]:
    moved = [problem.leaves[name] for name in directions]
    tangents = [problem.graph.constant(np.array(each)) for each in directions.values()]
    changes = jvp(list(outputs.values()), moved, tangents)
    results = [
        zeros_like(node) if change is None else change
        for node, change in zip(outputs.values(), changes, strict=True)
    ]
    return dict(zip(outputs, problem.values(results), strict=True))


def fitted(problem: View, given: Mapping[str, Array], flag: str) -> dict[str, Array]:
    """What was given for leaves, broadcast to their shapes. Raises `name`, `shape`."""
    dtype = problem.graph.dtype("float")
    directions = {}
    for name, values in given.items():
        leaf = problem.leaves.get(name)
        if leaf is None:
            guess = nearest(name, problem.leaves)
            raise GradcliError(
                "name",
                f"{flag} {name}: that is not a leaf; the leaves are {', '.join(problem.leaves)}",
                hint=f"did you mean {guess!r}?" if guess else None,
            )
        vector = np.asarray(values, dtype)
        if vector.size == leaf.size == 1:
            vector = vector.reshape(leaf.shape)
        try:
            directions[name] = np.broadcast_to(vector, leaf.shape)
        except ValueError:
            raise GradcliError(
                "shape",
                f"{flag} {name} has shape {show(vector.shape)}, the leaf has {show(leaf.shape)}",
                hint="give one number for each of its elements",
            ) from None
    return directions
