"""`jacobian`, `hessian`, `jvp` and `hvp` of functions whose derivatives are known by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Runner

MM = ("y = mm(x, [[1,2],[3,4]])", "--set", "x=[[2,1]]")
"""y = x·M, so ∂y_j/∂x_i = M_ij: the rows of J are the columns of M."""


def test_jacobian(gradcli: Runner) -> None:
    answer = gradcli("jacobian", *MM, "--json").json
    assert answer["matrix"] == [[1, 3], [2, 4]]
    assert answer["rows"] == ["y[0,0]", "y[0,1]"]
    assert answer["columns"] == ["x[0,0]", "x[0,1]"]


@pytest.mark.parametrize(
    ("shape", "mode"), [("2", "reverse"), ("5", "forward")], ids=["few rows", "many rows"]
)
def test_the_mode_is_the_one_with_fewer_sweeps(gradcli: Runner, shape: str, mode: str) -> None:
    program = f"ones({shape}, 3) @ x"
    answer = gradcli("jacobian", program, "--set", "x=1,2,3", "--json").json
    assert answer["mode"] == mode
    assert np.array_equal(answer["matrix"], np.ones((int(shape), 3)))


def test_a_gradient_shows_that_the_product_is_the_grad(gradcli: Runner) -> None:
    text = gradcli("jacobian", *MM, "--gradient", "[[1,0]]").out
    assert "vᵀ·J equals .grad" in text
    table = [line.split() for line in text.splitlines()]
    assert ["vᵀ·J", "1", "3"] in table
    assert [".grad", "1", "3"] in table


def test_zeros_are_counted(gradcli: Runner) -> None:
    answer = gradcli("jacobian", "x**2", "--set", "x=1,2,3", "--json").json
    assert answer["matrix"] == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert answer["zeros"] == 6


def test_two_leaves_stand_side_by_side(gradcli: Runner) -> None:
    answer = gradcli("jacobian", "a*b", "--set", "a=2", "--set", "b=3,4", "--json").json
    assert answer["columns"] == ["a", "b[0]", "b[1]"]
    assert answer["matrix"] == [[3, 2, 0], [4, 0, 2]]


def test_jacobian_as_csv_and_as_a_file(gradcli: Runner, tmp_path: Path) -> None:
    assert gradcli("jacobian", *MM, "--format", "csv").out.splitlines()[1:] == [
        '"y[0,0]",1.0,3.0',
        '"y[0,1]",2.0,4.0',
    ]
    path = tmp_path / "J.npy"
    assert gradcli("jacobian", *MM, "--save", str(path)).code == 0
    assert np.load(path).tolist() == [[1, 3], [2, 4]]


def test_hessian(gradcli: Runner) -> None:
    program = "sum(x**3) + x[0]*x[1]"  # 6x on the diagonal, 1 beside it
    answer = gradcli("hessian", program, "--set", "x=2,1", "--json").json
    assert answer["matrix"] == [[12, 1], [1, 6]]
    assert answer["symmetric"] is True
    assert answer["definiteness"] == "positive definite"
    np.testing.assert_allclose(answer["eigenvalues"], [9 - 10**0.5, 9 + 10**0.5], rtol=1e-12)


def test_a_saddle_is_indefinite(gradcli: Runner) -> None:
    answer = gradcli("hessian", "x[0]**2 - x[1]**2", "--set", "x=1,1", "--json").json
    assert answer["matrix"] == [[2, 0], [0, -2]]
    assert answer["definiteness"] == "indefinite"


def test_products_with_vectors(gradcli: Runner) -> None:
    jvp = gradcli("jvp", "x**3", "--set", "x=2,1", "--tangent", "1,10", "--json").json
    assert jvp["jvp"] == {"out": [12, 30]}
    hvp = gradcli("hvp", "sum(x**3)", "--set", "x=2,1", "--vector", "1,10", "--json").json
    assert hvp["hvp"] == {"x": [12, 60]}


@pytest.mark.parametrize("command", ["hessian", "hvp"])
def test_second_derivatives_are_of_a_single_value(gradcli: Runner, command: str) -> None:
    vector = ["--vector", "1,1"] if command == "hvp" else []
    outcome = gradcli(command, "x**2", "--set", "x=1,2", *vector, "--json")
    assert outcome.code == 3
    assert "(2,)" in outcome.error["message"]


def test_a_tangent_must_fit(gradcli: Runner) -> None:
    outcome = gradcli("jvp", "x**2", "--set", "x=1,2", "--tangent", "1,2,3", "--json")
    assert outcome.code == 3
    assert "(3,)" in outcome.error["message"]
    assert "(2,)" in outcome.error["message"]
