"""What is wrong next to much larger numbers is seen, though it changes nothing in the run."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.graph import Precision
from tests.analysis.test_diagnosis import compared

FAR = [1.3e8, -1e8, 2e7]
NORMALISED = "d = x - mean(x); s = mean(d**2) + 1e-5; sum(g*d/sqrt(s))"
SQUARES = "sum((M@x - b)**2)/5 + 0.03*x@x"
HIDDEN: list[tuple[str, str, float, dict[str, Any]]] = [
    ("sum(1/(x**2 + 1.7))", "-2*x/(x**2 + C)**2", 1.7, {}),
    ("sum(sqrt(x**2 + 0.09))", "x/sqrt(x**2 + C)", 0.09, {}),
    ("sum(log1p(x**2/3.2))", "2*x/(C + x**2)", 3.2, {}),
    ("x/sqrt(mean(x**2) + 1e-6) @ g",
     "g/sqrt(mean(x**2) + C) - (g@x)*x/3/(mean(x**2) + 1e-6)**1.5", 1e-6, {"g": [0.1, 0.2, 0.4]}),
    (NORMALISED, "(g - mean(g) - d/(mean(d**2) + C)*mean(g*d))/sqrt(s)", 1e-5,
     {"g": [0.1, 0.2, 0.4]}),
    (SQUARES, "2*M.T@(M@x - b)/C + 0.06*x", 5,
     {"x": [0.3, 0.4], "M": [[1e-8, 2e-8], [-1e-8, 1.5e-8]], "b": [0.1, 0.2]}),
]  # fmt: skip
"""Programs, gradients by x with a number for `C`, the right number, and inputs that hide it."""
SIZES = (1e-3, -1e-6, 1e-9)


@pytest.mark.parametrize(("program", "mine", "right", "inputs"), HIDDEN)
def test_a_slight_change_fails(
    program: str, mine: str, right: float, inputs: dict[str, Any]
) -> None:
    given = {"x": FAR} | inputs
    precision: Precision
    for precision in ("float64", "float32"):
        formula = mine.replace("C", repr(right))
        assert compared(program, given, "x", formula, precision=precision).verdict == "pass"
    for size in SIZES:
        formula = mine.replace("C", repr(right * (1 + size)))
        assert compared(program, given, "x", formula).verdict == "fail"
        found = compared(program, given, "x", formula, precision="float32").verdict
        assert found in ("fail", "inconclusive")


def test_the_number_is_named_and_the_place_where_it_shows() -> None:
    program, mine, *_ = HIDDEN[0]
    (cause,) = compared(program, {"x": FAR}, "x", mine.replace("C", "1.8")).causes
    assert cause.message.startswith("the number is wrong: 1.8 instead of 1.7; where x[0] is 0.")
    assert cause.correction is not None
    assert cause.correction.formula == "-2 * x / (x**2 + 1.7)**2"


LARGE = {"M": [[1e8, -3e8], [2e8, 1.5e8], [-1.2e8, 4e7]], "b": [1e8, -2e8, 5e7], "x": [0.7, -1.1]}
RIDGE = "sum((M@x - b)**2)/5 + 0.03*x@x"
UNCONFIRMED = [
    *((RIDGE, f"2*M.T@(M@x - b)/5 + {0.06 * (1 + size)!r}*x", "in column 21") for size in SIZES),
    (RIDGE, "2*M.T@(M@x - b)/5 + 5*x", "5 in column 21"),
    (RIDGE, "2*M.T@(M@x - b)/5", "what 0.03 adds to the gradient"),
    ("sum((M@x - b)**2) + x@x", "2*M.T@(M@x - b) + x", "x in column 19"),
    ("sum((M@x - b)**2) + x@x", "2*M.T@(M@x - b)", "what x@x adds to the gradient"),
    ("sum((M@x - b)**2) + 3*sum(x)", "2*M.T@(M@x - b) + 2", "2 in column 19"),
]
"""Programs, wrong gradients that agree to all digits, and what is said of them."""


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("program", "mine", "words"), UNCONFIRMED)
def test_what_other_inputs_hide_is_not_confirmed(
    program: str, mine: str, words: str, precision: Precision
) -> None:
    found = compared(program, LARGE, "x", mine, precision=precision)
    assert found.verdict == "inconclusive"
    assert found.agreement.allowed > 5e-10
    assert words in found.causes[0].message


CONFIRMED: list[tuple[str, str, dict[str, Any]]] = [
    (RIDGE, "2*M.T@(M@x - b)/5 + 0.06*x", LARGE),
    ("sum((M@x - b)**2) + x@x", "2*(M.T@(M@x - b) + x)", LARGE),
    ("sum((M@x - b)**2) + 3*sum(x)", "2*M.T@(M@x - b) + 3", LARGE),
    ("sum(m/(sqrt(v) + 1e-8)*x)", "m/(sqrt(v) + 1e-8)",
     {"x": [0.4, 1.3], "m": [0.1, -0.2], "v": [3.0, 0.5]}),
    ("-sum(t*log(softmax(x) + 1e-12))",
     "softmax(x)*(sum(t/(softmax(x) + 1e-12)*softmax(x)) - t/(softmax(x) + 1e-12))",
     {"x": [0.3, -1.0, 2.0], "t": [0, 1, 0]}),
    ("D = X - mean(X, dim=0); sum(W*(D.T@D))", "D@(W + W.T)",
     {"X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]], "W": [[0.4, -0.3], [0.9, 1.1]]}),
    ("sum(g*(x - mean(x))) + 0*x[0]", "g - mean(g) + mean(x - mean(x))",
     {"x": [0.4, 1.3, -0.2], "g": [1.0, 0.3, -1.4]}),
]  # fmt: skip


@pytest.mark.parametrize(("program", "mine", "inputs"), CONFIRMED)
def test_what_is_seen_at_some_point_is_confirmed(
    program: str, mine: str, inputs: dict[str, Any]
) -> None:
    leaf = "X" if "X" in inputs else "x"
    assert compared(program, inputs, leaf, mine).verdict == "pass"


MINIMUM = "a sum of squares does not see where it is least"
HARMLESS: list[tuple[str, str, dict[str, Any], str]] = [
    (
        "-sum(t*log_softmax(x))",
        "softmax(x) - t",
        {"t": [0.2, 0.3, 0.5]},
        "t goes on to add up to 1",
    ),
    ("x@A@x", "2*A@x", {"A": [[2, 0.5, 0], [0.5, 3, 1], [0, 1, 4]]}, "A goes on to be symmetric"),
    ("(x@v)*v@x + x@x*0", "2*(x@v)*v/norm(v)", {"v": [0.6, 0.8, 0.0]}, "v is a direction"),
    ("x@x/2", "x*maximum(norm(x), 1e-8)/norm(x)", {}, "a guard that is met far away"),
    ("sum(log(x))", "where(x > 1e-3, 1/x, 1e3)", {"x": [0.5, 1.2]}, "another guard"),
    ("sum(tanh(x))", "4/(exp(x) + exp(-x))**2", {}, "it overflows far away"),
    ("sum(1/(1 + x**24))", "-24*x**23/(1 + x**24)**2", {}, "another part of it does"),
    ("sum(softplus(x))", "exp(x)/(1 + exp(x))", {}, "another formula far away"),
    ("sum(exp(-x**2))", "-2*x*exp(-x)**x", {"x": [0.3, 0.7]}, "rounding is large far away"),
    ("std(x)", "(x - mean(x))/sqrt(2*sum((x - mean(x))**2))", {"x": [1, -2, 0.5]}, MINIMUM),
    ("std(x)", "(x - mean(x))/sqrt(2*sum((x - sum(x)/3)**2))", {"x": [1, -2, 0.5]}, MINIMUM),
]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("program", "mine", "inputs", "why"), HARMLESS)
def test_what_is_right_passes(
    program: str, mine: str, inputs: dict[str, Any], why: str, precision: Precision
) -> None:
    given = {"x": [0.3, -0.7, 1.2]} | inputs
    assert compared(program, given, "x", mine, precision=precision).verdict == "pass", why


NUMBERS = {"3": "pass", "3.003": "fail", "3.000003": "inconclusive", "3.000000003": "inconclusive"}


@pytest.mark.parametrize(("number", "verdict"), NUMBERS.items())
def test_a_number_that_is_not_seen_is_no_pass_if_it_has_many_digits(
    number: str, verdict: str
) -> None:
    mine = f"(x - mean(x))/sqrt(2*sum((x - sum(x)/{number})**2))"
    assert compared("std(x)", {"x": [1, -2, 0.5]}, "x", mine).verdict == verdict


BEYOND = {"x": [26.0, 1.0, 20.5, 34.0, -3.0]}


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("sigmoid(x)", "pass"),
        ("where(x > 20, 1, 1/(1 + exp(-x)))", "pass"),  # as PyTorch has it
        ("sigmoid(x)*(1 + 1e-9)", "fail"),
        ("where(x > 20, 1 + 1e-9, sigmoid(x))", "fail"),
        ("where(x > 20, 0.9999, sigmoid(x))", "fail"),
    ],
)
def test_softplus_has_the_derivative_of_textbooks_beyond_its_threshold(
    formula: str, verdict: str
) -> None:
    assert compared("sum(softplus(x))", BEYOND, "x", formula).verdict == verdict


def test_what_differs_more_from_a_textbook_is_not_forgiven() -> None:
    program = "sum(softplus(x, threshold=2))"
    assert compared(program, {"x": [3.0, 1.0]}, "x", "sigmoid(x)").verdict == "fail"


CANCELLED = [
    ("sum(x**2/(x**2 + 1e-12))", "2e-11*x/(x**2 + 1e-12)**2", "2e-11 instead of 2e-12"),
    ("sum(x**2/(x**2 + 1e-12))", "-2e-12*x/(x**2 + 1e-12)**2", "the sign is wrong"),
    ("sum(x/sqrt(x**2 + 1e-12))", "1e-12/sqrt(x**2 + 1e-12)", "sqrt"),
    ("sum(x/(x + 1e-10))", "2e-10/(x + 1e-10)**2", "2e-10 instead of 1e-10"),
]
"""Programs whose gradient is what rounding leaves of a difference, wrong formulas for it, and the
mistake.
"""


@pytest.mark.parametrize(("program", "mine", "words"), CANCELLED)
def test_a_mistake_is_named_where_rounding_leaves_few_digits(
    program: str, mine: str, words: str
) -> None:
    found = compared(program, {"x": [0.4, 1.3, 2.2]}, "x", mine)
    assert (found.verdict, found.sure) == ("fail", True)
    assert words in found.causes[0].message


@pytest.mark.parametrize("size", [1e-3, 1e-6])
def test_what_float32_hides_at_the_point_alone_is_a_failure(size: float) -> None:
    program = "m = trace(C)/3; S = (1 - a)*C + a*m*eye(3); P = inv(S); L = logdet(S) + trace(P@M)"
    inputs = {
        "C": [[1.0, 0.4, 0.1], [0.4, 0.8, 0.2], [0.1, 0.2, 0.5]],
        "M": [[0.9, 0.1, 0.0], [0.1, 0.7, 0.3], [0.0, 0.3, 0.6]],
        "a": 0.3,
    }
    right = "trace(P@(m*eye(3) - C)) - trace(P@M@P@(m*eye(3) - C))"
    for mine, verdict in ((right, "pass"), (f"{1 + size!r}*({right})", "fail")):
        assert compared(program, inputs, "a", mine, precision="float32").verdict == verdict
