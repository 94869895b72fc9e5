"""Slips in gradients of models that the search for slips was not written with."""

from __future__ import annotations

from tests.analysis.slips import Model

U = [0.4, -1.3, 0.9]
W = [0.7, 0.2, -0.5]
X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]]
K = [[0.3, 0.8], [-0.6, 0.4], [1.2, -0.5]]
V = [[1.1, -0.2], [0.4, 0.9], [-0.8, 0.6]]
G = [[0.7, 0.3], [-0.4, 1.2], [0.5, -0.9]]
GRU = (
    "z = sigmoid(wz*x + uz*h); c = tanh(wc*x + uc*h); hn = (1 - z)*h + z*c; L = sum(hn**2)",
    {"x": U, "h": [0.6, 1.1, -0.3], "wz": 0.5, "uz": -0.8, "wc": 1.1, "uc": 0.4},
)
OPTION = (
    (
        "d1 = (log(S/K) + (r + v**2/2)*T)/(v*sqrt(T)); d2 = d1 - v*sqrt(T); "
        "C = S*0.5*(1 + erf(d1/sqrt(2))) - K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))"
    ),
    {"S": 1.1, "K": 0.9, "r": 0.05, "v": 0.3, "T": 1.7},
)
ELBO = (
    "z = m + exp(l/2)*e; L = sum((x - z)**2) + 0.5*sum(m**2 + exp(l) - l - 1)",
    {"m": U, "l": [-0.4, 0.3, 0.8], "e": [0.9, -0.6, 1.4], "x": [1.0, 0.2, -0.7]},
)
MODELS = [
    Model(  # GRU cell, candidate
        *GRU, "uc", "sum(2*hn*z*(1 - c**2)*h)",
        {
            "sum(2*hn*z*(1 - c)*h)": "exponent",
            "sum(2*hn*(1 - c**2)*h)": "z",
            "sum(2*hn*z*(1 - c**2)*x)": "h",
            "sum(2*hn*(1 - z)*(1 - c**2)*h)": "z",
            "sum(2*hn*z*h)": "1 - c|tanh|chain",
            "mean(2*hn*z*(1 - c**2)*h)": "sum|mean|averag",
            "sum(2*hn*z*(1 + c**2)*h)": "sign|operation|not 1 + c**2",
        },
    ),
    Model(  # GRU cell, gate
        *GRU, "uz", "sum(2*hn*(c - h)*z*(1 - z)*h)",
        {
            "sum(2*hn*(h - c)*z*(1 - z)*h)": "sign|order",
            "sum(2*hn*(c - h)*z*h)": "1 - z|sigmoid|c - hn",
            "sum(2*hn*(c + h)*z*(1 - z)*h)": "sign|operation",
            "sum(2*hn*c*z*(1 - z)*h)": "path|term|h",
            "sum(2*hn*(c - h)*(1 - z)*h)": "z",
            "sum(2*hn*(c - h)*z*(1 - z))": "factor|h",
        },
    ),
    Model(  # likelihood of a Gaussian process, noise
        "K = A + s*eye(3); L = 0.5*(y@inv(K)@y) + 0.5*logdet(K)",
        {"A": [[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.2]], "s": 0.4, "y": U}, "s",
        "0.5*trace(inv(K)) - 0.5*sum((inv(K)@y)**2)",
        {
            "0.5*trace(inv(K)) + 0.5*sum((inv(K)@y)**2)": "sign|operation",
            "trace(inv(K)) - sum((inv(K)@y)**2)": "0.5|2|factor",
            "0.5*trace(K) - 0.5*sum((inv(K)@y)**2)": "inv",
            "0.5*trace(inv(K)) - 0.5*sum(inv(K)@y)**2": "grouping|inside|sum|exponent",
            "0.5*trace(inv(K)) - 0.5*(y@inv(K)@y)": "inv|exponent|square",
            "0.5*sum(inv(K)) - 0.5*sum((inv(K)@y)**2)": "trace|sum",
            "-0.5*sum((inv(K)@y)**2)": "path|term",
        },
    ),
    Model(  # rotary embedding
        "a = q*cos(t) - k*sin(t); b = q*sin(t) + k*cos(t); L = sum(a*u + b*w)",
        {"q": U, "k": [0.8, 0.3, 1.5], "t": [0.3, 1.1, 2.0], "u": W, "w": [1.2, -0.4, 0.6]}, "t",
        "u*(-q*sin(t) - k*cos(t)) + w*(q*cos(t) - k*sin(t))",
        {
            "u*(q*sin(t) - k*cos(t)) + w*(q*cos(t) - k*sin(t))": "sign",
            "u*(-q*sin(t) + k*cos(t)) + w*(q*cos(t) - k*sin(t))": "sign|operation",
            "u*(-q*sin(t) - k*cos(t)) + w*(q*cos(t) + k*sin(t))": "sign|operation",
            "u*(-q*sin(t) - k*sin(t)) + w*(q*cos(t) - k*sin(t))": "cos",
            "w*(-q*sin(t) - k*cos(t)) + u*(q*cos(t) - k*sin(t))": "u|w|order",
            "u*(-q*sin(t) - k*cos(t))": "path|term",
        },
    ),
    Model(  # rotation by a quaternion, the vector
        "r = x + 2*w*cross(q, x) + 2*cross(q, cross(q, x)); L = dot(g, r)",
        {"x": U, "q": [0.3, 0.5, -0.2], "w": 0.78, "g": W}, "x",
        "g + 2*w*cross(g, q) + 2*cross(q, cross(q, g))",
        {
            "g + 2*w*cross(q, g) + 2*cross(q, cross(q, g))": "order|sign",
            "g + w*cross(g, q) + 2*cross(q, cross(q, g))": "2|factor",
            "g + 2*w*cross(g, q) - 2*cross(q, cross(q, g))": "sign|operation",
            "2*w*cross(g, q) + 2*cross(q, cross(q, g))": "path|term",
            "g + 2*w*cross(g, q) + 2*cross(q, cross(g, q))": "order|sign",
            "g + 2*cross(g, q) + 2*cross(q, cross(q, g))": "w|factor",
        },
    ),
    Model(  # group norm
        "u = reshape(x, 2, 2, 3); d = u - mean(u, dim=2, keepdim=True); "
        "s = sqrt(mean(d**2, dim=2, keepdim=True) + 0.1); L = sum(g*d/s)",
        {"x": [[0.4, 1.3, -0.6, 2.0, 0.7, -1.1], [1.5, 0.2, 0.9, -0.3, 0.8, 1.9]],
         "g": [[[0.3, -0.7, 1.1], [0.9, 0.2, -0.5]], [[-0.4, 0.6, 1.3], [0.8, -1.2, 0.1]]]}, "x",
        "reshape((g - mean(g, dim=2, keepdim=True) - d/s*mean(g*d/s, dim=2, keepdim=True))/s,"
        " 2, 6)",
        {
            "reshape((g - d/s*mean(g*d/s, dim=2, keepdim=True))/s, 2, 6)": "path|term|mean",
            "reshape((g - mean(g, dim=2, keepdim=True))/s, 2, 6)": "path|term|s",
            "reshape((g - mean(g, dim=1, keepdim=True) - d/s*mean(g*d/s, dim=2, keepdim=True))/s,"
            " 2, 6)": "dim|axis",
            "reshape((g - mean(g, dim=2, keepdim=True) - d*mean(g*d/s, dim=2, keepdim=True))/s,"
            " 2, 6)": "s|divis",
            "reshape((g - mean(g, dim=2, keepdim=True) - d/s*sum(g*d/s, dim=2, keepdim=True))/s,"
            " 2, 6)": "sum|mean",
            "reshape((g - mean(g, dim=2, keepdim=True) + d/s*mean(g*d/s, dim=2, keepdim=True))/s,"
            " 2, 6)": "sign|operation",
            "reshape(g - mean(g, dim=2, keepdim=True) - d/s*mean(g*d/s, dim=2, keepdim=True),"
            " 2, 6)": "s|divis",
        },
    ),
    Model(  # one step of a conditional random field
        "a = logsumexp(e[:, None] + T, dim=0) + b; L = logsumexp(a)",
        {"e": U, "T": [[0.2, -0.4, 0.7], [1.1, 0.3, -0.6], [-0.2, 0.5, 0.9]], "b": W}, "T",
        "exp(e[:, None] + T + b - L)",
        {
            "exp(e[None, :] + T + b - L)": "index|transpos|axis|dim",
            "exp(e[:, None] + T - L)": "b|term",
            "exp(e[:, None] + T + b + L)": "sign|operation",
            "e[:, None] + T + b - L": "exp",
            "exp(e[:, None] - T + b - L)": "sign|operation",
            "exp(e[:, None] + T + b)": "L|term|factor",
        },
    ),
    Model(  # factors of a matrix
        "L = sum((V - W@H)**2)",
        {"V": [[1.0, 0.3, 2.0, 0.5], [0.2, 0.9, 1.1, 0.4], [0.6, 0.1, 0.8, 1.7]], "W": X,
         "H": [[0.4, 1.2, 0.3, 0.8], [0.9, 0.5, 0.7, 0.2]]}, "W",
        "-2*(V - W@H)@H.T",
        {
            "2*(V - W@H)@H.T": "sign", "-(V - W@H)@H.T": "2|factor",
            "-2*(V + W@H)@H.T": "sign|operation", "-2*V@H.T": "path|term|W",
            "-2*(V - W@H)**2@H.T": "exponent",
        },
    ),
    Model(  # Black-Scholes, delta
        *OPTION, "S", "0.5*(1 + erf(d1/sqrt(2)))",
        {
            "0.5*(1 + erf(d2/sqrt(2)))": "d1", "0.5*(1 - erf(d1/sqrt(2)))": "sign|operation",
            "0.5*(1 + erf(d1))": "sqrt(2)", "0.5*erf(d1/sqrt(2))": "1|term",
            "1 + erf(d1/sqrt(2))": "0.5|2|factor", "0.5*(1 + erf(d1/2))": "sqrt",
        },
    ),
    Model(  # Black-Scholes, vega
        *OPTION, "v", "S*sqrt(T)*exp(-d1**2/2)/sqrt(2*pi)",
        {
            "S*sqrt(T)*exp(-d2**2/2)/sqrt(2*pi)": "d1", "sqrt(T)*exp(-d1**2/2)/sqrt(2*pi)": "S",
            "S*T*exp(-d1**2/2)/sqrt(2*pi)": "sqrt|T", "S*sqrt(T)*exp(-d1**2/2)": "pi",
            "S*sqrt(T)*exp(-d1**2)/sqrt(2*pi)": "2", "S*sqrt(T)*exp(d1**2/2)/sqrt(2*pi)": "sign",
            "K*sqrt(T)*exp(-d1**2/2)/sqrt(2*pi)": "S",
        },
    ),
    Model(  # contrastive loss
        "s = q@k.T/t; L = -mean(diag(log_softmax(s, dim=1)))", {"q": X, "k": K, "t": 0.6}, "q",
        "(softmax(s, dim=1) - eye(3))@k/(3*t)",
        {
            "(softmax(s, dim=0) - eye(3))@k/(3*t)": "dim|axis",
            "(softmax(s, dim=1) - eye(3))@k/3": "t|divis",
            "(softmax(s, dim=1) - eye(3))@k/t": "3|mean|averag",
            "(eye(3) - softmax(s, dim=1))@k/(3*t)": "sign|order",
            "softmax(s, dim=1)@k/(3*t)": "path|term|eye",
            "(softmax(s, dim=1) - eye(3))@q/(3*t)": "k",
            "(softmax(s, dim=1) - eye(3)).T@k/(3*t)": "transpos",
            "(softmax(s, dim=1) - eye(3))@k*t/3": "t|operation",
        },
    ),
    Model(  # evidence lower bound, log-variance
        *ELBO, "l", "-(x - z)*exp(l/2)*e + 0.5*(exp(l) - 1)",
        {
            "-2*(x - z)*exp(l/2)*e + 0.5*(exp(l) - 1)": "2|factor",
            "(x - z)*exp(l/2)*e + 0.5*(exp(l) - 1)": "sign",
            "-(x - z)*exp(l)*e + 0.5*(exp(l) - 1)": "2|0.5",
            "-(x - z)*exp(l/2)*e + (exp(l) - 1)": "0.5|2|factor",
            "-(x - z)*exp(l/2)*e": "path|term",
            "-(x - z)*exp(l/2)*e + 0.5*exp(l)": "1|path|term",
            "-(x - z)*exp(l/2) + 0.5*(exp(l) - 1)": "e|factor",
        },
    ),
    Model(  # evidence lower bound, mean
        *ELBO, "m", "m - 2*(x - z)",
        {
            "m + 2*(x - z)": "sign|operation", "-2*(x - z)": "path|term",
            "m - (x - z)": "2|factor", "2*m - 2*(x - z)": "2|factor", "m - 2*x": "z|path|term",
        },
    ),
    Model(  # partial likelihood of Cox
        "h = X@b; L = logsumexp(h) - h[0] + logsumexp(h[1:]) - h[1]", {"X": X, "b": [0.4, -0.3]},
        "b", "softmax(h)@X - X[0] + softmax(h[1:])@X[1:] - X[1]",
        {
            "X[0] - softmax(h)@X + X[1] - softmax(h[1:])@X[1:]": "sign",
            "softmax(h)@X - X[0]": "path|term|left out",
            "softmax(h)@X - X[0] + softmax(h[1:])@X[1:] + X[1]": "sign|operation",
            "exp(h)@X - X[0] + softmax(h[1:])@X[1:] - X[1]": "softmax",
            "softmax(h)@X - X[0] + softmax(h[1:])@X[1:] - X[2]": "index|X[1]",
            "sigmoid(h)@X - X[0] + softmax(h[1:])@X[1:] - X[1]": "softmax",
        },
    ),
    Model(  # softmax with a temperature
        "p = softmax(z/T); L = sum(w*p)", {"z": U, "T": 1.7, "w": W}, "z",
        "p*(w - sum(w*p))/T",
        {
            "p*(w - sum(w*p))": "T|divis", "p*(w - w*p)/T": "sum", "p*(1 - p)*w/T": "sum|p|term",
            "p*w/T": "path|term|sum", "p*(w + sum(w*p))/T": "sign|operation",
            "(w - sum(w*p))/T": "p", "p*(w - mean(w*p))/T": "sum|mean",
        },
    ),
    Model(  # softmax, the temperature
        "p = softmax(z/T); L = sum(w*p)", {"z": U, "T": 1.7, "w": W}, "T",
        "-sum(z*p*(w - sum(w*p)))/T**2",
        {
            "sum(z*p*(w - sum(w*p)))/T**2": "sign", "-sum(z*p*(w - sum(w*p)))/T": "exponent|T",
            "-sum(p*(w - sum(w*p)))/T**2": "z|0", "-sum(z*p*w)/T**2": "path|term|sum",
            "-mean(z*p*(w - sum(w*p)))/T**2": "sum|mean|averag",
        },
    ),
    Model(  # dice loss
        "i = sum(p*t); u = sum(p) + sum(t); L = 1 - 2*i/u",
        {"p": [0.2, 0.7, 0.9], "t": [0.0, 1.0, 0.6]}, "p", "-2*t/u + 2*i/u**2",
        {
            "-2*t/u + 2*i/u": "exponent|u", "-2*t/u - 2*i/u**2": "sign|operation",
            "-t/u + 2*i/u**2": "2|factor", "-2*t/u": "path|term",
            "-2*p/u + 2*i/u**2": "t", "-2*t/u + i/u**2": "2|factor",
        },
    ),
    Model(  # label smoothing
        "L = -sum(((1 - a)*y + a/3)*log_softmax(z))",
        {"z": U, "y": [0.0, 1.0, 0.0], "a": 0.1}, "z", "softmax(z) - (1 - a)*y - a/3",
        {
            "softmax(z) - (1 - a)*y + a/3": "sign|operation", "softmax(z) - (1 - a)*y": "term|path",
            "softmax(z) - a*y - a/3": "1 - a|a", "sigmoid(z) - (1 - a)*y - a/3": "softmax",
            "softmax(z) - (1 - a)*y - a": "3|divis", "(1 - a)*y + a/3 - softmax(z)": "sign|order",
            "softmax(z) - y - a/3": "1 - a|factor",
        },
    ),
    Model(  # clipped policy gradient
        "r = exp(l - o); L = -mean(minimum(r*A, clamp(r, 0.8, 1.2)*A))",
        {"l": [0.3, -0.2, 0.1, 0.5], "o": [0.0, 0.3, 0.05, 0.45], "A": [1.0, 0.7, -0.4, 1.3]}, "l",
        "-where(r*A <= clamp(r, 0.8, 1.2)*A, r*A, 0)/4",
        {
            "-where(r*A <= clamp(r, 0.8, 1.2)*A, A, 0)/4": "r",
            "-where(r*A <= clamp(r, 0.8, 1.2)*A, r*A, 0)": "4|mean|averag",
            "where(r*A <= clamp(r, 0.8, 1.2)*A, r*A, 0)/4": "sign",
            "-r*A/4": "where|mask|clamp|elements|minimum|path",
            "-where(r*A > clamp(r, 0.8, 1.2)*A, r*A, 0)/4": "condition|operation|order|<=",
            "-where(r*A <= clamp(r, 0.8, 1.2)*A, r, 0)/4": "A",
        },
    ),
    Model(  # attention with a mask, the queries
        "p = softmax(q@k.T/sqrt(2) + m, dim=1); L = sum(g*(p@v))",
        {"q": X, "k": K, "v": V, "g": G, "m": [[0, -2, -3], [0, 0, -2], [0, 0, 0]]}, "q",
        "(p*(g@v.T - sum(p*(g@v.T), dim=1, keepdim=True)))@k/sqrt(2)",
        {
            "(p*(g@v.T - sum(p*(g@v.T), dim=0, keepdim=True)))@k/sqrt(2)": "dim|axis",
            "(p*(g@v.T - sum(p*(g@v.T), dim=1, keepdim=True)))@k": "sqrt|2",
            "(p*(g@v.T))@k/sqrt(2)": "path|term|sum",
            "(g@v.T - sum(p*(g@v.T), dim=1, keepdim=True))@k/sqrt(2)": "p",
            "(p*(g@v.T - mean(p*(g@v.T), dim=1, keepdim=True)))@k/sqrt(2)": "sum|mean",
            "(p*(g@v.T + sum(p*(g@v.T), dim=1, keepdim=True)))@k/sqrt(2)": "sign|operation",
            "(p*(g@v.T - sum(p*(g@v.T), dim=1)))@k/sqrt(2)": "keepdim",
            "(p*(g@v.T - sum(p*(g@v.T), dim=1, keepdim=True)))@v/sqrt(2)": "k",
        },
    ),
    Model(  # Kalman gain, the variance
        "K = P*H/(H*P*H + R); n = x + K*(y - H*x); L = n**2",
        {"P": 0.7, "H": 1.3, "R": 0.4, "x": 0.2, "y": 1.1}, "P",
        "2*n*(y - H*x)*H*R/(H*P*H + R)**2",
        {
            "2*n*(y - H*x)*H*R/(H*P*H + R)": "exponent", "2*n*(y - H*x)*H/(H*P*H + R)": "path|R",
            "n*(y - H*x)*H*R/(H*P*H + R)**2": "2|factor", "2*n*(y - x)*H*R/(H*P*H + R)**2": "H",
            "2*n*(y + H*x)*H*R/(H*P*H + R)**2": "sign|operation",
            "2*(y - H*x)*H*R/(H*P*H + R)**2": "n|factor",
        },
    ),
    Model(  # Student's t
        "L = (n + 1)/2*sum(log(1 + r**2/n))", {"r": U, "n": 4.0}, "r", "(n + 1)*r/(n + r**2)",
        {
            "n*r/(n + r**2)": "1|term", "(n + 1)*r/(n + r)": "exponent",
            "(n - 1)*r/(n + r**2)": "sign|operation", "2*(n + 1)*r/(n + r**2)": "2|factor",
            "(n + 1)*r/(1 + r**2)": "n", "(n + 1)/(n + r**2)": "r|factor",
        },
    ),
]  # fmt: skip
