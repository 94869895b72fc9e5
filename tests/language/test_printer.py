"""Printing: the text reads back to the same tree, and has no more parentheses than that takes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.language import syntax
from gradcli.language.printer import print_expression, print_program
from tests.language.trees import expression, program, shape

NOWHERE = (0, 0)
Trees = st.SearchStrategy[Any]

names = st.sampled_from(["a", "x1", "größe", "_"])
numbers = st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(abs)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters="\n\t ")
)
leaves: Trees = st.one_of(
    st.builds(syntax.Name, names, st.just(NOWHERE)),
    st.builds(syntax.Number, numbers, st.just(NOWHERE)),
    st.builds(syntax.String, texts, st.just(NOWHERE)),
    st.builds(syntax.Constant, st.sampled_from([True, False, None]), st.just(NOWHERE)),
)


def _nodes(inner: Trees) -> Trees:
    several = st.lists(inner, max_size=3).map(tuple)
    bound = st.none() | inner
    items = st.one_of(
        inner,
        st.builds(syntax.Slice, bound, bound, bound, st.just(NOWHERE)),
        st.builds(syntax.Ellipsis, st.just(NOWHERE)),
    )
    keywords = st.lists(
        st.builds(syntax.Keyword, names, inner, st.just(NOWHERE)),
        max_size=2,
        unique_by=lambda keyword: keyword.name,
    )
    comparison = st.lists(
        st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), min_size=1, max_size=3
    )
    binary = st.sampled_from(["+", "-", "*", "/", "//", "%", "@", "**", "and", "or"])
    return st.one_of(
        st.builds(syntax.List, several, st.just(NOWHERE)),
        st.builds(syntax.Tuple, several, st.just(NOWHERE)),
        st.builds(syntax.Unary, st.sampled_from(["+", "-", "not"]), inner, st.just(NOWHERE)),
        st.builds(syntax.Binary, binary, inner, inner, st.just(NOWHERE), st.just(NOWHERE)),
        comparison.flatmap(
            lambda words: st.builds(
                syntax.Compare,
                st.just(tuple(words)),
                st.tuples(*[inner] * (len(words) + 1)),
                st.just(NOWHERE),
            )
        ),
        st.builds(syntax.Call, inner, several, keywords.map(tuple), st.just(NOWHERE)),
        st.builds(syntax.Attribute, inner, names, st.just(NOWHERE), st.just(NOWHERE)),
        st.builds(
            syntax.Index,
            inner,
            st.lists(items, min_size=1, max_size=3).map(tuple),
            st.just(NOWHERE),
        ),
    )


expressions = st.recursive(leaves, _nodes, max_leaves=10)


@given(expressions)
def test_an_expression_reads_back(tree: Any) -> None:
    assert shape(expression(print_expression(tree))) == shape(tree)


targets = st.one_of(
    st.builds(syntax.Name, names, st.just(NOWHERE)),
    st.builds(
        syntax.Tuple,
        st.lists(st.builds(syntax.Name, names, st.just(NOWHERE)), min_size=1, max_size=3).map(
            tuple
        ),
        st.just(NOWHERE),
    ),
)
simple: Trees = st.one_of(
    st.builds(syntax.Evaluate, expressions, st.just(NOWHERE)),
    st.builds(syntax.Assign, targets, expressions, st.just(NOWHERE)),
    st.builds(
        syntax.AugmentedAssign,
        st.builds(syntax.Name, names, st.just(NOWHERE)),
        st.sampled_from(["+", "-", "*", "/", "//", "%", "@", "**"]),
        expressions,
        st.just(NOWHERE),
    ),
)
parameters = st.lists(names, unique=True, max_size=2).flatmap(
    lambda chosen: st.tuples(
        *(
            st.builds(
                syntax.Parameter,
                st.just(name),
                expressions if last else st.none(),
                st.just(NOWHERE),
            )
            for name, last in zip(chosen, (False, True), strict=False)
        )
    )
)


def _blocks(inner: Trees) -> Trees:
    body = st.lists(inner, max_size=2).map(tuple)
    leave = st.builds(syntax.Return, st.none() | expressions, st.just(NOWHERE))
    jump = st.builds(syntax.Break, st.just(NOWHERE)) | st.builds(syntax.Continue, st.just(NOWHERE))
    branch = st.tuples(expressions, body)
    return st.one_of(
        st.builds(syntax.While, expressions, st.tuples(inner, jump), st.just(NOWHERE)),
        st.builds(syntax.For, targets, expressions, body, st.just(NOWHERE)),
        st.builds(
            syntax.If,
            st.lists(branch, min_size=1, max_size=3).map(tuple),
            body,
            st.just(NOWHERE),
        ),
        st.builds(
            syntax.Function,
            names,
            parameters,
            body | st.tuples(leave) | st.tuples(inner, leave),
            st.just(NOWHERE),
        ),
    )


@given(st.lists(st.recursive(simple, _blocks, max_leaves=4), max_size=4).map(tuple))
def test_a_program_reads_back(statements: Any) -> None:
    tree = syntax.Program(program("").source, statements)
    assert shape(program(print_program(tree)).statements) == shape(statements)


@pytest.mark.parametrize(
    "text",
    [
        "a + b - c", "a - (b - c)", "(a + b) * c", "a + b * c", "a / (b / c)", "a**b**c",
        "(a**b)**c", "-x**2", "(-x)**2", "2**-x", "2**-x**2", "--x", "-(a * b)", "-a * b",
        "not a and b", "not (a and b)", "(not a) == b", "a == (not b)", "a < b <= c",
        "(a < b) < c", "a or b and c", "(a or b) and c", "a or (b or c)", "f(-x, dim=(0, 1))",
        "(a + b).T", "(-x).abs()", "(2).sum()", "x[0, 1:2, ::-1, :, ..., None]", "x[(0, 1)]",
        "(1,)", "()", "[[1, 2], [3, 4]]", "f(x)(y)[0].T", "'it'", '"it\'s"', "True", "1e-9",
        "x > 0 and y",
    ],
)  # fmt: skip
def test_canonical_text_stays(text: str) -> None:
    assert print_expression(expression(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((a))+(b*c)", "a + b * c"), ("a*(b**c)", "a * b**c"), ("(a*b)*c", "a * b * c"),
        ("f( x,)", "f(x)"), ("x[1:2:]", "x[1:2]"), ("true", "True"), ("none", "None"),
        ("2.0", "2"), ("1e3", "1000"), (".5", "0.5"), ("1E+22", "1e22"), ("1e-07", "1e-7"),
        ("0.1000", "0.1"), ('"a"', "'a'"),
    ],
)  # fmt: skip
def test_canonical_text(text: str, canonical: str) -> None:
    assert print_expression(expression(text)) == canonical


@pytest.mark.parametrize(
    ("value", "text"), [(-2.0, "(-2)**x"), (math.inf, "inf**x"), (-math.inf, "(-inf)**x")]
)
def test_numbers_that_only_computed_trees_hold(value: float, text: str) -> None:
    base, exponent = syntax.Number(value, NOWHERE), syntax.Name("x", NOWHERE)
    power = syntax.Binary("**", base, exponent, NOWHERE, NOWHERE)
    assert print_expression(power) == text


def test_a_program_is_laid_out() -> None:
    text = (
        "def f(x, y=1) {\n"
        "    if x > y {\n"
        "        return x, y\n"
        "    } elif not x {\n"
        "        return\n"
        "    } else {\n"
        "        while True {\n"
        "            break\n"
        "        }\n"
        "    }\n"
        "}\n"
        "g(x) = x**2\n"
        "a, b = f(1)\n"
        "x.requires_grad = True\n"
        "for i, j in [(1, 2)] {\n"
        "    a += i\n"
        "    continue\n"
        "}\n"
        "g(3)  #= 9 ± 1e-9\n"
        "g(x, x)  #! type\n"
    )
    assert print_program(program(text)) == text
