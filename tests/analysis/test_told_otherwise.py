"""What is said of a slip that looks like another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.analysis.test_diagnosis import compared

NEIGHBOURS = (
    ("d = Y[:, None] - Y; I = eye(3); W = (1 - I)/(1 + sum(d**2, 2)); Q = W/sum(W); "
    "L = -sum(P*log(Q + I))"),
    {"Y": [[0.1, 0.5], [0.8, -0.3], [-0.6, 0.2]],
     "P": [[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]]},
    "Y",
)  # fmt: skip
PLAYERS = (
    "p = sigmoid(a); q = sigmoid(b); x = stack([p, 1 - p]); y = stack([q, 1 - q]); U = x@M@y",
    {"a": 0.4, "b": -0.7, "M": [[1.0, -1.0], [0.5, 2.0]]},
    "a",
)
CHANNEL = (
    "q = p*(1 - e) + (1 - p)*e; H = -q*log2(q) - (1 - q)*log2(1 - q); L = k*(1 - p)**2 - H",
    {"p": 0.3, "e": 0.1, "k": 0.5},
    "p",
)
SHARE = (
    "g = r + f*(m - r) - f**2*s**2/2; L = -g + k*abs(f - h)",
    {"r": 0.02, "f": 0.5, "m": 0.08, "s": 0.2, "k": 0.01, "h": 1.0},
    "f",
)
SERIES = (
    "V = c*(1 - g**n)/(1 - g); L = (V - t)**2",
    {"c": 2.0, "g": 0.5, "n": 3.0, "t": 1.0},
    "g",
)
THRESHOLD = (
    "y = sign(x)*relu(abs(x) - t); L = sum((y - z)**2)/2 + t*sum(abs(y))",
    {"x": [1.0, -2.0, 0.2, 1.5], "t": 0.5, "z": [0.5, -1.0, 0.5, 0.0]},
    "x",
)
PAIRS = (
    "d = s[w] - s[l]; L = sum(log(1 + exp(m - d)))",
    {"s": [0.5, 1.0, -0.5], "w": [0, 1, 1], "l": [1, 2, 0], "m": 0.5},
    "s",
)
IMAGES = (
    "D = sqrt(b**2 + 4*e**2); u = (b + D)/2; v = (b - D)/2; L = (u - p)**2 + (v - q)**2",
    {"b": 1.0, "e": 0.5, "p": 1.0, "q": -0.5},
    "b",
)
STRAIN = (
    "e = (G + G.T)/2; t = trace(e); W = l/2*t**2 + m*sum(e**2)",
    {"G": [[0.1, 0.3], [-0.2, 0.4]], "l": 1.5, "m": 0.8},
    "G",
)
CRYSTAL = (
    "d = a/sqrt(h**2 + k**2 + l**2); t = asin(n*w/(2*d)); L = (2*t - m)**2",
    {"a": 4.0, "h": 1.0, "k": 1.0, "l": 1.0, "n": 1.0, "w": 1.5, "m": 0.7},
    "a",
)
SPREAD = (
    "z = (y - m)/s; L = mean(s*(z*(2*ndtr(z) - 1) + 2*exp(-z**2/2)/sqrt(2*pi) - 1/sqrt(pi)))",
    {"y": [0.5, 1.8, -0.3], "m": 0.4, "s": 0.9},
    "s",
)
GRAPH = (
    "D = diag(sum(W, 1)); L = x@(D - W)@x/2",
    {"W": [[0.0, 1.0, 0.5], [1.0, 0.0, 2.0], [0.5, 2.0, 0.0]], "x": [0.3, -1.0, 2.0]},
    "W",
)
CAVITY = (
    "F = 4*R/(1 - R)**2; T = 1/(1 + F*s**2); L = (T - y)**2",
    {"R": 0.6, "s": 0.4, "y": 0.7},
    "R",
)
LOGITS = (
    "p = softmax(z); H = -sum(p*log(p)); L = -A*log(p[1]) - b*H",
    {"z": [0.2, -0.4, 0.7], "A": 1.5, "b": 0.5},
    "z",
)
OF_PAIRS = "one_hot(w, 3).T@(-sigmoid({0})) - one_hot(l, 3).T@(-sigmoid({0}))"
RAIL = (
    "r = sqrt(x**2 + h**2); E = k*(r - a)**2/2 - F*x; L = E**2",
    {"x": 0.9, "h": 0.8, "k": 3.0, "a": 0.7, "F": 0.5},
    "x",
)
CLASSES = (
    "u = a/T; v = b/T; p = exp(u)/(exp(u) + exp(v)); L = -y*log(p) - (1 - y)*log(1 - p)",
    {"a": 1.2, "b": 0.3, "T": 1.5, "y": 1.0},
    "T",
)
CROSSING = (
    "L = n*sqrt(x**2 + a**2) + m*sqrt((d - x)**2 + b**2)",
    {"n": 1.0, "x": 0.5, "a": 1.0, "m": 1.5, "d": 2.0, "b": 1.0},
    "x",
)
MAGNETS = ("F = u*cos(t)**2/d**4; L = (F - f)**2", {"u": 1.2, "t": 0.4, "d": 1.1, "f": -0.2}, "d")
LOTTERY = ("L = k*log10(1 + x**2) - w*log2(x)", {"w": 0.6, "x": 3.0, "k": 0.5}, "x")
CERTAIN: list[tuple[tuple[str, Mapping[str, Any], str], str, str]] = [
    # the targets add up to 1 as a whole, at fresh points, too
    (NEIGHBOURS, "4*sum((P - Q)[:, :, None]*d, 1)", "factor W is missing"),
    # what is antisymmetric is summed along the wrong axis
    (NEIGHBOURS, "4*sum(((P - Q)*W)[:, :, None]*d, 0)", "in other words, the axis"),
    (GRAPH, "(x**2)[None, :]/2 - outer(x, x)/2", "in other words, the index is wrong"),
    # the same in every place
    (PAIRS, OF_PAIRS.format("d - m"), "wrong way round, in every place: d - m instead of m - d"),
    (PAIRS, OF_PAIRS.format("-d"), "term m is missing, in every place: -d instead of -d + m"),
    (IMAGES, "(u - p)*(1 + 2*b/D) + (v - q)*(1 - 2*b/D)", "in every place: 2 * b instead of b"),
    (PLAYERS, "p*(1 - p)*((M.T@y)[0] - (M.T@y)[1])", "transposition is too much, in every place"),
    # a condition has no square, pi no inverse, and what is symmetric no other half
    (THRESHOLD, "2*(y - z + t*sign(x))*(abs(x) > t)", "it is 2 times the gradient"),
    (SPREAD, "mean(exp(-z**2/2)/sqrt(2*pi) - 1/sqrt(pi))", "the factor 2 is missing: exp"),
    (STRAIN, "l*t*eye(2) + m*e", "the factor 2 is missing"),
    # 0.5 is that of a root, too; -8 is a number; a base has no root
    (RAIL, "2*E*(k*(r - a)*2*x/r - F)", "or the root in sqrt(x**2 + h**2)"),
    (MAGNETS, "-6*(F - f)*F/d", "the number is wrong: -6 instead of -8"),
    (LOTTERY, "k*x/((1 + x**2)*log(10)) - w/(x*log(2))", "the factor 2 is missing: k"),
    # what 1/T and d - x have more than T and x
    (CLASSES, "(p - y)*(b - a)", "the division by T**2 is missing"),
    (CROSSING, "n*x/sqrt(x**2 + a**2) - m*x/sqrt((d - x)**2 + b**2)", "x instead of d - x"),
    # the outermost of what is one step
    (CAVITY, "-2*(T - y)*T**2*s**2*4*(1 - 3*R)/(1 - R)**3", "quotient rule: the sign"),
    # a name that is not the only way from the leaf
    (CHANNEL, "-log2((1 - q)/q) - 2*k*(1 - p)", "the derivative of q by p, is missing"),
    (CHANNEL, "-(1 - 2*e)*log2(q/(1 - q)) - 2*k*(1 - p)", "the sign is wrong: -(1 - 2 * e)"),
]  # fmt: skip
"""Programs, wrong formulas, and what is said of them with certainty."""


@pytest.mark.parametrize(("posed", "wrong", "words"), CERTAIN)
def test_what_looks_like_another_slip_is_told_as_it_was_made(
    posed: tuple[str, Mapping[str, Any], str], wrong: str, words: str
) -> None:
    found = compared(*posed, wrong)
    assert found.verdict == "fail"
    assert found.sure
    assert words in found.causes[0].message


EITHER = [
    (SHARE, "-(m - r) + f*s**2 + k", "factor sign((f - h))", "the sign is wrong"),
    (SERIES, "2*(V - t)*c*(-n*g**(n - 1)*(1 - g) - 1 + g**n)/(1 - g)**2",
     "quotient rule: the sign", "parentheses"),
    (THRESHOLD, "(y - z + t*sign(x))*sign(x)*(abs(x) > t)", "too much", "factor sign(x)"),
    (CRYSTAL, "-4*(2*t - m)*sin(t)/a", "sin(t) instead of tan(t)", "chain rule's factor"),
    (LOGITS, "A*(p - one_hot(1, 3))", "path through b*H in L", "factor log(p)"),
]  # fmt: skip
"""Programs, wrong formulas, and the two mistakes of which nobody can tell."""


@pytest.mark.parametrize(("posed", "wrong", "one", "other"), EITHER)
def test_of_two_that_nobody_can_tell_apart_none_is_certain(
    posed: tuple[str, Mapping[str, Any], str], wrong: str, one: str, other: str
) -> None:
    found = compared(*posed, wrong)
    assert found.verdict == "fail"
    assert not found.sure
    first, second, *_ = found.causes
    assert one in first.message
    assert other in second.message


def test_two_terms_that_are_missing_are_no_two_other_slips() -> None:
    # n*m*g is as large in both terms of the acceleration
    program = "a = (m - u*n*cos(h) - n*sin(h))*g/(m + n); T = n*(a + g*sin(h) + u*g*cos(h))"
    inputs = {"m": 2.0, "n": 1.0, "u": 0.2, "h": 0.5, "g": 9.8}
    found = compared(program, inputs, "h", "n*g*(u*n*sin(h) - n*cos(h))/(m + n)")
    assert not found.sure
    assert "u*g*cos(h)" in found.causes[0].message
    assert "g*sin(h)" in found.causes[0].message


def test_two_mistakes_are_no_coincidence() -> None:
    # q*B/q is B, and 1 - p is q
    program = "q = 1 - p; w = p**2*A + 2*p*q*B + q**2*C; n = p*(p*A + q*B)/w"
    inputs = {"p": 0.3, "A": 1.2, "B": 1.05, "C": 0.8}
    found = compared(program, inputs, "p", "(2*p*A + q*B - p*B)/w - n*(2*p*A + 2*q*B)/w")
    assert not any("by q" in each.message or "q > 0" in each.message for each in found.causes)


def test_a_term_that_a_number_lacks_by_what_names_stand_for_is_not_certain() -> None:
    # 1 + 4*r less L*r makes up for the factor 2 that is missing twice
    program = "r = a/m; Z = 1 + r + r**2; L = (r + 2*r**2)/Z + k*r**2/Z"
    wrong = "((1 + 4*r)/Z - (r + 2*r**2)*(1 + r)/Z**2 + k*(2*r/Z - r**2*(1 + r)/Z**2))/m"
    found = compared(program, {"a": 0.9, "m": 1.2, "k": 3.0}, "a", wrong)
    assert found.verdict == "fail"
    assert not found.sure
