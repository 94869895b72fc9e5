"""Whole matrices of derivatives, and their products with vectors.

A matrix is found row by row with reverse mode or column by column with forward mode, whichever
takes fewer seeds. One plan is used for all of them, with many seeds at once as its input.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.analysis.matrices import Hessian, Jacobian, Matrix, MatrixProduct, Mode, Side
from gradcli.analysis.problem import Problem
from gradcli.diagnostics import GradcliError, nearest
from gradcli.differentiate import jvp, vectorise, vjp
from gradcli.engine.plan import Engine
from gradcli.graph import Array, Node, ancestors, dependents
from gradcli.ops.kinds import zeros_like
from gradcli.ops.loops import Loop, NotRolled
from gradcli.ops.shapes import show

SEEDED = 1 << 16
"""Elements of the largest array while many seeds are at work: more leave the cache."""

COPIES = 3
"""Copies of a Hessian in memory while its symmetry and eigenvalues are found."""

TOO_MUCH = ("limit-memory", "limit-nodes", "shape")
"""Errors with which fewer seeds are tried; `shape` as NumPy allows only 64 axes."""


def jacobian(problem: Problem, at_once: int = SEEDED) -> Jacobian:
    """The Jacobian of all outputs by all leaves. Raises `limit-memory`.

    As many seeds go in together as make arrays of `at_once` elements.
    """
    matrix = derivative_matrix(problem, problem.outputs, at_once)
    product: dict[str, Array] = {}
    if problem.grads and problem.gradient is not None:
        parts = [np.ravel(problem.gradient[name]) for name in problem.outputs]
        with np.errstate(all="ignore"):
            row = np.concatenate(parts) @ matrix.values
        product = {name: row[part].reshape(shape) for name, shape, part in matrix.columns.slices()}
    outputs = dict(zip(problem.outputs, problem.values([*problem.outputs.values()]), strict=True))
    gradient = problem.gradient if product else None
    return Jacobian(matrix, outputs, gradient, product, problem.grads)


def hessian(problem: Problem, at_once: int = SEEDED) -> Hessian:
    """The Hessian of the only output, or of v·outputs where a gradient v is given.

    Raises `gradient-required` where an output has several elements and there is no v.
    """
    hessian = Hessian(derivative_matrix(problem, _grads(problem), at_once))
    work = COPIES * hessian.matrix.values.nbytes
    problem.graph.ledger.require(work, "the eigenvalues and symmetry of a Hessian")
    return hessian


def tangent_product(problem: Problem, tangents: Mapping[str, Array]) -> MatrixProduct:
    """J·t by output; leaves without a tangent stay where they are. Raises `name`, `shape`."""
    directions = _directions(problem, tangents, "--tangent")
    return MatrixProduct("jvp", directions, _along(problem, problem.outputs, directions))


def hessian_product(problem: Problem, vectors: Mapping[str, Array]) -> MatrixProduct:
    """H·u by leaf. Raises `name`, `shape`, `gradient-required`."""
    directions = _directions(problem, vectors, "--vector")
    return MatrixProduct("hvp", directions, _along(problem, _grads(problem), directions))


def derivative_matrix(
    problem: Problem, outputs: Mapping[str, Node], at_once: int = SEEDED
) -> Matrix:
    """The derivatives of nodes by the leaves, all elements by all elements.

    Raises `NotRolled` where loops are one node: these have one seed at a time.
    """
    if any(isinstance(node.op, Loop) for node in ancestors(outputs.values())):
        raise NotRolled("a matrix has many seeds")
    rows = Side({name: node.shape for name, node in outputs.items()})
    columns = Side({name: node.shape for name, node in problem.leaves.items()})
    needed = rows.size * columns.size * problem.graph.dtype("float").itemsize
    problem.graph.ledger.take(
        needed,
        f"a matrix of {rows.size:,} × {columns.size:,}",
        hint="gradcli jvp or eval --gradient give its products with a vector",
    )
    values = np.empty((rows.size, columns.size), problem.graph.dtype("float"))
    nodes, leaves = list(outputs.values()), list(problem.leaves.values())
    mode: Mode = "reverse" if rows.size <= columns.size else "forward"
    start, end = (nodes, leaves) if mode == "reverse" else (leaves, nodes)
    # A unit vector selects elements, so that the others get 0 even where 0·inf is nan. This takes
    # longer, and is rarely needed.
    for selected in ([], start):
        seeds = [problem.graph.input("seed", node.shape, "float") for node in start]
        if mode == "reverse":
            _fill(values, problem, seeds, vjp(nodes, seeds, leaves, selected), end, at_once)
        else:
            _fill(values.T, problem, seeds, jvp(nodes, leaves, seeds, selected), end, at_once)
        if not np.isnan(values).any():
            break
    return Matrix(rows, columns, values, mode)


def _fill(
    rows: Array,
    problem: Problem,
    seeds: Sequence[Node],
    found: Sequence[Node | None],
    like: Sequence[Node],
    at_once: int,
) -> None:
    """Fill a row for each unit vector over all seeds with the results; None is zeros.

    Rows are found several at once, by one plan.
    """
    results = [
        zeros_like(node) if each is None else each for each, node in zip(found, like, strict=True)
    ]
    count, inputs, engine = _engine(problem, seeds, results, at_once)
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
    problem: Problem, seeds: Sequence[Node], results: Sequence[Node], at_once: int
) -> tuple[int, Sequence[Node], Engine]:
    """How many seeds go in at once, the inputs for them, and what computes the results.

    So many that an array holds up to `at_once` elements, and that the limits allow.
    """
    total = sum(seed.size for seed in seeds)
    widest = max(node.size for node in dependents(ancestors(results), seeds))
    runs = max(1, -(-total * widest // at_once))
    count = max(1, -(-total // runs))
    while count > 1:
        try:
            inputs, many = vectorise(results, seeds, count)
            return count, inputs, problem.engine(many)
        except GradcliError as error:
            if error.diagnostic.code not in TOO_MUCH:
                raise
            count //= 2
    return 1, seeds, problem.engine(results)


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
    tangents = [problem.graph.constant(direction) for direction in directions.values()]
    changes = jvp(list(outputs.values()), moved, tangents)
    results = [
        zeros_like(node) if change is None else change
        for node, change in zip(outputs.values(), changes, strict=True)
    ]
    return dict(zip(outputs, problem.values(results), strict=True))


def _directions(problem: Problem, given: Mapping[str, Array], flag: str) -> dict[str, Array]:
    """What was given for leaves, broadcast to their shapes."""
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
            directions[name] = np.array(np.broadcast_to(vector, leaf.shape))
        except ValueError:
            raise GradcliError(
                "shape",
                f"{flag} {name} has shape {show(vector.shape)}, the leaf has {show(leaf.shape)}",
                hint="give one number for each of its elements",
            ) from None
    return directions
