"""Slips in formulas of networks as people write them for a review: chains of several steps."""

from __future__ import annotations

from tests.analysis.slips import Model

MODELS = [
    Model(  # weighted softmax cross-entropy
        "p = softmax(Z, dim=1); L = -sum(c*T*log(p))/sum(c*T)",
        {
            "Z": [[0.15, 0.5, -0.35], [1.2, -0.45, 0.7]],
            "T": [[0, 1, 0], [1, 0, 0]],
            "c": [0.5, 2.0, 1.25],
        },
        "Z",
        "(p*sum(c*T, dim=1, keepdim=True) - c*T)/sum(c*T)",
        {
            "(p*sum(c*T, dim=1, keepdim=True) - c*T)/2": "sum|2|mean|number",
            "(p - c*T)/sum(c*T)": "factor|sum|missing",
            "(p*sum(c*T, dim=0, keepdim=True) - c*T)/sum(c*T)": "dim|axis",
            "(p*sum(c*T, dim=1, keepdim=True) - T)/sum(c*T)": "c",
        },
        (
            "(softmax(Z, dim=-1)*(T@c)[:, None] - T*c)/sum(T@c)",
            (
                "-(c*T - exp(Z)/sum(exp(Z), dim=1, keepdim=True)*sum(T*c, dim=1, "
                "keepdim=True))/sum(c*T)"
            ),
            "(sum(c*T, dim=1, keepdim=True)*p - c*T)*(sum(c*T))**-1",
        ),
    ),
    Model(  # layer norm with gain, data
        "m = mean(x); s = sqrt(mean((x - m)**2) + 1e-2); n = (x - m)/s; L = sum(tanh(g*n + b))",
        {"x": [0.4, 1.3, 2.2, -0.6], "g": [1.0, -0.5, 0.3, 0.8], "b": [0.1, 0.2, -0.3, 0.0]},
        "g",
        "n*(1 - tanh(g*n + b)**2)",
        {
            "n*(1 - tanh(g*n + b))": "exponent|2|square",
            "n*(1 - tanh(g*n)**2)": "b",
            "x*(1 - tanh(g*n + b)**2)": "x|n",
            "(x - m)*(1 - tanh(g*n + b)**2)": "s|factor",
            "(1 - tanh(g*n + b)**2)": "n|factor|missing",
        },
        (
            "n/cosh(g*n + b)**2",
            "(x - mean(x))/s*(1 - tanh(b + n*g))*(1 + tanh(b + n*g))",
            "(1 - tanh((x - m)/s*g + b)**2)*(x - m)/sqrt(mean(x**2) - m**2 + 0.01)",
        ),
    ),
    Model(  # batch norm, the shift and gain as a loss of squares
        (
            "m = mean(X, dim=0); v = var(X, dim=0, unbiased=False); h = (X - m)/sqrt(v + "
            "1e-3)*g + b; L = mean((h - T)**2)"
        ),
        {
            "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "g": [1.5, 0.7],
            "b": [0.2, -0.1],
            "T": [[0.1, 0.2], [0.3, -0.4], [1.0, 0.5], [0.0, 0.9]],
        },
        "b",
        "sum(2*(h - T), dim=0)/8",
        {
            "2*mean(h - T, dim=0)": "2|factor",
            "sum(2*(h - T), dim=0)/4": "number|factor|2|8|4",
            "sum(2*(h - T), dim=0)": "mean|8|factor|number",
            "mean(T - h, dim=0)": "sign|order",
            "sum(2*(h + T), dim=0)/8": "sign",
        },
        (
            "mean(h - T, dim=0)",
            "0.25*sum(h - T, dim=0)",
            "b - mean(T, dim=0)",
        ),
    ),
    Model(  # self-attention, values
        "A = softmax(Q@K.T/sqrt(3), dim=-1); O = A@V; L = sum((O - T)**2)",
        {
            "Q": [[0.1, 0.5, -0.3], [0.7, 0.2, 0.4]],
            "K": [[0.3, -0.2, 0.8], [0.5, 0.9, -0.6], [0.2, 0.1, 0.7]],
            "V": [[1.0, 0.5], [-0.4, 0.7], [0.9, -1.1]],
            "T": [[0.2, 0.1], [0.4, -0.3]],
        },
        "V",
        "2*A.T@(O - T)",
        {
            "A.T@(O - T)": "2|factor",
            "2*A.T@(T - O)": "sign|order",
            "2*softmax(Q@K.T, dim=-1).T@(O - T)": "sqrt|factor|3|missing",
            "2*softmax(Q@K.T/sqrt(3), dim=0).T@(O - T)": "dim|axis",
            "2*A.T@O": "T|term",
        },
        (
            "A.T@(2*A@V - 2*T)",
            "2*((O - T).T@A).T",
            "einsum('ij,ik->jk', A, 2*(O - T))",
        ),
    ),
    Model(  # convolution of one dimension, strides
        "r = conv1d(x.reshape(1, 1, 6), k.reshape(1, 1, 3)).reshape(4); L = sum(r**3)/3",
        {"x": [0.5, -1.2, 2.0, 0.3, 0.9, -0.4], "k": [0.7, -0.3, 0.2]},
        "k",
        "stack([sum(r**2*x[0:4]), sum(r**2*x[1:5]), sum(r**2*x[2:6])])",
        {
            "stack([sum(r**2*x[2:6]), sum(r**2*x[1:5]), sum(r**2*x[0:4])])": (
                "order|flip|revers|index|turned"
            ),
            "3*stack([sum(r**2*x[0:4]), sum(r**2*x[1:5]), sum(r**2*x[2:6])])": "3|factor",
            "stack([sum(r*x[0:4]), sum(r*x[1:5]), sum(r*x[2:6])])": "exponent|square|factor|r",
        },
        (
            "stack([x[0:4], x[1:5], x[2:6]])@(r*r)",
            "stack([sum(r**2*x[:4]), sum(r**2*x[1:-1]), sum(r**2*x[2:])])",
            "stack([dot(r**2, x[0:4]), dot(x[1:5], r**2), dot(r**2, x[2:6])])",
        ),
    ),
    Model(  # logistic regression with weight decay and labels ±1
        "L = mean(log1p(exp(-y*(A@w)))) + 0.05*(w@w)",
        {
            "A": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [1.0, -1.0, -1.0, 1.0],
        },
        "w",
        "-A.T@(y*sigmoid(-y*(A@w)))/4 + 0.1*w",
        {
            "-A.T@(y*sigmoid(-y*(A@w)))/4 + 0.05*w": "w in w@w",
            "-A.T@(y*sigmoid(y*(A@w)))/4 + 0.1*w": "sign",
            "-A.T@(y*sigmoid(-y*(A@w))) + 0.1*w": "mean|4|number|factor",
            "-A.T@sigmoid(-y*(A@w))/4 + 0.1*w": "y|factor|missing",
            "A.T@(y*sigmoid(-y*(A@w)))/4 + 0.1*w": "sign",
        },
        (
            "0.1*w - mean((y*sigmoid(-y*(A@w)))[:, None]*A, dim=0)",
            "w/10 - A.T@(y/(1 + exp(y*(A@w))))/4",
            "A.T@(y*(sigmoid(y*(A@w)) - 1))/4 + 2*0.05*w",
        ),
    ),
    Model(  # RNN of two steps, input weights
        "a = tanh(W*x1); h = tanh(W*x2 + U*a); L = (h - t)**2",
        {"W": 0.6, "U": -0.4, "x1": 0.8, "x2": -1.1, "t": 0.3},
        "W",
        "2*(h - t)*(1 - h**2)*(x2 + U*(1 - a**2)*x1)",
        {
            "2*(h - t)*(1 - h**2)*x2": "path|term|missing",
            "2*(h - t)*(1 - h**2)*(x2 + U*x1)": "a|factor|chain|missing",
            "2*(h - t)*(1 - h)*(x2 + U*(1 - a**2)*x1)": "exponent|square|2",
            "2*(h - t)*(1 - h**2)*(x2 + W*(1 - a**2)*x1)": "U|variable|value",
            "2*(h - t)*(1 - h**2)*(x1 + U*(1 - a**2)*x2)": "exchanged",
        },
        (
            "2*(h - t)*(1 - h)*(1 + h)*(x2 + U*x1 - U*x1*a*a)",
            "(2*h - 2*t)*(x2 + U*x1/cosh(W*x1)**2)/cosh(W*x2 + U*a)**2",
            "2*(h - t)*(1 - h**2)*x2 + 2*(h - t)*(1 - h**2)*U*(1 - a**2)*x1",
        ),
    ),
    Model(  # contrastive margin loss
        "d = sqrt(sum((a - b)**2)); L = 0.5*y*d**2 + 0.5*(1 - y)*(1.5 - d)**2",
        {"a": [0.3, 0.8], "b": [0.1, -0.2], "y": 0.25},
        "a",
        "y*(a - b) - (1 - y)*(1.5 - d)*(a - b)/d",
        {
            "y*(a - b) + (1 - y)*(1.5 - d)*(a - b)/d": "sign",
            "y*(a - b) - (1 - y)*(1.5 - d)*(a - b)": "d|factor",
            "y*(a - b) - (1 - y)*(1.5 - d)*(a - b)/d**2": "exponent|2|d",
            "y*(b - a) - (1 - y)*(1.5 - d)*(b - a)/d": "sign|order|two mistakes|way",
            "y*(a - b) - y*(1.5 - d)*(a - b)/d": "1|y",
        },
        (
            "(a - b)*(y - (1 - y)*(1.5/d - 1))",
            "y*(a - b) + (1 - y)*(d - 1.5)*(a - b)/norm(a - b)",
            "(a - b)*(1 - 1.5*(1 - y)/d)",
        ),
    ),
    Model(  # focal loss with alpha on logits
        "p = sigmoid(z); L = -sum(0.25*t*(1 - p)**2*log(p) + 0.75*(1 - t)*p**2*log(1 - p))",
        {"z": [0.45, 1.3, 2.2], "t": [1.0, 0.0, 0.0]},
        "z",
        ("0.25*t*(1 - p)**2*(2*p*log(p) - (1 - p)) + 0.75*(1 - t)*p**2*(p - 2*(1 - p)*log(1 - p))"),
        {
            (
                "0.25*t*(1 - p)**2*(2*p*log(p) - (1 - p)) + 0.25*(1 - t)*p**2*(p - 2*(1 - "
                "p)*log(1 - p))"
            ): "0.75|0.25|number|factor",
            (
                "0.25*t*(1 - p)**2*(2*p*log(p) - (1 - p)) + 0.75*(1 - t)*p**2*(p + 2*(1 - "
                "p)*log(1 - p))"
            ): "sign",
            (
                "0.25*t*(1 - p)**2*(p*log(p) - (1 - p)) + 0.75*(1 - t)*p**2*(p - 2*(1 - "
                "p)*log(1 - p))"
            ): "factor 2",
            (
                "0.25*t*(1 - p)**2*(2*p*log(p) - (1 - p)) + 0.75*(1 - t)*p*(p - 2*(1 - "
                "p)*log(1 - p))"
            ): "exponent|2|square",
        },
        (
            "t*(1 - p)**2*(2*p*log(p) + p - 1)/4 + 3*(1 - t)*p**2*(p - 2*(1 - p)*log1p(-p))/4",
            (
                "where(t > 0.5, 0.25*(1 - p)**2*(2*p*log(p) + p - 1), 0.75*p**2*(p - 2*(1 - "
                "p)*log(1 - p)))"
            ),
            (
                "0.25*t*(1 - p)**2*(2*p*log(p) - sigmoid(-z)) + 0.75*(1 - t)*p**2*(p + 2*(1 - "
                "p)*softplus(z))"
            ),
        ),
    ),
    Model(  # GRU cell, reset gate
        "r = sigmoid(Wr*x + Ur*h); n = tanh(W*x + U*(r*h)); L = (z*h + (1 - z)*n)**2",
        {"Wr": 0.5, "Ur": -0.8, "x": 0.9, "h": 0.4, "W": 1.1, "U": 0.7, "z": 0.35},
        "Ur",
        "2*(z*h + (1 - z)*n)*(1 - z)*(1 - n**2)*U*h*r*(1 - r)*h",
        {
            "2*(z*h + (1 - z)*n)*(1 - z)*(1 - n**2)*U*h*r*(1 - r)": "h|factor|exponent",
            "2*(z*h + (1 - z)*n)*(1 - z)*(1 - n**2)*U*h*(1 - r)*h": "r|factor",
            "2*(z*h + (1 - z)*n)*(1 - n**2)*U*h*r*(1 - r)*h": "z|factor",
            "2*(z*h + (1 - z)*n)*(1 - z)*(1 - n)**2*U*h*r*(1 - r)*h": "parenth|group|exponent",
            "2*(z*h + (1 - z)*n)*(1 - z)*(1 - r**2)*U*h*r*(1 - r)*h": "n|r|variable|value",
        },
        (
            "2*(z*h + (1 - z)*n)*(1 - z)*(1 - n**2)*U*h**2*r*(1 - r)",
            "2*(z*h + n - z*n)*(1 - z)*(1 - n)*(1 + n)*U*h*h*(r - r**2)",
            (
                "2*(z*h + (1 - z)*n)*(1 - z)/cosh(W*x + U*r*h)**2*U*h**2*sigmoid(Wr*x + "
                "Ur*h)*sigmoid(-Wr*x - Ur*h)"
            ),
        ),
    ),
    Model(  # LSTM, output gate
        "o = sigmoid(V@x + b); c = [0.4, -0.7]; L = sum(w*o*tanh(c))",
        {
            "V": [[0.5, -0.3, 0.8], [0.1, 0.9, -0.4]],
            "x": [0.45, 1.3, 2.2],
            "b": [0.1, -0.2],
            "w": [1.5, -0.6],
        },
        "V",
        "outer(w*tanh(c)*o*(1 - o), x)",
        {
            "outer(w*c*o*(1 - o), x)": "tanh|function",
            "outer(w*tanh(c)*(1 - o), x)": "o|factor",
            "outer(w*tanh(c)*o, x)": "o|factor|chain",
            "outer(tanh(c)*o*(1 - o), x)": "w|factor",
        },
        (
            "(w*tanh(c)*o*(1 - o))[:, None]*x",
            "(w*tanh(c)*(o - o**2)).reshape(2, 1)@x.reshape(1, 3)",
            "outer(w*tanh(c)*sigmoid(V@x + b)*sigmoid(-(V@x) - b), x)",
        ),
    ),
    Model(  # InfoNCE
        "S = Q@K.T/0.5; L = -mean(diagonal(log_softmax(S, dim=1)))",
        {
            "Q": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "K": [[0.6, -1.0], [1.5, 0.2], [-0.9, 0.7], [0.1, 0.4]],
        },
        "Q",
        "2*(softmax(S, dim=1) - eye(4))@K/4",
        {
            "(softmax(S, dim=1) - eye(4))@K/4": "2|factor|0.5|number",
            "2*(softmax(S, dim=0) - eye(4))@K/4": "dim|axis",
            "2*(eye(4) - softmax(S, dim=1))@K/4": "sign|order",
            "2*(softmax(S, dim=1) - eye(4))@Q/4": "K|Q|variable|value",
            "2*softmax(S, dim=1)@K/4": "log_softmax",
            "2*(softmax(S, dim=1) - eye(4)).T@K/4": "transpos|.T",
        },
        (
            "(softmax(S, dim=1)@K - K)/2",
            "0.5*(softmax(2*Q@K.T, dim=-1)@K) - 0.5*K",
            "(softmax(S, dim=1) - eye(4))@K/(4*0.5)",
        ),
    ),
]
