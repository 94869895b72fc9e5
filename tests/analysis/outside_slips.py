"""Slips that a newcomer makes in gradients of losses, norms and attention."""

from __future__ import annotations

from tests.analysis.slips import Model

MODELS = [
    Model(  # weighted CE over class weights
        "lp = log_softmax(Z, dim=1); W = w[y]; L = -sum(W*gather(lp, 1, y[:, None])[:, 0])/sum(W)",
        {"Z": [[0.2, -0.5, 0.9], [1.1, 0.4, -0.3]], "w": [0.5, 2.0, 1.25], "y": [2, 0]},
        "Z",
        "W[:, None]*(softmax(Z, dim=1) - one_hot(y, 3))/sum(W)",
        {
            "W[:, None]*(softmax(Z, dim=1) - one_hot(y, 3))": "sum(W)|1/n|divi",
            "(softmax(Z, dim=1) - one_hot(y, 3))/sum(W)": "W|factor",
            "W[:, None]*(softmax(Z, dim=1) - one_hot(y, 3))/2": "sum|2|number",
            "W[:, None]*(softmax(Z, dim=1) - one_hot(y, 3))/sum(w)": "W|w|variable",
            "W[:, None]*softmax(Z, dim=1)/sum(W)": "one_hot|one-hot|term|path",
            "W[:, None]*(softmax(Z, dim=0) - one_hot(y, 3))/sum(W)": "dim|axis",
        },
        (
            "(W/sum(W))[:, None]*(exp(lp) - one_hot(y, 3))",
            "-W[:, None]*(one_hot(y, 3) - softmax(Z, dim=1))/sum(W)",
        ),
    ),
    Model(  # weighted squares
        "L = sum(w*(X@b - t)**2)/sum(w)",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "b": [0.3, -0.2],
            "t": [0.1, 0.2, -0.4, 0.5],
            "w": [0.5, 1.5, 1.0, 2.0],
        },
        "b",
        "2*X.T@(w*(X@b - t))/sum(w)",
        {
            "2*X.T@(w*(X@b - t))": "sum(w)|divi",
            "2*X.T@(w*(X@b - t))/4": "sum|number|4",
            "2*X.T@(X@b - t)/sum(w)": "factor|w",
            "2*X.T@(w*(t - X@b))/sum(w)": "sign|order",
            "X.T@(w*(X@b - t))/sum(w)": "2|factor",
            "2*X.T@(w**2*(X@b - t))/sum(w)": "exponent|square",
        },
        (
            "2*(w*(X@b - t))@X/5",
            "X.T@(2*w*(X@b - t)/sum(w))",
        ),
    ),
    Model(  # focal loss
        "p = sigmoid(z); L = -sum(y*(1 - p)**2*log(p) + (1 - y)*p**2*log(1 - p))",
        {"z": [0.3, -0.8, 1.2], "y": [1.0, 0.0, 1.0]},
        "z",
        "y*(2*(1 - p)**2*p*log(p) - (1 - p)**3) + (1 - y)*(p**3 - 2*p**2*(1 - p)*log(1 - p))",
        {
            (
                "y*((1 - p)**2*p*log(p) - (1 - p)**3) + (1 - y)*(p**3 - 2*p**2*(1 - p)*log(1 - p))"
            ): "2|factor",
            (
                "y*(2*(1 - p)**2*p*log(p) - (1 - p)**3) + y*(p**3 - 2*p**2*(1 - p)*log(1 - p))"
            ): "1 - y",
            (
                "y*(2*(1 - p)**2*p*log(p) - (1 - p)**3) + (1 - y)*(p**3 - 2*p**2*log(1 - p))"
            ): "1 - p|factor",
            (
                "y*(2*(1 - p)**2*p*log(p) + (1 - p)**3) + (1 - y)*(p**3 - 2*p**2*(1 - p)*log(1 "
                "- p))"
            ): "sign",
            (
                "y*(2*(1 - p)**2*log(p) - (1 - p)**3) + (1 - y)*(p**3 - 2*p**2*(1 - p)*log(1 - p))"
            ): "factor|p",
            (
                "y*(2*(1 - p)**2*p*log(p) - (1 - p)**2) + (1 - y)*(p**3 - 2*p**2*(1 - p)*log(1 "
                "- p))"
            ): "exponent|factor|3",
        },
        ("y*(1 - p)**2*(2*p*log(p) - (1 - p)) + (1 - y)*p**2*(p - 2*(1 - p)*log(1 - p))",),
    ),
    Model(  # binary cross-entropy
        "p = sigmoid(X@w); L = -mean(y*log(p) + (1 - y)*log(1 - p))",
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [1.0, 0.0, 0.0, 1.0],
        },
        "w",
        "X.T@(p - y)/4",
        {
            "X.T@(p - (1 - y))/4": "1 - y|complement|y",
            "X.T@((1 - p) - y)/4": "1 - p|p|complement",
            "X.T@(y - p)/4": "sign|order",
            "X.T@(p - y)": "mean|4",
            "X.T@((p - y)*p*(1 - p))/4": "factor|doubled|twice",
            "X.T@((1 - y)*p - y*p)/4": "1 - p|complement|p",
        },
        (
            "mean((p - y)[:, None]*X, dim=0)",
            "X.T@((1 - y)*p - y*(1 - p))/4",
        ),
    ),
    Model(  # group norm, data
        (
            "g = x.reshape(2, 3); m = mean(g, dim=1, keepdim=True); v = mean((g - m)**2, "
            "dim=1, keepdim=True); y = (g - m)/sqrt(v + 1e-2); L = sum(c.reshape(2, 3)*y)"
        ),
        {"x": [0.4, 1.3, 2.2, -0.6, 0.9, 0.1], "c": [0.7, -0.2, 0.5, 1.1, 0.3, -0.8]},
        "x",
        (
            "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True) - "
            "y*mean(c.reshape(2, 3)*y, dim=1, keepdim=True))/sqrt(v + 1e-2)).reshape(6)"
        ),
        {
            (
                "((c.reshape(2, 3) - mean(c) - y*mean(c.reshape(2, 3)*y, dim=1, "
                "keepdim=True))/sqrt(v + 1e-2)).reshape(6)"
            ): "dim|axis",
            (
                "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True) - "
                "y*mean(c.reshape(2, 3)*y, dim=0, keepdim=True))/sqrt(v + 1e-2)).reshape(6)"
            ): "dim|axis",
            (
                "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True) - "
                "y*sum(c.reshape(2, 3)*y, dim=1, keepdim=True))/sqrt(v + 1e-2)).reshape(6)"
            ): "sum|mean",
            (
                "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True))/sqrt(v + "
                "1e-2)).reshape(6)"
            ): "term|path|constant",
            (
                "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True) - "
                "y*mean(c.reshape(2, 3)*y, dim=1, keepdim=True))/sqrt(v)).reshape(6)"
            ): "0.01|eps|term",
            (
                "((c.reshape(2, 3) - mean(c.reshape(2, 3), dim=1, keepdim=True) - "
                "y*mean(c.reshape(2, 3)*y, dim=1, keepdim=True))/(v + 1e-2)).reshape(6)"
            ): "sqrt|function",
        },
    ),
    Model(  # contrastive InfoNCE
        "S = A@B.T/0.5; L = -mean(diagonal(log_softmax(S, dim=1)))",
        {
            "A": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "B": [[0.3, 0.9], [1.1, -0.4], [-0.6, 0.2], [0.8, 0.7]],
        },
        "A",
        "(softmax(S, dim=1) - eye(4))@B/(4*0.5)",
        {
            "(softmax(S, dim=0) - eye(4))@B/(4*0.5)": "dim|axis",
            "(softmax(S, dim=1) - eye(4))@B/4": "0.5|number|2|factor",
            "(softmax(S, dim=1) + eye(4))@B/2": "sign",
            "softmax(S, dim=1)@B/2": "eye|term|path|one-hot",
            "(softmax(S, dim=1) - eye(4)).T@B/2": "transpos",
            "(softmax(S, dim=1) - eye(4))@A/2": "B|variable",
            "(softmax(S, dim=1) - eye(4))@B/0.5": "mean|4|number",
        },
        (
            "(softmax(S, dim=1) - eye(4))@B/2",
            "(softmax(S, dim=1)@B - B)/2",
        ),
    ),
    Model(  # attention, keys
        "A = softmax(Q@K.T/sqrt(2), dim=-1); L = sum((A@V)*C)",
        {
            "Q": [[0.1, 0.5], [0.7, 0.2]],
            "K": [[0.3, -0.2], [0.5, 0.9], [-0.7, 0.1]],
            "V": [[1.0, 0.5], [-0.4, 0.7], [0.9, -1.1]],
            "C": [[0.2, 0.1], [0.4, -0.3]],
        },
        "K",
        "(A*(C@V.T - sum(C@V.T*A, dim=-1, keepdim=True))).T@Q/sqrt(2)",
        {
            "(A*(C@V.T - sum(C@V.T*A, dim=-1, keepdim=True))).T@Q": "sqrt|2|factor",
            "(A*(C@V.T)).T@Q/sqrt(2)": "term|path|sum",
            "(A*(C@V.T - sum(C@V.T*A, dim=0, keepdim=True))).T@Q/sqrt(2)": "dim|axis",
            "(A*(C@V.T - sum(C@V.T*A))).T@Q/sqrt(2)": "dim|axis",
            "(A*(1 - A)*(C@V.T)).T@Q/sqrt(2)": "diagonal",
            "(A*(C@V.T - sum(C@V.T*A, dim=-1, keepdim=True))).T@Q/2": "sqrt|function|number",
        },
        ("(A*(C@V.T) - A*sum(A*(C@V.T), dim=1, keepdim=True)).T@Q/sqrt(2)",),
    ),
]
