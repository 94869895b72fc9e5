"""Arrays as text: digits that say whether they are exact, brackets, folding, edges."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradcli.graph import Array
from gradcli.report.arrays import IN_FULL, excerpt, inline, lines, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (24.0, "24"),
        (0.1, "0.1"),
        (1e-12, "1e-12"),
        (-0.0, "0"),
        (100.5, "100.5"),
        (0.00012345678, "0.000123457"),
        (23.99999999, "24.0"),  # rounded, and says so
        (0.1 + 0.2, "0.3"),
        (2 / 3, "0.666667"),
        (123456.7, "1.23457e5"),  # 123457 would look exact
        (999999.96, "1.0e6"),
        (123456789012345.0, "123456789012345"),
        (1.0000001e-7, "1e-7"),
        (-0.99999999, "-1.0"),
        (1e16, "1e16"),
        (1.2345678e20, "1.23457e20"),
        (5e-324, "5e-324"),
        (np.inf, "inf"),
        (-np.inf, "-inf"),
        (np.nan, "nan"),
    ],
)
def test_number_to_six_digits(value: float, text: str) -> None:
    assert number(np.float64(value), 6) == text


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        (np.float64(2 / 3), 1, "0.7"),
        (np.float64(23.4), 1, "2.0e1"),
        (np.float64(100.5), 3, "1.0e2"),
        (np.float64(0.1), 17, "0.1"),
        (np.float64(0.1 + 0.2), 17, "0.30000000000000004"),
        (np.float32(0.1), 6, "0.1"),
        (np.float32(16777216), 6, "16777216"),
        (np.float32(123456792), 6, "123456792"),
        (np.int64(-(2**62)), 6, "-4611686018427387904"),
        (np.bool_(True), 6, "True"),
    ],
)
def test_number(value: Any, precision: int, text: str) -> None:
    assert number(value, precision) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_a_number_is_within_half_a_unit_of_its_last_digit(value: float, precision: int) -> None:
    text = number(np.float64(value), precision)
    exact, shown = Decimal(value), Decimal(text)
    unit = Decimal(10) ** (1 - precision) * abs(exact)
    assert abs(shown - exact) <= unit / 2 * Decimal("1.001") or float(text) == value
    if re.fullmatch(r"-?\d+(e\d+)?", text):
        assert float(text) == value  # what looks like an integer is one


def test_matrix_is_aligned_on_the_right() -> None:
    shown = excerpt(np.array([[8.0, 64.0], [216.0, -0.5]]))
    assert lines(shown, 6) == ["[[  8,   64],", " [216, -0.5]]"]
    assert inline(shown, 6, 80) == "[[8, 64], [216, -0.5]]"


def test_three_axes() -> None:
    shown = excerpt(np.arange(8).reshape(2, 2, 2))
    assert lines(shown, 6) == ["[[[0, 1],", "  [2, 3]],", " [[4, 5],", "  [6, 7]]]"]


def test_single_value_and_empty_arrays() -> None:
    assert lines(excerpt(np.array(3.0)), 6) == ["3"]
    for shape in ((0,), (0, 2), (2, 0)):
        assert lines(excerpt(np.zeros(shape)), 6) == ["[]"]
        assert inline(excerpt(np.zeros(shape)), 6, 10) == "[]"


def test_long_vector_is_folded_between_numbers() -> None:
    shown = excerpt(np.arange(8, 14))
    assert lines(shown, 6, 14) == ["[ 8,  9, 10,", " 11, 12, 13]"]


@pytest.mark.parametrize(
    "shape", [(1000,), (300, 400), (5, 1000), (1000, 2), (20, 20, 20), (201, 1)]
)
def test_large_arrays_are_summarised_as_numpy_does(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape)).reshape(shape)
    theirs = np.array2string(array, threshold=0, separator=",", max_line_width=10**6)
    if shape == (20, 20, 20):  # 216 items are more than are shown: two at each end instead
        theirs = np.array2string(array, threshold=0, edgeitems=2, separator=",")
    assert re.sub(r"\s", "", "".join(lines(excerpt(array), 6))) == re.sub(r"\s", "", theirs)


def test_narrow_summary_keeps_all_rows() -> None:
    array = np.arange(5000.0).reshape(5, 1000)
    assert lines(excerpt(array), 6, 20) == [
        "[[   0, ...,  999],",
        " [1000, ..., 1999],",
        " [2000, ..., 2999],",
        " [3000, ..., 3999],",
        " [4000, ..., 4999]]",
    ]


class Watched:
    """An array that remembers which of its elements were read."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape, self.size = array.shape, array.size
        self.read = np.zeros(array.shape, dtype=bool)

    def __getitem__(self, index: Any) -> Array:
        self.read[index] = True
        return np.asarray(self.array[index])

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise AssertionError("the whole array is read")


@pytest.mark.parametrize("shape", [(10**5,), (1000, 1000), (2,) * 16, (3,) * 10])
def test_only_a_few_elements_of_a_large_array_are_read(shape: tuple[int, ...]) -> None:
    watched = Watched(np.zeros(shape))
    shown = excerpt(watched)  # type: ignore[arg-type]
    lines(shown, 6, 60)
    inline(shown, 6, 30)
    assert 0 < watched.read.sum() <= IN_FULL


@given(
    arrays.arrays(np.float64, arrays.array_shapes(min_dims=0, max_dims=4, max_side=5, min_side=0)),
    st.integers(1, 17),
    st.integers(1, 120),
)
def test_no_number_is_ever_cut(array: Array, precision: int, width: int) -> None:
    expected = [number(value, precision) for value in array.flat][:IN_FULL]
    if array.size > IN_FULL:
        return
    laid_out = lines(excerpt(array), precision, width)
    assert re.findall(r"[^\s,\[\]]+", "\n".join(laid_out)) == expected
    widest = max(map(len, expected), default=0)
    assert max(map(len, laid_out)) <= max(width, widest + 2 * array.ndim)


@given(arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=12)), st.integers(1, 60))
def test_inline_shows_numbers_of_the_array_in_order(array: Array, width: int) -> None:
    text = inline(excerpt(array), 17, width)
    every = [number(value, 17) for value in array.flat]
    places = iter(every)
    for item in re.findall(r"[^\s,\[\]]+", text):
        assert item == "..." or item in places
    assert "\n" not in text


@pytest.mark.parametrize("last", [1, 900])
def test_forty_axes_have_a_text(last: int) -> None:
    """NumPy indexes and walks through 32 axes at most."""
    shown = excerpt(np.ones((1,) * 39 + (last,)))
    text = "1" if last == 1 else "1, 1, 1, ..., 1, 1, 1"
    assert "".join(lines(shown, 6, None)).replace(" ", "").strip("[]") == text.replace(" ", "")
