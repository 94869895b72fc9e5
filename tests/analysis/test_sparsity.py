"""The pattern of a matrix's zeros, and matrices that are found by few products.

What is expected comes from the matrix that is found row by row, and from patterns known by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.jacobian import SEEDED, hessian, hessian_sparsity, jacobian, jacobian_sparsity
from gradcli.analysis.linearisation import Linearisation
from gradcli.analysis.matrices import DenseMatrix, SparseMatrix
from gradcli.analysis.sparsity.colouring import colouring, symmetric_colouring
from gradcli.analysis.sparsity.compressed import compressed, holds
from gradcli.analysis.sparsity.dependence import dependence
from gradcli.analysis.sparsity.pattern import Pattern, Room, from_keys
from gradcli.differentiate import vjp
from gradcli.differentiate.vectorise import vectorise
from gradcli.engine.device import run
from gradcli.graph import Array, Node
from gradcli.ledger import Ledger
from gradcli.ops import Case
from tests.analysis.posed import posed
from tests.ops.table_cases import Traced, all_cases, case_id, trace

CHANCE = np.random.default_rng(3)
X = CHANCE.uniform(0.5, 2.0, 40)
ROSENBROCK = "sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)"


def whole(pattern: Pattern) -> Array:
    """True where there is an entry."""
    found = np.zeros((pattern.height, pattern.width), bool)
    found.reshape(-1)[pattern.keys] = True
    return found


# --- patterns ----------------------------------------------------------------------------


def pattern_of(traced: Traced, outputs: Sequence[Node]) -> Array:
    def values(nodes: Sequence[Node], feeds: Mapping[Node, Array]) -> list[Array]:
        return run(nodes, traced.feeds | dict(feeds))

    return whole(dependence(outputs, traced.inputs, values, Room(10**7, Ledger())))


def derivatives(traced: Traced, outputs: Sequence[Node]) -> Array:
    """The matrix of the outputs by all inputs, a row for each unit vector."""
    seeds = [output.graph.input("seed", output.shape, "float") for output in outputs]
    total = sum(output.size for output in outputs)
    found = vjp(outputs, seeds, traced.inputs)
    parts = []
    for leaf, each in zip(traced.inputs, found, strict=True):
        if each is None or not total:
            parts.append(np.zeros((total, leaf.size)))
            continue
        inputs, many = vectorise([each], seeds, total)
        units, first, feeds = np.eye(total), 0, {}
        for node, seed in zip(inputs, seeds, strict=True):
            feeds[node] = units[:, first : first + seed.size].reshape(node.shape)
            first += seed.size
        parts.append(run(many, traced.feeds | feeds)[0].reshape(total, leaf.size))
    return np.concatenate(parts, axis=1)


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("name", "case"), [*all_cases()], ids=case_id)
def test_every_entry_is_in_the_pattern(name: str, case: Case) -> None:
    """For all ops."""
    traced = trace(case)
    if traced.output.kind == "float":
        outputs = [traced.output]
        assert (pattern_of(traced, outputs) | (derivatives(traced, outputs) == 0)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), [*all_cases()], ids=case_id)
def test_every_second_derivative_is_in_the_pattern(name: str, case: Case) -> None:
    """For all ops."""
    traced = trace(case)
    if traced.output.kind != "float":
        return
    weights = CHANCE.uniform(0.5, 1.5, traced.output.shape)
    cotangent = traced.output.graph.constant(weights)
    grads = [each for each in vjp([traced.output], [cotangent], traced.inputs) if each is not None]
    if grads:
        assert (pattern_of(traced, grads) | (derivatives(traced, grads) == 0)).all()


EXACT: dict[str, dict[str, Any]] = {
    "sin(x)": {"x": X},
    "x[1:] - x[:-1]**2": {"x": X},
    "x[[3, 3, 0]] * x[[1, 2, 39]]": {"x": X},
    "x.reshape(5, 8).T.flip(0)[1:3]": {"x": X},
    "sum(x.reshape(5, 8)**2, 0)": {"x": X},
    "mean(x.reshape(5, 2, 4), (0, 2))": {"x": X},
    "cat([x[:3], a, x[2:4]*2]) * roll(x[:9], 2)": {"x": X, "a": np.ones(4)},
    "stack([x[:3], a])": {"x": X, "a": np.ones(3)},
    "x.reshape(5, 8) * a": {"x": X, "a": np.ones((5, 1))},
    "x.reshape(5, 8) @ a": {"x": X, "a": np.ones(8)},
    "tril(outer(x[:4], a))": {"x": X, "a": np.ones(3)},
    "diag(x[:4])": {"x": X},
    "gather(x.reshape(5, 8), 1, [[0], [2], [1], [0], [7]])": {"x": X},
    "where(x > 1, x, 0)[:5]": {"x": X - X + 2},
    "x[5:9].detach() * x[:4]": {"x": X},
    "softmax(x.reshape(5, 8), 1)": {"x": X},
    "x.unfold(0, 3, 1)**2": {"x": X},
}
"""Where generic values leave no entry of the pattern 0."""


@pytest.mark.parametrize("program", EXACT)
def test_a_pattern_is_exact_where_elements_are_placed(program: str) -> None:
    problem = posed(program, EXACT[program])
    found = jacobian(problem).matrix
    np.testing.assert_array_equal(whole(jacobian_sparsity(problem).pattern), found.values != 0)


def test_differences_along_edges_have_the_hessian_of_their_graph() -> None:
    """Gradients of what is indexed are added up by index: the pattern is still that of the edges,
    here of a ring with one chord.
    """
    program = "sum((x[[0,1,2,3,4,0]] - x[[1,2,3,4,0,2]])**4)"
    found = whole(hessian_sparsity(posed(program, {"x": X[:5]})).pattern)
    expected = np.eye(5, dtype=bool)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)):
        expected[a, b] = expected[b, a] = True
    np.testing.assert_array_equal(found, expected)


# --- colours -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_one_colour_have_no_column_in_common(seed: int) -> None:
    chance = np.random.default_rng(seed)
    present = chance.random((30, 25)) < chance.uniform(0.01, 0.3)
    pattern = from_keys(np.flatnonzero(present), 30, 25)
    found = colouring(pattern, 30)
    assert found is not None
    for colour in range(found.needed):
        assert present[found.colours == colour].sum(axis=0).max() <= 1
    np.testing.assert_array_equal(whole(pattern.transposed()), present.T)


def test_symmetry_spares_the_columns_of_full_rows() -> None:
    """An arrow: two full rows and columns, and a diagonal."""
    present = np.eye(50, dtype=bool)
    present[[0, 7]] = present[:, [0, 7]] = True
    pattern = from_keys(np.flatnonzero(present), 50, 50)
    plain, mirrored = colouring(pattern, 50), symmetric_colouring(pattern, 50)
    assert plain is not None
    assert mirrored is not None
    assert (plain.needed, mirrored.needed) == (50, 3)
    assert np.flatnonzero(mirrored.alone).tolist() == [0, 7]


# --- values ------------------------------------------------------------------------------

JACOBIANS: dict[str, dict[str, Any]] = {
    "x[1:] - x[:-1]**2": {"x": X},
    "cat([sin(x), x[::-1]*a])": {"x": X, "a": CHANCE.standard_normal(40)},
    "(x.reshape(20, 2) @ a).sin()": {"x": X, "a": CHANCE.standard_normal(2)},
    "log(x - 1.5)": {"x": X},
    "sqrt(relu(x - 1))": {"x": np.maximum(X, 1)},
    "sum(x.reshape(10, 4)**3, 1)": {"x": X},
}
HESSIANS: dict[str, dict[str, Any]] = {
    ROSENBROCK: {"x": X},
    "sum((x - p)**4) + p": {"x": X, "p": 0.5},
    "sum(sin(x)) * 2 + x[0] * sum(x**2) + x[9] * sum(exp(x))": {"x": X},
    "sum(x.detach() * p * x**2)": {"x": X, "p": 0.5},
    "sum(tanh(x[1:] * x[:-1])) + sum(a * x)": {"x": X, "a": np.ones(40)},
}


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("program", [*JACOBIANS, *HESSIANS])
def test_few_products_find_what_all_rows_find(program: str, precision: Any) -> None:
    second = program in HESSIANS
    problem = posed(program, (HESSIANS | JACOBIANS)[program], precision=precision)
    expected = (hessian if second else jacobian)(problem).matrix
    assert isinstance(expected, DenseMatrix)
    outputs = problem.outputs
    if second:
        grads = vjp(
            list(outputs.values()), [problem.graph.constant(1.0)], [*problem.leaves.values()]
        )
        outputs = {
            name: grad for name, grad in zip(problem.leaves, grads, strict=True) if grad is not None
        }
    found = compressed(Linearisation(problem, outputs, SEEDED), 10**6, symmetric=second)
    assert found is not None
    assert found.products <= min(found.rows.size, found.columns.size) // 2
    values = np.zeros(expected.values.shape)
    values.reshape(-1)[found.pattern.keys] = found.values
    eps = float(np.finfo(precision).eps)
    np.testing.assert_allclose(values, expected.values, rtol=16 * eps, atol=0)


def test_what_symmetry_was_used_for_is_held_against_a_product() -> None:
    problem = posed("sum((x - p)**4)", {"x": X, "p": 0.5})
    leaves = problem.leaves
    grads = vjp([*problem.outputs.values()], [problem.graph.constant(1.0)], [*leaves.values()])
    outputs = {name: each for name, each in zip(leaves, grads, strict=True) if each is not None}
    linear = Linearisation(problem, outputs, SEEDED)
    found = compressed(linear, 10**6, symmetric=True)
    assert found is not None
    assert found.products == 2
    assert holds(linear, found)
    wrong = found.values.copy()
    wrong[3] *= 1.001
    assert not holds(linear, found._replace(values=wrong))


def test_rosenbrock_with_many_inputs() -> None:
    """Its Hessian is known: 1200x² - 400y + 2 (or 202 in between, 200 at the end), and -400x."""
    x = CHANCE.uniform(-1, 1, 100_000)
    found = hessian(posed(ROSENBROCK, {"x": x}))
    matrix = found.matrix
    assert isinstance(matrix, SparseMatrix)
    assert matrix.products == 3
    diagonal = np.full(len(x), 200.0)
    diagonal[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    diagonal[1:-1] += 200
    rows, columns = matrix.pattern.rows, matrix.pattern.columns
    np.testing.assert_allclose(matrix.values[rows == columns], diagonal, rtol=1e-12, atol=1e-10)
    np.testing.assert_array_equal(matrix.values[columns == rows + 1], -400 * x[:-1])
    np.testing.assert_array_equal(matrix.values[columns == rows - 1], -400 * x[:-1])
    assert found.symmetric


@pytest.mark.parametrize("program", [ROSENBROCK, "sum((x - x[0])**4)"])
def test_matrices_of_middling_size_are_answered_with_their_zeros(program: str) -> None:
    x = CHANCE.uniform(-1, 1, 300)
    _ = [np.full((300, 300), 7.0) for _ in range(3)]  # memory that is used again is not zero
    found = hessian(posed(program, {"x": x})).matrix
    alone = hessian(posed(program + " + 0 * prod(x)", {"x": x})).matrix  # a full pattern
    assert isinstance(found, DenseMatrix)
    np.testing.assert_allclose(found.values, alone.values, rtol=1e-12, atol=1e-12)


def test_large_matrices_with_few_zeros_are_found_row_by_row() -> None:
    x = np.linspace(0, 1, 300)
    found = jacobian(posed("sin(x) * cumsum(x, 0)", {"x": x})).matrix
    assert isinstance(found, DenseMatrix)
    expected = np.diag(np.cos(x) * np.cumsum(x)) + np.sin(x)[:, np.newaxis] * np.tri(300)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-14)


def test_a_product_with_a_sparse_jacobian_is_the_grad() -> None:
    x = CHANCE.uniform(-1, 1, 5000)
    v = CHANCE.uniform(-1, 1, 4999)
    found = jacobian(posed("x[1:] - x[:-1]**2", {"x": x}, [v]))
    assert isinstance(found.matrix, SparseMatrix)
    assert found.agree
