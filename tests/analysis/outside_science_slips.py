"""Slips that a newcomer makes in gradients of filters, linear systems and likelihoods."""

from __future__ import annotations

from tests.analysis.slips import Model

MODELS = [
    Model(  # Kalman gain, posterior covariance trace
        "S = H@P@H.T + R; K = P@H.T@inv(S); m = x + K@(z - H@x); L = sum(m**2)/2",
        {
            "H": [[1.0, 0.2], [0.1, 0.9]],
            "P": [[1.1, 0.3], [0.3, 0.8]],
            "R": [[0.5, 0.1], [0.1, 0.4]],
            "x": [0.4, -0.3],
            "z": [1.0, 0.6],
        },
        "x",
        "(eye(2) - K@H).T@m",
        {
            "(eye(2) - K@H)@m": "transpos|order",
            "(eye(2) + K@H).T@m": "sign",
            "m": "term|path",
            "(K@H).T@m": "sign|term|1|path|eye",
            "(eye(2) - K).T@m": "H|factor",
            "(eye(2) - H@K).T@m": "order",
            "m - H.T@(S@(H@P@m))": "solve|inv|invert",
            "-H.T@(K.T@m)": "m|term|path",
        },
        (
            "m - H.T@(K.T@m)",
            "m@(eye(2) - K@H)",
            "m - H.T@solve(S, H@P@m)",
        ),
    ),
    Model(  # Kalman, z
        "S = P + R; K = P@inv(S); m = x + K@(z - x); L = sum(m**2)/2",
        {
            "P": [[1.1, 0.3], [0.3, 0.8]],
            "R": [[0.5, 0.2], [0.2, 0.4]],
            "x": [0.4, -0.3],
            "z": [1.0, 0.6],
        },
        "z",
        "solve(S, P@m)",
        {
            "S@(P@m)": "solve|inv",
            "P@m": "solve|inv|S|factor",
            "solve(P, S@m)": "order|exchang|two",
            "inv(S)@m": "P|factor",
            "K@m": "transpos|order",
            "solve(S, m@P)/2": "2|factor",
            "solve(R, P@m)": "S|R|variable|value",
        },
        (
            "inv(S)@P@m",
            "K.T@m",
        ),
    ),
    Model(  # least squares by solve
        "x = solve(A, b); L = sum(c*x)",
        {"A": [[2.0, 0.3], [0.1, 1.5]], "b": [0.4, 0.7], "c": [1.0, -0.5]},
        "b",
        "solve(A.T, c)",
        {
            "A.T@c": "solve|inv",
            "solve(A, c)": "transpos",
            "c": "solve|inv|factor|function|gradient of x",
            "-solve(A.T, c)": "sign",
            "A@c": "solve|inv|two",
            "c*x": "value",
            "inv(A)@c": "transpos|order",
        },
        (
            "inv(A).T@c",
            "c@inv(A)",
        ),
    ),
    Model(  # least squares by solve, matrix
        "x = solve(A, b); L = sum(x**2)",
        {"A": [[2.0, 0.3], [0.1, 1.5]], "b": [0.4, 0.7]},
        "A",
        "-2*outer(solve(A.T, x), x)",
        {
            "2*outer(solve(A.T, x), x)": "sign",
            "-2*outer(A.T@x, x)": "solve|inv",
            "-2*outer(x, solve(A.T, x))": "transpos|order",
            "-2*outer(solve(A, x), x)": "transpos",
            "-outer(solve(A.T, x), x)": "2|factor",
            "-2*outer(x, x)": "solve|inv|factor",
        },
        (
            "-outer(inv(A).T@(2*x), x)",
            "-2*(inv(A).T@x)[:, None]*x",
        ),
    ),
    Model(  # RNN cell, recurrent weights
        "h = tanh(W@s + U@x + b); k = tanh(W@h + U@x + b); L = sum((k - t)**2)/2",
        {
            "W": [[0.3, -0.2], [0.5, 0.1]],
            "U": [[0.7, 0.2], [-0.4, 0.6]],
            "s": [0.2, -0.5],
            "x": [0.9, 0.4],
            "b": [0.1, -0.1],
            "t": [0.5, 0.3],
        },
        "W",
        "outer((k - t)*(1 - k**2), h) + outer(W.T@((k - t)*(1 - k**2))*(1 - h**2), s)",
        {
            "outer((k - t)*(1 - k**2), h)": "path|term|constant",
            (
                "outer((k - t)*(1 - k**2), h) + outer(W@((k - t)*(1 - k**2))*(1 - h**2), s)"
            ): "transpos",
            "outer((k - t)*(1 - k**2), h) + outer(W.T@((k - t)*(1 - k**2)), s)": "factor|1 - h",
            "outer((k - t)*(1 - k**2), h) + outer(W.T@(k - t)*(1 - h**2), s)": "factor|1 - k",
            (
                "outer((k - t)*(1 - k**2), s) + outer(W.T@((k - t)*(1 - k**2))*(1 - h**2), s)"
            ): "h|variable",
            (
                "outer((k - t)*(1 - k), h) + outer(W.T@((k - t)*(1 - k))*(1 - h), s)"
            ): "exponent|2|square|every|mistake",
            (
                "outer((k - t)*(1 - k**2), h) - outer(W.T@((k - t)*(1 - k**2))*(1 - h**2), s)"
            ): "sign",
        },
        ("((k - t)*(1 - k*k))[:, None]*h + (((k - t)*(1 - k**2))@W*(1 - h**2))[:, None]*s",),
    ),
    Model(  # Gaussian likelihood, mean of many
        "S = B@B.T + eye(2); r = x - m; L = 0.5*r@solve(S, r) + 0.5*logdet(S)",
        {"B": [[1.0, 0.3], [-0.2, 0.7]], "x": [0.4, 1.3], "m": [0.1, 0.2]},
        "m",
        "-solve(S, x - m)",
        {
            "solve(S, x - m)": "sign",
            "-S@(x - m)": "solve|inv",
            "-solve(S, x - m)/2": "2|0.5|factor",
            "-solve(B, x - m)": "S|B|variable",
            "-(x - m)": "solve|inv|S|factor",
            "-inv(S)*(x - m)": "@|matrix|operation|shape",
        },
        (
            "solve(S, m - x)",
            "-inv(S)@r",
        ),
    ),
    Model(  # Gaussian likelihood, factor
        "S = B@B.T + eye(2); L = 0.5*x@solve(S, x) + 0.5*logdet(S)",
        {"B": [[1.0, 0.3], [-0.2, 0.7]], "x": [0.4, 1.3]},
        "B",
        "(inv(S) - outer(solve(S, x), solve(S, x)))@B",
        {
            "(inv(S) + outer(solve(S, x), solve(S, x)))@B": "sign",
            "0.5*(inv(S) - outer(solve(S, x), solve(S, x)))@B": "0.5|2|factor",
            "inv(S) - outer(solve(S, x), solve(S, x))": "B|factor",
            "(S - outer(solve(S, x), solve(S, x)))@B": "inv",
            "-outer(solve(S, x), solve(S, x))@B": "term|path",
            "(inv(S) - outer(S@x, S@x))@B": "solve|inv",
            "(inv(S) - outer(x, x))@B": "solve|inv|S",
        },
        ("solve(S, B) - outer(solve(S, x), B.T@solve(S, x))",),
    ),
    Model(  # mixture of Gaussians, means
        (
            "d = x[:, None] - m; q = softmax(log(w) - d**2/2, dim=1); L = "
            "-sum(logsumexp(log(w) - d**2/2, dim=1))"
        ),
        {"x": [0.45, 1.3, 2.2], "m": [0.7, 1.9], "w": [0.4, 0.6]},
        "m",
        "-sum(q*d, dim=0)",
        {
            "sum(q*d, dim=0)": "sign",
            "-sum(d, dim=0)": "q|factor",
            "-mean(q*d, dim=0)": "sum|mean",
            "-sum(q*d**2, dim=0)": "exponent|square|2|factor",
            "-sum(w*d, dim=0)": "q|w|variable",
            "-sum(q*d, dim=0)/2": "2",
            "-sum(softmax(log(w) - d**2/2, dim=0)*d, dim=0)": "dim|axis",
            "-sum(softmax(-d**2/2, dim=1)*d, dim=0)": "log(w)|term",
        },
        (
            "sum(q*(m - x[:, None]), dim=0)",
            "-sum(q*d, 0)",
        ),
    ),
    Model(  # ridge
        "L = mean((X@w - y)**2) + l*sum(w**2)",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [1.0, 0.5, -0.3, 0.8],
            "l": 0.1,
        },
        "w",
        "2*X.T@(X@w - y)/4 + 2*l*w",
        {
            "2*X.T@(X@w - y)/4 + l*w": "2|factor",
            "2*X.T@(X@w - y) + 2*l*w": "mean|4|number",
            "2*X.T@(X@w - y)/4": "term|path",
            "2*X.T@(X@w - y)/4 - 2*l*w": "sign",
            "2*X.T@(y - X@w)/4 + 2*l*w": "order|sign",
            "2*X.T@(X@w - y)/4 + 2*l": "w|factor",
            "X.T@(X@w - y)/4 + 2*l*w": "2|factor",
            "2*X.T@(X@w - y)/2 + 2*l*w": "number|2|4",
        },
        (
            "X.T@(X@w - y)/2 + 2*l*w",
            "2*((X@w - y)@X/4 + l*w)",
        ),
    ),
    Model(  # ridge, normal equations as condition
        "G = X.T@X + l*eye(2); w = solve(G, X.T@y); L = sum((X@w - y)**2)",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "y": [1.0, 0.5, -0.3, 0.8],
            "l": 0.3,
        },
        "y",
        "2*(X@solve(G, X.T@(X@w - y)) - (X@w - y))",
        {
            "2*(X@w - y)": "path|term|sign",
            "-2*(X@w - y)": "path|term|constant",
            "2*(X@(G@(X.T@(X@w - y))) - (X@w - y))": "solve|inv",
            "2*(X@solve(G, X.T@(X@w - y)) + (X@w - y))": "sign",
            "2*(X@solve(X.T@X, X.T@(X@w - y)) - (X@w - y))": "G|term|l",
            "2*(X@(X.T@(X@w - y)) - (X@w - y))": "solve|inv|factor|G",
        },
        ("2*X@inv(G)@X.T@(X@w - y) - 2*(X@w - y)",),
    ),
    Model(  # Poisson regression
        "L = sum(exp(X@w) - y*(X@w))",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [1.0, 0.0, 2.0, 3.0],
        },
        "w",
        "X.T@(exp(X@w) - y)",
        {
            "X.T@(X@w - y)": "exp|function",
            "X.T@(exp(X@w) + y)": "sign",
            "X.T@(exp(X@w) - y)/4": "4|mean|number",
            "X.T@(exp(X@w) - y*(X@w))": "factor|X@w|too much|X @ w",
            "X.T@exp(X@w)": "term|y|path",
        },
        ("(exp(X@w) - y)@X",),
    ),
    Model(  # Cox partial likelihood, ordered
        "e = exp(X@w); R = flip(cumsum(flip(e, 0), 0), 0); L = -sum(d*(X@w - log(R)))",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "d": [1.0, 0.0, 1.0, 1.0],
        },
        "w",
        "-X.T@(d - e*cumsum(d/R, 0))",
        {
            "-X.T@(d - e*cumsum(1/R, 0))": "d",
            "X.T@(d - e*cumsum(d/R, 0))": "sign",
            "-X.T@(d - e*(d/R))": "cumsum|function",
            "-X.T@(d - cumsum(d/R, 0))": "e|factor",
            "-X.T@(1 - e*cumsum(d/R, 0))": "d|1|number",
            "-X.T@(d - e*flip(cumsum(flip(d/R, 0), 0), 0))": "flip|function|revers|transpos",
        },
        (
            "X.T@(e*cumsum(d/R, 0) - d)",
            "(e*cumsum(d/R, 0) - d)@X",
        ),
    ),
    Model(  # heat equation, two steps implicit
        "A = eye(3) + k*D; u = solve(A, f); v = solve(A, u); L = sum(v**2)/2",
        {
            "D": [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]],
            "k": 0.3,
            "f": [0.2, 1.0, 0.4],
        },
        "f",
        "solve(A.T, solve(A.T, v))",
        {
            "solve(A.T, v)": "solve|inv|factor",
            "A@A@v": "solve|inv|mistake",
            "solve(A.T, A.T@v)": "solve|inv|v|missing",
            "solve(A.T, solve(A.T, u))": "v|u|variable",
            "2*solve(A.T, solve(A.T, v))": "2|factor",
            "solve(D.T, solve(D.T, v))": "A|D|variable",
            "solve(A.T, solve(A.T, f))": "v|f|variable",
        },
        (
            "solve(A, solve(A, v))",
            "inv(A.T)@inv(A.T)@v",
            "solve(A.T@A.T, v)",
        ),
    ),
    Model(  # dropout with mask, scaled
        "h = relu(X@w)*k/(1 - p); L = sum(h**2)",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.8, 0.6],
            "k": [1.0, 0.0, 1.0, 1.0],
            "p": 0.25,
        },
        "w",
        "X.T@(2*h*k/(1 - p)*(X@w > 0))",
        {
            "X.T@(2*h*k/p*(X@w > 0))": "1 - p|complement|p",
            "X.T@(2*h*k*(1 - p)*(X@w > 0))": "divi|operation|/|upside|inver",
            "X.T@(2*h/(1 - p)*k*h)": "h|relu|mask|factor|>",
            "X.T@(2*h*k*(X@w > 0))": "1 - p|factor|divi",
            "X.T@(2*(X@w)*k/(1 - p)*(X@w > 0))": "h|factor|1 - p",
        },
    ),
    Model(  # exponential moving average
        "m = b*s + (1 - b)*g; L = (m - t)**2",
        {"b": 0.9, "s": 0.5, "g": 1.3, "t": 0.2},
        "g",
        "2*(m - t)*(1 - b)",
        {
            "2*(m - t)*b": "1 - b",
            "2*(m - t)": "1 - b",
            "2*(m + t)*(1 - b)": "sign",
            "2*m*(1 - b)": "t|term",
            "(m - t)*(1 - b)": "2",
            "2*(m - t)*(1 - b**2)": "exponent",
            "2*(m - t)/(1 - b)": "divi|operation",
        },
        ("2*(1 - b)*(b*s + (1 - b)*g - t)",),
    ),
]
