"""Gradients of well-known programs as people derive them, and slips in their formulas.

What a slip must be called is one of the texts behind it: the code of the cause, or a part of its
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Model(NamedTuple):
    """A program with the gradient of one leaf, and wrong formulas for it."""

    program: str
    inputs: Mapping[str, Any]
    leaf: str
    right: str
    slips: Mapping[str, str]
    """By wrong formula: what it may be called, separated by bars."""
    equal: tuple[str, ...] = ()
    """The gradient in other words."""


X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]]
W = [[0.2, -0.5, 0.8], [1.1, 0.4, -0.9]]
Z = [[0.1, 0.5, -0.3], [1.2, -0.4, 0.7]]
T = [[0, 1, 0], [1, 0, 0]]
S = [[3.0, 1.0], [0.5, 4.0]]
P = [[2.0, 0.3], [0.3, 1.5]]
Y = [0.4, 1.3, 2.2]

MODELS = [
    Model(  # softmax cross-entropy
        "p = softmax(Z, dim=1); L = -sum(T*log(p))/2", {"Z": Z, "T": T}, "Z", "(p - T)/2",
        {
            "p - T": "mean|factor|2",
            "(T - p)/2": "sign|order",
            "(p + T)/2": "sign",
            "(sigmoid(Z) - T)/2": "function|softmax",
            "(softmax(Z, dim=0) - T)/2": "axis|dim",
            "p - T/2": "grouping|parentheses",
        },
    ),
    Model(  # layer norm
        "m = mean(x); v2 = mean((x - m)**2); y = (x - m)/sqrt(v2 + 1e-3); L = sum(y*c)",
        {"x": [0.4, 1.3, 2.2, -0.6], "c": [1.0, -0.5, 0.3, 0.8]}, "x",
        "(c - mean(c) - y*mean(c*y))/sqrt(v2 + 1e-3)",
        {
            "(c - mean(c) - y*mean(c*y))/sqrt(v2)": "0.001",
            "(c - mean(c) + y*mean(c*y))/sqrt(v2 + 1e-3)": "sign",
            "(c - mean(c))/sqrt(v2 + 1e-3)": "term-missing|path-missing",
            "(c - y*mean(c*y))/sqrt(v2 + 1e-3)": "term-missing|path-missing",
            "(c - mean(c) - y*sum(c*y))/sqrt(v2 + 1e-3)": "mean",
            "(c - mean(c) - y*mean(c*y))/(v2 + 1e-3)": "sqrt|exponent|0.5",
            "(c - sum(c) - y*mean(c*y))/sqrt(v2 + 1e-3)": "mean(c)",
        },
    ),
    Model(  # batch norm
        "m = mean(X, dim=0); s = std(X, dim=0, unbiased=False); y = (X - m)/s*g; L = sum(y**3)",
        {"X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.9, 0.2]], "g": [1.5, 0.7]}, "g",
        "sum(3*y**2*(X - m)/s, dim=0)",
        {
            "sum(3*y**2*(X - m)/s, dim=1)": "dim=0|axis",
            "sum(3*y**2*(X - m)/s)": "dim=0|axis",
            "3*y**2*(X - m)/s": "sum",
            "sum(3*y**2*(X - m)/s**2, dim=0)": "s|exponent",
            "mean(3*y**2*(X - m)/s, dim=0)": "averaged|sum(",
            "sum(3*y**2*(X + m)/s, dim=0)": "sign",
            "sum(3*y**2*X/s, dim=0)": "term|m",
        },
    ),
    Model(  # attention
        "A = softmax(Q@K.T/sqrt(2), dim=1); O = A@V; L = sum(O**2)",
        {"Q": [[0.3, -0.4], [0.8, 0.1]], "K": X, "V": [[1.0, 0.2], [-0.3, 0.5], [0.4, 0.9]]}, "V",
        "A.T@(2*O)",
        {
            "A.T@O": "factor|2",
            "softmax(Q@K.T, dim=1).T@(2*O)": "sqrt(2)|factor|division",
            "softmax(Q@K.T/sqrt(2), dim=0).T@(2*O)": "axis|dim",
            "softmax(Q@K.T/2, dim=1).T@(2*O)": "number|sqrt|factor|constant",
        },
    ),
    Model(  # attention, scores
        "s = Q@K.T/sqrt(2); A = softmax(s, dim=1); L = sum(A*G)",
        {"Q": [[0.3, -0.4], [0.8, 0.1]], "K": X, "G": [[1.0, -0.5, 0.2], [0.3, 0.9, -0.7]]}, "Q",
        "(A*(G - sum(A*G, dim=1, keepdim=True)))@K/sqrt(2)",
        {
            "(A*(G - sum(A*G, dim=1, keepdim=True)))@K": "sqrt(2)|1.414",
            "(A*(G - sum(A*G, dim=0, keepdim=True)))@K/sqrt(2)": "axis|dim",
            "(A*G)@K/sqrt(2)": "term|path",
            "(A*(G - sum(G, dim=1, keepdim=True)))@K/sqrt(2)": "factor|A",
            "(A*(G - mean(A*G, dim=1, keepdim=True)))@K/sqrt(2)": "sum(",
            "(A*(G + sum(A*G, dim=1, keepdim=True)))@K/sqrt(2)": "sign",
        },
    ),
    Model(  # convolution
        "y = conv1d(x.reshape(1,1,6), w.reshape(1,1,2)).reshape(5); L = sum(y**2)",
        {"x": [0.4, 1.3, 2.2, -0.6, 0.9, 0.1], "w": [0.7, -0.3]}, "w",
        "stack([sum(2*y*x[0:5]), sum(2*y*x[1:6])])",
        {
            "stack([sum(2*y*x[1:6]), sum(2*y*x[0:5])])": "order|permuted|reverse",
            "stack([sum(y*x[0:5]), sum(y*x[1:6])])": "factor|2",
            "stack([sum(2*y*x[0:5]), sum(2*y*x[0:5])])": "index|x[1:6]|elements",
            "stack([mean(2*y*x[0:5]), mean(2*y*x[1:6])])": "mean|factor|5",
            "stack([sum(2*y*x[0:5]), sum(2*x[1:6])])": "y",
        },
    ),
    Model(  # least squares
        "r = X@w - y; L = mean(r**2)", {"X": X, "w": [0.3, -0.2], "y": Y}, "w", "2*X.T@r/3",
        {
            "2*X.T@r": "mean|1/n|averaged|division by 3",
            "X.T@r/3": "factor|2",
            "2*X.T@(y - X@w)/3": "sign|order",
            "2*X.T@(X@w + y)/3": "sign",
            "2*X.T@(X@w)/3": "term|y",
            "2*X.T@r/2": "3",
            "2*X.T@r**2/3": "exponent",
            "2*X.T@y/3": "r|variable",
        },
    ),
    Model(  # logistic regression
        "p = sigmoid(X@w); L = -mean(y*log(p) + (1-y)*log(1-p))",
        {"X": X, "w": [0.3, -0.2], "y": [0, 1, 1]}, "w", "X.T@(p - y)/3",
        {
            "X.T@(p - y)": "mean|1/n|division by 3",
            "X.T@(y - p)/3": "sign|order",
            "X.T@((p - y)*p*(1 - p))/3": "p|twice|factor",
            "X.T@(softmax(X@w) - y)/3": "sigmoid|function",
            "X.T@(X@w - y)/3": "sigmoid|function",
            "X.T@(tanh(X@w) - y)/3": "sigmoid|function",
            "(X.T*(p - y))/3": "@|operation|sum",
        },
    ),
    Model(  # RNN cell
        "h1 = tanh(x@U + h@V + b); L = sum(c*h1)",
        {"x": [0.5, -0.3], "U": S, "h": [0.2, 0.4], "V": P, "b": [0.1, -0.2], "c": [1.0, 0.6]},
        "V", "outer(h, c*(1 - h1**2))",
        {
            "outer(h, c*(1 - h1))": "exponent|h1**2",
            "outer(c*(1 - h1**2), h)": "transposed|order|way round",
            "outer(h, c)": "1 - h1**2|chain",
            "outer(x, c*(1 - h1**2))": "h|variable",
            "outer(h, c*(1 + h1**2))": "sign|1 - h1**2, not 1 + h1**2",
            "outer(h, (1 - h1**2))": "c|gradient of sum",
            "h*c*(1 - h1**2)": "outer|broadcast",
            "outer(h1, c*(1 - h1**2))": "h|variable",
        },
    ),
    Model(  # Kalman gain
        "S = H@P@H.T + R; K = P@H.T@inv(S); e = K@z; L = sum(e)",
        {"H": [[1.0, 0.5], [0.2, 1.0]], "P": P, "R": [[0.5, 0.0], [0.0, 0.4]], "z": [0.7, -0.2]},
        "z", "K.T@ones(2)",
        {
            "K@ones(2)": "transpos",
            "sum(K, dim=1)": "axis|transpos|dim=0",
            "inv(S).T@H@P.T@ones(2)*2": "factor|2",
            "inv(H@P@H.T).T@H@P.T@ones(2)": "R|term",
            "K.T@z": "ones|value|z|name",
            "S@H@P.T@ones(2)": "inv|function|solve",
        },
    ),
    Model(  # Gaussian likelihood
        "L = -sum(-(x - mu)**2/(2*s**2) - log(s) - 0.5*log(2*pi))",
        {"x": Y, "mu": 0.9, "s": 0.8}, "s", "sum(-(x - mu)**2/s**3 + 1/s)",
        {
            "sum(-(x - mu)**2/s**2 + 1/s)": "exponent|s",
            "sum(-(x - mu)**2/s**3) + 1/s": "grouping|parentheses|3",
            "sum((x - mu)**2/s**3 + 1/s)": "sign",
            "sum(-(x - mu)**2/s**3 - 1/s)": "sign",
            "sum(-(x - mu)**2/s**3)": "term|path",
            "sum(-(x - mu)/s**3 + 1/s)": "exponent|2",
            "-(x - mu)**2/s**3 + 1/s": "sum",
            "sum(-(x - mu)**2/(2*s**3) + 1/s)": "2|factor",
        },
    ),
    Model(  # the mean of a Gaussian
        "L = sum(0.5*((x - mu)/s)**2) + 3*log(s)", {"x": Y, "mu": 0.9, "s": 0.8}, "mu",
        "-sum(x - mu)/s**2",
        {
            "sum(x - mu)/s**2": "sign",
            "-sum(x - mu)/s": "exponent|s",
            "-sum(x - mu)": "s|1/s**2",
            "-sum(x + mu)/s**2": "sign",
            "-mean(x - mu)/s**2": "sum|3",
            "-sum((x - mu)**2)/s**2": "exponent",
            "-sum(x) - mu/s**2": "grouping|parentheses",
        },
    ),
    Model(  # pendulum
        "E = m*l**2*w**2/2 + m*g*l*(1 - cos(a))",
        {"m": 1.3, "l": 0.7, "w": 2.1, "g": 9.81, "a": 0.4}, "l", "m*l*w**2 + m*g*(1 - cos(a))",
        {
            "m*l*w**2/2 + m*g*(1 - cos(a))": "2|factor",
            "m*l*w + m*g*(1 - cos(a))": "exponent|w",
            "m*l*w**2 + m*g*(1 - sin(a))": "function|cos",
            "m*l*w**2 + m*g*(1 + cos(a))": "sign",
            "m*l*w**2 + g*(1 - cos(a))": "m",
            "m*l*w**2": "term|path",
            "m*l*w**2 + m*g*l*(1 - cos(a))": "l|factor",
            "m*l*w**2 + m*g*(1 - cos(a*pi/180))": "pi|180|factor|degrees",
            "m*l*w**2 + m*g*1 - cos(a)": "grouping|parentheses",
        },
    ),
    Model(  # pendulum, the angle
        "E = m*g*l*(1 - cos(a)) + k*a**2", {"m": 1.3, "l": 0.7, "g": 9.81, "a": 0.4, "k": 0.3},
        "a", "m*g*l*sin(a) + 2*k*a",
        {
            "-m*g*l*sin(a) + 2*k*a": "sign",
            "m*g*l*cos(a) + 2*k*a": "function|sin",
            "m*g*l*sin(a) + k*a": "2|factor",
            "m*g*sin(a) + 2*k*a": "l",
            "m*g*l*a + 2*k*a": "sin|function",
            "m*g*l*sin(a*pi/180) + 2*k*a": "pi|180|factor|degrees",
            "m*g*l*sin(a) + 2*k": "a",
        },
    ),
    Model(  # heat equation
        "d = (u[2:] - 2*u[1:-1] + u[:-2])/h**2; L = sum(d*c)",
        {"u": [0.1, 0.6, 1.2, 0.7, 0.2], "h": 0.5, "c": [0.8, -0.3, 1.1]}, "h",
        "-2*sum(d*c)/h",
        {
            "2*sum(d*c)/h": "sign",
            "-sum(d*c)/h": "2|factor",
            "-2*sum(d*c)/h**2": "exponent|h",
            "-2*sum(d*c)": "h|division",
            "-2*sum(d)/h": "c|factor",
            "-2*mean(d*c)/h": "sum",
            "-2*sum(d)*c/h": "grouping|parentheses",
        },
    ),
    Model(  # heat equation, one step
        "n = u + a*(roll(u, 1, 0) - 2*u + roll(u, -1, 0)); L = sum(n**2)",
        {"u": [0.1, 0.6, 1.2, 0.7, 0.2], "a": 0.2}, "u",
        "2*n + 2*a*(roll(n, 1, 0) - 2*n + roll(n, -1, 0))",
        {
            "2*n + a*(roll(n, 1, 0) - 2*n + roll(n, -1, 0))": "2|factor",
            "2*n + 2*a*(roll(n, 1, 0) - n + roll(n, -1, 0))": "2|factor",
            "2*n + 2*a*(roll(n, 1, 0) - 2*n - roll(n, -1, 0))": "sign",
            "2*n + 2*a*(roll(u, 1, 0) - 2*n + roll(n, -1, 0))": "n|variable",
            "2*a*(roll(n, 1, 0) - 2*n + roll(n, -1, 0))": "term|path",
            "n + 2*a*(roll(n, 1, 0) - 2*n + roll(n, -1, 0))": "2|factor",
            "2*n + 2*a*(roll(n, 1, 0) - 2*n + roll(n, -2, 0))": "-1|number",
        },
    ),
    Model(  # Huber-like loss
        "r = x - t; L = sum(where(abs(r) < 1, 0.5*r**2, abs(r) - 0.5))",
        {"x": [0.4, 2.3, -2.2], "t": [0.1, 0.2, 0.3]}, "x", "where(abs(r) < 1, r, sign(r))",
        {
            "where(abs(r) > 1, r, sign(r))": "condition",
            "where(abs(r) < 1, sign(r), r)": "order|way round|condition",
            "where(abs(r) < 1, 2*r, sign(r))": "2|factor",
            "where(abs(r) < 1, r, abs(r))": "sign|function",
            "where(abs(r) < 1, r, 1)": "sign|elements",
            "r": "condition|elements|what comes after is left out|clamp",
        },
    ),
    Model(  # a network with relu
        "h = relu(X@U); y = h@v; L = mean((y - t)**2)",
        {"X": X, "U": S, "v": [0.5, -0.8], "t": [0.1, 0.2, -0.4]}, "U",
        "X.T@(outer(2*(y - t)/3, v)*(h > 0))",
        {
            "X.T@(outer(2*(y - t)/3, v))": "mask|h > 0|X@U > 0|X @ U > 0",
            "X.T@(outer(2*(y - t)/3, v)*(h < 0))": "condition",
            "X.T@(outer((y - t)/3, v)*(h > 0))": "2|factor",
            "X.T@(outer(2*(y - t), v)*(h > 0))": "mean|3",
            "X.T@(outer(2*(t - y)/3, v)*(h > 0))": "sign|order",
            "X.T@(outer(2*y/3, v)*(h > 0))": "t|term",
            "X.T@(outer(2*(y - t)/3, v)*h)": "h > 0|other-value|function|condition",
        },
    ),
    Model(  # Poisson regression
        "mu = exp(X@w); L = sum(mu - y*log(mu))", {"X": X, "w": [0.3, -0.2], "y": [1, 3, 2]}, "w",
        "X.T@(mu - y)",
        {
            "X.T@(y - mu)": "sign|order",
            "X.T@(X@w - y)": "exp|function",
            "X.T@(log(mu) - y)": "log|function",
            "X.T@(1 - y/mu)": "mu|chain",
            "X.T@(mu - y)/3": "3|factor|division",
            "X.T@mu": "y|term",
        },
    ),
    Model(  # ridge
        "r = X@w - y; L = 0.5*sum(r**2) + 0.5*a*sum(w**2)",
        {"X": X, "w": [0.3, -0.2], "y": Y, "a": 0.4}, "w", "X.T@r + a*w",
        {
            "X.T@r + 2*a*w": "2",
            "X.T@r + a": "w",
            "X.T@r - a*w": "sign",
            "X.T@r": "term|path",
            "X.T@r + a*w**2": "exponent",
            "X.T@r + w": "a",
        },
    ),
    Model(  # softplus and logs of other bases
        "L = sum(log2(1 + x**2))", {"x": Y}, "x", "2*x/((1 + x**2)*log(2))",
        {
            "2*x/(1 + x**2)": "log(2)|ln 2",
            "2*x/((1 + x**2)*log(10))": "log(2)|number|2|ln",
            "x/((1 + x**2)*log(2))": "2",
            "2*x/(1 + x**2)*log(2)": "grouping|parentheses|log(2)",
            "2*x/((1 - x**2)*log(2))": "sign",
            "2*x/((1 + x)*log(2))": "exponent|x**2",
            "2/((1 + x**2)*log(2))": "x",
        },
    ),
    Model(  # variance
        "L = var(x)", {"x": [0.4, 1.3, 2.2, -0.6]}, "x", "2*(x - mean(x))/3",
        {
            "2*(x - mean(x))/4": "n - 1|n/(n - 1)|3",
            "2*(x - mean(x))": "3|1/n|division",
            "2*(x - sum(x))/3": "mean|function",
            "2*x/3": "mean(x)|term|path",
            "(x - mean(x))/3": "2",
            "2*(x - mean(x))**2/3": "exponent",
            "2*(x + mean(x))/3": "sign",
        },
    ),
    Model(  # cosine similarity
        "c = dot(a, b)/(norm(a)*norm(b))", {"a": Y, "b": [1.0, -0.5, 0.7]}, "a",
        "b/(norm(a)*norm(b)) - c*a/norm(a)**2",
        {
            "b/(norm(a)*norm(b))": "term|path|quotient",
            "b/(norm(a)*norm(b)) + c*a/norm(a)**2": "sign",
            "b/(norm(a)*norm(b)) - c*a/norm(a)": "exponent|norm",
            "b/(norm(a)*norm(b)) - a/norm(a)**2": "c",
            "b/(norm(a)*norm(b)) - c*b/norm(a)**2": "a|variable",
            "b/norm(a)*norm(b) - c*a/norm(a)**2": "grouping|parentheses|operation",
            "a/(norm(a)*norm(b)) - c*a/norm(a)**2": "b|variable",
        },
    ),
    Model(  # log determinant and trace
        "L = logdet(A) + trace(B@A)", {"A": S, "B": [[0.3, -0.7], [0.4, 1.1]]}, "A",
        "inv(A).T + B.T",
        {
            "inv(A) + B.T": "transpos",
            "inv(A).T + B": "transpos",
            "inv(A).T - B.T": "sign",
            "A.T + B.T": "inv|function",
            "inv(A).T": "term|path",
            "inv(A).T*det(A) + B.T": "det(A)",
            "inv(A).T@B.T": "operation|+",
        },
    ),
    Model(  # Rosenbrock
        "L = (1 - x)**2 + 100*(y - x**2)**2", {"x": 1.2, "y": 1.7}, "x",
        "-2*(1 - x) - 400*x*(y - x**2)",
        {
            "2*(1 - x) - 400*x*(y - x**2)": "sign",
            "-2*(1 - x) + 400*x*(y - x**2)": "sign",
            "-2*(1 - x) - 200*x*(y - x**2)": "2|400|number",
            "-2*(1 - x) - 400*(y - x**2)": "x",
            "-2*(1 - x) - 400*x*(y - x)": "exponent|x**2",
            "-2*(1 - x) - 400*x*y - x**2": "grouping|parentheses",
            "-2*(1 - x) - 40*x*(y - x**2)": "400|number|10",
        },
    ),
    Model(  # scaled dot product with temperature
        "p = softmax(z/t); L = -log(p[1])", {"z": Y, "t": 2.0}, "t",
        "(z[1] - sum(p*z))/t**2",
        {
            "(z[1] - sum(p*z))/t": "exponent|t",
            "(sum(p*z) - z[1])/t**2": "sign|order",
            "(z[0] - sum(p*z))/t**2": "index|z[1]",
            "(z[1] - sum(z))/t**2": "p",
            "(z[1] - mean(p*z))/t**2": "sum",
            "z[1] - sum(p*z)/t**2": "grouping|parentheses",
            "(z[1] + sum(p*z))/t**2": "sign",
        },
    ),
    Model(  # Michaelis-Menten
        "v = a*s/(k + s); L = sum((v - d)**2)", {"a": 2.0, "k": 0.7, "s": Y, "d": [0.6, 1.2, 1.4]},
        "k", "sum(-2*(v - d)*a*s/(k + s)**2)",
        {
            "sum(2*(v - d)*a*s/(k + s)**2)": "sign",
            "sum(-2*(v - d)*a*s/(k + s))": "exponent|k + s",
            "sum(-2*(v - d)*s/(k + s)**2)": "a",
            "sum(-2*(v + d)*a*s/(k + s)**2)": "sign",
            "-2*(v - d)*a*s/(k + s)**2": "sum",
            "sum(-(v - d)*a*s/(k + s)**2)": "2",
            "sum(-2*(v - d)*a*s/(k - s)**2)": "sign",
            "sum(-2*(v - d)*a*s/(k + s**2))": "grouping|parentheses",
        },
    ),
    Model(  # harmonic energy of points
        "d = a - b; q = sqrt(sum(d**2)); L = k*(q - r)**2",
        {"a": Y, "b": [1.0, -0.5, 0.7], "k": 1.5, "r": 0.8}, "b", "-2*k*(q - r)*d/q",
        {
            "2*k*(q - r)*d/q": "sign",
            "-2*k*(q - r)*d": "q|division",
            "-2*k*q*d/q": "r|term",
            "-k*(q - r)*d/q": "2",
            "-2*k*(q - r)*d/q**2": "exponent|q",
            "-2*(q - r)*d/q": "k",
            "-2*k*(q - r)*a/q": "d|variable",
        },
    ),
    Model(  # damped oscillation
        "y = a*exp(-c*t)*sin(w*t); L = sum(y)", {"a": 1.2, "c": 0.3, "w": 2.1, "t": Y}, "w",
        "sum(a*t*exp(-c*t)*cos(w*t))",
        {
            "sum(a*t*exp(-c*t)*sin(w*t))": "function|cos",
            "sum(a*exp(-c*t)*cos(w*t))": "t",
            "sum(-a*t*exp(-c*t)*cos(w*t))": "sign",
            "sum(a*t*exp(c*t)*cos(w*t))": "sign",
            "sum(a*w*exp(-c*t)*cos(w*t))": "t|variable",
            "sum(t*exp(-c*t)*cos(w*t))": "a",
            "a*t*exp(-c*t)*cos(w*t)": "sum",
            "sum(a*t*exp(-c)*cos(w*t))": "t",
        },
    ),
    Model(  # weighted mean
        "m = sum(w*x)/sum(w); L = m**2", {"w": [0.5, 1.2, 0.8], "x": Y}, "w",
        "2*m*(x - m)/sum(w)",
        {
            "2*m*x/sum(w)": "m|term|path|quotient",
            "m*(x - m)/sum(w)": "2",
            "2*(x - m)/sum(w)": "m",
            "2*m*(x - m)": "sum(w)",
            "2*m*(x - m)/sum(w)**2": "exponent",
            "2*m*(w - m)/sum(w)": "x|variable",
            "2*m*(x - m)/mean(w)": "sum|function",
            "2*m*(m - x)/sum(w)": "sign|order",
        },
    ),
    Model(  # GELU by tanh
        "u = 0.8*(x + 0.045*x**3); L = sum(0.5*x*(1 + tanh(u)))", {"x": Y}, "x",
        "0.5*(1 + tanh(u)) + 0.5*x*(1 - tanh(u)**2)*0.8*(1 + 0.135*x**2)",
        {
            "0.5*(1 + tanh(u))": "path|term|product",
            "0.5*(1 + tanh(u)) + 0.5*x*(1 - tanh(u))*0.8*(1 + 0.135*x**2)": "exponent|**2",
            "0.5*(1 + tanh(u)) + 0.5*x*(1 - tanh(u)**2)*0.8": "0.135|1 +|factor",
            "0.5*(1 + tanh(u)) + 0.5*x*(1 - tanh(u)**2)*(1 + 0.135*x**2)": "0.8",
            "0.5*(1 + tanh(u)) + 0.5*x*(1 - tanh(u)**2)*0.8*(1 + 0.045*x**2)": "3|0.135|number",
            "0.5*(1 + tanh(u)) - 0.5*x*(1 - tanh(u)**2)*0.8*(1 + 0.135*x**2)": "sign",
            "0.5*(1 + sigmoid(u)) + 0.5*x*(1 - tanh(u)**2)*0.8*(1 + 0.135*x**2)": "function|tanh",
            "0.5*(1 + tanh(u)) + 0.5*(1 - tanh(u)**2)*0.8*(1 + 0.135*x**2)": "x",
        },
    ),
]  # fmt: skip
