"""What is said of a slip, to the letter: nothing that nobody would have written."""

from __future__ import annotations

import re

import pytest

from tests.analysis.test_diagnosis import compared

DATA = {
    "a": 0.8,
    "b": 1.3,
    "c": [0.7, -0.4, 0.9],
    "d": 2.0,
    "e": [1.5, 2.0, 0.7],
    "g": [1.2, 0.8, 1.5],
    "h": 0.5,
    "k": 0.3,
    "q": 1.1,
    "t": [0.2, 0.9, -0.4],
    "w": 0.4,
    "x": [0.5, -1.2, 0.3],
    "y": [0.3, 0.6, 0.8],
    "D": [[1.2, 0.3], [-0.2, 0.8]],
    "K": [[0.4, 0.9], [-0.7, 0.2], [1.1, -0.5]],
    "X": [[0.5, -1.2], [1.1, 0.4], [-0.3, 0.8]],
    "v": [0.6, -0.9],
    "O": [3.0, 5.0, 2.0],
    "E": [2.5, 4.0, 3.5],
}
CUBE = ("z = x**3; L = sum((z - t)**2)", "x")
TWO = ("u = w*exp(-(x - h)**2/2); z = (1 - w)*exp(-(x - b)**2/2); L = -sum(log(u + z))", "h")
RISK = ("r = x*a; c = flip(cumsum(flip(exp(r), [0]), 0), [0]); L = -sum(e*(r - log(c)))", "a")
LENS = ("P = a*b - k; f = 1/P; L = (f - q)**2", "a")
LOGISTIC = ("s = sigmoid(a*x); p = h + (1 - h)*s; L = -sum(y*log(p))", "a")
COUNTS = ("m = e*exp(X@v); L = sum(m - y*log(m))", "v")
POINTS = ("L = sum((x - y)**2) - sum((x - t)**2)", "x")
TOLD = [
    # a power is not differentiated
    (*CUBE, "2*(z - t)*x**3",
     "a function stands where its derivative belongs: x**3 instead of 3 * x**2"),
    (*CUBE, "2*(z - t)**2*3*x**2", "the exponent is wrong: (z - t)**2 instead of z - t"),
    (*CUBE, "2*(z - t)*3",
     "the factor x**2 is missing: 2 * (z - t) * 3 instead of x**2 * (2 * (z - t) * 3)"),
    ("L = sum(e**(-6))", "e", "-6*e", "the exponent is wrong: e instead of e**-7"),
    ("L = sum(c/(1 + e))", "e", "-c/(1 + e)",
     "the exponent is wrong: 1 + e instead of (1 + e)**2"),
    # a derivative stands where the function belongs, and a logarithm is not taken
    ("L = sum(a*log(b) - lgamma(a) + a*log(e))", "a", "sum(1/b - digamma(a) + log(e))",
     "a derivative stands where what it is taken of belongs: 1 / b instead of log(b)"),
    ("L = 2*sum(O*log(O/E))", "O", "2*O/E + 2",
     "a function is missing: 2 * O / E instead of 2 * log(O / E)"),
    # the square of a difference for a difference of squares
    ("z = tanh(w*x); L = sum(c*z)", "w", "sum(c*(1 - z)**2*x)",
     "the parentheses are in the wrong place: (1 - z)**2 instead of 1 - z**2"),
    # sums that run from the wrong end
    ("z = flip(cumsum(flip(x, [0]), 0), [0]); L = sum(c*z)", "x",
     "flip(cumsum(flip(c, [0]), 0), [0])",
     "it runs from the wrong end: flip(cumsum(flip(c, [0]), 0), [0]) instead of cumsum(c, 0)"),
    (*RISK, "-sum(e*(x - cumsum(x*exp(r), 0)/c))",
     ("it runs from the wrong end: cumsum(x * exp(r), 0) instead of"
     " flip(cumsum(flip(x * exp(r), 0), 0), 0)")),
    # the share of one of several
    (*TWO, "-sum(x - h)",
     ("the factor u / (u + z), the derivative of log(u + z) by -(x - h)**2/2, is missing:"
     " x - h instead of u / (u + z) * (x - h)")),
    (*TWO, "-sum(w*(x - h))", "something else belongs here: w instead of u / (u + z)"),
    # a name for what is computed from the same
    (*COUNTS, "X.T@(X@v - y)", "something else belongs here: X @ v instead of m"),
    # one factor, however it is written
    (*LENS, "-2*(f - q)*f*b",
     ("the exponent is wrong: f instead of f**2; in other words, the division by P is missing:"
     " -2 * (f - q) * f * b instead of -2 * (f - q) * f * b / P")),
    (*COUNTS, "X.T@(1 - y/m)", "the factor m is missing: X.T instead of m * X.T"),
    # what is no probability is not taken from 1, and log(p) is no exp(log(p))
    (*COUNTS, "X.T@(log(m) - y)", "a function is too much: log(m) instead of m"),
    # half of an exponent
    ("L = sum(exp(-x**2*w**2/2))", "w", "-sum(x**2*w*exp(-x**2*w**2))",
     "the division by 2 is missing: -x**2 * w**2 instead of -x**2 * w**2 / 2"),
    # the square of what a function is taken of
    ("L = sum(y*exp(x**2))", "x", "2*y*x*exp(x)", "the exponent is wrong: x instead of x**2"),
    # 1 is missing, not another function
    ("L = sum((exp(w) - 1)*c*w)", "w", "sum(exp(w)*c*w + exp(w)*c)",
     "the term 1 is missing: exp(w) instead of exp(w) - 1"),
    # of a**4 - b**2 nobody knows which is wrong, but a - a is written by nobody
    (*POINTS, "2*(x - y) + 2*(x - t)",
     ("the sign is wrong: 2 * (x - y) + 2 * (x - t) instead of 2 * (x - y) - 2 * (x - t);"
     " in other words, the operands are the wrong way round: x - t instead of t - x")),
    # the row of a matrix
    ("s = K@v; L = logsumexp(s) - s[0]", "v", "softmax(s)@K - v",
     "something else belongs here: v instead of K[0]"),
    # what is left out of a sum looks like a factor
    ("L = sum(log(1 + exp(-y*x)))", "x", "-y/exp(y*x)",
     ("the chain rule's factor 1 / (1 + exp(-y * x)), the derivative of log(1 + exp(-y*x)) by"
      " 1 + exp(-y*x), is missing; in the formula, the term 1 is missing: exp(y * x) instead of"
      " exp(y * x) + 1")),
    # the base of a power, and a sigmoid that is differentiated once more
    ("L = 10**a", "a", "10*L", "a function is missing: 10 instead of log(10)"),
    ("p = 1/(1 + 10**(-a)); L = -(h*log(p) + (1 - h)*log(1 - p))", "a",
     "-p*(1 - p)*(h - p)*log(10)",
     ("a factor is too much: -p * (1 - p) * (h - p) * log(10) instead of"
      " -(h - p) * log(10)")),
    # a term that is left out of what has a name, and an inner product for an outer one
    ("S = X.T@X + D; L = sum(inv(S)@v)", "v", "inv(X.T@X).T@ones(2)",
     "the term D is missing: X.T @ X instead of X.T @ X + D"),
    ("L = v@D@v", "D", "v@v", "it is broadcast along the wrong axis: v @ v instead of outer(v, v)"),
    # nobody takes a sign from a divisor
    ("z = X@v - t; L = sum(z**2)/a", "v", "2*X.T@(t - X@v)/a", "the sign is wrong"),
    # x*(1 - x) is no x*(1/x - x)
    ("z = tanh(X@v); L = sum((z - t)**2)/2", "v", "X.T@((z - t)*z*(1 - z))",
     "the derivative of z by X@v is 1 - z**2, not z*(1 - z)"),
    # the cube of a norm, by which no other derivative of the root explains it
    ("n = sqrt(sum(x**2)); z = x/n; L = (z@c - q)**2", "x", "2*(z@c - q)*(c/n - x@c*x)",
     "the division by n**3 is missing: x @ c * x instead of x @ c * x / n**3"),
    # the mean of all with weights
    ("s = softmax(x); L = sum(s*c)", "x", "s*(c - mean(c))",
     "something else belongs here: mean(c) instead of sum(s * c)"),
    # axes that are new are written as they are meant
    ("s = c[:, None]*v; L = -sum(logsumexp(s, 1)*t)", "c", "-t*sum(v)",
     ("the chain rule's factor exp(s - logsumexp(s, dim=1)[:, None]), the derivative of"
     " logsumexp(s, 1) by s, is missing")),
]  # fmt: skip
"""A program, a leaf, a wrong formula, and what is said of it with certainty."""
EITHER = [
    ("L = sin(a)*cos(a)", "a", "cos(a)**2 - sin(a)**4", ("2 instead of 4", "4 instead of 2")),
]
"""The same where one of two was done."""


@pytest.mark.parametrize(("program", "leaf", "wrong", "message"), TOLD)
def test_a_slip_is_told_in_these_words(program: str, leaf: str, wrong: str, message: str) -> None:
    inputs = {name: DATA[name] for name in DATA if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, leaf, wrong)
    assert found.verdict == "fail"
    assert found.sure, found.causes
    assert found.causes[0].message == message


@pytest.mark.parametrize(("program", "leaf", "wrong", "messages"), EITHER)
def test_either_of_two_slips_is_told(
    program: str, leaf: str, wrong: str, messages: tuple[str, ...]
) -> None:
    inputs = {name: DATA[name] for name in DATA if re.search(rf"\b{name}\b", program)}
    found = compared(program, inputs, leaf, wrong)
    assert not found.sure
    for message in messages:
        assert any(message in cause.message for cause in found.causes)
