"""Slips that people make in formulas of gradients, one of each kind, and what is said of them."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pytest

from tests.analysis.test_diagnosis import compared

DATA = {
    "a": [1.5, 0.8, 2.4],
    "b": [0.4, -0.7],
    "c": [0.5, -0.9, 1.2],
    "g": [1.0, -0.7],
    "h": 0.6,
    "k": 0.3,
    "t": [0.2, 0.5, 0.3],
    "u": [0.4, 1.0, 0.3, 0.8, 0.1],
    "v": [0.1, 0.6, -0.4],
    "w": [0.5, -0.8, 0.3],
    "x": [0.4, 1.3, 2.2],
    "y": [0.3, 0.6, 0.8],
    "A": [[0.7, 0.3], [0.2, -0.6], [1.1, 0.9]],
    "D": [[1.0, -2.0], [0.5, 0.4]],
    "E": [[0.6, -0.2, 1.3], [0.4, 0.9, -0.5]],
    "U": [[0.2, -0.6], [0.7, 0.5]],
    "V": [[0.5, -0.2], [0.9, 0.4]],
    "Z": [[0.3, -1.2, 0.7], [1.1, 0.4, -0.5]],
    "Y": [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
}


class Named(NamedTuple):
    program: str
    leaf: str
    wrong: str
    words: str


EXPECTED = "g = softmax(Z, dim=1); o = sum(g*E, dim=1); L = sum((o - b)**2)"
GENERATIONS = (
    "n = stack([sum(v*x), h*x[0], k*x[1]]); m = stack([sum(v*n), h*n[0], k*n[1]]); "
    "L = sum((m - w)**2)"
)
NAMED = [
    Named(EXPECTED, "Z", "2*(o - b)[:, None]*g*E", "the term o[:, None] is missing"),
    Named(EXPECTED, "Z", "2*(o - b)[:, None]*g*(E - mean(E, dim=1, keepdim=True))",
          "mean(E, dim=1, keepdim=True) instead of o[:, None]"),
    Named(GENERATIONS, "v", "2*(m - w)[0]*(n + v*x) + 2*(m - w)[1]*h*x", "v instead of v[0]"),
    Named(GENERATIONS, "v", "2*(m - w)[0]*n", "the term for the path through n is missing"),
    Named(GENERATIONS, "v", "2*(m - w)[0]*(n + v[0]*x)",
          "the term for the path through h*n[0] in m = stack([sum(v*n), h*n[0], k*n[1]])"),
    Named("sum(logsumexp(Z, dim=1)) - sum(Z*Y)", "Z", "Z - Y",
          "a function is missing: Z instead of softmax(Z, dim=1)"),
    Named("sum(abs(x - k))/h", "h", "-sum((x - k)**2)/h**2",
          "(x - k)**2 instead of abs(x - k)"),
    Named("d = x - c; h*sum(d**2)", "h", "sum(abs(d))", "abs(d) instead of d**2"),
    Named("sum(a*(x - h)**2)/sum(a)", "h", "-2*mean(a*(x - h))",
          "mean(a * (x - h)) instead of sum(a * (x - h)) / sum(a)"),
    Named("f = U@tanh(U@b); L = sum(g*f)", "b", "U.T@((1 - tanh(U@b)**2)*(g*1.0))", "U"),
    Named("r = A@b - c; L = sum(r**2) + k*sum((D@b)**2)", "b", "2*A.T@r + 2*k*b",
          "the factor D.T @ D is missing"),
    Named("n = u[1:-1] + h*(u[2:] - 2*u[1:-1] + u[:-2]); L = sum((n - v)**2)/2", "h",
          "sum((n - v)*(u[2:] - u[:-2]))", "another sum belongs here"),
    Named("V = k*x*(1 - cos(c)); L = sum(V)", "k", "sum(x*sin(c))",
          "something else belongs here: sin(c) instead of 1 - cos(c)"),
    Named("q = h*tanh(c*x); L = sum(v*q)", "x", "v*h*(1 - q**2)*c", "q instead of tanh(c * x)"),
    Named("-sum(log(h) + (k - 1)*log(1 - y**h))", "h",
          "-sum(1/h - (k - 1)*h*y**(h - 1)/(1 - y**h))", "not h*y**(h - 1)"),
    Named("sum(log(1 + ((x - h)/k)**2))", "h", "-2*sum((x - h)/(1 + (x - h)**2))",
          "1 instead of k**2"),
    Named("sum(w*erf(x/sqrt(2)))", "x", "w*exp(-x**2/2)*2/2/sqrt(pi)", "2 instead of sqrt(2)"),
    Named("p = w*x; L = sum(relu(p[:2])*b) + sum(relu(p[1:])*g)", "w",
          "cat([(p[:2] < 0)*b*x[:2], [0.]]) + cat([[0.], (p[1:] > 0)*g*x[1:]])",
          "p[:2] < 0 instead of p[:2] > 0"),
    Named("f = sum((U@D)*V); L = f", "U", "V@D", "D"),
    Named("s = einsum('ij,jl,l->i', U, D, b); L = sum(g*s)", "g", "einsum('ij,jl->i', U, D)",
          "einsum('ij,jl->i', U, D) instead of einsum('ij,jl,l->i', U, D, b)"),
    Named("logdet(U + h*D)", "h", "sum(solve(U + h*D, D))",
          "sum(solve(U + h * D, D)) instead of trace(solve(U + h * D, D))"),
    Named("B = D@diag(b)@D.T; L = sum(U*B)", "b", "sum(D.T@U@D, 0)",
          "sum(D.T @ U @ D, 0) instead of diag(D.T @ U @ D)"),
    Named("m = log(1 + exp(D@b)); L = sum(g*m)", "b", "D.T@g", "the derivative of m by D@b"),
    Named("m = log(1 + exp(D@b)); L = sum(g*m)", "b", "D.T@(g*m)",
          "a function stands where its derivative belongs: m"),
    Named("p = h*b + g; q = h*p + b; r = h*q + g; L = sum(r**2) + sum(q**2)", "h",
          "sum(2*r*q) + sum(2*q*p)", "q in h*q, and 1 more like it, was taken as a constant"),
    Named("sum((x/k)**h)", "k", "-h/k*sum((x/k)**(h - 1))",
          "(x / k)**(h - 1) instead of (x / k)**h"),
    Named("E = D.T@D; L = h*trace(E)**2/2 + sum(E**2)/2", "D", "2*D@(h*trace(E) + E)",
          "the identity matrix is missing"),
    Named("p = A.T@v; L = sum((p - g)**2)*h", "A", "2*h*outer(v, p)", "g"),
]  # fmt: skip
"""Programs, leaves, wrong formulas, and what is said of these with certainty."""


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.wrong)
def test_a_slip_is_named_with_certainty(case: Named) -> None:
    known = re.findall(r"\b[A-Za-z]\b", case.program)
    inputs = {name: DATA[name] for name in DATA if name in known}
    inputs = {name: inputs[name] for name in inputs if f"{name} = " not in case.program}
    found = compared(case.program, inputs, case.leaf, case.wrong)
    assert found.verdict == "fail"
    assert found.sure
    assert case.words in found.causes[0].message


def test_two_readings_of_one_formula_are_both_told() -> None:
    """The part of the product rule that is missing is as large as what may have been left out in
    the other part: h*q is -k*h*y.
    """
    found = compared(
        "q = -k*y; p = -k*(y + h*q); z = y + h/2*(q + p); L = (z - t)**2/2",
        {"k": 0.9, "h": 0.2, "y": 1.1, "t": 0.7},
        "k",
        "(z - t)*h/2*(-y - y + k*h*y)",
    )
    message = found.causes[0].message
    assert "path through y + h*q" in message
    assert "in the formula, the factor 2 is missing" in message


def test_parentheses_are_told_where_they_may_be_wrong() -> None:
    """p - t/2 is (p - t)/2 with a division that is missing, or with other parentheses."""
    found = compared(
        "p = softmax(x); L = -sum(t*log(p))/2",
        {"x": [0.4, 1.3, 2.2], "t": [0.2, 0.5, 0.3]},
        "x",
        "p - t/2",
    )
    assert found.sure
    assert "division by 2" in found.causes[0].message
    assert "parentheses" in found.causes[0].message


def test_two_mistakes_next_to_each_other_are_not_certain() -> None:
    """(D[0] + D[1])/2 is not the mean m, which is something else than its two terms are."""
    found = compared(
        "m = (D[0] + D[1] + D[1])/3; L = exp(-h*sum(m*b))",
        {"D": DATA["D"], "b": DATA["b"], "h": DATA["h"]},
        "b",
        "-h*exp(-h*sum(m*b))*(D[0] + D[1])/2",
    )
    assert found.verdict == "fail"
    assert not found.sure


def test_names_may_stand_for_what_a_formula_computes() -> None:
    """x[0]*c - x[1]*s is p: the factor is missing in front of all, not at every x."""
    found = compared(
        "c = cos(k*h); s = sin(k*h); p = b[0]*c - b[1]*s; q = b[0]*s + b[1]*c;"
        "L = (p - 0.2)**2 + (q - 0.5)**2",
        {"b": DATA["b"], "h": DATA["h"], "k": DATA["k"]},
        "h",
        "k*((p - 0.2)*(-b[0]*s - b[1]*c) + (q - 0.5)*(b[0]*c - b[1]*s))",
    )
    assert found.sure
    correction = found.causes[0].correction
    assert correction is not None
    assert correction.formula.startswith("2 * (k *")


@pytest.mark.parametrize("decimals", [17, 5])
def test_numbers_are_called_rounded_where_they_are(decimals: int) -> None:
    """The slip is found in the gradient's long formula either way."""
    u, b, g, d = (np.asarray(DATA[name]) for name in "UbgD")
    h = d[0]
    z, n = 1 / (1 + np.exp(-(u @ h))), np.tanh(b)
    wrong = g * z + u @ (g * (h - n) * z * (1 - z))  # not U.T
    found = compared(
        "z = sigmoid(U@h); n = tanh(b); o = (1 - z)*n + z*h; L = sum(g*o)",
        {"U": u, "b": b, "g": g, "h": h},
        "h",
        np.round(wrong, decimals),
    )
    assert "U is not transposed" in found.causes[0].message
    assert ("rounded" in found.causes[0].message) == (decimals == 5)


def test_an_exponent_explains_a_factor_before_a_value_that_is_like_it_by_chance() -> None:
    x, y, k = np.asarray(DATA["x"]), np.asarray(DATA["y"]), np.asarray([0.5, 1.3])
    mine = k[0] * (k[0] * x - y)
    found = compared("sum((k[0]*x - y)**2)", {"x": x, "k": k, "y": y}, "x", mine)
    told = found.causes[0].message
    assert told.startswith("it is 1/2 of the gradient: 2 = the exponent in (k[0]*x - y)**2")


def test_what_is_wrong_by_the_first_power_is_no_series() -> None:
    found = compared(
        "sum(c*x) + sum(x**3*exp(x))/2 + sum(x**2*sin(k*x))",
        {"x": [0.4, 1.3, 2.2], "c": [0.5, -0.9, 1.2], "k": 0.7},
        "x",
        "c + 0.37*x*exp(1.3*x)",
    )
    assert "series" not in {each.code for each in found.causes}


@pytest.mark.parametrize("size", [1e-3, 1e-5, 1e-8])
def test_two_numbers_that_differ_are_told_apart(size: float) -> None:
    x = np.linspace(0.3, 2.0, 7)
    mine = np.cos(x)
    mine[4] *= 1 + size
    found = compared("sum(sin(x))", {"x": x}, "x", mine)
    (told,) = [each.message for each in found.causes if each.code == "elements"]
    yours, gradient = re.findall(r"-?\d\.\d+", told.partition("which is")[2])[:2]
    assert yours != gradient
    assert [float(yours), float(gradient)] == pytest.approx([mine[4], np.cos(x[4])], rel=1e-5)
