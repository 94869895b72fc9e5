"""Slips in several places at once, of whole matrices, and such as the program's own equations make
look like others."""

from __future__ import annotations

from tests.analysis.slips import Model

SMOOTHING = (
    "q = (1 - eps)*y + eps/3; L = -mean(sum(q*log_softmax(z, 1), 1))",
    {
        "z": [[0.3, -1.75, -1.81], [1.14, 0.47, 0.82], [0.03, -1.93, 1.09], [0.81, 0.65, -0.8]],
        "y": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        "eps": 0.1,
    },
)
GROUPS = (
    (
        "a = reshape(x, (2, 2, 6)); m = mean(a, 2, keepdim=True); s = sqrt(mean((a - m)**2, 2, "
        "keepdim=True)); h = reshape((a - m)/s, (2, 4, 3)); L = sum(w*h*g[:, "
        "None])"
    ),
    {
        "x": [
            [[-1.03, -0.44, 0.4], [-0.98, 0.93, 0.69], [1.2, -0.61, 1.91], [0.69, -0.31, -0.63]],
            [[-1.71, 1.3, 0.79], [0.92, -0.28, -0.74], [-0.28, -0.72, 0.88], [0.32, 1.04, -0.72]],
        ],
        "w": [
            [[-0.15, 0.19, 1.31], [0.05, -0.1, 1.75], [-0.57, -0.65, 0.67], [-2.16, -0.31, 0.22]],
            [[0.2, -0.94, -0.23], [0.17, -0.72, 0.66], [-0.61, 0.55, -1.72], [-0.09, 0.78, 1.32]],
        ],
        "g": [0.48, 1.34, 1.3, 1.59],
    },
)
ATTENTION = (
    "S = q@k.T/sqrt(d) + M; A = softmax(S, 1); O = A@v; L = sum(W*O)",
    {
        "q": [[0.43, 0.72, 0.51], [-0.54, 0.83, -1.92], [-0.09, 0.68, -0.32]],
        "k": [[-0.03, -1.12, 0.61], [-0.52, -0.57, -1.29], [-0.08, 0.71, 0.6]],
        "v": [[0.61, 0.97, -0.51], [0.5, -0.85, -1.09], [-1.64, -0.2, 0.05]],
        "W": [[-0.86, 0.75, 1.11], [-1.09, -1.15, 0.71], [-1.32, 0.93, -1.07]],
        "M": [[1.47, -1.4, 0.21], [-1.14, -0.0, 0.61], [-0.49, -0.42, -0.28]],
        "d": 3.0,
    },
)
GRU = (
    (
        "z = sigmoid(Wz@x + Uz@h); r = sigmoid(Wr@x + Ur@h); n = tanh(Wn@x + r*(Un@h)); hn = (1 - "
        "z)*n + z*h; L = sum(c*hn)"
    ),
    {
        "x": [0.26, -1.65, 0.25],
        "h": [-0.01, 0.81, 1.75],
        "Wz": [[-1.06, 0.93, -0.13], [0.38, 0.38, 1.07], [-0.18, 0.79, 1.05]],
        "Uz": [[-0.99, 0.43, 1.52], [-0.48, 0.96, 0.76], [1.12, 0.04, 0.91]],
        "Wr": [[1.06, 0.72, -0.62], [-0.74, 0.68, -1.84], [-0.8, 0.03, 0.48]],
        "Ur": [[2.53, 0.69, -0.24], [-0.68, 0.5, 0.22], [0.89, -0.25, 0.06]],
        "Wn": [[0.41, 0.17, 0.53], [-0.55, -0.11, -2.27], [-2.04, 0.23, -0.49]],
        "Un": [[-0.57, -0.2, -0.27], [0.84, -1.33, 1.58], [-0.73, 1.17, 0.01]],
        "c": [-0.22, 0.61, 0.55],
    },
)
FILTER = (
    "y = w[0]*x[:-2] + w[1]*x[1:-1] + w[2]*x[2:]; L = sum((y - t)**2)/2",
    {
        "w": [2.44, 0.42, -0.18],
        "x": [-0.63, -1.6, -0.95, 0.28, 0.45, -0.3],
        "t": [0.05, 0.34, -0.79, -0.09],
    },
)
VOLUME = (
    "L = logdet(A@A.T + lam*eye(3))",
    {"A": [[-0.18, 1.9, 0.74], [0.12, -0.11, 0.79], [-0.09, -0.74, -0.09]], "lam": 0.7},
)
DISTANCE = (
    "d = x - mu; D = sqrt(d@solve(S, d))",
    {
        "x": [-1.24, -1.21, 1.01],
        "mu": [0.99, -1.69, 0.55],
        "S": [[6.83, -0.4, -2.31], [-0.4, 3.53, 0.49], [-2.31, 0.49, 5.36]],
    },
)
DISTANCE_AND_VOLUME = (
    "d = x - mu; D = sqrt(d@solve(S, d)); L = D + 0.5*logdet(S)",
    {
        "x": [1.04, 1.82, -0.16],
        "mu": [-0.12, 0.14, -0.14],
        "S": [[8.59, 0.08, 2.57], [0.08, 3.14, 0.49], [2.57, 0.49, 7.26]],
    },
)
GAIN = (
    "K = P*H/(H**2*P + R); xn = xh + K*(z - H*xh); L = (xn - xt)**2",
    {"P": 1.3, "H": 0.7, "R": 0.4, "xh": 0.9, "z": 1.6, "xt": 0.2},
)
MISES = (
    "L = -sum(kap*cos(th - mu)) + 4*log(i0(kap))",
    {"th": [0.95, -1.14, -0.36, 0.06], "mu": 0.4, "kap": 1.3},
)
COX = (
    "eta = X@b; e1 = exp(eta); L = -sum(dl*(eta - log(Rk@e1)))",
    {
        "X": [[-1.74, -0.8], [-0.81, -0.73], [-0.7, 0.64], [-0.48, 1.59], [1.33, -0.22]],
        "b": [1.11, -0.7],
        "dl": [1.0, 0.0, 1.0, 1.0, 0.0],
        "Rk": [
            [1.0, 1.0, 1.0, 1.0, 1.0],
            [0.0, 1.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ],
    },
)
PAIRS = (
    "S = A@B.T/tau; L = -mean(diag(log_softmax(S, 1)))",
    {
        "A": [[0.66, -0.85, -1.73], [0.12, 0.98, -0.28], [0.76, -0.52, -0.01], [-1.3, 0.52, 0.1]],
        "B": [[0.63, 0.15, -0.93], [-0.11, -0.18, 1.6], [-0.93, 1.5, -0.74], [-2.1, -1.17, 0.87]],
        "tau": 0.6,
    },
)
MIDPOINT = (
    "k1 = sin(x); k2 = sin(x + dt*k1/2); x1 = x + dt*k2; L = sum(c*x1)",
    {"x": [-0.6, -0.19, -0.4], "dt": 0.4, "c": [-1.53, -0.53, -0.47]},
)
WAVES = (
    "f = a[0] + a[1]*cos(om*t) + a[2]*sin(om*t); L = sum((f - y)**2)",
    {
        "a": [1.6, 0.99, -1.17],
        "om": 1.2,
        "t": [1.05, 0.65, 0.77, 1.56, 1.17],
        "y": [-0.69, -0.99, -1.52, -0.59, -1.9],
    },
)
OPTION = (
    (
        "d1 = (log(S/K) + (r + s**2/2)*T)/(s*sqrt(T)); d2 = d1 - s*sqrt(T); C = sum(S*0.5*(1 + "
        "erf(d1/sqrt(2))) - K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2))))"
    ),
    {"S": [1.38, 0.78, 0.53], "K": [0.63, 1.36, 0.77], "r": 0.1, "s": 0.4, "T": [1.5, 0.69, 0.44]},
)
RATIO = (
    "sd = sqrt(w@S@w); L = w@mu/sd",
    {
        "w": [1.53, 0.75, 1.86],
        "mu": [-1.27, 1.53, -1.19],
        "S": [[12.55, -0.54, 1.04], [-0.54, 6.47, -0.43], [1.04, -0.43, 4.52]],
    },
)
NETWORK = (
    "a1 = X@W1 + b1; h1 = tanh(a1); o = h1@W2 + b2; L = mean((o - Y)**2)",
    {
        "X": [[-0.44, -1.01, 1.2], [2.0, -1.77, 0.99], [-0.07, 0.55, 0.55], [1.42, 2.63, 0.82]],
        "W1": [[-0.01, -1.17, -0.25], [0.08, -0.37, -0.3], [-0.23, 0.27, 0.25]],
        "b1": [0.35, -0.39, 0.15],
        "W2": [[0.29, -0.13], [-0.55, 1.21], [1.06, -1.94]],
        "b2": [0.59, -1.61],
        "Y": [[-0.1, -0.21], [0.12, -0.02], [0.12, -1.51], [-1.31, 0.6]],
    },
)
ROLLED = (
    "y = c[0]*x + c[1]*roll(x, 1) + c[2]*roll(x, 2); L = sum(y**3)/3",
    {"c": [0.37, -0.55, 0.3], "x": [-0.63, -0.44, -0.14, -2.11, 0.51]},
)
ORTHOGONAL = (
    "G = W.T@W - eye(3); L = sum(G**2)",
    {"W": [[0.11, 1.34, 0.48], [-0.16, -0.73, -0.78], [0.92, -2.61, -0.53], [-0.8, 0.37, -1.12]]},
)
UPDATE = (
    "S = H@P@H.T + Rn; K = P@H.T@inv(S); xn = xh + K@(z - H@xh); L = sum((xn - xt)**2)/2",
    {
        "H": [[2.2, 0.37, 0.03], [0.54, 1.2, -1.52]],
        "P": [[6.43, 1.62, 0.86], [1.62, 4.75, 0.12], [0.86, 0.12, 5.18]],
        "Rn": [[3.85, 2.14], [2.14, 4.48]],
        "xh": [-0.2, -1.49, -1.0],
        "z": [0.57, -1.03],
        "xt": [0.84, 0.23, -1.18],
    },
)
IMPLICIT = (
    "A = eye(4) + r*D; un = solve(A, u); L = sum((un - t)**2)/2",
    {
        "D": [
            [2.0, -1.0, 0.0, 0.3],
            [-1.0, 2.0, -1.0, 0.0],
            [0.2, -1.0, 2.0, -1.0],
            [0.0, 0.0, -1.0, 2.0],
        ],
        "r": 0.4,
        "u": [1.55, -1.76, 1.05, -0.09],
        "t": [-0.65, -0.81, -0.25, 0.21],
    },
)
LOGARITHMS = (
    "L = sum(lgamma(a) - a*log(b) - (a - 1)*log(x) + b*x)",
    {"x": [0.42, 0.85, 1.23, 1.45], "a": 1.7, "b": 0.8},
)
MODELS = [
    Model(
        *SMOOTHING,
        "z",
        "(softmax(z, 1) - q)/4",
        {"(softmax(z, 1) - q)/3": "3 instead of 4"},
        ("(softmax(z, 1) - (1 - eps)*y - eps/3)/4",),
    ),
    Model(*GROUPS, "g", "sum(w*h, (0, 2))", {"sum(w*h, (0, 1))": "axis"}),
    Model(*ATTENTION, "v", "A.T@W", {"W@A": "the operands are the wrong way round"}),
    Model(
        *ATTENTION,
        "q",
        "(A*(W@v.T - sum(A*(W@v.T), 1, keepdim=True)))@k/sqrt(d)",
        {"(A*(W@v - sum(A*(W@v), 1, keepdim=True)))@k/sqrt(d)": "v is not transposed"},
        ("(A*(W@v.T) - A*sum(W*O, 1, keepdim=True))@k/sqrt(d)",),
    ),
    Model(
        *GRU,
        "Wr",
        "outer(c*(1 - z)*(1 - n**2)*(Un@h)*r*(1 - r), x)",
        {"outer(c*(1 - z)*(1 - n**2)*h*r*(1 - r), x)": "h instead of Un @ h"},
    ),
    Model(
        *FILTER,
        "w",
        "stack([sum((y - t)*x[:-2]), sum((y - t)*x[1:-1]), sum((y - t)*x[2:])])",
        {
            (
                "stack([mean((y - t)*x[:-2]), mean((y - t)*x[1:-1]), mean((y - t)*x[2:])])"
            ): "the function is wrong, in every place",
            "stack([sum(y*x[:-2]), sum(y*x[1:-1]), sum(y*x[2:])])": "y instead of y - t",
        },
    ),
    Model(
        *VOLUME,
        "lam",
        "trace(inv(A@A.T + lam*eye(3)))",
        {"1/trace(A@A.T + lam*eye(3))": "the inverse of the whole"},
        ("sum(diag(inv(A@A.T + lam*eye(3))))",),
    ),
    Model(
        *DISTANCE,
        "mu",
        "-solve(S, d)/D",
        {"-solve(S, d)": "the division by D"},
        ("solve(S, mu - x)/D",),
    ),
    Model(
        *DISTANCE_AND_VOLUME,
        "S",
        "-outer(solve(S, d), solve(S, d))/(2*D) + 0.5*inv(S)",
        {"-outer(d, d)/(2*D) + 0.5*inv(S)": "d instead of solve(S, d)"},
    ),
    Model(
        *GAIN,
        "P",
        "2*(xn - xt)*(z - H*xh)*H*R/(H**2*P + R)**2",
        {"2*(xn - xt)*(z - H*xh)*H/(H**2*P + R)": "path through H**2*P + R"},
    ),
    Model(
        *MISES,
        "mu",
        "-kap*sum(sin(th - mu))",
        {"-kap*sin(sum(th - mu))": "the functions are the wrong way round"},
        ("kap*sum(sin(mu - th))",),
    ),
    Model(
        *COX,
        "b",
        "X.T@(e1*(Rk.T@(dl/(Rk@e1))) - dl)",
        {"X.T@(e1*(Rk.T@(dl/sum(e1))) - dl)": "sum(e1) instead of Rk @ e1"},
    ),
    Model(
        *PAIRS,
        "A",
        "(softmax(S, 1) - eye(4))@B/(4*tau)",
        {"(softmax(S, 1) - 1)@B/(4*tau)": "the identity matrix"},
    ),
    Model(
        *PAIRS,
        "tau",
        "-sum((softmax(S, 1) - eye(4))*S)/(4*tau)",
        {"-sum((softmax(S, 1) - eye(4))*S)/tau": "its 1/n is missing"},
    ),
    Model(
        *MIDPOINT,
        "x",
        "c*(1 + dt*cos(x + dt*k1/2)*(1 + dt/2*cos(x)))",
        {"c*(1 + dt*cos(k2)*(1 + dt/2*cos(x)))": "k2 instead of x + dt * k1 / 2"},
    ),
    Model(
        *WAVES,
        "om",
        "sum(2*(f - y)*(a[2]*t*cos(om*t) - a[1]*t*sin(om*t)))",
        {
            "sum(2*(f - y)*(a[2]*om*cos(om*t) - a[1]*om*sin(om*t)))": "om instead of t",
            "sum(2*(f - y)*(a[1]*t*cos(om*t) - a[2]*t*sin(om*t)))": "exchanged",
        },
    ),
    Model(
        *WAVES,
        "a",
        "stack([sum(2*(f - y)), sum(2*(f - y)*cos(om*t)), sum(2*(f - y)*sin(om*t))])",
        {"stack([sum(2*(f - y)), sum(2*(f - y)*cos(t)), sum(2*(f - y)*sin(t))])": "om * t"},
    ),
    Model(
        *OPTION,
        "s",
        "sum(S*sqrt(T)*exp(-d1**2/2)/sqrt(2*pi))",
        {
            "sum(S*sqrt(T)*exp(-d1**2)/sqrt(2*pi))": "the factor 0.5 is missing: -d1**2",
            "sum(S*sqrt(T)*exp(-d1**2/2))/sqrt(pi)": "factor sqrt(2) is missing",
        },
        ("sum(K*exp(-r*T)*sqrt(T)*exp(-d2**2/2)/sqrt(2*pi))",),
    ),
    Model(
        *RATIO, "w", "mu/sd - (w@mu)*(S@w)/sd**3", {"mu/sd - w*(S@w)/sd**3": "w instead of w @ mu"}
    ),
    Model(
        *NETWORK,
        "b1",
        "sum(((2*(o - Y)/8)@W2.T)*(1 - h1**2), 0)",
        {"sum(((o - Y)/8@W2.T)*(1 - h1**2), 0)": "it is 1/2 of the gradient"},
    ),
    Model(
        *ROLLED,
        "x",
        "c[0]*y**2 + c[1]*roll(y**2, -1) + c[2]*roll(y**2, -2)",
        {
            "c[0]*y**2 + c[1]*roll(y**2, 1) + c[2]*roll(y**2, 2)": "every roll is taken",
            "c[0]*y + c[1]*roll(y, -1) + c[2]*roll(y, -2)": "in every place: y instead of y**2",
            "c[0]*y**2 + c[2]*roll(y**2, -1) + c[1]*roll(y**2, -2)": "exchanged",
        },
    ),
    Model(
        *ORTHOGONAL,
        "W",
        "4*W@(W.T@W - eye(3))",
        {"4*W@(W.T@W - 1)": "the identity matrix", "2*W@G": "1/2 of the gradient"},
        ("4*W@G",),
    ),
    Model(
        *UPDATE,
        "xh",
        "(eye(3) - K@H).T@(xn - xt)",
        {"(1 - K@H).T@(xn - xt)": "the identity matrix"},
        ("(xn - xt) - H.T@K.T@(xn - xt)",),
    ),
    Model(
        *IMPLICIT,
        "r",
        "-solve(A.T, un - t)@D@un",
        {"-solve(A.T, un - t)@D@u": "u instead of un", "-solve(A.T, un - t)@un": "the factor D"},
    ),
    Model(
        *LOGARITHMS,
        "a",
        "4*digamma(a) - 4*log(b) - sum(log(x))",
        {"4*digamma(a) - 4*log(b) - log(sum(x))": "the functions are the wrong way round"},
    ),
]
