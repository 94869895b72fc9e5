"""Slips by which a function, a sum or a term stands where another one belongs: for its derivative,
for running sums, inside of a product."""

from __future__ import annotations

from tests.analysis.slips import Model

COX = (
    "eta = X@b; risk = flip(cumsum(flip(exp(eta), [0]), 0), [0]); L = sum(eta - log(risk))",
    {"X": [[0.5, 1.1], [-0.3, 0.4], [1.2, -0.8], [0.1, 0.6]], "b": [0.4, -0.7]},
)
OPTION = (
    (
        "v = sig*sqrt(T); d1 = (log(S/K) + (r + sig**2/2)*T)/v; d2 = d1 - v; "
        "C = S*ndtr(d1) - K*exp(-r*T)*ndtr(d2)"
    ),
    {"S": 101.0, "K": 95.0, "r": 0.03, "sig": 0.22, "T": 0.6},
)
NORMED = (
    "m = norm(u); h = u/m; r = X@(g*h) - y; L = sum(r**2)",
    {"u": [0.7, -0.4], "g": 1.6, "X": [[1, 0.5], [0.3, -1.2], [2, 0.7]], "y": [0.2, 1.1, 0.5]},
)
MODELS = [
    Model(  # a partial likelihood
        *COX, "b", "X.T@(1 - exp(eta)*cumsum(1/risk, 0))",
        {
            "X.T@(1 - exp(eta)/risk)": "cumsum(1 / risk, dim=0)",
            "X.T@(1 - exp(eta)*sum(1/risk))": "cumsum(1 / risk, dim=0)",
            "X.T@(1 - cumsum(exp(eta)/risk, 0))": "exp(eta) * cumsum(1 / risk, 0)",
            "X.T@(1 - eta*cumsum(1/risk, 0))": "exp(eta)",
        },
    ),
    Model(  # what an option gains by its volatility
        *OPTION, "sig", "S*sqrt(T)*exp(-d1**2/2)/sqrt(2*pi)",
        {
            "S*sqrt(T)*ndtr(d1)": "undifferentiated",
            "S*exp(-d1**2/2)/sqrt(2*pi)": "sqrt(T)",
        },
        ("K*exp(-r*T)*sqrt(T)*exp(-d2**2/2)/sqrt(2*pi)",),
    ),
    Model(  # an orbit
        "c = cos(th); r = a*(1 - k**2)/(1 + k*c)", {"a": 1.5, "k": 0.3, "th": 0.8},
        "th", "a*(1 - k**2)*k*sin(th)/(1 + k*c)**2",
        {
            "a*(1 - k**2)*k*c/(1 + k*c)**2": "c instead of sin(th)",
            "a*(1 - k**2)*sin(th)/(1 + k*c)**2": "factor k",
        },
    ),
    Model(  # weights in terms of a direction and a length
        *NORMED, "u", "2*g/m*(X.T@r - h*(h@(X.T@r)))",
        {
            "2*g/m*(X.T@r - h*h*(X.T@r))": "h * sum(h * (X.T @ r))",
            "2*g/m*(X.T@r - u*(h@(X.T@r)))": "u instead of h|division by m",
        },
    ),
    Model(  # rotated points
        "q = x@R.T; L = sum((q - d)**2)",
        {"x": [[1, 0.3], [-0.4, 1.2]], "R": [[0.8, -0.6], [0.6, 0.8]], "d": [[0.9, 0.5], [1, 2]]},
        "x", "2*(q - d)@R",
        {"2*q@R - d": "2 * (q - d) @ R", "2*(q - d)@R.T": "transposition"},
    ),
    Model(  # a beam
        "y = P*x**2*(3*l - x)/(6*E*J); L = sum(k*y)",
        {"x": [0.3, 0.8, 1.1], "P": 2.5, "l": 1.4, "E": 3.3, "J": 0.7, "k": [1.0, 2.0, 0.5]},
        "x", "k*P*(6*l*x - 3*x**2)/(6*E*J)",
        {
            "k*P*(6*l*x - 3*x**2)/(6*E + J)": "6 * E * J",
            "k*P*(6*l*x - 3*x**2)/6*E*J": "parentheses",
        },
    ),
    Model(  # the same everywhere: the sign of all, and not of a part that has no other one
        "q = x@stack([stack([cos(a), -sin(a)]), stack([sin(a), cos(a)])]).T; L = sum((q - d)**2)",
        {"x": [[1, 0.3], [-0.4, 1.2]], "a": 0.6, "d": [[0.9, 0.5], [1, 2]]},
        "a", "2*sum((q - d)*stack([-q[:, 1], q[:, 0]], 1))",
        {"2*sum((q - d)*stack([q[:, 1], -q[:, 0]], 1))": "-(2 * sum((q - d)"},
    ),
    Model(  # saturation
        "y = V*x**n/(K**n + x**n); L = sum((y - d)**2)",
        {"x": [0.4, 1.2, 2.5], "V": 1.8, "K": 0.9, "n": 2.3, "d": [0.3, 1.1, 1.5]},
        "n", "2*sum((y - d)*y*(log(x) - log(K))*K**n/(K**n + x**n))",
        {"2*sum((y - d)*y*(log(x) - log(K))*x**n/(K**n + x**n))": "x instead of K"},
    ),
    Model(  # a penalty that is not averaged
        "p = sigmoid(X@w); L = -mean(y*log(p) + (1 - y)*log(1 - p)) + s/2*sum(w**2)",
        {"X": [[1, 0.5], [0.3, -1.2], [2, 0.7]], "w": [0.6, -0.4], "y": [1, 0, 1], "s": 0.2},
        "w", "X.T@(p - y)/3 + s*w",
        {"(X.T@(p - y) + s*w)/3": "parentheses|3", "X.T@(p - y)/3 + s": "factor w"},
    ),
    Model(  # the determinant of a product
        "B = A@A; L = log(det(B))", {"A": [[1.2, 0.4], [0.3, 0.9]]}, "A", "2*inv(A).T",
        {"2*A/det(A)": "2 * inv(A).T", "2*A.T/det(A)": "2 * inv(A).T", "inv(A).T": "2"},
    ),
    Model(  # a number less than it should be
        "L = sum(x*y/(4 - c))", {"x": [1.2, -0.7], "y": [0.8, 1.5], "c": 1.3}, "x", "y/(4 - c)",
        {"y/4": "4 - c", "y/(4*c)": "4 - c"},
    ),
]  # fmt: skip
