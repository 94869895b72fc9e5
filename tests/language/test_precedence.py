"""Expressions against Python's own parser, whose syntax the language takes over."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradcli.diagnostics import GradcliError
from gradcli.language.syntax import Binary
from tests.language.trees import expression, python_shape, shape

BINARY = [*"+-*/%@<>&|", "//", "**", "==", "!=", "<=", ">=", "and", "or"]
ATOMS = ["a", "b", "x1", "1", "2.5", ".5e-3", "1e5", "True", "None", "'s'", "[]", "[a, 1]", "(a,)"]


def _longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Text put together without parentheses: what belongs together is up to the parser."""
    return st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(BINARY), inner),
        st.builds("{} {}".format, st.sampled_from(["+", "-", "~", "not"]), inner),
        st.builds("({})".format, inner),
        st.builds("f({}, k={})".format, inner, inner),
        st.builds("{}.T".format, st.sampled_from(["a", "(a + b)", "f(a)"])),
        st.builds("a[{}, {}:{}, ::{}]".format, inner, inner, inner, inner),
    )


def outcomes(text: str) -> tuple[Any, Any]:
    """What the text is here and in Python; None where it is refused."""
    try:
        theirs = python_shape(text)
    except SyntaxError:
        theirs = None
    try:
        ours = shape(expression(text))
    except GradcliError:
        ours = None
    return ours, theirs


@given(st.recursive(st.sampled_from(ATOMS), _longer, max_leaves=12))
def test_binds_as_python_does(text: str) -> None:
    ours, theirs = outcomes(text)
    assert ours == theirs


@given(st.lists(st.sampled_from([*BINARY, "a", "1", "-", "~", "not", "(", ")"]), max_size=9))
def test_accepts_what_python_accepts(words: list[str]) -> None:
    text = " ".join(words)
    try:
        tree = ast.parse(text.strip() or "(", mode="eval")
    except SyntaxError:
        pass
    else:
        unpacks = [node for node in ast.walk(tree) if isinstance(node, ast.Starred)]
        keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
        assume(not unpacks and not keywords)  # f(**a) is Python's alone
    ours, theirs = outcomes(text)
    assert ours == theirs


@pytest.mark.parametrize(
    "text",
    [
        "-x**2", "2**-1", "2**3**2", "-2**-x**2", "a - b - c", "a / b * c", "not a == b",
        "not a and b or c", "a < b <= c == d", "-a @ b", "--a", "a - -b", "+-a**-b",
        "a or b and c", "(a < b) < c",
        "(a > 1) & ~(a < b) | c", "a > 1 & b < 2", "a | b & c == -1", "~a**2", "~-a", "not ~a & b",
        "a & b + c | 1",
         "f(x)(y)[0].T", "[1, 2].sum()", "x[::-1]", "x[:, 1]",
        "x[1:10:2]", "x[a:][0]", "x[[0, 2]]", "x[x > 0]", "f(x, dim=0, keepdim=True,)", "(1,)",
        "()", "[[1, 2], [3, 4]]", "1, 2", "x.mean(dim=0).T", "f(-1)", "2 .sum()", "2..sum()",
    ],
)  # fmt: skip
def test_reads_as_python_does(text: str) -> None:
    assert shape(expression(text)) == python_shape(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a if b else c", "(a) if (b) else (c)"),
        ("a if b else c if d else x", "a if b else (c if d else x)"),
        ("a or b if not c else x + 1", "(a or b) if (not c) else (x + 1)"),
        ("lambda x: x if a else b", "lambda x: (x if a else b)"),
        ("a is not b", "a is not (b)"),
        ("a is b is not c", "a is b is not c"),
        ("[x for x in a or b if c if d]", "[x for x in (a or b) if (c) if (d)]"),
    ],
)
def test_looser_than_all_operators(text: str, same: str) -> None:
    assert shape(expression(text)) == shape(expression(same))


def test_is_not_is_one_operator() -> None:
    assert shape(expression("a is not b"))[1] == ("is not",)
    assert shape(expression("a is (not b)"))[1] == ("is",)


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_bits(value: float) -> None:
    assert shape(expression(repr(value))) == ("Number", value)


@pytest.mark.parametrize(
    "text",
    [
        "x - y + 1",
        "(x) - (y) + (z)",
        "(x)" + " - (y) + z" * 9,
        "x" + " * (y + 1) / z % (w)" * 9,
        "(x + y)" + " - z - f(1)" * 9,
        "x" + " + y * (z) - w" * 9,
        "x ** " * 9 + "x",
    ],
)
def test_operators_have_the_places_that_python_gives_them(text: str) -> None:
    ours, theirs = expression(text), ast.parse(text, mode="eval").body
    while isinstance(ours, Binary):
        assert isinstance(theirs, ast.BinOp)
        assert ours.span == (theirs.col_offset, theirs.end_col_offset)
        assert text[slice(*ours.operator_span)] == ours.operator
        ours, theirs = ours.left, theirs.left


@pytest.mark.parametrize("operator", BINARY)
def test_long_rows_of_one_operator_read_as_python_reads_them(operator: str) -> None:
    ours, theirs = outcomes(f" {operator} ".join("abcdefghijkl"))
    assert ours == theirs
    assert ours is not None
