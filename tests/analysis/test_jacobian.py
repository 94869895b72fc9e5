"""How matrices of derivatives are found: many seeds at once, in parts that memory allows."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.jacobian import hessian, jacobian
from gradcli.analysis.problem import Problem
from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.engine.cpu import NumpyEngine
from gradcli.engine.device import run
from gradcli.graph import Array
from tests.analysis.posed import posed

CHANCE = np.random.default_rng(5)
X = CHANCE.uniform(0.5, 2.0, (4, 3))
SQUARE = CHANCE.uniform(0.5, 2.0, (3, 3)) + 3 * np.eye(3)

PROGRAMS: dict[str, dict[str, Any]] = {
    "tanh(x @ a) * cumsum(x, 0)": {"x": X, "a": SQUARE},
    "x[[0, 3, 0], 1:][:, [1, 0]]": {"x": X},
    "reshape(x, 2, 2, 3)[[1, 0], :, [2, 2]]": {"x": X},
    "x[x > 1]": {"x": X},
    "solve(a, x.T) * det(a)": {"x": X, "a": SQUARE},
    "matrix_exp(a / 9)[0]": {"a": SQUARE},
    "sort(x, 1).values * softmax(x, 0)": {"x": X},
    "cat([x, 2*a]) @ ones(3)": {"x": X, "a": SQUARE},
    "prod(x, 1) + gather(x, 1, [[0], [2], [1], [0]])[:, 0]": {"x": X},
    "a * 0 + 1": {"a": SQUARE},
    "zeros(0) * a": {"a": 2.0},
    "sum(x) * a": {"x": np.zeros((0, 3)), "a": SQUARE},
}
A_VECTOR = CHANCE.uniform(0.5, 2.0, 5)
TALL = CHANCE.standard_normal((7, 5))
PRODUCTS = {
    "tanh(m @ v)": TALL,
    "sin(v) @ m": TALL.T,
    "m @ sin(v)": TALL[:3],
    "u = m @ v; sin(u) + u": TALL,
    "exp(m @ v)[1:]": TALL,
    "v * (m @ v).sum()": TALL,
    "m @ (m.T @ (m @ v))": TALL,
    "v.detach() @ m.T * v.sum()": TALL,
    "m @ where(v > 1, v, 0)": TALL,
    "m @ v": np.where(TALL > 0.5, np.inf, TALL)[:3],
    "sin(v) * cumsum(v, 0)": TALL,
    "flip(cumsum(v * v, 0), 0) + (m @ v)[:5] * v": TALL,
    "m[:, :3] @ cumsum(v, 0)[1:4]": TALL,
    "cumsum(v[1:].reshape(2, 2), 1) + v[0]": TALL,
    "stack([v, v.flip(0)], 1)[1:].T.exp()": TALL,
    "cumsum(v / [1, 1, 0, 1, 1], 0)": TALL,
    "v.sum() * v + diagonal(outer(v, v))": TALL,
    "stack([v * v[i] for i in range(5)]).sum(1) + cumsum(v, 0)": TALL,
    "w = v * 2; cumsum(w, 0) * cumsum(v.flip(0), 0)": TALL,
}
"""Of a matrix m and the vector v."""


@pytest.mark.parametrize("program", PRODUCTS)
def test_what_unit_vectors_meet_first(program: str) -> None:
    """Against unit vectors one by one, which are multiplied."""
    inputs = {"m": PRODUCTS[program], "v": A_VECTOR}
    mentioned = {
        name: value for name, value in inputs.items() if re.search(rf"\b{name}\b", program)
    }
    problem = posed(program, mentioned, wrt=("v",))
    rows = []
    (output,) = problem.outputs.values()
    seed = problem.graph.input("seed", output.shape, "float")
    (grad,) = vjp([output], [seed], [problem.leaves["v"]], [output])
    assert grad is not None
    for unit in np.eye(output.size):
        rows += run([grad], problem.feeds | {seed: unit.reshape(output.shape)})
    for elements in (1, 20, 10**6):
        found = jacobian(problem, elements).matrix.values
        np.testing.assert_allclose(found, np.stack(rows), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("program", PROGRAMS)
def test_seeds_at_once_and_one_after_another_agree(program: str) -> None:
    found = [
        jacobian(posed(program, PROGRAMS[program]), elements).matrix.values
        for elements in (1, 40, 10**6)
    ]
    for each in found[1:]:
        np.testing.assert_allclose(each, found[0], rtol=1e-12, atol=1e-15)


def test_a_factor_of_one_row_is_none_of_another() -> None:
    problem = posed("(m @ v) * [1, 2, inf]", {"m": TALL[:3], "v": A_VECTOR}, wrt=("v",))
    expected = np.array([[1], [2], [np.inf]]) * TALL[:3]
    np.testing.assert_array_equal(jacobian(problem).matrix.values, expected)


def test_hessian_of_a_network() -> None:
    program = "h = tanh(x @ w.reshape(3, 2) + b); mean((h @ c)**2)"
    inputs = {"x": X, "w": CHANCE.standard_normal(6), "b": [0.1, 0.2], "c": [1.0, -2.0]}
    found = [hessian(posed(program, inputs), elements).matrix.values for elements in (1, 60, 10**6)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-12, atol=1e-15)


def test_threads_change_no_bit() -> None:
    problem = posed("softmax(sin(x) * cumsum(x, 0), 0)", {"x": np.linspace(-1, 1, 700)})
    one, three = (
        jacobian(with_options(problem, threads=threads), 10**6).matrix.values for threads in (1, 3)
    )
    assert one.tobytes() == three.tobytes()


def test_a_thousand_rows_take_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    run = NumpyEngine.run

    def counted(self: NumpyEngine, *arguments: Any) -> list[Array]:
        runs.append(self)
        return run(self, *arguments)

    problem = posed("x**2", {"x": np.arange(1000.0)})
    monkeypatch.setattr(NumpyEngine, "run", counted)
    values = jacobian(problem).matrix.values
    np.testing.assert_array_equal(values, np.diag(2 * np.arange(1000.0)))
    assert len(runs) < 20
    assert len(set(runs)) == 2, "one plan serves all rows, another the outputs"


def test_what_is_the_same_for_all_seeds_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inverted = []
    inverse = np.linalg.inv

    def counted(matrix: Array) -> Array:
        inverted.append(matrix)
        return inverse(matrix)

    matrix = np.eye(6) * 3 + CHANCE.standard_normal((6, 6)) / 4
    problem = posed("sin(x) * (inv(m) @ x)", {"x": np.arange(1.0, 7.0), "m": matrix}, wrt=("x",))
    monkeypatch.setattr(np.linalg, "inv", counted)
    found = jacobian(problem, 6).matrix.values
    x = np.arange(1.0, 7.0)
    times = inverse(matrix)
    expected = np.diag(np.cos(x) * (times @ x)) + np.sin(x)[:, np.newaxis] * times
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    assert len(inverted) <= 2, "one of them for the value"


def test_fewer_go_in_at_once_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed("tanh(x) * cumsum(x, 0)", {"x": np.linspace(0, 1, 100)})
    expected = jacobian(problem).matrix.values
    matrix = 100 * 100 * 8
    ledger = problem.graph.ledger
    ledger.limit = ledger.taken + matrix + 40_000
    np.testing.assert_allclose(jacobian(problem).matrix.values, expected, rtol=1e-12, atol=1e-15)
    ledger.limit = ledger.taken + matrix + 1_000
    with pytest.raises(GradcliError) as caught:
        jacobian(problem)
    assert caught.value.diagnostic.code == "limit-memory"


def test_an_array_may_have_as_many_axes_as_numpy_allows() -> None:
    shape = ",".join(["1"] * 62 + ["2", "1"])
    values = jacobian(posed(f"reshape(x, {shape})**2", {"x": [3.0, 4.0]})).matrix.values
    np.testing.assert_array_equal(values, [[6, 0], [0, 8]])


def with_options(problem: Problem, **changes: Any) -> Problem:
    prepared = copy(problem.prepared)
    prepared.options = problem.options._replace(**changes)
    return replace(problem, prepared=prepared)
