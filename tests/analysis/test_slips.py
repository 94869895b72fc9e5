"""Slips in formulas of gradients: every one fails, and what is said with certainty is right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Precision
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.printer import print_expression
from tests.analysis.slips import FIELDS, MODELS, Model
from tests.analysis.test_diagnosis import compared

SLIPS = {
    field: [(model, wrong) for model in models for wrong in model.slips]
    for field, models in FIELDS.items()
}
LEAST = 1_400
"""So many slips there are, so that no file is read in vain."""


def names(found: str, accepted: str) -> bool:
    return any(word in found for word in accepted.split("|"))


def told(model: Model, wrong: str) -> tuple[bool, str]:
    """Whether the first cause is certain, and its text with the correction, which is right."""
    found = compared(model.program, model.inputs, model.leaf, wrong)
    assert found.verdict == "fail"
    cause = found.causes[0]
    formula = cause.correction.formula if cause.correction else ""
    if formula:
        assert compared(model.program, model.inputs, model.leaf, formula).verdict == "pass"
    return found.sure, f"{cause.code} {cause.message} {formula}"


def share_named(cases: Sequence[tuple[Model, str]]) -> float:
    """How many are named with certainty; none may be named wrongly."""
    named = 0
    for model, wrong in cases:
        sure, text = told(model, wrong)
        right = names(text, model.slips[wrong])
        assert right or not sure, (model.name, wrong, text)
        named += right and sure
    return named / len(cases)


@pytest.mark.parametrize("field", SLIPS)
def test_slips_are_named_at_their_places(field: str) -> None:
    assert share_named(SLIPS[field][::40]) > 0.75


@pytest.mark.slow
@pytest.mark.parametrize("field", SLIPS)
def test_slips_are_named_and_none_wrongly_with_certainty(field: str) -> None:
    assert share_named(SLIPS[field]) >= 0.85


def test_there_are_many_slips() -> None:
    assert sum(map(len, SLIPS.values())) >= LEAST


@pytest.mark.one_in(5)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_formulas_without_slips_are_right(model: Model) -> None:
    assert compared(model.program, model.inputs, model.leaf, model.right).verdict == "pass"


FOUND_BY_PYTORCH = [each for each in MODELS if each.pytorch is not None]


@pytest.mark.parametrize("model", FOUND_BY_PYTORCH, ids=lambda model: model.name)
def test_what_the_judge_goes_by_is_what_pytorch_finds(model: Model) -> None:
    found = compared(model.program, model.inputs, model.leaf, model.pytorch)
    assert found.verdict == "pass"
    np.testing.assert_allclose(found.gradient, model.pytorch, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [each for each in MODELS if each.equal], ids=lambda each: each.name
)
def test_the_same_in_other_words_is_right(model: Model) -> None:
    for formula in model.equal:
        assert compared(model.program, model.inputs, model.leaf, formula).verdict == "pass"


X, D = [0.4, 1.3, 2.2], [[2.0, -1.0, 0.5], [-1.0, 2.0, -1.0], [0.0, -1.0, 3.0]]
MADE_OF_STEPS = [
    ("L = sum(exp(-(x - w)**2/2))", "sum((x - w)*exp(-(x - w)**2))", "division by 2"),
    ("f = w*exp(-x**2/2) + 1; L = sum(log(f))", "sum(exp(-x**2)/f)", "division by 2"),
    ("L = sum(x*w**2*log(w))", "sum(x)*(w*log(w) + w)", "factor 2"),
    ("L = sum(x**2*sqrt(1 + (w/x)**2))", "sum(x**2*w/sqrt(1 + (w/x)**2))", "x**2"),
    ("L = sum(tanh(w*x + y*tanh(w*y)))",
     "sum((1 - tanh(w*x + y*tanh(w*y))**2)*(y + x*(1 - tanh(w*y)**2)*y))", "exchanged"),
    ("u = solve(eye(3) + w*D, x); L = sum(u**2)", "-2*u@solve(eye(3) + w*D, u)", "factor D"),
    ("r = w*x + y; L = sum(r**3)/3", "r[0]*x[0] + r[1]*x[1] + r[2]*x[2]", "r instead of r**2"),
    ("p = 1/(1 + exp(-w*x)); L = mean((p - y)**2)", "mean(2*(p - y)*x)", "factor p * (1 - p)"),
    ("p = 1/(1 + exp(-w*x)); L = mean((p - y)**2)", "mean(2*(p - y)*p*x)", "factor 1 - p"),
    ("e = exp(2*w*x); h = (e - 1)/(e + 1); L = sum(y*h)", "sum(y*x)", "factor 1 - h**2"),
    ("L = -sum(y*log_softmax(w*x))", "sum(softmax(w*x)*x)", "derivative of log_softmax(w*x)"),
]  # fmt: skip
"""Programs of w, wrong gradients, and what must be said: the step, as the user wrote it."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("program", "wrong", "words"), MADE_OF_STEPS)
def test_a_slip_is_told_as_it_was_made(program: str, wrong: str, words: str) -> None:
    inputs = {"w": 0.6, "x": X, "y": [0.2, 0.7, 0.1], "D": D}
    inputs = {name: inputs[name] for name in inputs if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, "w", wrong)
    assert found.sure
    assert words in found.causes[0].message


Z = [[0.2, -0.5, 0.9], [1.1, 0.4, -0.3]]
NAMED = [
    ("-sum(t*log_softmax(x/2))", "(softmax(2*x) - t)/2", "inverted", "(softmax(x / 2) - t) / 2"),
    ("sum(log10(x))", "1/(x*log(2))", "constant", "1 / (x * log(10))"),
    ("sum(w*(x + exp(-x)))", "w*(x - exp(-x))", "number", "w * (1 - exp(-x))"),
    (
        "n = (x - mean(x))/std(x); sum((n*w + b)**2)",
        "2*(n*w + b)*n",
        "factor-extra",
        "2 * (n * w + b)",
    ),
]
"""Programs, wrong formulas for the gradient of x (the last: of b), code and correction."""


@pytest.mark.parametrize(("program", "wrong", "code", "right"), NAMED)
def test_the_likelier_of_two_slips_is_named(
    program: str, wrong: str, code: str, right: str
) -> None:
    """A sum over the normalised n is 0, so that adding it is right as well as leaving it out."""
    data = {"x": [0.4, 1.3, 2.2], "t": [0.3, 0.2, 0.5], "w": [1.0, -0.5, 0.7], "b": 0.4}
    leaf = "b" if "b" in wrong else "x"
    wrong, right = (f"sum({each})" if leaf == "b" else each for each in (wrong, right))
    inputs = {name: data[name] for name in data if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, leaf, wrong)
    assert found.sure
    (cause, *_) = found.causes
    assert cause.code == code
    assert cause.correction is not None
    assert cause.correction.formula == right


@pytest.mark.parametrize(
    ("precision", "constant"), [("float32", "4.000004"), ("float64", "4.000000004")]
)
def test_a_slight_mistake_is_no_step_of_the_derivation(precision: Precision, constant: str) -> None:
    """Two signs that cancel, say, change the gradient by no more than that."""
    found = compared(
        "p = log_softmax(Z/2, dim=1); L = -mean(sum(T*p, dim=1))",
        {"Z": Z, "T": [[0.2, 0.5, 0.3], [0.1, 0.3, 0.6]]},
        "Z",
        f"(softmax(Z/2, dim=1) - T)/{constant}",
        precision=precision,
    )
    assert found.verdict == "fail"
    assert [(cause.code, found.sure) for cause in found.causes] == [("constant", True)]


def test_a_constant_that_rounding_nearly_hides_is_named() -> None:
    """It is 1e-13 of the gradient here, and shows where x is small."""
    found = compared(
        "n = sqrt(sum(x**2) + 1e-12); L = sum(c*x)/n",
        {"x": [0.4, 1.3, 2.2, -0.6], "c": [1.0, -0.5, 0.3, 0.8]},
        "x",
        "c/n - x*sum(c*x)/(sum(x**2) + 1e-11)**1.5",
    )
    assert (found.verdict, found.sure) == ("fail", True)
    assert found.causes[0].message == "the number is wrong: 1e-11 instead of 1e-12"


CORRECTED: Mapping[tuple[str, str], tuple[str, str]] = {
    ("sum(sin(3*x))", "3*sin(3*x)"): ("sin", "3 * cos(3 * x)"),
    ("sum(log(x + 1e-3))", "1/x"): ("x", "1 / (x + 0.001)"),
    ("sum(x**3)", "3*x**3"): ("3", "3 * x**2"),
    ("y = x - mean(x); sum(y**3)", "3*y**2 + mean(3*y**2)"): ("+", "3 * y**2 - mean(3 * y**2)"),
}


@pytest.mark.parametrize(("program", "mine"), CORRECTED)
def test_a_slip_has_a_place_and_a_correction(program: str, mine: str) -> None:
    (cause, *_) = compared(program, {"x": [0.4, 1.3, 2.2]}, "x", mine).causes
    correction = cause.correction
    assert correction is not None
    text, formula = CORRECTED[program, mine]
    assert correction.source.text[slice(*correction.span)] == text
    assert correction.formula == formula
    again = print_expression(parse_expression(Source("again", formula), ParseLimits()))
    assert again == formula
    assert compared(program, {"x": [0.4, 1.3, 2.2]}, "x", formula).verdict == "pass"


SERIES = [
    ("sum(c*exp(x))", "c*(1 + x + x**2/2)", 3),
    ("sum(c*sin(x))", "c*(1 - x**2/2)", 4),
    ("sum(c*x*log(1 + x))", "c*(2*x - 3*x**2/2)", 2),
]


@pytest.mark.parametrize(("program", "wrong", "order"), SERIES)
def test_a_series_that_ends_too_soon_is_told_by_its_order(
    program: str, wrong: str, order: int
) -> None:
    found = compared(program, {"x": [0.4, 1.3, 2.2], "c": [0.5, -0.9, 1.2]}, "x", wrong)
    assert not found.sure
    assert (found.causes[0].code, f"x**{order}:" in found.causes[0].message) == ("series", True)


LABELLED = [
    ([0.6075, 1.091, 0.3017], "sign of the targets"),  # softmax(z) + t
    ([0.6075, 0.09086, 0.3017], "term of the targets"),
    ([-0.6075, 0.9091, -0.3017], "sign is wrong"),
]


@pytest.mark.parametrize(("numbers", "words"), LABELLED)
def test_numbers_without_the_targets_are_told(numbers: list[float], words: str) -> None:
    inputs = {"z": [1.2, -0.7, 0.5], "t": [0.0, 1.0, 0.0]}
    found = compared("0 - sum(t*log_softmax(z))", inputs, "z", numbers)
    assert words in found.causes[0].message
    assert not found.sure


def test_numbers_that_are_not_divided_by_their_sum_are_told() -> None:
    found = compared("logsumexp(x)", {"x": [1.2, -0.7, 0.5]}, "x", [3.32, 0.4966, 1.649])
    assert "the sum of which logsumexp(x) is the log" in found.causes[0].message


def test_a_formula_that_the_program_has_is_not_told_to_be_its_value_with_certainty() -> None:
    """It may lack a factor: exp(-q*t) here, which is written nowhere."""
    program = (
        "F = S*exp((r - q)*t); d = log(F/K)/v + v/2; C = exp(-r*t)*(F*ndtr(d) - K*ndtr(d - v))"
    )
    inputs = {"S": 50.0, "K": 52.0, "r": 0.04, "q": 0.01, "t": 0.8, "v": 0.3}
    found = compared(program, inputs, "S", "ndtr(d)")
    assert (found.verdict, found.sure) == ("fail", False)


def test_numbers_have_no_certain_cause() -> None:
    found = compared("sum(x**3)", {"x": [1.0, 2.0, 4.0]}, "x", [-3.0, -12.0, -48.0])
    assert found.causes[0].code == "sign"
    assert not found.sure
    assert found.causes[0].correction is None


GATE = "z = sigmoid(w*x); h2 = (1 - z)*n + z*h; L = sum((h2 - y)**2)"
EITHER = [
    (GATE, "sum(2*(h2 - y)*(h - n)*z*x)", ["n instead of h2", "factor 1 - z"]),
    (
        GATE.replace("h2 =", "q = (1 - z)*h; h2 ="),
        "sum(2*(h2 - y)*(h - n)*z*x)",
        ["n instead of h2", "factor 1 - z"],
    ),
]
"""Programs, wrong formulas for the gradient of w, and mistakes of which each explains it."""


@pytest.mark.parametrize(("program", "wrong", "words"), EITHER)
def test_of_several_slips_none_is_certain(program: str, wrong: str, words: list[str]) -> None:
    """h - h2 is (1 - z)*(h - n) there."""
    data = {"x": X, "n": [0.2, 0.7, -0.5], "h": [0.6, 1.1, -0.3], "y": [0.2, 0.5, -0.4], "w": 0.5}
    found = compared(program, data, "w", wrong)
    assert not found.sure
    assert len(found.causes) == len(words)
    for each in words:
        assert any(each in cause.message for cause in found.causes)


@pytest.mark.parametrize("wrong", ["-sum((y1 - g)*dt*y0)", "sum((y1 - g)*dt*(-y0))"])
def test_a_sign_is_not_named_where_its_term_is_missing(wrong: str) -> None:
    """The two terms of la*dt*y0/2 are equal: without them it is as with one of the other sign."""
    found = compared(
        "k = -la*y0; z = y0 + dt/2*k; y1 = y0 - la*dt*z; L = sum((y1 - g)**2)/2",
        {"la": 1.4, "y0": [0.4, -1.1, 0.7], "dt": 0.1, "g": [0.2, 0.5, -0.3]},
        "la",
        wrong,
    )
    assert found.verdict == "fail"
    assert not found.sure


GAIN = "K = P@H.T@inv(H@P@H.T + R); m = x + K@(z - H@x); L = sum(g*m)"
SPREAD = "B = M@diag(s)@M.T; L = sum(C*B)"
OF_TWO = [
    (SPREAD, "s", "M.T@C@M@ones(3)", False),
    (GAIN, "x", "g - K@(H@g)", False),
    ("y = exp(k*x); L = sum(c*y)", "x", "c*k*x*exp(k*x - 1)", False),
    ("L = sum(c/x)", "x", "c/x**0.5", False),
    ("L = sum(c*log(x)) + sum(x**3)", "x", "-c/x + 3*x", True),
    ("L = sum((x - c)**2*exp(k*x))", "x", "2*(x + c)*exp(k*x) - k*(x - c)**2*exp(k*x)", True),
]
"""Programs, leaves, formulas of two mistakes or of another one, and whether they are certain."""


@pytest.mark.parametrize(("program", "leaf", "wrong", "certain"), OF_TWO)
def test_two_mistakes_are_certain_only_far_from_each_other(
    program: str, leaf: str, wrong: str, certain: bool
) -> None:
    """No matrix stands for its transpose; the product of two matrices is to be transposed, and no
    parentheses are wrong.
    """
    data = {
        "M": [[0.4, -1.2, 0.3], [1.1, 0.5, -0.7], [-0.2, 0.8, 1.4]],
        "C": [[0.9, 0.2, -0.6], [-1.1, 0.3, 0.5], [0.7, -0.4, 1.2]],
        "s": [0.5, 1.3, 0.8], "P": D, "H": [[0.4, 1.1, -0.3], [0.2, -0.5, 0.9]],
        "R": [[1.5, 0.2], [0.1, 0.8]], "x": [0.4, 1.3, 2.2], "z": [0.3, -0.8],
        "g": [0.6, -1.1, 0.4], "k": 0.7, "c": [0.5, -0.9, 1.2],
    }  # fmt: skip
    inputs = {name: data[name] for name in data if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, leaf, wrong)
    assert found.verdict == "fail"
    two = found.causes[0].message.startswith("two mistakes")
    assert found.sure == certain
    assert two or not certain


AS_TYPED = [
    ("sum(where(x > 0, x, c*(exp(x) - 1)))", "where(x > 0.5, 1, c*exp(x))", "0.5 instead of 0"),
    ("sum(c*sin(x)/sqrt(x))", "c*cos(x)*sqrt(x) - c*sin(x)/(2*x*sqrt(x))", "cos(x) / sqrt(x)"),
    ("sum(c*x)**2/x[0]**2", "2*sum(c*x)*c/x[0]**2 - 2*sum(c*x)**2*[1,0,0]/x[0]", "exponent"),
    ("sum(c*(1 - x)**3)", "-3*c*(2 - x)**2", "number is wrong: 2 instead of 1"),
    ("sum(c*(1 - x)**2)", "-0.5*c*(1 - x)", "number is wrong: -0.5 instead of -2"),
    ("sum(relu(x - k)**2)", "2*x*(x > 0)", "term k is missing"),
    ("sum(c*exp(-x**2))", "+2*c*x*exp(-x**2)", "sign is wrong"),
    ("sum(c*x)/(1 + k)**3", "c*(1 + k)**3", "instead of c / (1 + k)**3"),
    ("sum((x - c)**2)/4", "(x - c)/4", "number is wrong: 4 instead of 2"),
    ("sum(c/(2*x**2)) + sum(x)", "1 - c/(2*x**3)", "or the exponent in x**2"),
    ("k*sum(sqrt(x**2 + 0.01))", "k*sign(x)", "sign(x) instead of x / sqrt(x**2 + 0.01)"),
    ("sum((outer(x, x) - eye(3))**2)", "4*outer(x, x)@x", "term eye(3, 3) is missing"),
    ("sum(c*x**2) + 3*sum(abs(x))", "2*c*x + 3*x", "x instead of sign(x)"),
    ("sum(x/sqrt(1 + k*x**2))", "1/(1 + k*x**2)**2", "exponent is wrong: 2 instead of 1.5"),
    ("sum(c*x)*x[1]", "c*x[1] + sum(c*x)*[1,0,0]", ""),
]
"""Programs, wrong gradients, and what must be said of the text."""


@pytest.mark.parametrize(("program", "wrong", "words"), AS_TYPED)
def test_a_mistake_is_told_of_what_was_typed(program: str, wrong: str, words: str) -> None:
    """Not of what has the same value: 2 - p is not 1 - (2 - p), and nobody writes rsqrt."""
    data = {"x": [0.4, 1.3, 2.2], "c": [0.5, -0.9, 1.2], "k": 0.7}
    inputs = {name: data[name] for name in data if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, "x", wrong)
    assert words in found.causes[0].message
    assert found.sure or not words


def test_what_is_no_number_confirms_nothing() -> None:
    """The logarithm of a negative number is nan, as that of a wrong derivative is."""
    found = compared("log(sum(exp(-k*x)))/k", {"k": 0.8, "x": [0.4, 1.3]}, "k", "log(-k) + 0*k")
    assert not found.sure
    assert found.causes[0].code != "chain-inside"


def test_a_missing_condition_is_not_told_where_another_one_stands() -> None:
    """It is true here and near by, and is not where x is negative."""
    data = {"x": [0.4, 1.3, 2.2], "k": 0.7}
    found = compared("sum(relu(x + k)**2)", data, "x", "2*(x + k)*(sum(x) > 0)")
    assert "condition" not in [each.code for each in found.causes] or found.sure
    assert not (found.sure and found.causes[0].code == "mask")


def test_one_slip_in_other_words_is_certain() -> None:
    """1 - tanh(x)**2 is 1/cosh(x)**2, and p*(1 - p) is taken off as 1 - p and p."""
    for program, wrong, words in (
        ("h = tanh(w*x); L = sum(y*h)", "sum(y*x)", "1 - h**2"),
        ("p = sigmoid(w*x); L = -sum(log(p))", "-sum((1 - p)*x/p)", "p"),
        ("L = -sum(log(1 - w*y))", "sum(y)", "1 - w * y|1 - w*y"),
    ):
        data = {"w": 0.6, "x": X, "y": [0.2, 0.7, 0.1]}
        inputs = {name: data[name] for name in data if re.search(rf"\b{name}\b", program)}
        found = compared(program, inputs, "w", wrong)
        assert found.sure
        assert names(found.causes[0].message, words)


def test_two_slips_are_found() -> None:
    program, inputs = "y = tanh(X@w); sum((y - t)**2)", {
        "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]], "w": [0.3, -0.2], "t": [0.1, 0.2, -0.4],
    }  # fmt: skip
    found = compared(program, inputs, "w", "X.T@(2*(y + t)*(1 + y**2))")
    assert found.sure
    assert "two mistakes" in found.causes[0].message
    assert found.causes[0].correction is not None
    assert found.causes[0].correction.formula == "X.T @ (2 * (y - t) * (1 - y**2))"


@pytest.mark.wide
def test_long_formulas_have_an_answer() -> None:
    inputs = {"x": [0.3, 1.0, 2.0]}
    found = compared("sum(sin(x))", inputs, "x", "+".join(["cos(x)"] * 138))
    assert found.verdict == "fail"
    deep = "(" * 200 + "2*cos(x)" + ")" * 200
    assert compared("sum(sin(x))", inputs, "x", deep).causes[0].correction is not None
    nested = "sin(" * 60 + "x" + ")" * 60
    assert compared("sum(sin(x))", inputs, "x", nested).verdict == "fail"


def test_what_moves_keeps_what_it_looks_like() -> None:
    """Only while A is symmetric and t adds up to 1 these are right."""
    data = {"A": [[2.0, 0.3], [0.3, 1.5]], "x": [0.4, 0.7], "t": [0.2, 0.3, 0.5], "z": [1, 2, 0.5]}
    found = compared("x@A@x", {name: data[name] for name in "Ax"}, "x", "-2*A@x")
    assert found.sure
    assert found.causes[0].code == "sign"
    found = compared("-sum(t*log_softmax(z))", {name: data[name] for name in "tz"}, "z", "z - t")
    assert found.sure
    assert "softmax" in found.causes[0].message
