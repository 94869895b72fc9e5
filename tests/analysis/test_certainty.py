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
