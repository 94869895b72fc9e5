"""Statements, blocks, separators, comments and names: what they are read as, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.diagnostics import Source
from gradcli.language.syntax import Evaluate
from tests.language.trees import expression, program, shape

A, B, X, Y = ("Name", "a"), ("Name", "b"), ("Name", "x"), ("Name", "y")
ONE, TWO = ("Number", 1.0), ("Number", 2.0)


def statements(text: str) -> Any:
    return shape(program(text).statements)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", ("Evaluate", X)),
        ("a = x", ("Assign", A, X)),
        ("a, b = x", ("Assign", ("Tuple", (A, B)), X)),
        ("a = x, y", ("Assign", A, ("Tuple", (X, Y)))),
        ("x.requires_grad = a", ("Assign", ("Attribute", X, "requires_grad"), A)),
        ("y **= 2", ("AugmentedAssign", Y, "**", TWO)),
        ("y //= 2", ("AugmentedAssign", Y, "//", TWO)),
        ("y |= a", ("AugmentedAssign", Y, "|", A)),
        ("y @= a", ("AugmentedAssign", Y, "@", A)),
        ("f(x, y=1) = a", ("FunctionDefinition", "f",
                           (("FormalParameter", "x", None), ("FormalParameter", "y", ONE)),
                           (("Return", A),), ())),
        ("f() = 1", ("FunctionDefinition", "f", (), (("Return", ONE),), ())),
        ("def f(x,) { return a, b }", ("FunctionDefinition", "f", (("FormalParameter", "x", None),),
                                       (("Return", ("Tuple", (A, B))),), ())),
        ("def f() { return }", ("FunctionDefinition", "f", (), (("Return", None),), ())),
        ("while x { break; continue }", ("While", X, (("Break",), ("Continue",)), ())),
        ("for a, b in x { }", ("For", ("Tuple", (A, B)), X, (), ())),
        ("for a in x { y }", ("For", A, X, (("Evaluate", Y),), ())),
        ("if x { a }", ("If", ((X, (("Evaluate", A),)),), ())),
        ("if x { a } elif y { } else { b }",
         ("If", ((X, (("Evaluate", A),)), (Y, ())), (("Evaluate", B),))),
        ("match x { case a { } case 1 | 2 as b if y { a } }",
         ("Match", X, (
             ("MatchCase", A, None, None, ()),
             ("MatchCase", ("Binary", "|", ONE, TWO), "b", Y, (("Evaluate", A),))))),
        ("match x:\n    case a:\n        pass\n    case 1: b",
         ("Match", X, (("MatchCase", A, None, None, (("PassStatement",),)),
                       ("MatchCase", ONE, None, None, (("Evaluate", B),))))),
        ("match = x", ("Assign", ("Name", "match"), X)),
        ("(a := x)", ("Evaluate", ("Walrus", "a", X))),
        ("x[1:2, ::2, :, ..., None]",
         ("Evaluate", ("Index", X, (
             ("Slice", ONE, TWO, None), ("Slice", None, None, TWO), ("Slice", None, None, None),
             ("Ellipsis",), ("Constant", None))))),
        ("x[a:b:]", ("Evaluate", ("Index", X, (("Slice", A, B, None),)))),
        ("x[(1, 2)]", ("Evaluate", ("Index", X, (("Tuple", (ONE, TWO)),)))),
        ("x[1, 2]", ("Evaluate", ("Index", X, (ONE, TWO)))),
        ("a <= b != x", ("Evaluate", ("Compare", ("<=", "!="), (A, B, X)))),
    ],
)  # fmt: skip
def test_statement(text: str, expected: Any) -> None:
    assert statements(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "a\nb", "a;b", "a;\nb", "\n\n a ;; \n b ; \n", "a # c ; x\n# d\nb # e", "a\r\nb", "a\rb",
        "\ufeffa\nb", "#!/usr/bin/env gradcli\na\nb", "a\t;\tb", "a\n\n\n\nb",
    ],
)  # fmt: skip
def test_statements_are_separated(text: str) -> None:
    assert statements(text) == (("Evaluate", A), ("Evaluate", B))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("f(\n a,\n b\n)", "f(a, b)"),
        ("x[\n1:\n2]", "x[1:2]"),
        ("[1,\n # one\n 2\n]", "[1, 2]"),
        ("x\n  .sum()\n  .T", "x.sum().T"),
        ("if x { a\n b }\nelse { y }", "if x { a; b } else { y }"),
        ("if x\n{\n\n a\n}\n\n# c\nelif y\n{ b }\nelse\n{ }", "if x { a } elif y { b } else { }"),
        ("while x { a } y", "while x { a }; y"),
        ("while x { while y { a } } b", "while x { while y { a } }; b"),
        ("def f(x) { a; }\nf(1)", "def f(x) { a }; f(1)"),
        ("f(x) = (\n x\n + 1)", "f(x) = x + 1"),
        # blocks by indentation
        ("if x: a", "if x { a }"),
        ("if x: a; b\ny", "if x { a; b }; y"),
        ("if x: a;\nelse: b", "if x { a } else { b }"),
        ("if x:\n  a\n  b\nelif y: a\nelse:\n   b", "if x { a; b } elif y { a } else { b }"),
        ("while x:\n\n  # c\n  a\n# d\n\n  b\n   # e\ny", "while x { a; b }; y"),
        ("while x: # c\n  a  # d\n", "while x { a }"),
        ("while x:\n  while y:\n    a\n  b", "while x { while y { a }; b }"),
        ("while x:\n  while y:\n    a\nb", "while x { while y { a } }; b"),
        ("if x:\n  if y:\n    a\nelse:\n  b", "if x { if y { a } } else { b }"),
        ("if x:\n  if y:\n    a\n  else:\n    b", "if x { if y { a } else { b } }"),
        ("if x:\n\ta\n\tb\ny", "if x { a; b }; y"),
        ("if x:\n\tif y:\n\t\ta\n\tb", "if x { if y { a }; b }"),
        ("  if x:\n    a\n  b", "if x { a }; b"),
        ("def f(x, y=1):\n  return x\nf(a)", "def f(x, y=1) { return x }; f(a)"),
        ("def f(x): return x", "def f(x) { return x }"),
        ("while x:\n  f(a,\nb)\n  y = [1,\n\n2]", "while x { f(a, b); y = [1, 2] }"),
        ("while x:\n  a = x[1:\n2:]\n  b", "while x { a = x[1:2:]; b }"),
        ("for a in x: b\nelse: y", "for a in x { b } else { y }"),
        ("with x as a, y: b", "with x as a, y { b }"),
        ("try: a\nexcept b as x: y\nexcept: b\nelse: x\nfinally:\n  y",
         "try { a } except b as x { y } except { b } else { x } finally { y }"),
        ("@a\n@b.x(1)\ndef f(x: a, y: b = 1) -> x: return x",
         "@a\n@b.x(1)\ndef f(x, y=1) { return x }"),
        ("if (lambda x: x)(1): a", "if (lambda x: x)(1) { a }"),
        ("if lambda: x: a", "if lambda: x { a }"),
        ("f = lambda x: x\ny", "f = lambda x: x; y"),
        ("if a:\n  f = lambda x: x\nelse:\n  y", "if a { f = lambda x: x } else { y }"),
        ("try:\n  f(lambda: x, lambda: y)\n  f = lambda: lambda: x\nexcept: y",
         "try { f(lambda: x, lambda: y); f = lambda: lambda: x } except { y }"),
        ("x: a = 1", "x = 1"), ("x: a", "x: object"), ("x = 1 + \\\n 2", "x = 1 + 2"),
        ("from a.b import (x, y as b,)", "from a.b import x, y as b"),
        # both styles in one text
        ("while x {\n if y:\n  a\n b\n}", "while x { if y { a }; b }"),
        ("while x { if y: a }", "while x { if y { a } }"),
        ("while x:\n  if y { a\nb\n    }\n  else:\n    a\ny",
         "while x { if y { a; b } else { a } }; y"),
        ("if x { a } else: b\ny", "if x { a } else { b }; y"),
        ("while x:\n  a\n    .T\n  while y\n{\n a }", "while x { a.T; while y { a } }"),
        ("if x:\r\n  a\r\nb", "if x { a }; b"),
        ("for a in x: pass", "for a in x { pass }"),
    ],
)  # fmt: skip
def test_line_breaks_that_only_lay_out(text: str, same: str) -> None:
    assert statements(text) == statements(same)


@pytest.mark.parametrize("text", ["", "\n", " ; ;\n", "# nothing", "#!shebang"])
def test_nothing_is_a_program(text: str) -> None:
    assert statements(text) == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'a'", "a"),
        (r'"ij,jk->ik"', "ij,jk->ik"),
        (r"'it\'s'", "it's"),
        (r'"\"\n\t\\"', '"\n\t\\'),
        ("'#= no comment'", "#= no comment"),
        ("'é×'", "é×"),
    ],
)
def test_string(text: str, value: str) -> None:
    assert shape(expression(text)) == ("String", value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("größe", "größe"), ("σ_2", "σ_2"), ("变量", "变量"), ("_", "_"), ("ifx", "ifx"),
        ("Truex", "Truex"), ("None1", "None1"), ("ﬁt", "fit"), ("ｘ", "x"), ("e\u0301", "\xe9"),
    ],
)  # fmt: skip
def test_names_of_any_script(text: str, name: str) -> None:
    assert shape(expression(text)) == ("Name", name)


@pytest.mark.parametrize("word", ["True", "true", "False", "false", "None", "none"])
def test_constants(word: str) -> None:
    value = {"true": True, "false": False, "none": None}[word.lower()]
    assert shape(expression(word)) == ("Constant", value)


def test_spans_are_the_text() -> None:
    text = "z = (a+b)*c; f(x[1:], k=-2).T"
    first, second = program(text).statements
    assert [text[slice(*node.span)] for node in (first, second)] == text.split("; ")
    product: Any = first
    assert text[slice(*product.value.span)] == "(a+b)*c"
    assert text[slice(*product.value.operator_span)] == "*"
    attribute: Any = second
    call = attribute.value.value
    assert text[slice(*attribute.value.name_span)] == "T"
    assert text[slice(*call.span)] == "f(x[1:], k=-2)"
    assert text[slice(*call.keywords[0].span)] == "k=-2"
    assert text[slice(*call.arguments[0].items[0].span)] == "1:"


def test_expectations_belong_to_their_statement() -> None:
    text = "x + 1  #= 3 ± 1e-9\nf(x) #! shape\nwhile x { y } #! limit-steps\nif x {\n b #=[1, 2]\n}"
    result = program(text)
    found = [(each.kind, each.text) for each in result.expectations]
    assert found == [("=", "3 ± 1e-9"), ("!", "shape"), ("!", "limit-steps"), ("=", "[1, 2]")]
    owners = [text[slice(*each.statement.span)] for each in result.expectations]
    assert owners == ["x + 1", "f(x)", "while x { y }", "b"]
    assert result.expectations[0].statement is result.statements[0]
    assert isinstance(result.expectations[3].statement, Evaluate)


@pytest.mark.parametrize(
    "text", ["if x:\n  b #= 1", "if x: b #= 1", "if x:\n  if y:\n    a; b  #= 1\n  # c\n\na"]
)
def test_expectations_inside_a_block_by_indentation(text: str) -> None:
    (expectation,) = program(text).expectations
    assert shape(expectation.statement) == ("Evaluate", B)


def test_two_statements_on_a_line_share_no_expectation() -> None:
    (expectation,) = program("a; b  #= 2").expectations
    assert shape(expectation.statement) == ("Evaluate", B)


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("a = x\n+ b", ["+"]), ("a\n\n  - b", ["-"]), ("a; -b", []), ("-a", []), ("(a\n- b)", []),
        ("while x { a }\n-b", []), ("while x {\n-b }", []),
    ],
)  # fmt: skip
def test_a_line_that_begins_with_a_sign_is_noted(text: str, noted: list[str]) -> None:
    assert [text[slice(*span)] for span, _ in program(text).notes] == noted


def test_the_source_of_a_program_counts_lines_as_editors_do() -> None:
    source = program("\ufeffa\r\nb\rc").source
    third = source.text.index("c")
    assert source.locate(third) == Source("", "a\nb\nc").locate(4) == (3, 1)
