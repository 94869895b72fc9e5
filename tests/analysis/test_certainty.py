"""What is said of a slip with certainty where several slips would explain it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from tests.analysis.test_diagnosis import compared


class Told(NamedTuple):
    program: str
    inputs: Mapping[str, Any]
    leaf: str
    wrong: str
    words: str
    """What is said first."""
    also: str = ""
    """What may have been done instead, so that nothing is certain."""


HILL = ("y = V*x**n/(K**n + x**n)", {"V": 2.1, "x": 0.7, "n": 1.8, "K": 0.9}, "x")
HUBER = (
    "L = sum(where(abs(r) <= d, r**2/2, d*(abs(r) - d/2)))",
    {"r": [0.3, -1.4, 0.9], "d": 0.6},
    "r",
)
GATE = (
    "z = sigmoid(w*x); n = tanh(x); h = (1 - z)*n + z*m; L = sum(c*h)",
    {"w": [0.4, -0.7], "x": [0.9, -0.6], "m": [0.7, -1.1], "c": [1.2, -0.4]},
    "w",
)
RATIO = (
    "m = w@a; v = w@C@w; q = m/sqrt(v)",
    {"w": [0.4, 0.6], "a": [0.8, 1.2], "C": [[0.4, 0.1], [0.1, 0.9]]},
    "w",
)
TRIPLET = (
    "p = sum((a - b)**2); n = sum((a - c)**2); L = relu(p - n + 1)",
    {"a": [0.2, 0.5], "b": [0.9, 0.1], "c": [-0.3, 0.7]},
    "a",
)
ATTRACTION = ("r = sqrt(sum(x**2)); U = r**-12 - r**-6", {"x": [0.9, -0.7, 0.4]}, "x")
ORDER = (
    "d = sigmoid(s[:, None] - s[None, :]); L = sum(M*log(d))",
    {"s": [1.0, 0.5, -0.3], "M": [[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]},
    "s",
)
FRESNEL = (
    "t = sqrt(1 - (n*s)**2); r = (n - t)/(n + t); R = r**2",
    {"n": 0.8, "s": 0.5},
    "n",
)
OSCILLATION = (
    "y = exp(-g*t)*cos(w*t); L = sum((y - d)**2)",
    {"g": 0.3, "w": 2.0, "t": [0.1, 0.5, 1.0], "d": [1, 0.3, -0.5]},
    "g",
)
CHARGE = (
    "q = C*V*(1 - exp(-t/(R*C)))",
    {"C": 2.0, "V": 3.0, "t": 1.5, "R": 1.1},
    "C",
)
PRICE = (
    "d = (a + s**2/2*T)/(s*sqrt(T)); C = erf(d) + s*sqrt(T)",
    {"a": 0.3, "s": 0.5, "T": 0.8},
    "s",
)
ENERGY = ("E = m*l**2*w**2/2 + m*l", {"m": 1.3, "l": 0.8, "w": 0.6}, "l")
LATENT = (
    "L = 0.5*sum((m + exp(v/2)*e)**2) - 0.5*sum(1 + v - exp(v))",
    {"m": [0.2, -0.5], "v": [-0.3, 0.4], "e": [0.7, -1.1]},
    "v",
)
SHRUNK = (
    "u = relu(abs(x) - t)*sign(x); L = sum((u - y)**2)/2",
    {"x": [1.5, -0.9, 0.2], "t": 0.5, "y": [0.8, -0.2, 0.1]},
    "t",
)
MARGINAL = (
    "a = exp(u)[:, None]*exp(T); Z = sum(a); L = log(Z) - T[0, 1]",
    {"u": [0.2, 0.5], "T": [[0.1, 0.4], [-0.6, 0.3]]},
    "u",
)
QUOTIENT = (
    "L = sum(w*log((x + y)/(x - y)))",
    {"x": [2.0, 3.0], "y": [0.5, 1.2], "w": [1.0, 0.7]},
    "y",
)
FOCAL = (
    "p = sigmoid(z); L = -sum(t*(1 - p)**2*log(p) + (1 - t)*p**2*log(1 - p))",
    {"z": [0.4, -0.7, 1.1], "t": [1.0, 0.0, 1.0]},
    "z",
)
RATE = (
    "r = a*b - k*c**2; L = sum((r - m)**2)",
    {"a": [1.0, 0.7], "b": [0.5, 1.2], "k": 0.3, "c": [0.2, 0.9], "m": [0.1, 0.6]},
    "k",
)
PAIRS = (
    "d = x[:, None] - x; a = exp(-d**2); c = exp(-(x - y)**2); L = mean(a) - mean(c)",
    {"x": [0.1, 0.5, -0.4], "y": [0.3, 0.9, 0.2]},
    "x",
)
TEACHER = (
    "q = log_softmax(z/T, dim=1); L = -T**2*mean(sum(p*q, dim=1))",
    {"z": [[0.5, 1.2, -0.3], [0.1, -0.8, 0.9]], "T": 2.0, "p": [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]},
    "z",
)
RATING = (
    "e = 1/(1 + 10**((q - r)/400)); L = sum((s - e)**2)",
    {"r": [1520.0, 1480.0], "q": [1400.0, 1650.0], "s": [1.0, 0.5]},
    "r",
)
PENALTY = (
    "p = B@c; k = D@c; L = sum((p - y)**2) + v*sum(k**2)",
    {"B": [[0.7, 0.3], [0.2, 0.6], [0.1, 0.9]], "c": [0.4, -0.5], "D": [[1.0, -2.0]],
     "y": [0.3, 0.1, 0.2], "v": 0.05},
    "v",
)  # fmt: skip
SLIT = (
    "b = a*sin(h)/w; L = sum((sin(b)/b)**2)",
    {"a": 0.8, "h": [0.3, 0.6, 0.9], "w": 0.5},
    "w",
)
NEAREST = (
    "d = sum((x[:, None, :] - c)**2, 2); p = softmax(-d, 1); L = -sum(t*log(p))",
    {"x": [[0.2, 0.5], [0.9, -0.3]], "c": [[0.1, 0.4], [0.7, 0.0], [-0.5, 0.6]],
     "t": [[1.0, 0, 0], [0, 1, 0]]},
    "x",
)  # fmt: skip
MARGIN = (
    "t = acos(x) + m; L = -s*cos(t)",
    {"x": 0.4, "m": 0.3, "s": 4.0},
    "m",
)
WORK = (
    "w = n/(n - 1)*R*((q/p)**((n - 1)/n) - 1); L = (w - u)**2",
    {"n": 1.3, "R": 0.9, "p": 1.1, "q": 4.0, "u": 1.2},
    "q",
)
EQUITY = (
    "B = D*exp(-r*T); u = s*sqrt(T); d = log(V/B)/u + u/2; (V*ndtr(d) - B*ndtr(d - u) - e)**2",
    {"V": 1.4, "D": 1.0, "r": 0.03, "s": 0.25, "T": 1.5, "e": 0.5},
    "V",
)
CLIPPED = (
    "r = exp(p - o); s = r*A; c = clamp(r, 1 - e, 1 + e)*A; L = -mean(minimum(s, c))",
    {"p": [-0.5, -1.3, -0.9, -2.0], "o": [-0.8, -1.2, -0.4, -2.3], "A": [0.9, -0.7, 1.2, -0.4],
     "e": 0.2},
    "p",
)  # fmt: skip
TOLD = [
    Told(*HILL, "V*n*K*x**(n - 1)/(K**n + x**n)**2", "K instead of K**n"),
    Told(*HILL, "V*n*K**n*x**n/(K**n + x**n)**2", "x**n instead of x**(n - 1)"),
    Told(*HUBER, "where(abs(r) <= d, r, sign(r))", "factor d"),
    Told(*GATE, "c*(m - n)*(1 - z)*x", "factor z is missing", "m instead of h"),
    Told(*RATIO, "a/sqrt(v) - m*(C + C.T)@w/v**1.5", "factor 2 is missing"),
    Told(*TRIPLET, "2*(a - b)", "path through n", "a instead of c"),
    Told(*ATTRACTION, "(-12*r**-11 + 6*r**-5)*x/r", "exponent is wrong", "-"),
    Told(*ORDER, "sum(M*d, dim=1) - sum(M*d, dim=0)", "d instead of 1 - d"),
    Told(*FRESNEL, "2*r*2*t/(n + t)**2", "path through 1 - (n*s)**2", "2 * t"),
    Told(*OSCILLATION, "-sum(2*(y - d)*t*exp(-g*t)*sin(w*t))", "sin(w * t) instead of cos(w * t)",
         "gradient of w"),
    Told(*SHRUNK, "-sum((u - y)*sign(x))", "factor (abs(x) - t > 0)"),
    Told(*MARGINAL, "sum(a)/Z", "sum(a) instead of sum(a, dim=1)", "gradient of log(Z)"),
    Told(*QUOTIENT, "2*w*y/(x**2 - y**2)", "y instead of x", "sign of the derivative"),
    Told(*QUOTIENT, "-2*w*y/(x**2 - y**2)", "sign of the derivative", "gradient of x"),
    Told(*FOCAL, "t*(1 - p)**2*(p*log(p) - 1 + p) + (1 - t)*p**2*(p - 2*(1 - p)*log(1 - p))",
         "factor 2 is missing"),
    Told(*CHARGE, "V*(1 - exp(-t/(R*C))) - V*exp(-t/(R*C))*t/(R*C**2)",
         "C**2 instead of C; in other words, the factor C is missing"),
    Told(*PRICE, "2*exp(-d**2)/sqrt(pi)*(sqrt(T) - d/s) + T", "T instead of sqrt(T)"),
    Told(*ENERGY, "m*l*w**2/2 + m", "a factor is too much"),
    Told(*RATE, "sum(-2*(r - m)*2*c)", "the derivative of a power stands where the power belongs"),
    Told(*PENALTY, "sum(2*k)", "2 * k instead of k**2"),
    Told(*PENALTY, "mean(k**2) + sum((p - y)**2)", "a term is too much"),
    Told(*PAIRS, "sum(-4*d*a, dim=0)/9 + 2*(x - y)*c/3",
         "instead of sum(-4 * d * a, dim=1)", "-4 instead of 4"),
    Told(*TEACHER, "T*(softmax(z, dim=1) - p)/2", "division by T is missing: z instead of z / T"),
    Told(*RATING, "-2*(s - e)*e**2*log(10)/400", "e**2 instead of e * (1 - e)"),
    Told(*RATING, "-2*(s - e)*e*log(10)/400", "the factor 1 - e is missing"),
    Told(*SLIT, "sum(2*sin(b)/b*(cos(b)/b - sin(b)/b**2)*(-1/w))",
         "2 * sin(b) / b instead of 2 * sin(b); in other words, the factor b is missing"),
    Told(*NEAREST, "-2*sum((p - t)[:, :, None]*(x[:, None, :] + c), 1)", "the sign is wrong",
         "x[:, None, :] + c instead of x[:, None, :] - c"),
    Told(*MARGIN, "s*cos(t)", "cos(t) instead of sin(t)", "second derivative"),
    Told(*WORK, "2*(w - u)*n/(n - 1)*R/p*(q/p)**(-1/n)", "a factor is too much"),
    Told(*LATENT, "(m + exp(v/2)*e)*e*exp(v/2) - 0.5*(1 - exp(v))",
         "the derivative of v/2 by v, or a constant in"),
]  # fmt: skip
"""The slip that was made comes first; another one that nobody can tell from it is not hidden."""


@pytest.mark.parametrize("case", TOLD, ids=lambda case: case.wrong)
def test_of_several_slips_the_one_that_was_made_comes_first(case: Told) -> None:
    found = compared(case.program, case.inputs, case.leaf, case.wrong)
    assert found.verdict == "fail"
    first, *others = found.causes
    assert case.words in first.message
    assert found.sure == (not case.also)
    if others:
        assert any(case.also in each.message for each in others)
    for each in found.causes:
        if each.correction:
            right = compared(case.program, case.inputs, case.leaf, each.correction.formula)
            assert right.verdict == "pass"


AVERAGED = (
    "L = mean((h - T)**2)",
    {"h": [[0.4, -1.2], [0.9, 0.3]], "T": [1.0, -0.2]},
    "T",
)
SHARP = (
    "L = sum(exp(-d/(2*s**2)))",
    {"d": [0.4, 0.9, 1.7], "s": 0.7},
    "s",
)
TURNED = (
    "y = a*(t - 1)*(p - q) + c; L = sum(y**2)",
    {"a": [0.4, -1.1], "t": 0.3, "p": 1.2, "q": 0.5, "c": 0.8},
    "a",
)
ONE = (
    "L = -sum(log(exp(-(x - 1)**2/2) + c))",
    {"x": [0.4, -1.1], "c": 0.3},
    "x",
)
ENTROPY = (
    "p = softmax(z); L = -sum(p*log(p))",
    {"z": [0.4, -0.7, 0.9]},
    "z",
)
DISTANCE = (
    "d = x - m; L = sqrt(d@inv(S)@d)",
    {"x": [0.4, -0.7], "m": [1.1, 0.2], "S": [[1.2, 0.3], [0.3, 0.8]]},
    "x",
)
WRITTEN = [
    (*AVERAGED, "sum(-2*(h - T), 0)/8", ["8 instead of 4", "-2 instead of -4"]),
    (*SHARP, "sum(exp(-d/(2*s**2))*d/s**1.5)", ["exponent is wrong: 1.5 instead of 3"]),
    (*TURNED, "2*y*(t - 1)*(q - p)", ["the sign is wrong"]),
    (*ONE, "x*exp(-(x - 1)**2/2)/(exp(-(x - 1)**2/2) + c)", ["the term 1 is missing: x instead"]),
    (*DISTANCE, "0.5*(inv(S)@d/L)", ["a factor is too much: 0.5 * (inv(S) @ d / L) instead of"]),
]
"""Wrong formulas, and the slips of the pen of which each would explain them: two are not certain.
"""


@pytest.mark.parametrize(("program", "inputs", "leaf", "wrong", "words"), WRITTEN)
def test_what_stands_in_the_text_is_told(
    program: str, inputs: Mapping[str, Any], leaf: str, wrong: str, words: list[str]
) -> None:
    found = compared(program, inputs, leaf, wrong)
    assert found.sure == (len(words) == 1)
    for each in words:
        assert any(each in cause.message for cause in found.causes)
    assert "1 - t" not in found.causes[0].message  # where p and q were exchanged


def test_a_number_in_a_list_is_wrong_and_not_taken_from_1() -> None:
    program, inputs = "L = sum(x[1:]*x[:-1])", {"x": [0.4, -0.7, 0.9]}
    found = compared(program, inputs, "x", "cat([x[1:], [1]]) + cat([[0], x[:-1]])")
    assert found.causes[0].message == "the number is wrong: 1 instead of 0"


BOTH = [
    ("L = sum(c*x*roll(x, 2))", "c*roll(x, 2) + roll(c*x, 2)", "2 instead of -2"),
    ("z = 2*x; L = sum(c*logaddexp(0, -z))", "-2*c*sigmoid(z)", "instead of 1 - sigmoid(z)"),
]
"""Programs, wrong formulas and what is told in other words: a roll by 2 of 5 is one by -3."""


@pytest.mark.parametrize(("program", "wrong", "words"), BOTH)
def test_what_is_one_mistake_is_told_both_ways(program: str, wrong: str, words: str) -> None:
    inputs = {"x": [0.4, -0.7, 0.9, 1.6, 0.2], "c": [1.1, 0.6, -0.8, 0.3, 0.5]}
    found = compared(program, inputs, "x", wrong)
    assert found.sure
    assert words in found.causes[0].message


def test_what_adds_nothing_up_is_not_summed() -> None:
    """It lacks a softmax, which adds up to 1."""
    program = "L = sum(c*log(sum(exp(x), dim=1)))"
    inputs = {"x": [[0.4, -0.7, 0.9], [1.6, 0.2, -0.3]], "c": [1.1, 0.6]}
    found = compared(program, inputs, "x", "c[:, None]")
    assert (found.verdict, found.sure) == ("fail", False)


def test_what_is_compared_lacks_its_sign_and_no_square() -> None:
    program, inputs = "L = sum(where(abs(r) < 1, r**2/2, abs(r) - 0.5))", {"r": [0.4, -1.7, -0.9]}
    found = compared(program, inputs, "r", "where(r < 1, r, sign(r))")
    assert found.causes[0].message == "a function is missing: r instead of abs(r)"


def test_no_number_is_added_to_a_number() -> None:
    program, inputs = "L = sum(c*(1.5*x - x**2/2))", {"x": [0.4, 0.7], "c": [1.1, 0.6]}
    found = compared(program, inputs, "x", "c*(3 - x)")
    assert found.causes[0].message.startswith("the number is wrong: 3 instead of 1.5")


def test_the_gradient_of_what_has_no_name_is_not_certain() -> None:
    """A factor may have been left out that is written nowhere, or a term."""
    found = compared(*ENTROPY, "-p")
    assert (found.verdict, found.sure) == ("fail", False)
    inputs = {"b": [0.5, -1.2, 0.3], "p": [0.2, 0.5, 0.3]}
    found = compared("q = softmax(b); L = -sum(p*log(q))", inputs, "b", "-p")
    assert (found.verdict, found.sure) == ("fail", False)
    assert found.causes[0].message.startswith("the term q is missing")


def test_a_sign_that_the_text_does_not_show_is_not_certain() -> None:
    """Both parts of the derivative of p*p*A are left out: with one sign wrong they cancel."""
    program = "q = 1 - p; w = p**2*A + 2*p*q*B; n = p*(p*A + q*B)/w; L = (n - t)**2"
    inputs = {"p": 0.3, "A": 1.2, "B": 1.05, "t": 0.5}
    wrong = "2*(n - t)*((q*B - p*B)/w - n*(2*p*A + 2*(q - p)*B)/w)"
    found = compared(program, inputs, "p", wrong)
    assert (found.verdict, found.sure) == ("fail", False)


def test_a_vector_is_missing_behind_a_matrix() -> None:
    program, inputs = (
        "R = X - X@outer(w, w); L = sum(R**2)",
        {"X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]], "w": [0.6, -0.8]},
    )
    found = compared(program, inputs, "w", "-2*(X.T@R + R.T@X@w)")
    assert found.causes[0].message.startswith("the factor w is missing: X.T @ R instead of X.T")


UTILITY = (
    "L = k/2*(w@S@w) - m@w + c*sum((w - u)**2)",
    {"k": 3.0, "S": [[0.4, 0.1], [0.1, 0.3]], "w": [0.3, 0.5], "m": [0.1, 0.05], "c": 0.6,
     "u": [0.2, 0.4]},
    "w",
)  # fmt: skip
TWO = [
    (
        *UTILITY,
        "k/2*S@w - m + c*(w - u)",
        "the factor 2 is missing: c * (w - u) instead of 2 * (c * (w - u))",
    ),
    (*RATE, "sum(-(r - m)*c)", "the exponent is wrong: c instead of c**2; and the factor 2"),
    (*RATING, "-(s - e)*e*(1 - e)/400", "the factor log(10) is missing"),
]


@pytest.mark.parametrize(("program", "inputs", "leaf", "wrong", "words"), TWO)
def test_two_mistakes_are_told_together(
    program: str, inputs: Mapping[str, Any], leaf: str, wrong: str, words: str
) -> None:
    """A factor in each of two terms, or one besides another slip: what is told is right, but it is
    not certain that it was done.
    """
    found = compared(program, inputs, leaf, wrong)
    (cause,) = found.causes
    assert words in cause.message
    assert "two mistakes" in cause.message
    assert cause.correction is not None
    assert compared(program, inputs, leaf, cause.correction.formula).verdict == "pass"


def test_a_formula_of_another_shape_has_no_two_mistakes() -> None:
    inputs = {"A": [[0.4, 1.1], [-0.3, 0.2], [0.5, 0.9], [1.2, -0.7]], "w": [0.3, -0.8],
              "y": [0.1, 0.5, -0.2, 0.4]}  # fmt: skip
    found = compared("r = A@w - y; L = sum(r**2)", inputs, "w", "A@r[0:2]/4")
    assert found.verdict == "fail"
    assert found.causes


def test_a_factor_that_nothing_explains_is_not_certain() -> None:
    program = "k = a/V; c = exp(-k*t)/V; L = sum((log(c) - log(y))**2)"
    inputs = {"a": 1.3, "V": 4.2, "t": [0.5, 1.0, 2.0], "y": [10.0, 9.1, 6.0]}
    found = compared(program, inputs, "V", "sum(2*(c - y)*(a*t/V**2 - 1/V))")
    assert found.verdict == "fail"
    assert not found.sure


def test_the_gradient_of_a_step_is_told_where_it_is_summed() -> None:
    inputs = {"h": 0.37, "a": [0.2, 0.5, 0.8], "w": 0.55}
    found = compared("p = 6*h*cos(a)/w; L = sum(cos(p)**2)", inputs, "h", "sum(-2*cos(p)*sin(p))")
    assert "the gradient of p, not of h, summed" in found.causes[0].message


SHIFTS = "y = stack([sum(x[i:i + 2]*w) for i in range(3)]); L = sum(y**2)/2"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("stack([mean(y*x[j:j + 3]) for j in range(2)])", "mean"),
        ("stack([sum(y*x[1 - j:4 - j]) for j in range(2)])", "reverse order"),
        ("stack([2*sum(y*x[j:j + 3]) for j in range(2)])", "2 times"),
    ],
)
def test_formulas_may_bind_names_of_their_own(wrong: str, words: str) -> None:
    found = compared(SHIFTS, {"x": [0.3, -1.2, 0.7, 0.1], "w": [0.5, -0.2]}, "w", wrong)
    assert found.verdict == "fail"
    assert words in found.causes[0].message


def test_a_name_that_a_formula_binds_is_not_that_of_the_program() -> None:
    program = "j = 3.0; L = sum(j*x**2)"
    wrong = "stack([j*x[i]*[1.0, 1.0][i] for i in range(2)])"
    bound = "stack([3*2*x[j] + j for j in range(2)])"
    found = compared(program, {"x": [0.5, 0.7]}, "x", wrong)
    assert "2" in found.causes[0].message
    assert compared(program, {"x": [0.5, 0.7]}, "x", bound).verdict == "fail"


BRANCHES = "if x[0] > 0 { y = sum(x**2) } else { y = sum(x**3) }; y"


@pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, 2.0]])
def test_a_condition_on_all_elements_is_not_explained_by_what_is_wrong_behind_it(
    x: list[float],
) -> None:
    # x > x, or 2.5 for an exponent, are right in one branch alone
    found = compared(BRANCHES, {"x": x}, "x", "where(x > 0, 2*x, 3*x**2)")
    assert found.verdict == "fail"
    right = "where(x[0] > 0, 2 * x, 3 * x**2)"
    for each in (cause.correction for cause in found.causes if cause.correction and found.sure):
        assert each.formula == right
    assert compared(BRANCHES, {"x": x}, "x", right).verdict == "pass"


def test_what_only_holds_for_positive_numbers_is_no_cause() -> None:
    found = compared("if w > 1 { y = w**2 } else { y = w }; y", {"w": 0.3}, "w", "2*w")
    assert found.verdict == "fail"
    assert not any("> 0" in each.message for each in found.causes)


def test_nothing_is_added_to_a_condition() -> None:
    found = compared(*CLIPPED, "-where(abs(r - 1) < e, r*A, 0.0)/4")
    assert found.verdict == "fail"
    assert not found.sure
    assert not any("(s < c)" in each.message for each in found.causes)


def test_what_is_next_to_nothing_here_is_not_told_in_other_words() -> None:
    # divided by r, the exponent is large, and the term that is too much nearly 0
    density = "exp(-d**2/2)/sqrt(2*pi)"
    found = compared(*EQUITY, f"2*(V*ndtr(d) - B*ndtr(d - u) - e)*(ndtr(d) + V*{density}/(V*u))")
    assert "a term is too much" in found.causes[0].message
    assert not any("division by" in each.message for each in found.causes)


TRANSFER = (
    "h = q*k**2 - b*k**4*s**3; L = sum((sin(h) - m)**2)",
    {"q": 1.3, "k": [0.4, 0.9, 1.4], "b": 0.7, "s": 0.8, "m": [0.1, 0.5, -0.2]},
    "s",
)


def test_a_number_that_is_that_of_the_parts_may_be_missing() -> None:
    found = compared(*TRANSFER, "2*sum((sin(h) - m)*cos(h)*(-b*k**4*s**2))")
    (cause,) = found.causes
    assert "3" in cause.message
    assert found.sure == ("exponent" in cause.message or "factor 3" in cause.message)


def test_a_sign_that_only_a_number_tells_of_is_not_certain() -> None:
    # 3 is 4 - 1, and it is 2 + 1, where a square is forgotten
    program = "v = q/D**2; h = f/D*v**2; L = (h - t)**2"
    found = compared(program, {"q": 0.9, "D": 0.7, "f": 0.4, "t": 1.1}, "D", "-2*(h - t)*3*h/D")
    assert found.verdict == "fail"
    assert not found.sure


def test_a_factor_is_no_condition() -> None:
    found = compared(*EQUITY, "2*(V*ndtr(d) - B*ndtr(d - u) - e)*V*ndtr(d)")
    assert "a factor is too much" in found.causes[0].message
    assert not any("> 0" in each.message for each in found.causes)


def test_what_agrees_is_not_explained_by_what_gives_the_same() -> None:
    inputs = {"x": [-700.0, 0.0, 700.0]}  # exp(-700) is as good as nothing next to exp(700)
    found = compared("sum(exp(x))", inputs, "x", "exp(x)*stack([1.0001, 1, 1])")
    assert found.verdict == "inconclusive"
    assert [each.code for each in found.causes] == ["coincidence"]


def test_a_number_of_what_is_too_much_is_not_told_too() -> None:
    wrong = "cos(x)*(1 + 1e-5)"  # with nearly 0 for 1e-5 it would be right, too
    found = compared("sum(sin(x))", {"x": [0.3, 1.0, 2.0]}, "x", wrong)
    assert found.causes[0].message == (
        "a factor is too much: cos(x) * (1 + 1e-5) instead of cos(x)"
    )


def test_a_factor_is_not_told_as_a_term() -> None:
    program = "p = softmax(z); L = -log(p[1]) - a*log(1 - p[2])"
    inputs = {"z": [0.4, -0.7, 0.9, 0.1], "a": 0.5}
    wrong = "p - one_hot(1, 4) + a/(1 - p[2])*(one_hot(2, 4) - p)"  # a/q - a is a*(1 - q)/q
    found = compared(program, inputs, "z", wrong)
    assert found.causes[0].message.startswith("the factor p[2] is missing")


def test_a_sum_is_told_by_its_name() -> None:
    program, inputs = (
        "n = norm(s); v = n/(1 + n**2)*s; L = sum(g*v)",
        {"s": [0.7, -0.4, 0.9], "g": [0.5, 1.2, -0.8]},
    )
    wrong = "n/(1 + n**2)*g + g*s/n*(1 - n**2)/(1 + n**2)**2*s"
    found = compared(program, inputs, "s", wrong)
    assert "g * s instead of g @ s" in found.causes[0].message
    assert "sum_to" not in found.causes[0].message


PAIR: dict[str, Any] = {"a": 0.5, "x": [1.0, 2.0], "w": [1.0, 3.0]}
TRIPLE: dict[str, Any] = {"a": 0.5, "x": [1.0, 2.0, 4.0], "w": [1.0, 2.0, 1.0]}


@pytest.mark.parametrize(
    ("program", "inputs", "wrong", "meant"),
    [
        ("L = 3*mean(sin(a*x)*w)", TRIPLE, "mean(cos(a*x)*x*w)", "a constant in"),
        ("L = mean((a*x - w)**2)", PAIR, "mean((a*x - w)*x)", "the exponent in (a*x - w)**2"),
        ("L = mean(sin(a*x)*w)/3", TRIPLE, "mean(cos(a*x)*x*w)", "a constant in"),
    ],
)
def test_a_number_of_elements_may_be_another_number_of_the_program(
    program: str, inputs: Mapping[str, Any], wrong: str, meant: str
) -> None:
    (cause,) = compared(program, inputs, "a", wrong).causes
    assert meant in cause.message
    assert "the number of elements n in" in cause.message
    assert "1/n" not in cause.message


def test_a_number_of_elements_that_is_no_other_number_is_certain() -> None:
    for n in (3, 4):
        inputs = {"a": 0.5, "x": [1.0, 2.0, 4.0, 3.0][:n], "w": [1.0, 2.0, 1.0, 5.0][:n]}
        found = compared("L = mean((a*x - w)**2)", inputs, "a", "2*sum((a*x - w)*x)")
        assert found.sure
        assert [each.code for each in found.causes] == ["mean"]


def test_a_factor_too_much_is_no_mean() -> None:
    program = "L = sum((sqrt(q + a*x) - w)**2)"  # of two elements
    wrong = "2*sum((sqrt(q + a*x) - w)/sqrt(q + a*x)*x)"
    found = compared(program, {**PAIR, "q": 2.0}, "a", wrong)
    assert not found.sure
    assert any(each.message.startswith("a factor is too much") for each in found.causes)


def test_what_a_number_is_of_is_not_certain() -> None:
    # 2 of both ends of a pair, not that of the square
    program = "d = x[:, None] - x[None, :]; L = -G/2*sum(outer(m, m)*exp(-d**2))"
    inputs = {"x": [1.0, 1.5, 2.4], "m": [1.0, 1.0, 2.0], "G": 2.0}
    found = compared(program, inputs, "x", "G*m*sum(m*d*exp(-d**2), dim=1)")
    assert "or another 2" in found.causes[0].message


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("n/p - k/p", "another variable belongs here: p instead of q"),
        ("n/q - k/p", "two variables are exchanged"),
    ],
)
def test_a_coincidence_is_explained_by_what_holds_elsewhere(wrong: str, words: str) -> None:
    inputs = {"n": 5.0, "k": 3.0, "p": 0.5}
    found = compared("q = 1 - p; L = n*log(p) + k*log(q)", inputs, "p", wrong)
    assert found.verdict == "inconclusive"
    (cause,) = found.causes
    assert cause.code == "coincidence"
    assert words in cause.message


def test_a_single_number_is_not_added_up() -> None:
    inputs = {"m": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 4.0]}
    program = "c = sum(m*x)/sum(m); L = sum(m*(x - c)**2)"
    found = compared(program, inputs, "m", "(x - mean(x))**2")
    assert found.causes[0].correction is not None
    assert "mean" not in found.causes[0].correction.formula


def test_of_two_numbers_either_may_be_wrong() -> None:
    # 2/3 is no 1: the divisor is that of another variance, or the factor is wrong
    program = "v = var(x); m = mean(x); L = v/m**2"
    wrong = "2*(x - m)/(3*m**2) - 2*v/(3*m**3)"
    assert not compared(program, {"x": [1.0, 2.0, 3.0]}, "x", wrong).sure


def test_a_term_too_much_is_no_factor() -> None:
    program = "z = x - mean(x); L = sum(z**2)/2 + sum(z)"
    found = compared(program, {"x": [1.0, 2.0, 6.0]}, "x", "x - mean(x) + 1")
    assert not any("operation" in each.message for each in found.causes)
    assert "a term is too much: x - mean(x) + 1" in found.causes[0].message
