"""Whole matrices of derivatives, and their products with vectors.

A matrix is found row by row with reverse mode or column by column with forward mode, whichever
takes fewer seeds; one plan serves them all, many seeds at once being its input.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradcli.analysis.problem import Problem
from gradcli.diagnostics import GradcliError, nearest
from gradcli.differentiate import jvp, vectorise, vjp
from gradcli.engine.device import Engine
from gradcli.engine.plan import show_bytes
from gradcli.graph import Array, Node, Shape, ancestors, dependents
from gradcli.ops.kinds import zeros_like
from gradcli.ops.shapes import show

SEEDED = 1 << 16
"""Elements of the largest array while many seeds are at work: more leave the cache."""

Mode: TypeAlias = Literal["reverse", "forward"]


@dataclass(frozen=True, slots=True)
class Side:
    """What the rows or the columns of a matrix stand for: the elements of named tensors."""

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
                index = np.unravel_index(place - part.start, shape) if shape else ()
                return f"{name}[{','.join(map(str, index))}]" if shape else name
        raise IndexError(place)


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
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
                column: self.values[part, place].reshape(*shape, *other)
                for column, other, place in self.columns.slices()
            }
            for row, shape, part in self.rows.slices()
        }

    @property
    def zeros(self) -> int:
        """How many entries are exactly 0."""
        return int(self.values.size - np.count_nonzero(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class Jacobian:
    """J, and with a gradient v also v and vᵀ·J, which must be the grads."""

    matrix: Matrix
    gradient: dict[str, Array] | None
    product: dict[str, Array]
    """vᵀ·J by leaf, in the leaf's shape; empty without v."""
    grads: dict[str, Array]
    """What a backward pass finds."""

    @property
    def agree(self) -> bool:
        """Whether vᵀ·J and the grads are the same up to rounding."""
        size = max((float(np.max(np.abs(g), initial=0.0)) for g in self.grads.values()), default=0)
        return all(
            np.allclose(self.product[name], grad, rtol=1e-9, atol=1e-12 * size, equal_nan=True)
            for name, grad in self.grads.items()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Hessian:
    """Second derivatives of one number by all leaves."""

    matrix: Matrix
    asymmetry: float
    """The largest difference between an entry and its mirror image."""
    eigenvalues: Array
    """Of the symmetric part, ascending; empty where an entry is not finite."""

    @property
    def symmetric(self) -> bool:
        """Whether mirror images are the same up to rounding."""
        return self.asymmetry <= 1e-9 * float(np.max(np.abs(self.matrix.values), initial=0.0))

    @property
    def definiteness(self) -> str:
        """`positive definite`, `negative semidefinite`, `indefinite`, `zero`, or `unknown`."""
        if not self.eigenvalues.size:
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


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """J·t or H·u: the vectors that went in, and by name what came out."""

    vectors: dict[str, Array]
    products: dict[str, Array]


def jacobian(problem: Problem) -> Jacobian:
    """The Jacobian of all outputs by all leaves. Raises `limit-memory`."""
    matrix = derivative_matrix(problem, problem.outputs)
    product: dict[str, Array] = {}
    if problem.grads and problem.gradient is not None:
        parts = [np.ravel(problem.gradient[name]) for name in problem.outputs]
        with np.errstate(all="ignore"):
            row = np.concatenate(parts) @ matrix.values
        product = {name: row[part].reshape(shape) for name, shape, part in matrix.columns.slices()}
    return Jacobian(matrix, problem.gradient if product else None, product, problem.grads)


def hessian(problem: Problem) -> Hessian:
    """The Hessian of the only output, or of v·outputs where a gradient v is given.

    Raises `gradient-required` where an output has several elements and there is no v.
    """
    matrix = derivative_matrix(problem, _grads(problem))
    values = matrix.values
    finite = bool(np.isfinite(values).all())
    with np.errstate(all="ignore"):
        asymmetry = float(np.max(np.abs(values - values.T), initial=0.0))
    eigenvalues = np.linalg.eigvalsh((values + values.T) / 2) if finite else values[:0, 0]
    return Hessian(matrix, asymmetry, eigenvalues)


def tangent_product(problem: Problem, tangents: Mapping[str, Array]) -> Product:
    """J·t by output; leaves without a tangent stay where they are. Raises `name`, `shape`."""
    directions = _directions(problem, tangents, "--tangent")
    return Product(directions, _along(problem, problem.outputs, directions))


def hessian_product(problem: Problem, vectors: Mapping[str, Array]) -> Product:
    """H·u by leaf. Raises `name`, `shape`, `gradient-required`."""
    directions = _directions(problem, vectors, "--vector")
    return Product(directions, _along(problem, _grads(problem), directions))


def derivative_matrix(problem: Problem, outputs: Mapping[str, Node]) -> Matrix:
    """The derivatives of nodes by the leaves, all elements by all elements."""
    rows = Side({name: node.shape for name, node in outputs.items()})
    columns = Side({name: node.shape for name, node in problem.leaves.items()})
    needed = rows.size * columns.size * problem.graph.dtype("float").itemsize
    allowed = problem.options.limits.memory_bytes()
    if needed > allowed:
        raise GradcliError(
            "limit-memory",
            f"a matrix of {rows.size:,} × {columns.size:,} takes {show_bytes(needed)}; the limit "
            f"is {show_bytes(allowed)}",
            hint="gradcli jvp or eval --gradient give its products with a vector",
        )
    values = np.empty((rows.size, columns.size), problem.graph.dtype("float"))
    nodes, leaves = list(outputs.values()), list(problem.leaves.values())
    if rows.size <= columns.size:
        seeds = [problem.graph.input("v", node.shape, "float") for node in nodes]
        _fill(values, problem, seeds, vjp(nodes, seeds, leaves), leaves)
        return Matrix(rows, columns, values, "reverse")
    seeds = [problem.graph.input("t", leaf.shape, "float") for leaf in leaves]
    _fill(values.T, problem, seeds, jvp(nodes, leaves, seeds), nodes)
    return Matrix(rows, columns, values, "forward")


def _fill(
    rows: Array,
    problem: Problem,
    seeds: Sequence[Node],
    found: Sequence[Node | None],
    like: Sequence[Node],
) -> None:
    """Fill a row for each unit vector over all seeds with what was found; None is zeros.

    Rows are found several at once, by one plan.
    """
    results = [
        zeros_like(node) if each is None else each for each, node in zip(found, like, strict=True)
    ]
    count, inputs, engine = _engine(problem, seeds, results, rows.nbytes)
    for start in range(0, len(rows), count):
        units = np.eye(count, len(rows), start, dtype=rows.dtype)
        stops = itertools.accumulate(seed.size for seed in seeds)
        feeds = {
            node: units[:, stop - seed.size : stop].reshape(node.shape)
            for node, seed, stop in zip(inputs, seeds, stops, strict=True)
        }
        try:
            arrays = engine.run(problem.feeds | feeds)
        except GradcliError as error:
            raise error.located(problem.program.source, None) from None
        part = rows[start : start + count]
        stops = itertools.accumulate(node.size for node in like)
        for array, node, stop in zip(arrays, like, stops, strict=True):
            part[:, stop - node.size : stop] = array.reshape(count, node.size)[: len(part)]


def _engine(
    problem: Problem, seeds: Sequence[Node], results: Sequence[Node], beside: int
) -> tuple[int, Sequence[Node], Engine]:
    """How many seeds go in at once, the inputs for them, and what computes the results.

    So many that an array holds up to SEEDED elements, and that the limits allow; `beside` is the
    memory that is taken already.
    """
    total = sum(seed.size for seed in seeds)
    widest = max(node.size for node in dependents(ancestors(results), seeds))
    runs = max(1, -(-total * widest // SEEDED))
    count = max(1, -(-total // runs))
    while count > 1:
        try:
            inputs, many = vectorise(results, seeds, count)
            return count, inputs, problem.engine(many, beside)
        except GradcliError:  # too many for the limits
            count //= 2
    return 1, seeds, problem.engine(results, beside)


def _grads(problem: Problem) -> dict[str, Node]:
    """The gradients of the leaves as nodes."""
    if problem.gradient is None:
        name, node = next((n, o) for n, o in problem.outputs.items() if o.size != 1)
        raise GradcliError(
            "gradient-required",
            f"the output {name} has shape {show(node.shape)}: a Hessian is that of one number",
            hint=f"end with sum({name}), or weigh the elements with --gradient",
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
    tangents = [problem.graph.constant(direction) for direction in directions.values()]
    changes = jvp(list(outputs.values()), list(problem.leaves.values()), tangents)
    results = [
        zeros_like(node) if change is None else change
        for node, change in zip(outputs.values(), changes, strict=True)
    ]
    return dict(zip(outputs, problem.values(results), strict=True))


def _directions(problem: Problem, given: Mapping[str, Array], flag: str) -> dict[str, Array]:
    """A vector for each leaf: what was given, broadcast to its shape, else zeros."""
    for name in given:
        if name not in problem.leaves:
            guess = nearest(name, problem.leaves)
            raise GradcliError(
                "name",
                f"{flag} {name}: that is not a leaf; the leaves are {', '.join(problem.leaves)}",
                hint=f"did you mean {guess!r}?" if guess else None,
            )
    dtype = problem.graph.dtype("float")
    directions = {}
    for name, leaf in problem.leaves.items():
        vector = np.asarray(given.get(name, 0.0), dtype)
        if vector.size == leaf.size == 1:
            vector = vector.reshape(leaf.shape)
        try:
            directions[name] = np.array(np.broadcast_to(vector, leaf.shape))
        except ValueError:
            raise GradcliError(
                "shape",
                f"{flag} {name} has shape {show(vector.shape)}, the leaf has {show(leaf.shape)}",
                hint="give one number for each of its elements",
            ) from None
    return directions
