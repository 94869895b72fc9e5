"""CSV, text tables, and what standard input may hold."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradcli.data.table import parse_csv, parse_txt
from gradcli.diagnostics import Diagnostic, GradcliError

TABLES = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.floats()
)


@given(TABLES)
def test_csv_as_numpy_writes_it(table: np.ndarray) -> None:
    text = io.StringIO()
    np.savetxt(text, table, fmt="%.17g", delimiter=",", header="a, b")
    np.testing.assert_array_equal(parse_csv(text.getvalue(), "x.csv"), table.squeeze())


@given(TABLES)
def test_txt_as_numpy_reads_it(table: np.ndarray) -> None:
    text = io.StringIO()
    np.savetxt(text, table, fmt="%.17g")
    expected = np.loadtxt(io.StringIO(text.getvalue()))
    array = parse_txt(text.getvalue(), "x.txt")
    assert array.shape == expected.shape
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a,b\r\n1,2\r\n3,4", [[1, 2], [3, 4]]),
        ('"width, mm";"height"\n"1";2\n\n 3 ; 4 \n', [[1, 2], [3, 4]]),
        ("x\ty\n1\t2\n", [1, 2]),
        ("5\n", 5),
        ("t\n1\n2\n", [1, 2]),
        ("2m_wind,10m_wind\n1,2\n", [1, 2]),
        (",b\n1,2\n", [1, 2]),
        ("# a comment\n1,nan # another\n-Infinity,inf\n", [[1, np.nan], [-np.inf, np.inf]]),
        ("1\r2\r", [1, 2]),
    ],
)
def test_csv(text: str, expected: object) -> None:
    np.testing.assert_array_equal(parse_csv(text, "x.csv"), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2\n3\t4", [[1, 2], [3, 4]]),
        ("1;2\n3;4", [[1, 2], [3, 4]]),
        ("a,b\n3,4", [3, 4]),
    ],
)
def test_txt(text: str, expected: object) -> None:
    np.testing.assert_array_equal(parse_txt(text, "x.txt"), expected)


@pytest.mark.parametrize(
    ("text", "says", "line", "column", "length"),
    [
        ("1,2\n\n3\n", "this row has 1 fields, the first one 2", 3, 1, 1),
        ("1,2\n3, abc\n", "'abc' is not a number", 2, 3, 4),
        ("1,2\n3,\n", "this field is empty", 2, 3, 1),
        ("1,1,1\n1,,1\n", "this field is empty", 2, 3, 1),
        ("1,2\n1_0,2\n", "'1_0' is not a number", 2, 1, 3),
        ("1,2\n1,٣\n", "'٣' is not a number", 2, 3, 1),
        ("1,\x1c2\n", "is not a number", 1, 3, 2),
        ("1,0x10\n", "'0x10' is not a number", 1, 3, 4),
        ("1,1e999\n", "1e999 overflows float64", 1, 3, 5),
        ('1,2\ninf,"-1e999"\n', "overflows float64", 2, 5, 8),
        ("a,b\n1,2\nc,d\n", "'c' is not a number", 3, 1, 1),
        ("a,b\n", "'a' is not a number", 1, 1, 1),
        ("1 2 3\n4 5 6\n", "'1 2 3' is not a number", 1, 1, 5),
        ("1,5;2,5\n3;4\n", "'1,5' is not a number", 1, 1, 3),
    ],
)
def test_mistakes_in_csv(text: str, says: str, line: int, column: int, length: int) -> None:
    wrong = refusal(text, csv=True)
    assert says in wrong.message
    assert wrong.source
    assert wrong.span
    assert wrong.source.locate(wrong.span[0]) == (line, column)
    assert wrong.span[1] - wrong.span[0] == length


def test_mistakes_in_txt() -> None:
    wrong = refusal("11  1\n 1 1x\n", csv=False)
    assert wrong.span == (9, 11)
    assert "'1x'" in wrong.message
    assert "'a'" in refusal("a b\n1 2\n", csv=False).message


def test_decimal_comma_gets_a_hint() -> None:
    assert refusal("1;2\n1,5;2\n", csv=True).hint == "write decimals with a point: 1.5"
    assert refusal("1,5;2,5\n", csv=True).hint == "write decimals with a point: 1.5"


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_no_numbers(text: str) -> None:
    assert "holds no numbers" in refusal(text, csv=True).message


def test_messages_stay_short() -> None:
    assert len(refusal("1,2\n" + "z" * 10**6, csv=True).message) < 100
    assert len(refusal("z" * 10**6, csv=False).message) < 100


def refusal(text: str, csv: bool) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        (parse_csv if csv else parse_txt)(text, "x")
    assert caught.value.diagnostic.code == "data"
    return caught.value.diagnostic
