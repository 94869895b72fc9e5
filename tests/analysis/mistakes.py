"""Gradients as people derive them by hand, each with one mistake, and what the mistake is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]]
A = [[0.2, -0.5, 0.8], [1.1, 0.4, -0.9]]
S = [[3.0, 1.0], [0.5, 4.0]]
"""Square, and not symmetric."""
Y = [0.4, 1.3, 2.2]
CUBE = "z = (2*x)**3; out = mean(z)"
LOGISTIC = "p = sigmoid(X@w); L = -mean(y*log(p) + (1-y)*log(1-p))"
SOFTMAX = "p = softmax(z); L = -sum(t*log(p))"
SQUARES = "r = X@w - y; L = mean(r**2)"
RIDGE = "r = X@w - y; L = mean(r**2) + 0.1*sum(w**2)"
LAYER = "y = X@W + b; sum(y**2)"
NETWORK = "h = tanh(X@U); y = h@V; L = mean(y**2)"
GAUSS = "sum(exp(-(x-mu)**2 / (2*s**2)))"
DATA: dict[str, Mapping[str, Any]] = {
    CUBE: {"x": [[1, 2], [3, 4]]},
    LOGISTIC: {"X": X, "w": [0.3, -0.2], "y": [0, 1, 1]},
    SOFTMAX: {"z": [0.1, 0.5, -0.3], "t": [0, 1, 0]},
    SQUARES: {"X": X, "w": [0.3, -0.2], "y": [0, 1, 1.5]},
    RIDGE: {"X": X, "w": [0.3, -0.2], "y": [0, 1, 1.5]},
    LAYER: {"X": X, "W": A, "b": [0.1, 0.2, 0.3]},
    NETWORK: {"X": X, "U": [[0.2, -0.5], [1.1, 0.4]], "V": [[0.3, 0.1], [-0.2, 0.6]]},
    GAUSS: {"x": Y, "mu": 1.0, "s": 0.8},
}


@dataclass(frozen=True)
class Mistake:
    """A program, a wrong gradient of one leaf, the cause, and words that the sentence must hold."""

    program: str
    leaf: str
    mine: Any
    """A formula, or numbers."""
    code: str
    words: tuple[str, ...]
    inputs: Mapping[str, Any] | None = None
    """Where the program is not one of those above; x is `Y` where there is nothing else."""
    gradient: tuple[Any, ...] = ()

    @property
    def data(self) -> Mapping[str, Any]:
        return DATA.get(self.program, {"x": Y}) if self.inputs is None else self.inputs


def _of_x(program: str, mine: Any, code: str, *words: str, **more: Any) -> Mistake:
    return Mistake(program, "x", mine, code, words, **more)


V = {"gradient": ([1, 0.5, -0.2],)}
SIDES: dict[str, Any] = {"inputs": {"x": [1.0, -2.0, 3.0]}}
VECTOR: dict[str, Any] = {"inputs": {"S": [[1, 2], [5, 4]], "x": [0.3, 0.8]}}

MISTAKES = [
    # --- means and constant factors
    _of_x(CUBE, "24*x**2", "mean", "4 times", "4 = the number of elements", "1/n is missing"),
    _of_x(CUBE, "24*x**2/16", "mean", "1/4 of", "4 = the number of elements", "twice"),
    _of_x(CUBE, [[24, 96], [216, 384]], "mean", "4 times", "1/n is missing"),
    _of_x("mean(sin(x))", "-cos(x)", "mean", "sign is wrong", "3 times", "1/n is missing"),
    _of_x("mean(x**2)", "2*x/2", "factor", "1.5 times", "n/(n - 1)"),
    _of_x("var(x)", "2*(x - mean(x))/3", "factor", "n/(n - 1)", "var(x)"),
    _of_x("std(x)", "(x - mean(x))/(3*std(x))", "factor", "n/(n - 1)", "std(x)"),
    _of_x("sum(x**3)", "x**2", "factor", "1/3 of", "3 = the exponent", "missing"),
    Mistake(SQUARES, "w", "X.T@r/3", "factor", ("1/2 of", "2 = the exponent in r**2")),
    _of_x("sum(log10(x))", "1/x", "factor-missing", "log(10)"),
    _of_x("sum(2**x)", "2**x", "factor-missing", "log(2)"),
    _of_x("sum(sin(x*pi/180))", "cos(x*pi/180)", "intermediate", "gradient of x*pi/180"),
    Mistake(GAUSS, "x", "-(x-mu)*exp(-(x-mu)**2/(2*s**2))", "divisor-missing", ("s**2",)),
    Mistake(LOGISTIC, "w", "X.T@(p-y)", "mean", ("3 times", "3 = the number", "1/n is missing")),
    Mistake(
        "cross_entropy(z, [0,1,1])", "z", "softmax(z) - one_hot([0,1,1], 2)", "mean",
        ("3 times", "averages", "1/n is missing"), {"z": X},
    ),
    # --- sign and transposition
    _of_x(CUBE, "-24*x**2/4", "sign", "sign is wrong"),
    _of_x("sum(cos(x))", "sin(x)", "sign", "sign is wrong"),
    _of_x("sum(1/x)", "1/x**2", "sign", "sign is wrong"),
    Mistake(SOFTMAX, "z", "t - p", "sign", ("sign is wrong",)),
    Mistake(LOGISTIC, "w", "X.T@(y-p)/3", "sign", ("sign is wrong",)),
    Mistake("d = norm(a-b)", "b", "(a-b)/d", "sign", ("sign",), {"a": Y, "b": [1, 0, 0.5]}),
    _of_x(CUBE, [[6, 54], [24, 96]], "transposed", "transposed"),
    Mistake("logdet(S)", "S", "inv(S)", "transposed", ("transposed",), {"S": S}),
    Mistake("trace(S@S)", "S", "2*S", "transposed", ("transposed",), {"S": S}),
    Mistake(
        "y = W@x; sum(y**3)", "W", "outer(x, 3*y**2)", "transposed", ("(2, 3) instead of (3, 2)",),
        {"W": X, "x": [0.4, 0.7]},
    ),
    # --- the chain rule
    _of_x(CUBE, "3*(2*x)**2/4", "chain-factor", "1/2 of", "2*x", "is missing", "gradient of 2*x"),
    _of_x("sum(sin(3*x))", "cos(3*x)", "chain-factor", "1/3 of", "3*x", "missing"),
    _of_x("sum(exp(x**2))", "exp(x**2)", "chain-factor", "2 * x", "missing", "gradient of x**2"),
    _of_x("sum(log(x**2 + 1))", "1/(x**2 + 1)", "chain-factor", "2 * x", "missing"),
    _of_x("sum(atan(2*x))", "1/(1 + 4*x**2)", "chain-factor", "1/2 of", "2*x", "missing"),
    _of_x("sum(sin(x)**2)", "2*sin(x)", "chain-factor", "cos(x)", "gradient of sin(x)"),
    _of_x("sum(sin(cos(x)))", "-cos(cos(x))", "factor-missing", "sin(x)", "missing"),
    Mistake(NETWORK, "U", "X.T@((2*y/6)@V.T)", "chain-factor", ("1 - h**2", "tanh", "missing")),
    Mistake(
        LOGISTIC, "w", "X.T@((p-y)*p*(1-p))/3", "chain-doubled", ("p*(1 - p)", "sigmoid", "twice")
    ),
    Mistake(
        "p = sigmoid(z); L = -sum(y*log(p) + (1-y)*log(1-p))", "z", "(p-y)/(p*(1-p))",
        "chain-factor", ("p*(1 - p)", "missing", "gradient of p"), {"z": Y, "y": [1, 0, 1]},
    ),
    Mistake(
        "p = softmax(z/T); -log(p[1])", "z", "p - [0,1,0]", "chain-factor",
        ("1 / T", "missing"), {"z": Y, "T": 2.0},
    ),
    Mistake(SOFTMAX, "z", "-t/p", "intermediate", ("gradient of p", "not of z")),
    Mistake(SQUARES, "w", [1, 2], "unexplained", ("no single mistake",)),
    # --- sums and products, paths that meet
    _of_x("sum(x*exp(x))", "x*exp(x)", "path-missing", "product rule", "x*exp(x)", "missing"),
    _of_x("sum(x*sigmoid(x))", "sigmoid(x)", "path-missing", "product rule", "sigmoid(x)"),
    _of_x("sum(x**2*sin(x))", "2*x*cos(x)", "product-rule", "product of the derivatives"),
    _of_x("sum(x/(1 + x**2))", "1/(1 + x**2)", "path-missing", "quotient rule", "1 + x**2"),
    _of_x(
        "sum(x/(1 + x**2))", "1/(1 + x**2) + 2*x**2/(1 + x**2)**2", "sign", "+ 2 *", "- 2 *"
    ),
    _of_x("sum(1/(1 + x**2))", "-2*x/(1 + x**2)", "exponent", "(1 + x**2)**2"),
    _of_x(
        "a = x**2; b = a*3; c = sin(a); sum(b*c)", "2*x*(3*sin(a))", "path-missing", "product", "c"
    ),
    _of_x("mu = mean(x); sum((x-mu)**3)", "3*(x-mu)**2", "path-missing", "mu", "missing"),
    _of_x("x@S@x", "S@x", "path-missing", "product rule", "missing", **VECTOR),
    Mistake(RIDGE, "w", "2*X.T@r/3", "path-missing", ("0.1*sum(w**2)", "missing")),
    Mistake(RIDGE, "w", "2*X.T@r/3 - 0.2*w", "sign", ("+ 0.2 * w",)),
    Mistake(RIDGE, "w", "2*X.T@r/3 + 0.1*w", "constant", ("0.1 instead of 0.2",)),
    _of_x("a = x**2; b = 3*x; a.sum(), b.sum()", "2*x", "path-missing", "b", "missing"),
    # --- broadcasting
    Mistake(LAYER, "b", "2*y", "reduction-missing", ("sum(2 * y, dim=0)",)),
    Mistake(LAYER, "b", "mean(2*y, dim=0)", "averaged", ("1/3 of", "summed, not averaged")),
    Mistake(LAYER, "b", "sum(2*y, dim=1)", "axis", ("sum(2 * y, dim=0)",)),
    Mistake(LAYER, "b", "2*y[0]", "reduction-missing", ("sum(y, dim=0",)),
    Mistake(
        "y = a*x; sum(y**2)", "a", "2*y*x", "reduction-missing", ("sum(2 * y * x)",),
        {"a": 1.5, "x": Y},
    ),
    _of_x("sum(x**2)", "sum(2*x)", "summed", "all axes"),
    # --- matrices
    Mistake(
        "y = S@x; sum(y**2)", "x", "S@(2*y)", "operand-transposed", ("S is not transposed", "S.T"),
        VECTOR["inputs"],
    ),
    Mistake(
        "y = X@W; sum(y**2)", "W", "(2*y)@X.T", "order", ("wrong way round",), {"X": S, "W": S}
    ),
    Mistake(
        NETWORK, "U", "X.T@(((2*y/6)@V)*(1-h**2))", "operand-transposed", ("V is not transposed",)
    ),
    _of_x("x@S@x", "2*S@x", "symmetric", "S", "symmetric matrix alone", "S.T", **VECTOR),
    Mistake("det(S)", "S", "inv(S).T", "factor-missing", ("det(S)", "missing"), {"S": S}),
    Mistake(
        "y = solve(S, b); sum(y**2)", "b", "solve(S, 2*y)", "operand-transposed", ("S.T",),
        {"S": S, "b": [1.0, 2.0]},
    ),
    Mistake(
        "y = X@W; y.sum()", "W", "X.T", "factor-missing", ("X.T @ ones_like(y)",), {"X": X, "W": A}
    ),
    # --- softmax
    Mistake(SOFTMAX, "z", "p", "one-hot", ("one-hot", "missing")),
    Mistake(SOFTMAX, "z", "-t*(1-p)", "diagonal", ("only the diagonal", "softmax(z)")),
    _of_x("y = softmax(x)", "y*(1-y)*v", "diagonal", "only the diagonal", **V),
    _of_x("y = softmax(x)", "y*v", "term-missing", "sum(v * y", "missing", **V),
    _of_x("y = softmax(x)", "y*(v + sum(y*v))", "sign", "v - sum(y * v)", **V),
    _of_x("logsumexp(x)", "exp(x)", "function", "softmax(x)"),
    Mistake("cross_entropy(z, [0,1,1])", "z", "softmax(z)/3", "one-hot", ("one-hot",), {"z": X}),
    # --- derivatives wrongly remembered
    _of_x("s = sigmoid(x); sum(s)", "s*(1 + s)", "local-derivative", "s*(1 - s), not s*(1 + s)"),
    _of_x("sum(tanh(x))", "1 - tanh(x)", "exponent", "tanh(x) instead of tanh(x)**2"),
    _of_x("sum(exp(x))", "x*exp(x-1)", "local-derivative", "exp(x)", "not x*exp(x - 1)"),
    _of_x("sum(2**x)", "x*2**(x-1)", "local-derivative", "not x*2**(x - 1)"),
    _of_x("sum(sqrt(x))", "sqrt(x)/2", "local-derivative", "sqrt(x)/2"),
    _of_x("sum(tan(x))", "1/cos(x)", "exponent", "cos(x)**2"),
    _of_x("sum(asin(x/4))", "1/sqrt(1 + x**2/16)/4", "sign", "1 - x**2 / 16"),
    _of_x("sum(x**2)", "x**3/3", "local-derivative", "integral"),
    _of_x("sum(x**3)", "3*x**3", "exponent", "3 instead of 2"),
    _of_x("sum(x**-2)", "-2*x**-1", "exponent", "-1 instead of -3"),
    # --- functions with conditions
    _of_x("sum(relu(x)**3)", "3*x**2", "function-missing", "relu(x)", **SIDES),
    _of_x("sum(relu(x)*x)", "2*x*(x<0)", "condition", "x < 0 instead of x > 0", **SIDES),
    _of_x("sum(abs(x))", [1, 1, 1], "absolute", "absolute value", **SIDES),
    Mistake(
        "h = relu(X@U); y = h@V; L = mean(y**2)", "U", "X.T@((2*y/6)@V.T)", "mask",
        ("X@U > 0", "relu", "missing"), {**DATA[NETWORK], "V": [[0.3, 0.1], [0.2, 0.6]]},
    ),
    _of_x("max(x)", "ones(3)", "mask", "max(x)", "missing"),
    # --- the gradient vector, and other quantities
    _of_x("y = x**2", "2*x", "gradient-vector", "v was left out", gradient=([1, 0.1, 0.01],)),
    _of_x("y = x**2", "2*x*v**2", "gradient-vector", "v went in twice", **V),
    _of_x("y = x**2", [[0.8, 0, 0], [0, 2.6, 0], [0, 0, 4.4]], "jacobian", "Jacobian", **V),
    _of_x(CUBE, "z", "value", "value of z", "not a gradient"),
    _of_x("sum(x**3)", "6*x", "second-derivative", "second derivative"),
    Mistake(
        "sum(a*b**2)", "a", "2*a*b", "other-leaf", ("gradient of b", "not of a"),
        {"a": [1, 2, 3.5], "b": [0.5, 0.7, 1.1]},
    ),
    _of_x("y = sin(x); sum(exp(y) + y**2)", "cos(x)", "factor-missing", "2 * y + exp(y)"),
    _of_x("norm(x)", "x", "divisor-missing", "division by norm(x)", "missing"),
    _of_x("sum(x**2)", "x/norm(x)", "normalised", "divided by its norm"),
    # --- shape and order of numbers
    _of_x(CUBE, [6, 24, 54, 96], "shape", "(4,)", "(2, 2)", "flattened"),
    _of_x("sum(x**2)", [0.8, 4.4, 2.6], "permuted", "another order"),
    _of_x("sum(x**2)", "2*x[::-1]", "permuted", "reverse order"),
    _of_x("sum(x**2)", [4.0, 6, 10, 2], "permuted", "shifted", inputs={"x": [1, 2, 3, 5.0]}),
    _of_x("sum(x**2)", [1.8, 3.6, 5.4], "term-extra", "2 * x + 1 instead of 2 * x"),
    _of_x("sum(x**2)", [0.8, 2.6, 4.5], "elements", "x[2]", "4.5 instead of 4.4"),
    _of_x("sum(x*log(x))", [1.0, float("nan"), 2.0], "nan", "x[1]"),
    # --- written with few digits
    _of_x("sum(log(x))", [-2.5, -0.769231, -0.454545], "sign", "sign", "yours is rounded"),
    _of_x("mean(exp(x))", [1.492, 3.669, 9.025], "mean", "1/n is missing", "rounded"),
    # --- more of each kind
    _of_x(CUBE, [[-6, -54], [-24, -96]], "transposed", "transposed", "sign is wrong"),
    _of_x(CUBE, [[24, 216], [96, 384]], "mean", "1/n is missing", "transposed"),
    _of_x(CUBE, [[54, 96], [6, 24]], "permuted", "reverse order along axis 0"),
    _of_x(CUBE, [[0, 0], [0, 0]], "zero", "0 everywhere"),
    _of_x(CUBE, [6, 24], "shape", "only row 0"),
    _of_x(CUBE, "24*x/4", "exponent", "x**2"),
    _of_x("y = x*2", [2, 2, 2], "gradient-vector", "left out", gradient=([1, 0.1, 0.01],)),
    Mistake(
        "y = X*c; sum(y**2)", "c", "2*y*X", "reduction-missing", ("dim=1, keepdim=True",),
        {"X": X, "c": [[1.0], [2.0], [3.0]]},
    ),
    Mistake(
        "y = X*c; sum(y**2)", "c", "sum(2*y*X, dim=1)", "shape", ("(3,)", "(3, 1)", "flattened"),
        {"X": X, "c": [[1.0], [2.0], [3.0]]},
    ),
    Mistake(
        "y = S*c; sum(y**2)", "c", "sum(2*y*S, dim=0).reshape(2, 1)", "axis", ("dim=1",),
        {"S": S, "c": [[1.0], [2.0]]},
    ),
    _of_x("y = x/sum(x); sum(y*[1,-1,2])", "[1,-1,2]/sum(x)", "path-missing", "quotient", "sum(x)"),
    _of_x("log(mean(x))", "1/mean(x)", "mean", "3 times", "1/n is missing"),
    _of_x("sqrt(sum(x**2))", "2*x/sqrt(sum(x**2))", "factor", "2 times", "2 = the exponent"),
    _of_x("sum((3*x + 1)**4)", "4*(3*x + 1)**3", "chain-factor", "1/3 of", "3*x", "missing"),
    _of_x("sum((3*x + 1)**4)", "12*(3*x + 1)**2", "exponent", "2 instead of 3"),
    _of_x("sum(exp(sin(x)))", "exp(cos(x))", "chain-inside", "taken of the derivative"),
    _of_x("sum(exp(sin(x)))", "exp(sin(x))*sin(x)", "local-derivative", "cos(x), not sin(x)"),
    _of_x("sum(tanh(tanh(x)))", "1 - tanh(tanh(x))**2", "chain-factor", "tanh(x)", "missing"),
    _of_x("sum(x**-0.5)", "-0.5*x**-0.5", "exponent", "-0.5 instead of -1.5"),
    _of_x("sum(clamp(x, 0, 2)**2)", "2*x", "elements", "x[1], x[2]", "gradient is 0", **SIDES),
    _of_x("sum(leaky_relu(x, 0.1))", "where(x > 0, 1, 0)", "path-missing",
          "a part of the derivative of leaky_relu(x, 0.1)", **SIDES),
    _of_x("sum(abs(x))", [1, 5, -1], "elements", "kink of abs", inputs={"x": [1, 0, -2]}),
    _of_x("sum(cumsum(x, 0)*[1,2,4])", "cumsum([1,2,4], 0)", "reversed", "from the wrong end"),
    _of_x("sum(x[[0,0,2]]**2)", "[2*x[0], 0, 2*x[2]]", "constant", "2 instead of 4"),
    _of_x(
        "y = einsum('ij,j->i', S, x); sum(y**3)", "S@(3*y**2)", "operand-transposed", "transpose",
        **VECTOR,
    ),
    Mistake(NETWORK, "V", "X.T@(2*y/6)", "other-value", ("X instead of h",)),
    Mistake(NETWORK, "V", "h.T@(2*y)/3", "factor", ("2 times",)),
    Mistake(
        NETWORK, "U", "X.T@(((2*y/6)@V.T)*(1 - (X@U)**2))", "local-derivative",
        ("1 - h**2, not 1 - (X@U)**2",),
    ),
    Mistake(
        "(1-x)**2 + 100*(y - x**2)**2", "x", "-2*(1-x) + 200*(y - x**2)", "chain-factors",
        ("-1 and 2 * x", "missing"), {"x": 1.2, "y": 1.7},
    ),
    Mistake(
        "(1-x)**2 + 100*(y - x**2)**2", "x", "2*(1-x) - 400*x*(y - x**2)", "sign",
        ("2 * (1 - x) instead of -(2 * (1 - x))",), {"x": 1.2, "y": 1.7},
    ),
    Mistake(
        "-sum(p*log(p))", "p", "-log(p)", "path-missing", ("product rule", "log(p)"),
        {"p": [0.2, 0.3, 0.5]},
    ),
    Mistake(
        "sum(m*x**2)", "x", "2*x", "chain-factor", ("factor m", "missing"),
        {"m": [1, 0, 1], "x": Y},
    ),
    Mistake(
        GAUSS, "s", "sum((x-mu)**2/s**2*exp(-(x-mu)**2/(2*s**2)))", "exponent", ("2 instead of 3",),
    ),
    Mistake(
        GAUSS, "s", "(x-mu)**2/s**3*exp(-(x-mu)**2/(2*s**2))", "reduction-missing", ("sum",),
    ),
]  # fmt: skip
