"""Printing: the text reads back to the same tree, and has no more parentheses than that takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.language import syntax
from gradcli.language.printer import print_expression, print_program
from tests.language.trees import expression, program, shape

NOWHERE = (0, 0)
Draw = Callable[[st.SearchStrategy[Any]], Any]

names = st.sampled_from(["a", "x1", "größe", "_"])
numbers = st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(abs)
texts = st.text(st.characters(exclude_categories=["C", "Z"], include_characters="\n\t "))
binary = st.sampled_from(["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "and", "or"])
comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
KINDS = st.sampled_from(
    ["list", "tuple", "unary", "binary", "compare", "call", "attribute", "index"]
)
variables = names.map(lambda name: syntax.Name(name, NOWHERE))
leaves = st.one_of(
    variables,
    numbers.map(lambda value: syntax.Number(value, NOWHERE)),
    texts.map(lambda value: syntax.String(value, NOWHERE)),
    st.sampled_from([True, False, None]).map(lambda value: syntax.Constant(value, NOWHERE)),
)
targets = variables | st.lists(variables, min_size=1, max_size=3).map(
    lambda items: syntax.Tuple(tuple(items), NOWHERE)
)


@st.composite
def nodes(draw: Draw, inner: st.SearchStrategy[Any]) -> Any:
    """An expression with others inside."""

    def several(least: int, most: int) -> tuple[Any, ...]:
        return tuple(draw(st.lists(inner, min_size=least, max_size=most)))

    def item() -> Any:
        bound = st.none() | inner
        slices = st.builds(syntax.Slice, bound, bound, bound, st.just(NOWHERE))
        return draw(inner | slices | st.just(syntax.Ellipsis(NOWHERE)))

    match draw(KINDS):
        case "list":
            return syntax.List(several(0, 3), NOWHERE)
        case "tuple":
            return syntax.Tuple(several(0, 3), NOWHERE)
        case "unary":
            return syntax.Unary(draw(st.sampled_from(["+", "-", "~", "not"])), draw(inner), NOWHERE)
        case "binary":
            return syntax.Binary(draw(binary), draw(inner), draw(inner), NOWHERE, NOWHERE)
        case "compare":
            operands = several(2, 4)
            operators = tuple(draw(comparisons) for _ in operands[1:])
            return syntax.Compare(operators, operands, NOWHERE)
        case "call":
            words = draw(st.lists(names, unique=True, max_size=2))
            keywords = tuple(syntax.Keyword(word, draw(inner), NOWHERE) for word in words)
            return syntax.Call(draw(inner), several(0, 2), keywords, NOWHERE)
        case "attribute":
            return syntax.Attribute(draw(inner), draw(names), NOWHERE, NOWHERE)
        case _:
            count = draw(st.integers(1, 3))
            return syntax.Index(draw(inner), tuple(item() for _ in range(count)), NOWHERE)


expressions = st.recursive(leaves, nodes, max_leaves=10)


@given(expressions)
def test_an_expression_reads_back(tree: Any) -> None:
    assert shape(expression(print_expression(tree))) == shape(tree)


@st.composite
def simple_statements(draw: Draw) -> Any:
    match draw(st.sampled_from(["evaluate", "assign", "augment"])):
        case "evaluate":
            return syntax.Evaluate(draw(expressions), NOWHERE)
        case "assign":
            return syntax.Assign(draw(targets), draw(expressions), NOWHERE)
        case _:
            operator = draw(binary.filter(lambda word: not word.isalpha()))
            return syntax.AugmentedAssign(draw(variables), operator, draw(expressions), NOWHERE)


@st.composite
def compound_statements(draw: Draw, inner: st.SearchStrategy[Any]) -> Any:
    body = st.lists(inner, max_size=2).map(tuple)
    match draw(st.sampled_from(["while", "for", "if", "function"])):
        case "while":
            jump = st.sampled_from([syntax.Break(NOWHERE), syntax.Continue(NOWHERE)])
            return syntax.While(draw(expressions), (*draw(body), draw(jump)), draw(body), NOWHERE)
        case "for":
            return syntax.For(draw(targets), draw(expressions), draw(body), draw(body), NOWHERE)
        case "if":
            branches = draw(st.lists(st.tuples(expressions, body), min_size=1, max_size=3))
            return syntax.If(tuple(branches), draw(body), NOWHERE)
        case _:
            leave = syntax.Return(draw(st.none() | expressions), NOWHERE)
            plain = syntax.FormalParameter("x", None, NOWHERE)
            with_default = syntax.FormalParameter("y", draw(expressions), NOWHERE)
            parameters = draw(st.sampled_from([(), (plain,), (plain, with_default)]))
            decorators = draw(st.sampled_from([(), (syntax.Name("g", NOWHERE),)]))
            inside = (*draw(body), leave)
            return syntax.FunctionDefinition(draw(names), parameters, inside, decorators, NOWHERE)


@given(st.lists(st.recursive(simple_statements(), compound_statements, max_leaves=4), max_size=4))
def test_a_program_reads_back(statements: list[Any]) -> None:
    tree = syntax.Program(program("").source, tuple(statements))
    assert shape(program(print_program(tree)).statements) == shape(tree.statements)


@pytest.mark.parametrize(
    "text",
    [
        "a + b - c", "a - (b - c)", "(a + b) * c", "a + b * c", "a / (b / c)", "a**b**c",
        "(a**b)**c", "-x**2", "(-x)**2", "2**-x", "2**-x**2", "--x", "-(a * b)", "-a * b",
        "not a and b", "not (a and b)", "(not a) == b", "a == (not b)", "a < b <= c",
        "(a < b) < c", "a or b and c", "(a or b) and c", "a or (b or c)", "f(-x, dim=(0, 1))",
        "(a + b).T", "(-x).abs()", "(2).sum()", "x[0, 1:2, ::-1, :, ..., None]", "x[(0, 1)]",
        "(1,)", "()", "[[1, 2], [3, 4]]", "f(x)(y)[0].T", "'it'", '"it\'s"', "True", "1e-9",
        "x > 0 and y", "a if b else c", "(a if b else c) + 1", "f(a if b else c)",
        "(a if b else c) if x else y", "a if x else lambda: b", "lambda x, y=1: x + y",
        "(lambda x: x)(1)", "[x**2 for x in y if x > 0]",
        "[x for x, (a, b) in y for c in (a if b else x)]",
        "(n := a + b) * n", "f((n := a))", "[(n := a), n]",
        "f(*a, b)", "a is not b", "a is (not b)", 'f"""{x:.3f} {a!r} {{}}"""', 'f"""{x:{a}}\\n"""',
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
        ("0.1000", "0.1"), ('"a"', "'a'"), ("'a' 'b'", "'ab'"), ("r'\\n'", "'\\\\n'"),
        ('f"{x}" "b"', 'f"""{x}b"""'), ("(x for x in y)", "[x for x in y]"),
        ("f'{x = }'", 'f"""x = {x!r}"""'),
        ("f'{ {a: b}[a].T + c }'", 'f"""{ {a: b}[a].T + c}"""'),
        ("f'{ {a: b for a, b in c} == c }'", 'f"""{ {a: b for a, b in c} == c}"""'),
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
        "import torch.nn as nn, torch, torch.sin as s\n"
        "@torch.no_grad()\n"
        "def h() {\n"
        "    pass\n"
        "}\n"
        "a = b, c = x\n"
        "with h() as f, g() {\n"
        "    x.data -= 1\n"
        "}\n"
        "try {\n"
        "    assert a, 'b'\n"
        "} except (A, B) as e {\n"
        "    del a, b\n"
        "} except {\n"
        "} else {\n"
        "    pass\n"
        "} finally {\n"
        "    pass\n"
        "}\n"
        "for i in a {\n"
        "} else {\n"
        "    pass\n"
        "}\n"
    )
    assert print_program(program(text)) == text
