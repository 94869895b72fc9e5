"""Slips of engineers who derive by hand, in programs of many fields."""

from __future__ import annotations

from tests.analysis.slips import Model

X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.2, 0.8]]
Y = [0.4, 1.3, 2.2]
MODELS = [
    Model(  # focal loss
        "p = sigmoid(z); L = -sum((1 - p)**2*log(p))", {"z": Y}, "z",
        "2*p*(1 - p)**2*log(p) - (1 - p)**3",
        {
            "p*(1 - p)**2*log(p) - (1 - p)**3": "factor|2",
            "-2*p*(1 - p)**2*log(p) - (1 - p)**3": "sign",
            "2*p*(1 - p)*log(p) - (1 - p)**3": "exponent|1 - p",
            "-(1 - p)**3": "path|term",
        },
    ),
    Model(  # triplet loss, active
        "dp = sum((a - p)**2); dn = sum((a - n)**2); L = dp - dn + 1.0",
        {"a": [0.3, 0.8], "p": [0.1, 1.0], "n": [1.1, -0.4]}, "a", "2*(n - p)",
        {
            "2*(p - n)": "sign|order",
            "n - p": "factor|2",
            "2*(a - p)": "path|other-value|variable",
        },
    ),
    Model(  # RMS norm
        "r = sqrt(mean(x**2) + 1e-2); L = sum(g*x/r)", {"x": Y, "g": [1.0, -0.5, 0.8]}, "x",
        "g/r - x*sum(g*x)/(3*r**3)",
        {
            "g/r + x*sum(g*x)/(3*r**3)": "sign",
            "g/r - x*sum(g*x)/r**3": "3|mean|number",
            "g/r - x*sum(g*x)/(3*r**2)": "exponent",
            "g/r": "term|path",
            "g/r - x*mean(g*x)/(3*r**3)": "sum|mean",
        },
    ),
    Model(  # Huber, both branches
        "r = x - t; L = sum(where(abs(r) < 1, r**2/2, abs(r) - 0.5))",
        {"x": Y, "t": [0.1, 0.2, 3.9]}, "x", "where(abs(r) < 1, r, sign(r))",
        {
            "where(abs(r) < 1, sign(r), r)": "order|way round|condition",
            "where(abs(r) < 1, 2*r, sign(r))": "2|factor",
            "where(abs(r) < 1, r, 1)": "sign|elements|mask|1 instead",
            "r": "elements|where|other-output|clamp",
        },
    ),
    Model(  # Poisson regression
        "L = sum(exp(X@w) - y*(X@w))", {"X": X, "w": [0.4, -0.3], "y": [1.0, 2.0, 0.0, 3.0]}, "w",
        "X.T@(exp(X@w) - y)",
        {
            "X.T@(y - exp(X@w))": "sign|order",
            "X.T@(exp(X@w) + y)": "sign",
            "X.T@(X@w - y)": "function|exp",
            "X.T@exp(X@w)": "path|term|y",
        },
    ),
    Model(  # cosine similarity
        "s = dot(a, b)/(norm(a)*norm(b))", {"a": Y, "b": [0.5, -0.2, 1.0]}, "a",
        "b/(norm(a)*norm(b)) - s*a/norm(a)**2",
        {
            "b/(norm(a)*norm(b))": "path|term",
            "b/(norm(a)*norm(b)) - s*a/norm(a)": "exponent",
            "b/(norm(a)*norm(b)) + s*a/norm(a)**2": "sign",
            "a/(norm(a)*norm(b)) - s*a/norm(a)**2": "variable|b",
            "b/norm(a) - s*a/norm(a)**2": "norm(b)",
        },
    ),
    Model(  # bilinear form
        "s = x@A@y", {"x": [0.4, 1.3], "A": [[1.0, 0.3], [-0.4, 2.0]], "y": [0.7, -0.6]}, "A",
        "outer(x, y)",
        {
            "outer(y, x)": "transpos|order", "outer(x, x)": "variable|y",
            "x*y": "broadcast|outer|operation",
        },
    ),
    Model(  # Rosenbrock
        "f = (1 - x)**2 + 100*(y - x**2)**2", {"x": 0.7, "y": 1.3}, "x",
        "-2*(1 - x) - 400*x*(y - x**2)",
        {
            "-2*(1 - x) - 200*x*(y - x**2)": "200|factor|2",
            "2*(1 - x) - 400*x*(y - x**2)": "sign",
            "-2*(1 - x) - 400*(y - x**2)": "factor|x",
            "-2*(1 - x) + 400*x*(y - x**2)": "sign",
        },
    ),
    Model(  # RC circuit
        "v = V*(1 - exp(-t/(R*C)))", {"V": 5.0, "t": 0.4, "R": 1.7, "C": 0.3}, "R",
        "-V*exp(-t/(R*C))*t/(R**2*C)",
        {
            "V*exp(-t/(R*C))*t/(R**2*C)": "sign",
            "-V*exp(-t/(R*C))*t/(R*C)": "exponent|R",
            "-V*exp(-t/(R*C))*t/R**2": "C",
            "-exp(-t/(R*C))*t/(R**2*C)": "V",
        },
    ),
    Model(  # portfolio variance
        "s = sqrt(w@S@w)", {"w": [0.3, 0.7], "S": [[0.04, 0.01], [0.01, 0.09]]}, "w", "S@w/s",
        {
            "2*S@w/s": "2|factor", "S@w": "divis|s", "S@w/s**2": "exponent|s", "w/s": "S",
            "S*w/s": "operation|@|sum|broadcast|matrix|shape",
        },
    ),
    Model(  # SIR model, one step
        "n = S + I; i2 = I + b*S*I/n - g*I; L = i2**2", {"S": 0.9, "I": 0.2, "b": 0.5, "g": 0.1},
        "b", "2*i2*S*I/n",
        {
            "i2*S*I/n": "2|factor", "2*i2*S*I": "n|divis", "2*S*I/n": "i2|factor",
            "2*i2*S/n": "I|factor", "-2*i2*S*I/n": "sign",
        },
    ),
    Model(  # elastic net, the smooth part
        "r = X@w - y; L = mean(r**2)/2 + a*sum(w**2)",
        {"X": X, "w": [0.4, -0.3], "y": [1.0, 2.0, 0.0, 3.0], "a": 0.3}, "w",
        "X.T@r/4 + 2*a*w",
        {
            "X.T@r + 2*a*w": "4|mean|divis", "X.T@r/4 + a*w": "2|factor|constant",
            "X.T@r/4 - 2*a*w": "sign", "X.T@r/4 + 2*a": "w|factor",
            "X.T@r/2 + 2*a*w": "4|number",
        },
    ),
    Model(  # negative log of a Gaussian
        "L = log(s) + (x - m)**2/(2*s**2)", {"x": 1.4, "m": 0.3, "s": 0.8}, "s",
        "1/s - (x - m)**2/s**3",
        {
            "1/s - (x - m)**2/s**2": "exponent|s", "1/s + (x - m)**2/s**3": "sign",
            "1/s - (x - m)**2/(2*s**3)": "2|factor", "-(x - m)**2/s**3": "path|term",
            "1/s - (x - m)/s**3": "exponent",
        },
    ),
]  # fmt: skip
