"""Ways through matrices that only large ones or their derivatives take."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from mpmath import matrix, mp
from scipy.linalg import expm_frechet

from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language.parser import parse_program
from gradcli.ops.determinants import COFACTORS
from gradcli.ops.matrix_functions import MATRIX_EXP
from gradcli.ops.systems import MANY, SOLVE
from gradcli.session import Gradient, Options, evaluate


def pair(x: Array, change: Array) -> Array:
    """[[x, change], [0, x]]."""
    return np.block([[x, change], [np.zeros_like(x), x]])


@pytest.mark.parametrize("size", [1e-6, 0.3, 3.0, 40.0])
def test_the_corner_of_the_exponential_of_a_pair_is_the_derivative(size: float) -> None:
    rng = np.random.default_rng(2)
    x, change = rng.standard_normal((2, 6, 6))
    x *= size / np.abs(x).sum(axis=0).max()
    value, along = expm_frechet(x, change, method="blockEnlarge")
    expected = pair(value, along)
    found = MATRIX_EXP.forward(np, pair(x, change))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-13 * np.abs(expected).max())


def test_each_pair_of_a_batch_is_scaled_for_itself() -> None:
    rng = np.random.default_rng(3)
    x, change = rng.standard_normal((2, 3, 4, 4))
    x *= np.array([1e-3, 1.0, 50.0])[:, None, None]
    pairs = np.stack([pair(*each) for each in zip(x, change, strict=True)])
    found = MATRIX_EXP.forward(np, pairs)
    for place in range(3):
        np.testing.assert_array_equal(found[place], MATRIX_EXP.forward(np, pairs[place]))


EXPONENTS = np.random.default_rng(5).standard_normal((12, 4, 4))


@pytest.mark.parametrize(
    "exponents",
    [
        np.full((2, 2), 4.0),
        np.ones((3, 3)),
        EXPONENTS,
        EXPONENTS + EXPONENTS.mT,
        8 * np.triu(EXPONENTS),
        30 * EXPONENTS,
        1e-9 * EXPONENTS,
    ],
    ids=["fours", "ones", "drawn", "symmetric", "triangular", "large", "small"],
)
def test_an_exponential_has_its_digits(exponents: Array) -> None:
    found = MATRIX_EXP.forward(np, exponents)
    for place in np.ndindex(exponents.shape[:-2]):
        with mp.workdps(50):
            exact = np.array(mp.expm(matrix(exponents[place].tolist())).tolist(), float)
        np.testing.assert_allclose(found[place], exact, rtol=0, atol=5e-14 * np.abs(exact).max())


@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_an_exponential_that_overflows_is_infinite(size: float) -> None:
    with np.errstate(over="ignore", invalid="ignore"):  # some kernels of BLAS flag inf * inf
        assert np.isposinf(MATRIX_EXP.forward(np, np.full((2, 2), size))).all()


def test_a_pair_that_is_nilpotent_has_a_series_of_two_terms() -> None:
    found = MATRIX_EXP.forward(np, np.array([[0.0, 3.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(found, [[1, 3], [0, 1]])


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(MANY,), (2, MANY + 37)], ids=str)
def test_a_large_triangular_system_is_solved(shape: tuple[int, ...], upper: bool) -> None:
    rng = np.random.default_rng(4)
    count = shape[-1]
    a = rng.standard_normal((*shape, count)) / count + 2 * np.eye(count)
    a = np.triu(a) if upper else np.tril(a)
    solution = rng.standard_normal((*shape, 5))
    found = SOLVE.forward(np, a, a @ solution)
    np.testing.assert_allclose(found, solution, rtol=0, atol=1e-13)


def test_a_large_triangular_system_without_a_pivot_is_singular() -> None:
    a = np.tril(np.ones((MANY, MANY)))
    a[70, 70] = 0
    with pytest.raises(GradcliError, match="singular"):
        SOLVE.forward(np, a, np.ones((MANY, 1)))


def determinant(rows: list[list[Fraction]]) -> Fraction:
    """Along the first row, exactly."""
    if not rows:
        return Fraction(1)
    return sum(
        (
            (-1) ** i * first * determinant([row[:i] + row[i + 1 :] for row in rows[1:]])
            for i, first in enumerate(rows[0])
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("least", [1.0, 1e-3, 1e-9, 1e-15, 0.0])
def test_cofactors_are_exact_however_near_a_matrix_is_to_a_singular_one(least: float) -> None:
    rng = np.random.default_rng(5)
    left, right = (np.linalg.qr(each).Q for each in rng.standard_normal((2, 4, 4)))
    a = (left * [3.0, 2.0, 1.0, least]) @ right
    exact = [[Fraction(float(each)) for each in row] for row in a]
    expected = np.array(
        [
            [
                (-1) ** (i + j)
                * float(determinant([row[:j] + row[j + 1 :] for row in exact[:i] + exact[i + 1 :]]))
                for j in range(4)
            ]
            for i in range(4)
        ]
    )
    found = COFACTORS.forward(np, a)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    together = COFACTORS.forward(np, np.stack([a, np.eye(4)]))
    np.testing.assert_allclose(together, np.stack([expected, np.eye(4)]), rtol=0, atol=1e-11)


@pytest.mark.parametrize(("element", "cofactor"), [(1e7, 1e308), (1e-7, 1e-308)])
def test_cofactors_do_not_need_a_determinant_that_is_a_number(
    element: float, cofactor: float
) -> None:
    with np.errstate(all="ignore"):
        found = COFACTORS.forward(np, element * np.eye(45))
    np.testing.assert_allclose(np.diagonal(found), cofactor, rtol=1e-10)


def test_pinv_reads_the_lower_triangle_of_what_is_said_to_be_symmetric() -> None:
    lower = np.array([[2.0, 0.0], [1.0, 3.0]])
    text = "y = pinv(x, hermitian=True)"
    found = evaluate(
        parse_program(Source("program", text), Options().limits.parse),
        {"x": lower + np.array([[0.0, 7.0], [0.0, 0.0]])},
        [Gradient(np.array([[1.0, 2.0], [0.5, -1.0]]))],
    )
    right = np.linalg.inv([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(found.values["y"], right, rtol=1e-14)
    expected = -right.T @ np.array([[1.0, 2.0], [0.5, -1.0]]) @ right.T  # d inv(A) = -inv dA inv
    np.testing.assert_allclose(found.grads["x"], expected, rtol=1e-13)
