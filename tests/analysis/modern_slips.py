"""Slips in gradients of losses and layers of today, of finance, physics, chemistry and algebra."""

from __future__ import annotations

from tests.analysis.slips import Model

FOCAL = (
    "p = sigmoid(z); q = where(t > 0, p, 1 - p); L = -sum((1 - q)**g*log(q))",
    {"z": [0.4, -1.1, 0.7, 1.9], "t": [1.0, 0.0, 0.0, 1.0], "g": 1.7},
)
INFO_NCE = (
    "S = A @ B.T / tau; L = mean(logsumexp(S, dim=1) - diagonal(S))",
    {
        "A": [[0.3, -0.8], [1.1, 0.4], [-0.6, 0.9]],
        "B": [[0.5, 0.2], [-0.3, 1.2], [0.8, -0.7]],
        "tau": 0.6,
    },
)
GRU = (
    "z = sigmoid(a); n = tanh(b); r = (1 - z)*n + z*h; L = sum(r**2)/2",
    {"a": [0.3, -0.9, 1.2], "b": [0.5, 0.8, -0.4], "h": [1.3, -0.2, 0.6]},
)
HUBER = (
    "r = y - X @ w; L = mean(where(abs(r) <= d, r**2/2, d*(abs(r) - d/2)))",
    {
        "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.9, 0.8], [1.4, -0.6]],
        "y": [0.3, 1.4, -2.6, 0.9, 3.1],
        "w": [0.4, -0.3],
        "d": 0.8,
    },
)
MISES = (
    "L = -sum(k*cos(x - m)) + len(x)*log(i0(k))",
    {"x": [0.4, 1.3, -0.8], "m": 0.25, "k": 1.9},
)
SPHERE = (
    "u = r*sin(th)*cos(ph); v = r*sin(th)*sin(ph); w = r*cos(th); L = a*u + b*v + c*w",
    {"r": 1.7, "th": 0.8, "ph": 0.35, "a": 0.6, "b": -1.1, "c": 0.9},
)
CALL = (
    """Phi(x) = (1 + erf(x/sqrt(2)))/2; q = s*sqrt(T)
    d1 = (log(S/K) + (r + s**2/2)*T)/q; d2 = d1 - q; C = S*Phi(d1) - K*exp(-r*T)*Phi(d2)""",
    {"S": 1.3, "K": 1.1, "r": 0.04, "s": 0.35, "T": 0.8},
)
PHI = "exp(-d1**2/2)/sqrt(2*pi)"
GROWTH = (
    "a = N + h*r*N*(1 - N/K); b = a + h*r*a*(1 - a/K); L = (b - y)**2",
    {"N": 1.3, "h": 0.2, "r": 0.9, "K": 4.1, "y": 2.2},
)
KINETICS = (
    "v = Vm*S/(Km*(1 + I/Ki) + S); L = sum((v - y)**2)",
    {"S": [0.5, 1.4, 2.9], "y": [0.4, 0.6, 1.3], "Vm": 1.6, "Km": 0.7, "I": 0.4, "Ki": 0.9},
)
PCA = (
    "R = X - X @ W @ W.T; L = sum(R**2)",
    {"X": [[0.5, -1.2, 0.4], [2.0, 0.3, -0.9]], "W": [[0.6, 0.1], [-0.3, 0.9], [0.7, 0.4]]},
)
RIDGE = (
    "H = X.T @ X + l*eye(2); w = solve(H, X.T @ y); L = sum((X @ w - t)**2)",
    {
        "X": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1]],
        "y": [0.3, 1.4, -0.6],
        "t": [0.1, 0.9, -0.2],
        "l": 0.5,
    },
)
GAUSS = (
    "C = cholesky(A); u = solve(C, x); L = sum(u**2)/2 + sum(log(diagonal(C)))",
    {"A": [[2.1, 0.4], [0.4, 1.3]], "x": [0.7, -1.2]},
)
GROUPS = (
    """m = mean(x, dim=1, keepdim=True); s = var(x, dim=1, correction=0, keepdim=True)
    h = (x - m)/sqrt(s + eps); L = sum(h*c)""",
    {
        "x": [[0.5, -1.2, 0.4, 1.7], [2.0, 0.3, -0.9, 0.2]],
        "c": [[0.3, -0.8, 1.1, 0.4], [-0.6, 0.9, 0.7, -1.3]],
        "eps": 0.01,
    },
)
RMS = (
    "s = sqrt(mean(x**2) + eps); L = sum(g*x/s*c)",
    {"x": [0.5, -1.2, 2.0, 0.3], "g": [1.1, 0.7, 0.9, 1.4], "c": [0.3, -0.8, 1.1, 0.4],
     "eps": 0.02},
)  # fmt: skip
COSINE = (
    "n = norm(a); m = norm(b); c = dot(a, b)/(n*m); L = 1 - c",
    {"a": [0.5, -1.2, 2.0], "b": [1.1, 0.7, 0.9]},
)
TRIPLET = (
    "p = sum((a - b)**2); n = sum((a - c)**2); L = relu(p - n + m)",
    {"a": [0.5, -1.2, 0.4], "b": [1.1, 0.7, 0.9], "c": [0.2, 0.3, -0.8], "m": 1.2},
)
DICE = (
    "i = sum(p*t); u = sum(p) + sum(t); L = 1 - (2*i + e)/(u + e)",
    {"p": [0.9, 0.3, 0.6, 0.2], "t": [1.0, 0.0, 1.0, 1.0], "e": 0.5},
)
KL = (
    "L = sum(log(s/q) + (q**2 + (m - n)**2)/(2*s**2) - 0.5)",
    {"m": [0.4, -0.7], "q": [0.8, 1.3], "n": [0.1, 0.6], "s": [1.1, 0.7]},
)
SMOOTH = (
    "T = (1 - e)*Y + e/3; L = -mean(sum(T*log_softmax(z, dim=1), dim=1))",
    {
        "z": [[0.5, -1.2, 0.4], [2.0, 0.3, -0.9]],
        "Y": [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        "e": 0.2,
    },
)
ELBO = (
    "z = m + exp(l/2)*n; L = sum((x - z)**2)/2 - sum(1 + l - m**2 - exp(l))/2",
    {"m": [0.4, -0.7], "l": [0.2, -0.9], "n": [1.1, -0.3], "x": [0.9, 0.8]},
)
JONES = (
    "r = sqrt(sum((a - b)**2)); V = 4*e*((s/r)**12 - (s/r)**6)",
    {"a": [0.3, -0.5, 0.9], "b": [1.1, 0.4, 0.2], "e": 0.7, "s": 1.3},
)
ISING = (
    "t = tanh(b*(J @ m + h)); F = sum((m - t)**2)",
    {"m": [0.3, -0.5, 0.8], "h": [0.1, 0.4, -0.2], "b": 0.9,
     "J": [[0.0, 0.7, -0.4], [0.7, 0.0, 0.5], [-0.4, 0.5, 0.0]]},
)  # fmt: skip
MODELS = [
    Model(  # focal loss
        *FOCAL,
        "z",
        "where(t > 0, 1, -1)*(1 - q)**g*(g*q*log(q) - (1 - q))",
        {
            "where(t > 0, 1, -1)*(1 - q)**g*(g*log(q) - (1 - q))": "factor q|q",
            "(1 - q)**g*(g*q*log(q) - (1 - q))": "sign|where|t > 0|factor|path",
            "-where(t > 0, 1, -1)*(1 - q)**(g + 1)": "term|path|g",
        },
    ),
    Model(  # a contrastive loss
        *INFO_NCE,
        "A",
        "(softmax(S, dim=1) - eye(3)) @ B / (3*tau)",
        {
            "(softmax(S, dim=1) - eye(3)) @ B / 3": "tau",
            "(softmax(S, dim=0) - eye(3)) @ B / (3*tau)": "dim|axis",
            "(softmax(S, dim=1) - eye(3)) @ B / tau": "mean|3",
            "softmax(S, dim=1) @ B / (3*tau)": "eye|one-hot|path|term",
        },
    ),
    Model(  # its temperature
        *INFO_NCE,
        "tau",
        "-sum((softmax(S, dim=1) - eye(3))*S)/(3*tau)",
        {
            "sum((softmax(S, dim=1) - eye(3))*S)/(3*tau)": "sign",
            "-sum((softmax(S, dim=1) - eye(3))*S)/3": "tau",
            "-sum((softmax(S, dim=1) - eye(3))*S)/(3*tau**2)": "tau|exponent",
        },
    ),
    Model(  # a gated recurrent unit, its update gate
        *GRU,
        "a",
        "r*(h - n)*z*(1 - z)",
        {
            "r*(n - h)*z*(1 - z)": "sign|order|exchanged",
            "r*h*z*(1 - z)": "n|term|path",
            "r*(h - n)*(1 - z)": "z",
            "r*(h - n)*(1 - z**2)": "z|derivative",
        },
    ),
    Model(  # the same, its new state
        *GRU,
        "b",
        "r*(1 - z)*(1 - n**2)",
        {
            "r*z*(1 - n**2)": "1 - z|z",
            "r*(1 - z)*n*(1 - n)": "derivative|n",
            "r*(1 - z)": "factor|derivative|1 - n",
        },
    ),
    Model(  # Huber's loss
        *HUBER,
        "w",
        "-X.T @ clamp(r, -d, d)/5",
        {
            "-X.T @ where(abs(r) <= d, r, d)/5": "sign|where|clamp|condition|branch",
            "-X.T @ r/5": "clamp|condition|where|branch|mask",
            "-X.T @ clamp(r, -d, d)": "mean|5",
            "X.T @ clamp(r, -d, d)/5": "sign",
        },
    ),
    Model(  # a distribution of angles
        *MISES,
        "m",
        "-k*sum(sin(x - m))",
        {
            "k*sum(sin(x - m))": "sign",
            "-k*sum(cos(x - m))": "sin|cos|derivative",
            "-sum(sin(x - m))": "k",
        },
    ),
    Model(  # spherical coordinates
        *SPHERE,
        "th",
        "r*cos(th)*(a*cos(ph) + b*sin(ph)) - c*r*sin(th)",
        {
            "r*cos(th)*(a*cos(ph) + b*sin(ph)) + c*r*sin(th)": "sign",
            "r*cos(th)*(a*cos(ph) + b*sin(ph)) - c*sin(th)": "r",
            "r*cos(th)*(a*sin(ph) + b*cos(ph)) - c*r*sin(th)": "exchanged|two|sin|cos",
        },
    ),
    Model(  # the same
        *SPHERE,
        "ph",
        "r*sin(th)*(b*cos(ph) - a*sin(ph))",
        {
            "r*cos(th)*(b*cos(ph) - a*sin(ph))": "sin|cos",
            "r*sin(th)*(b*cos(ph) + a*sin(ph))": "sign|operation",
            "r*sin(ph)*(b*cos(ph) - a*sin(ph))": "th|ph|variable",
        },
    ),
    Model(  # a European call's delta
        *CALL,
        "S",
        "Phi(d1)",
        {
            "Phi(d2)": "d1|d2",
            f"Phi(d1) + {PHI}/(s*sqrt(T))": "term|path|too much",
            "Phi(d1) - 1": "term|1|constant",
        },
    ),
    Model(  # its vega
        *CALL,
        "s",
        f"S*{PHI}*sqrt(T)",
        {
            f"S*{PHI}*T": "sqrt|T",
            f"K*{PHI}*sqrt(T)": "S|K",
            "S*exp(-d1**2/2)*sqrt(T)": "pi|factor",
        },
    ),
    Model(  # logistic growth, two steps
        *GROWTH,
        "r",
        "2*(b - y)*(h*N*(1 - N/K)*(1 + h*r*(1 - 2*a/K)) + h*a*(1 - a/K))",
        {
            "2*(b - y)*h*a*(1 - a/K)": "term|path",
            "2*(b - y)*(h*N*(1 - N/K)*(1 + h*r*(1 - a/K)) + h*a*(1 - a/K))": "2|path",
            "2*(b - y)*(h*N*(1 - N/K) + h*a*(1 - a/K))": "factor|path|term",
        },
    ),
    Model(  # inhibited kinetics
        *KINETICS,
        "Km",
        "-2*sum((v - y)*v*(1 + I/Ki)/(Km*(1 + I/Ki) + S))",
        {
            "-2*sum((v - y)*v/(Km*(1 + I/Ki) + S))": "1 + I / Ki|I/Ki|factor",
            "-2*sum((v - y)*v*(1 + I/Ki)/(Km + S))": "factor|1 + I",
            "2*sum((v - y)*v*(1 + I/Ki)/(Km*(1 + I/Ki) + S))": "sign",
        },
    ),
    Model(  # the reconstruction from principal components
        *PCA,
        "W",
        "-2*(X.T @ R + R.T @ X) @ W",
        {
            "-2*X.T @ R @ W": "term|path",
            "-2*(X.T @ X + R.T @ R) @ W": "X|R|exchanged|two",
            "-(X.T @ R + R.T @ X) @ W": "2",
            "-2*(X.T @ R - R.T @ X) @ W": "sign",
        },
    ),
    Model(  # ridge regression, its penalty
        *RIDGE,
        "l",
        "-2*(X @ w - t) @ X @ solve(H, w)",
        {
            "2*(X @ w - t) @ X @ solve(H, w)": "sign",
            "-2*(X @ w - t) @ X @ w": "solve|H",
            "-2*(X @ w - y) @ X @ solve(H, w)": "y|t",
            "-2*(X @ w - t) @ X @ solve(X.T @ X, w)": "l|H|term",
        },
    ),
    Model(  # the same, the targets
        *RIDGE,
        "y",
        "2*X @ solve(H, X.T @ (X @ w - t))",
        {
            "2*(X @ w - t)": "factor|derivative|chain|path|intermediate|gradient",
            "X @ solve(H, X.T @ (X @ w - t))": "2",
            "2*X @ H @ X.T @ (X @ w - t)": "solve|inv",
        },
    ),
    Model(  # a density by Cholesky's factor
        *GAUSS,
        "x",
        "solve(A, x)",
        {
            "solve(C, x)": "C|A|path|factor|intermediate",
            "A @ x": "solve|inverse|A",
            "solve(A, x)/2": "2",
        },
    ),
    Model(  # group norm
        *GROUPS,
        "x",
        "(c - mean(c, dim=1, keepdim=True) - h*mean(c*h, dim=1, keepdim=True))/sqrt(s + eps)",
        {
            "(c - mean(c, dim=1, keepdim=True) - h*mean(c*h, dim=1, keepdim=True))/sqrt(s)": "eps",
            "(c - (1 + h)*mean(c, dim=1, keepdim=True))/sqrt(s + eps)": "h|factor",
            "(c - mean(c) - h*mean(c*h, dim=1, keepdim=True))/sqrt(s + eps)": "dim|axis",
        },
    ),
    Model(  # root mean square norm
        *RMS,
        "x",
        "g*c/s - x*mean(g*c*x)/s**3",
        {
            "g*c/s": "term|path",
            "g*c/s - x*mean(g*c*x)/s**2": "exponent|s",
            "g*c/s - x*sum(g*c*x)/s**3": "mean|4",
            "g*c/s - x*mean(c*x)/s**3": "g",
        },
    ),
    Model(  # cosine similarity
        *COSINE,
        "a",
        "(c*a/n - b/m)/n",
        {
            "(a/n - b/m)/n": "c",
            "(c*a/n - b/m)": "n",
            "(c*a/m - b/n)/n": "n|m|exchanged|two",
        },
    ),
    Model(  # a triplet's anchor
        *TRIPLET,
        "a",
        "where(L > 0, 2*(c - b), 0)",
        {
            "where(L > 0, 2*(b - c), 0)": "sign|order|exchanged",
            "where(L > 0, 2*(a - b), 0)": "variable|term|path|a|c",
            "where(L > 0, 2*(2*a - b - c), 0)": "sign",
        },
    ),
    Model(  # Dice's loss
        *DICE,
        "p",
        "(2*i + e)/(u + e)**2 - 2*t/(u + e)",
        {
            "(2*i + e)/(u + e)**2 - t/(u + e)": "2",
            "(2*i + e)/(u + e) - 2*t/(u + e)": "exponent|u + e|squared|factor",
            "2*i/(u + e)**2 - 2*t/(u + e)": "e",
        },
    ),
    Model(  # divergence of Gaussians
        *KL,
        "s",
        "1/s - (q**2 + (m - n)**2)/s**3",
        {
            "1/s - (q + (m - n)**2)/s**3": "q",
            "1/s - (q**2 + m - n**2)/s**3": "parentheses|exponent|square|m",
            "1/s - (q**2 + (m - n)**2)/(2*s**3)": "2",
        },
    ),
    Model(  # smoothed labels
        *SMOOTH,
        "z",
        "(softmax(z, dim=1) - T)/2",
        {
            "(softmax(z, dim=1) - Y)/2": "T|Y",
            "(softmax(z, dim=1) - T)/6": "mean|3|6",
            "(softmax(z, dim=1) - (1 - e)*Y - e)/2": "3|e",
        },
    ),
    Model(  # an evidence bound
        *ELBO,
        "l",
        "(z - x)*n*exp(l/2)/2 - (1 - exp(l))/2",
        {
            "(z - x)*n*exp(l/2) - (1 - exp(l))/2": "2|factor|0.5",
            "(z - x)*n*exp(l)/2 - (1 - exp(l))/2": "l / 2|l/2|2",
            "(z - x)*exp(l/2)/2 - (1 - exp(l))/2": "n",
        },
    ),
    Model(  # a force between atoms
        *JONES,
        "a",
        "4*e*(6*(s/r)**6 - 12*(s/r)**12)*(a - b)/r**2",
        {
            "4*e*(6*(s/r)**6 - 12*(s/r)**12)*(a - b)/r": "exponent|r",
            "4*e*(6*(s/r)**6 - 12*(s/r)**12)*(b - a)/r**2": "sign|order|exchanged",
            "4*e*((s/r)**6 - 12*(s/r)**12)*(a - b)/r**2": "6",
        },
    ),
    Model(  # a mean field
        *ISING,
        "m",
        "2*(m - t) - 2*b*J.T @ ((m - t)*(1 - t**2))",
        {
            "2*(m - t)": "term|path",
            "2*(m - t) - 2*J.T @ ((m - t)*(1 - t**2))": "b",
            "2*(m - t) - 2*b*J.T @ (m - t)*(1 - t**2)": "parentheses|grouping|order",
            "2*(m - t) - 2*b*J.T @ ((m - t)*(1 - t)**2)": "parentheses|grouping|exponent|t",
        },
    ),
]
