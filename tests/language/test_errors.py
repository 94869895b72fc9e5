"""What is said of a text that is not in the language: code, place, message, hint.

In a text below, » and « stand around the place that the error must show.
"""

from __future__ import annotations

import pytest

from gradcli.diagnostics import Diagnostic, GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_expression, parse_program
from gradcli.language.tokens import NUMBER_OF
from tests.language.trees import program

WRONG = [
    # brackets
    ("z = mean»(«x + 1", "`(` is not closed", "add a )"),
    ("z = mean»(«x\ny = 2\n", "`(` is not closed", "add a )"),
    ("x»[«0", "`[` is not closed", "add a ]"),
    ("while x »{« a", "`{` is not closed", "add a }"),
    ("f(x»]«", "`]` does not close the `(` of line 1, column 2", "write )"),
    ("while x { f»(«a }", "`(` is not closed", "add a )"),
    ("x»)«", "`)` closes nothing", "delete it"),
    ("if a { b } »}«", "`}` closes nothing", "delete it"),
    # characters
    ("a &»&« b", "`&&`", "and"),
    ("a |»|« b", "`||`", "or"),
    ("»!«a", "`!`", "not"),
    ("x »?« a : b", "`?`", "where("),
    ("a »×« b", "U+00D7", "*"),
    ("a »−« b", "U+2212", "-"),
    ("x»²« = 3", "U+00B2", "**2"),
    ("a »\u00a0«= b", "U+00A0", "space"),
    ("»٣«", "U+0663", "0 to 9"),
    ("a + »\x1b«[31m", "U+001B", "delete"),
    ("a »\x00«", "U+0000", "delete"),
    ("a # »\x07«", "U+0007", "delete"),
    ("a # »\u202e«b", "U+202E", "delete"),
    ("'a»\x7f«'", "U+007F", "delete"),
    # strings and numbers
    ("f(»'«abc)", "not closed", "'"),
    ('x = »"«abc\ny"', "not closed", '"'),
    ("1»__000«", "`1__000` is not a number", "1_000"),
    ("0»xg«", "`0xg` is not a number", "0xff"),
    ("0x1»g«", "`g` cannot follow the number `0x1`", "0x1*g"),
    ("0b1»2«", "`2`", None),
    ("2.»sum«()", "`2.` is read as a number", "(2).sum"),
    ("1.2».3«", "`1.2.3` is not a number", "one decimal point"),
    ("2»x«", "`x` cannot follow", "2*x"),
    # assignment
    ("a, *b, »*c« = x", "only one name", None),
    ("for »f(x)« in y { }", "the result of a call cannot be assigned", "on the left"),
    ("»True« = 3", "True", "name"),
    ("»none« = 3", "None", "name"),
    ("»3« = x", "number", "=="),
    ("»'a'« = x", "string", "name"),
    ("»x + 1« = y", "expression", "name"),
    ("[a, »2«] = x", "number", "=="),
    ("(a, »()«) = x", "empty tuple", "name"),
    ("a, (b, »1«) = x", "number", "=="),
    ("»f(x)« += 1", "result of a call", "name"),
    ("a = »b + 1« = 3", "an expression", "name"),
    ("a += b »=« 3", "one `=`", "=="),
    ("»a + b«: c = 3", "an expression", "name"),
    ("if »=« 3", "`if` is a reserved word", "another name"),
    ("x = »for«", "`for` is a reserved word", "another name"),
    ("f(»in«)", "`in` is a reserved word", "another name"),
    ("»ｉｆ« = 3", "`if`", "another name"),
    ("a, b »+=« 1", "`+=`", "one name"),
    # functions
    ("f(x, »x«) = 3", "`x` is given twice", None),
    ("def f(x, »x=2«) { }", "`x` is given twice", None),
    ("def f(x=1, »y«) { }", "default", "last"),
    ("f(»1«) = 3", "must be a name", "=="),
    ("g(a=1, »b«)", "behind one with a name", "first"),
    ("g(a=1, »a=2«)", "`a` is given twice", None),
    ("»return x«", "outside a function", "last expression"),
    ("while x { »return« }", "outside a function", None),
    ("»break«", "outside a loop", None),
    ("if x { »continue« }", "outside a loop", None),
    ("while x { def f() { »break« } }", "outside a loop", None),
    ("def f() { while x { } »break« }", "outside a loop", None),
    # blocks
    ("if x »=« 3 { y }", "condition", "=="),
    ("while x »=« 3 { y }", "condition", "=="),
    ("if a: if b»:« y", "a line of its own", None),
    ("while x:»«", "block of the `while` in line 1 is missing: the program ends", "pass"),
    ("while a { if b:\n»«}", "block of the `if` in line 1 is missing: a brace", "pass"),
    ("if a:\n»«b", "block of the `if` in line 1 is missing: this line", "pass"),
    ("  if a:\n»  «b", "block of the `if` in line 1 is missing: this line", "pass"),
    ("if a:\n    b\nelse:\n»«y", "block of the `else` in line 3", "pass"),
    ("if a:\n    b\n»      «x", "by 6 columns, and line 2 of its block by 4", "one column"),
    ("if a:\n    b\n»  «x", "by 2 columns, and line 2 of the block before it by 4", "block"),
    ("while a:\n  if b:\n    x\n»   «y", "by 3 columns, and line 3", "belongs to"),
    ("if a:\n\tb\n»        «x", "tabs and line 2 by blanks", "blanks"),
    ("if a:\n    b\n    »else«: y", "no `if`", "if c:"),
    ("if a: b; »else«: y", "no `if`", "if c:"),
    ("if a: b\n»)«", "`)` closes nothing", None),
    ("if a:\n    b»}«", "`}` closes nothing", None),
    ("»else« { y }", "no `if`", "if c:"),
    ("if a { b } else »if« c { d }", "`else if`", "elif"),
    ("while x»«", "block of `while` is missing", "while …:"),
    ("if »{« a }", "condition of `if` is missing", None),
    ("for i »range«(3) { }", "`in` is missing", "for i in"),
    ("x = {1: 2, 3»}«", "a dictionary is made of pairs", "{'a': 1}"),
    ("class »{« }", "`{` begins a block", None),
    ("x not »y«", "where `in` is expected", None),
    # other languages
    ("import »3«", "name", None),
    ("from a import »+«", "`+`", None),
    ("f = lambda x»«", "stands where", None),
    ("f = lambda x, »x«: 1", "`x` is given twice", None),
    ("with »:« x", "value", None),
    ("»try«: x\ny", "no `except`", "except"),
    ("»except«: x", "`except`", None),
    ("assert»«", "value is missing", None),
    ("del »[x]«", "not a list", None),
    ("[i for »]«", "`]`", None),
    ("f'»{«x'", "not closed", None),
    ("f'a»}«'", "}}", None),
    ("let »x« = 3", "`let`", "="),
    ("y = a if c»«", "`else`", None),
    ("x = i »for« i in y", "`for`", "[x**2 for x in xs]"),
    ("async »x«", "`async`", "one statement"),
    ("print »x«", "`print`", "print("),
    ("»x := 3«", "`:=`", "x = 3"),
    ("(x[0] »:=« 3)", "`:=`", "in parentheses"),
    ("match 3:\n    case »f(x)[0]«: pass", "no pattern", "case x if x > 0"),
    ("match 3:\n    »x« = 3", "`x`", None),
    ("def f(a, »%«): return a", "no parameter", None),
    ("a =»>« b", "`=>`", ">="),
    ("a ==»=« b", "`===`", "=="),
    ("x++»«", "`++`", "+= 1"),
    ("»//« comment", "`//`", "#"),
    # values
    ("x =»«", "value is missing after `=`", None),
    ("x = 1 +»«\n2", "value is missing after `+`", "( )"),
    ("a * »/« b", "between `*` and `/`", None),
    ("f(a,»,« b)", "between `,` and `,`", None),
    ("x[»]«", "index is empty", "x[0]"),
    ("a »b«", "operator is missing between `a` and `b`", "a*b"),
    ("f(x »y«)", "operator is missing between `x` and `y`", ","),
    ("a == »not« b", "`not` cannot follow `==`", "(not"),
    ("x.»«", "name of an attribute or method is missing", None),
    ("f(a»;« b)", "`;`", ","),
    # expectations
    ("»#= 3«", "expectation", "space"),
    ("x\n»#= 3«", "expectation", "space"),
    ("x\n»#! shape«", "expectation", "space"),
    ("x = 3 »#= 3«", "bare expression", "next line"),
    ("f(x »#= 3«\n)", "expectation", "space"),
    ("x »#=«", "expectation", "space"),
    ("while x { »#= 3«\n}", "expectation", "space"),
    ("for i in x { } »#= 3«", "bare expression", None),
]


def refused(text: str, limits: ParseLimits | None = None) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        parse_program(Source("program", text), limits or ParseLimits())
    return caught.value.diagnostic


def shown(diagnostic: Diagnostic) -> str:
    """The source with the span of the error between » and «."""
    assert diagnostic.source is not None
    assert diagnostic.span is not None
    text, (start, end) = diagnostic.source.text, diagnostic.span
    return f"{text[:start]}»{text[start:end]}«{text[end:]}"


@pytest.mark.parametrize(("text", "message", "hint"), WRONG)
def test_says_what_where_and_what_to_do(text: str, message: str, hint: str | None) -> None:
    diagnostic = refused(text.replace("»", "").replace("«", ""))
    assert diagnostic.code == "syntax"
    assert shown(diagnostic) == text
    assert message in diagnostic.message
    assert hint is None or hint in (diagnostic.hint or "")


@pytest.mark.parametrize("text", [text for text, _, _ in WRONG])
def test_speaks_the_words_of_the_user(text: str) -> None:
    diagnostic = refused(text.replace("»", "").replace("«", ""))
    said = f"{diagnostic.message} {diagnostic.hint}".split()
    assert not [name for name in NUMBER_OF if name in said]
    assert "\n" not in diagnostic.message


@pytest.mark.parametrize(
    "number", ["1e999", "»0x" + "f" * 300 + "«", "-»1e400«", f"2 + »{'9' * 400}«"]
)
def test_a_number_beyond_float64_is_an_error(number: str) -> None:
    marked = number if "»" in number else f"»{number}«"
    diagnostic = refused(marked.replace("»", "").replace("«", ""))
    assert diagnostic.code == "value"
    assert shown(diagnostic) == marked
    assert "too large for float64" in diagnostic.message


def test_the_largest_float_is_none() -> None:
    assert program("1.7976931348623157e308; 1e-999").statements


@pytest.mark.parametrize("text", ["", " ", "a; b", "a\nb", "a = 1", "x #= 3", "if a { b }", "f(x"])
def test_one_expression_only(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        parse_expression(Source("--set x", text), ParseLimits())
    assert caught.value.diagnostic.code == "syntax"
    assert caught.value.diagnostic.source is not None
    assert caught.value.diagnostic.source.name == "--set x"


@pytest.mark.parametrize(
    ("text", "limits", "code"),
    [
        ("a" * 101, ParseLimits(source_bytes=100), "limit-tokens"),
        ("é" * 51, ParseLimits(source_bytes=100), "limit-tokens"),
        ("+".join("a" * 51), ParseLimits(tokens=100), "limit-tokens"),
        ("# comments count\n" * 101, ParseLimits(tokens=100), "limit-tokens"),
        ("(" * 101, ParseLimits(depth=100), "limit-depth"),
        ("if a {" * 50 + "f([" * 26, ParseLimits(depth=100), "limit-depth"),
    ],
)
def test_limits(text: str, limits: ParseLimits, code: str) -> None:
    assert refused(text, limits).code == code


def test_what_is_within_the_limits_passes() -> None:
    limits = ParseLimits(source_bytes=100, tokens=50, depth=20)
    for text in ["é" * 50, "+".join("a" * 25), "(" * 20 + "a" + ")" * 20]:
        parse_program(Source("program", text), limits)
