"""Strict JSON, and arrays in it."""

from __future__ import annotations

import json as stdlib
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradcli.data.json import parse, parse_array
from gradcli.diagnostics import Diagnostic, GradcliError


def refusal(text: str) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        parse_array(text, "x.json")
    return caught.value.diagnostic


def place(diagnostic: Diagnostic) -> tuple[int, int]:
    assert diagnostic.source
    assert diagnostic.span
    return diagnostic.source.locate(diagnostic.span[0])


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=0, max_dims=4, max_side=3),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_arrays_as_the_standard_library_writes_them(expected: np.ndarray) -> None:
    array = parse_array(stdlib.dumps(expected.tolist()), "x.json")
    assert array.shape == expected.shape
    assert array.dtype == np.float64
    assert array.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", np.float64(3)),
        ("-0", np.float64(-0.0)),
        ("[]", np.zeros(0)),
        ("[[], []]", np.zeros((2, 0))),
        ("[1, 2.5e-3]", np.array([1.0, 0.0025])),
        ('["NaN", "Infinity", "-Infinity", 1]', np.array([np.nan, np.inf, -np.inf, 1])),
        ("[true, false]", np.array([True, False])),
        ("[true, 2]", np.array([1.0, 2.0])),
        ('[true, "NaN"]', np.array([1.0, np.nan])),
        ("[12345678901234567890123]", np.array([12345678901234567890123.0])),
        (" \n[1e-999]\n", np.array([0.0])),
    ],
)
def test_values(text: str, expected: np.ndarray) -> None:
    array = parse_array(text, "x.json")
    assert array.dtype == expected.dtype
    assert array.shape == expected.shape
    np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(np.signbit(array * 1.0), np.signbit(expected * 1.0))


@pytest.mark.parametrize(
    ("text", "says", "line_and_column"),
    [
        ("", "empty", (1, 1)),
        ("[1, 2", "delimiter", (1, 6)),
        ("[1,\n 2,\n oops]", "not JSON", (3, 2)),
        ("[01]", "not JSON", (1, 3)),
        ("[1_0]", "not JSON", (1, 3)),
        ("[1] [2]", "extra data", (1, 5)),
        ('[\n"NaN", NaN]', "bare NaN", (2, 8)),
        ("[1, -Infinity]", "bare -Infinity", (1, 5)),
        ("[1,\n 1e999]", "overflows float64", (2, 2)),
        ("[" + "9" * 5000 + "]", "overflows float64", (1, 2)),
        ('{"a": 1, "a": 2}', "stands twice", (1, 2)),
    ],
)
def test_mistakes_are_placed(text: str, says: str, line_and_column: tuple[int, int]) -> None:
    wrong = refusal(text)
    assert wrong.code == "data"
    assert says in wrong.message
    assert place(wrong) == line_and_column
    assert len(wrong.message) < 120


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[1, 2], [3]]", "[1] has length 1, but [0] has length 2"),
        ("[[[1], [2]], [[3], 4]]", "[1][1] is not a list, but [0][0] has length 1"),
        ("[1, [2]]", "[1] has length 1, but [0] is not a list"),
        ("[[1, null]]", "null at [0][1]"),
        ('["abc"]', "'abc' at [0]"),
        ('["nan"]', "'nan' at [0]"),
        ('{"a": 1}', "an object at the top"),
        ("[[1], [{}]]", "an object at [1][0]"),
    ],
)
def test_what_is_not_an_array_is_placed_by_subscripts(text: str, says: str) -> None:
    wrong = refusal(text)
    assert wrong.code == "data"
    assert says in wrong.message


@pytest.mark.parametrize("text", ["[" * 10**6, "[" * 10**6 + "]" * 10**6, '{"a":' * 10**6])
def test_nesting_without_end(text: str) -> None:
    assert refusal(text).code == "limit-depth"


def test_axes_are_limited_to_what_an_array_has() -> None:
    assert parse_array("[" * 64 + "1" + "]" * 64, "x.json").ndim == 64
    assert refusal("[" * 65 + "1" + "]" * 65).code == "limit-depth"


def test_records() -> None:
    assert parse('{"id": "é\\u00e9", "set": {"x": [1, "NaN"]}, "gradient": null}', "line 1") == {
        "id": "éé",
        "set": {"x": [1.0, "NaN"]},
        "gradient": None,
    }
    assert math.isclose(parse("0.1", "line 1"), 0.1, rel_tol=0)


def test_integers_stay_what_they_are() -> None:
    numbers = parse("[0, -0, 7, 9007199254740993, -12345678901234567890, 1.0, 1e2]", "line 1")
    assert [repr(number) for number in numbers] == [
        *("0", "-0.0", "7", "9007199254740993", "-12345678901234567890", "1.0", "100.0")
    ]


def test_mistakes_in_much_text_are_found_soon() -> None:
    """In a hundred thousand keys, and behind a string of ten million letters."""
    keys = ", ".join(f'"{i}": 0' for i in range(10**5))
    with pytest.raises(GradcliError, match="'99999' stands twice"):
        parse("{" + keys + ', "99999": 1}', "line 1")
    script = (
        "import resource\n"
        "from gradcli.data.json import parse\n"
        "from gradcli.diagnostics import GradcliError\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2**28, 2**28))\n"
        "try: parse('[\"' + 'a' * 10**7 + '\", NaN]', 'line 1')\n"
        "except GradcliError as error: print(error.diagnostic.span)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "(10000005, 10000008)\n"


def test_equal_keys_in_other_objects_are_no_doubles() -> None:
    assert parse('[{"a": 1}, {"a": 2, "b": {"a": 3}}]', "line 1")[1]["b"] == {"a": 3.0}
    with pytest.raises(GradcliError, match="'b' stands twice"):
        parse('{"a": 1, "b": {"b": 1, "\\u0062": 2}}', "line 1")
