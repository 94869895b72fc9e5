"""Slips in gradients of further models, as people make them who derive with pen and paper."""

from __future__ import annotations

from tests.analysis.slips import Model

X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.9, 0.8]]
Y = [0.3, 1.4, -0.6, 0.9]
GATES = (
    "z = sigmoid(wz*x + uz*h); n = tanh(wn*x + un*h); h2 = (1 - z)*n + z*h; L = sum((h2 - y)**2)",
    {"x": [0.4, -1.3, 0.9], "h": [0.6, 1.1, -0.3], "y": [0.2, 0.5, -0.4], "wz": 0.5, "uz": -0.8,
     "wn": 1.1, "un": 0.4},
)  # fmt: skip
OPTION = (
    (
        "d1 = (log(S/K) + (r + v**2/2)*T)/(v*sqrt(T)); d2 = d1 - v*sqrt(T); "
        "C = S*0.5*(1 + erf(d1/sqrt(2))) - K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))"
    ),
    {"S": 1.2, "K": 1.1, "r": 0.04, "v": 0.25, "T": 0.8},
)
KALMAN = (
    "S = H@P@H.T + R; G = P@H.T@inv(S); e = z - H@m; mn = m + G@e; L = sum(mn*c)",
    {"H": [[1.0, 0.4], [0.2, 1.3]], "P": [[2.0, 0.3], [0.3, 1.5]], "R": [[0.5, 0.1], [0.1, 0.8]],
     "z": [1.2, -0.4], "m": [0.3, 0.6], "c": [0.9, -1.1]},
)  # fmt: skip
MODELS = [
    Model(  # GRU cell, the update gate
        *GATES, "wz", "sum(2*(h2 - y)*(h - n)*z*(1 - z)*x)",
        {
            "sum(2*(h2 - y)*(h - n)*z*x)": "1 - z|1 - sigmoid|stands where its derivative",
            "sum(2*(h2 - y)*(n - h)*z*(1 - z)*x)": "order|sign",
            "sum((h2 - y)*(h - n)*z*(1 - z)*x)": "2|chain",
            "sum(2*(h2 - y)*(h - n)*z*(1 - z)*h)": "x",
            "sum(2*(h2 - y)*h*z*(1 - z)*x)": "n|term|path",
        },
    ),
    Model(  # coins, the probability
        "L = -sum(y*log(p) + (1 - y)*log(1 - p))",
        {"p": [0.3, 0.6, 0.8, 0.45], "y": [0.0, 1.0, 1.0, 0.0]}, "p", "(p - y)/(p*(1 - p))",
        {
            "(p - y)/p": "factor 1 - p|division by 1 - p",
            "(p - y)/(1 - p)": "factor p|division by p",
            "(y - p)/(p*(1 - p))": "sign|order",
            "-y/p - (1 - y)/(1 - p)": "sign",
            "(p - y)/(p*(1 + p))": "sign|operation",
        },
    ),
    Model(  # Black-Scholes, rho
        *OPTION, "r", "K*T*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))",
        {
            "K*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))": "factor T|T is missing|chain",
            "K*T*exp(-r*T)*0.5*(1 + erf(d1/sqrt(2)))": "d2",
            "K*T*exp(r*T)*0.5*(1 + erf(d2/sqrt(2)))": "sign",
            "-K*T*exp(-r*T)*0.5*(1 + erf(d2/sqrt(2)))": "sign",
        },
    ),
    Model(  # Poisson regression with exposure
        "m = e*exp(X@w + b); L = sum(m - y*log(m))",
        {"X": X, "w": [0.3, -0.2], "b": 0.1, "e": [1.5, 0.7, 2.0, 1.1],
         "y": [1.0, 3.0, 0.0, 2.0]}, "w", "X.T@(m - y)",
        {
            "X.T@(y - m)": "sign|order",
            "X.T@(m/e - y)": "e",
            "X.T@(1 - y/m)": "factor m|exp(X@w + b), are missing",
            "X.T@(m - y)/4": "mean|4|averag",
            "X.T@(X@w + b - y)": "exp|m|e",
        },
    ),
    Model(  # mixture of two Gaussians, the logarithm of the deviation of one
        "a = p*exp(-(x - m)**2/(2*exp(2*s)))/exp(s); c = (1 - p)*exp(-(x - k)**2/2); "
        "q = a/(a + c); L = -sum(log(a + c))",
        {"x": Y, "m": 0.2, "k": -0.5, "s": -0.3, "p": 0.4}, "s",
        "sum(q*(1 - (x - m)**2/exp(2*s)))",
        {
            "sum(1 - (x - m)**2/exp(2*s))": "q|a / (a + c)",
            "sum(q*(1 - (x - m)**2/exp(s)))": "2|exp",
            "sum(q*((x - m)**2/exp(2*s) - 1))": "sign|order",
            "-sum(q*(x - m)**2/exp(2*s))": "1|term|path|exp(s)",
            "sum(q*(1 - (x - k)**2/exp(2*s)))": "m",
        },
    ),
    Model(  # triplet loss with distances, active
        "dp = norm(a - p); dn = norm(a - n); L = relu(dp - dn + 2.0)",
        {"a": [0.4, 1.2, -0.7], "p": [0.9, 0.3, -0.2], "n": [-0.3, 1.0, 0.6]}, "a",
        "(a - p)/dp - (a - n)/dn",
        {
            "(a - p)/dp + (a - n)/dn": "sign|operation",
            "(a - p) - (a - n)": "dp|dn|norm|division|two mistakes",
            "(a - p)/dp": "term|path|dn",
            "(a - p)/dp - (a - n)/dp": "dn",
            "(a - p)/dp**2 - (a - n)/dn": "exponent|dp|factor",
        },
    ),
    Model(  # pseudo-Huber
        "r = X@w - y; L = mean(d**2*(sqrt(1 + (r/d)**2) - 1))",
        {"X": X, "w": [0.3, -0.2], "y": Y, "d": 0.7}, "w", "X.T@(r/sqrt(1 + (r/d)**2))/4",
        {
            "X.T@(r/sqrt(1 + (r/d)**2))": "mean|4|averag",
            "X.T@(r/(1 + (r/d)**2))/4": "sqrt|exponent|0.5",
            "X.T@(d**2*r/sqrt(1 + (r/d)**2))/4": "d**2|factor",
            "X.T@(r/sqrt(1 + r**2))/4": "d",
            "X.T@(r/(2*sqrt(1 + (r/d)**2)))/4": "2",
        },
    ),
    Model(  # cosine similarity of two nets' outputs
        "u = W@x; v = V@x; L = dot(u, v)/(norm(u)*norm(v))",
        {"W": [[0.4, -0.7], [1.1, 0.3], [-0.2, 0.8]], "V": [[0.9, 0.2], [-0.5, 0.6], [0.3, 1.2]],
         "x": [0.8, -0.5]}, "W", "outer((v/norm(v) - L*u/norm(u))/norm(u), x)",
        {
            "outer((v/norm(v) - u/norm(u))/norm(u), x)": "L",
            "outer((v/norm(v) + L*u/norm(u))/norm(u), x)": "sign|operation",
            "outer(v/(norm(u)*norm(v)), x)": "term|path|L",
            "outer((v/norm(v) - L*u/norm(u))/norm(v), x)": "u",
            "outer((u/norm(u) - L*u/norm(u))/norm(u), x)": "v|exchanged|two mistakes",
        },
    ),
    Model(  # focal loss on one probability of each row
        "L = -sum(a*(1 - p)**g*log(p))", {"p": [0.3, 0.6, 0.85], "a": [0.25, 1.0, 0.5], "g": 2.0},
        "p", "a*(g*(1 - p)**(g - 1)*log(p) - (1 - p)**g/p)",
        {
            "a*(g*(1 - p)**(g - 1)*log(p) + (1 - p)**g/p)": "sign|operation",
            "a*(-g*(1 - p)**(g - 1)*log(p) - (1 - p)**g/p)": "sign",
            "a*(g*(1 - p)**g*log(p) - (1 - p)**g/p)": "exponent|g - 1|division by 1 - p",
            "-a*(1 - p)**g/p": "term|path",
            "a*((1 - p)**(g - 1)*log(p) - (1 - p)**g/p)": "g",
        },
    ),
    Model(  # divergence of a Gaussian from the standard one, its deviation by softplus
        "s = softplus(r); L = sum(m**2 + s**2 - 2*log(s) - 1)/2",
        {"m": [0.4, -1.3, 0.9], "r": [0.3, -0.5, 1.2]}, "r", "(s - 1/s)*sigmoid(r)",
        {
            "s - 1/s": "sigmoid|chain|softplus",
            "(s - 1/s)*sigmoid(r)*(1 - sigmoid(r))": "1 - sigmoid|factor",
            "(s + 1/s)*sigmoid(r)": "sign|operation",
            "(s**2 - 1/s)*sigmoid(r)": "exponent|s",
            "(2*s - 2/s)*sigmoid(r)": "2|times|division",
        },
    ),
    Model(  # Rayleigh quotient, a step of power iteration
        "u = A@x; L = dot(x, u)/dot(x, x)",
        {"A": [[2.0, 0.3, -0.4], [0.3, 1.5, 0.2], [-0.4, 0.2, 0.9]], "x": [0.7, -0.4, 1.1]}, "x",
        "2*(u - L*x)/dot(x, x)",
        {
            "2*(u - x)/dot(x, x)": "L",
            "(u - L*x)/dot(x, x)": "2",
            "2*(u - L*x)/norm(x)": "norm|exponent|dot(x, x)",
            "2*u/dot(x, x)": "term|path|L",
            "2*(u + L*x)/dot(x, x)": "sign|operation",
        },
    ),
    Model(  # Kalman filter, the mean before the measurement
        *KALMAN, "m", "c - H.T@G.T@c",
        {
            "c - H@G@c": "transposed",
            "c + H.T@G.T@c": "sign|operation",
            "-H.T@G.T@c": "term|path|c",
            "c - G.T@c": "H",
            "c - G@H@c": "transposed|order|two mistakes|G.T",
        },
    ),
    Model(  # least squares with an offset, the offset
        "r = X@w + b - y; L = mean(w2*r**2)",
        {"X": X, "w": [0.3, -0.2], "b": 0.1, "y": Y, "w2": [1.0, 0.5, 2.0, 1.5]}, "b",
        "2*mean(w2*r)",
        {
            "2*sum(w2*r)": "mean|sum|averag",
            "2*mean(r)": "w2",
            "mean(w2*r)": "2",
            "2*mean(w2)*mean(r)": "mean|product|w2 * r",
            "2*mean(w2*r**2)": "exponent|2",
        },
    ),
    Model(  # a step of the heat equation on a ring, the temperature
        "l = roll(u, 1) - 2*u + roll(u, -1); w = u + k*l; L = sum((w - g)**2)/2",
        {"u": [0.4, 1.3, -0.6, 0.9, 0.2], "g": [0.1, 0.8, -0.3, 0.5, 0.6], "k": 0.3}, "u",
        "(w - g) + k*(roll(w - g, -1) - 2*(w - g) + roll(w - g, 1))",
        {
            "(w - g) + k*(roll(w - g, -1) - (w - g) + roll(w - g, 1))": "2",
            "(w - g) - k*(roll(w - g, -1) - 2*(w - g) + roll(w - g, 1))": "sign|operation",
            "k*(roll(w - g, -1) - 2*(w - g) + roll(w - g, 1))": "term|path",
            "(w - g) + roll(w - g, -1) - 2*(w - g) + roll(w - g, 1)": "k",
            "2*((w - g) + k*(roll(w - g, -1) - 2*(w - g) + roll(w - g, 1)))": "2|division",
        },
    ),
    Model(  # pendulum with friction, one step of its speed
        "o = v - dt*(g/l*sin(a) + c*v); b = a + dt*o; L = (b - t)**2",
        {"v": 0.4, "a": 0.7, "g": 9.81, "l": 1.3, "c": 0.2, "dt": 0.05, "t": 0.9}, "a",
        "2*(b - t)*(1 - dt**2*g/l*cos(a))",
        {
            "2*(b - t)*(1 - dt*g/l*cos(a))": "exponent|dt",
            "2*(b - t)*(1 + dt**2*g/l*cos(a))": "sign|operation",
            "2*(b - t)*(1 - dt**2*g/l*sin(a))": "cos|function|derivative of sin",
            "-2*(b - t)*dt**2*g/l*cos(a)": "term|path|1",
            "2*(b - t)*(1 - dt**2*g*cos(a))": "l",
        },
    ),
    Model(  # attention of one query, the keys
        "s = K@q/sqrt(2); a = softmax(s); o = a@V; L = sum(o*g)",
        {"K": X, "q": [0.6, -0.9], "V": [[0.2, 1.1], [-0.5, 0.4], [0.8, -0.3], [1.2, 0.6]],
         "g": [0.7, -1.2]}, "K",
        "outer(a*(V@g - dot(a, V@g)), q)/sqrt(2)",
        {
            "outer(a*(V@g - dot(a, V@g)), q)": "sqrt(2)|2",
            "outer(a*(V@g), q)/sqrt(2)": "term|path|dot",
            "outer(a*(1 - a)*(V@g), q)/sqrt(2)": "softmax|dot|diagonal|two mistakes|1 - a",
            "outer(a*(V@g + dot(a, V@g)), q)/sqrt(2)": "sign|operation",
            "outer(a*(V@g - dot(a, V@g)), q)/2": "sqrt|exponent|0.5",
        },
    ),
    Model(  # item response
        "p = c + (1 - c)*sigmoid(a*(t - b)); L = -sum(y*log(p) + (1 - y)*log(1 - p))",
        {"a": [1.2, 0.7, 1.5], "b": [0.3, -0.4, 0.9], "c": 0.2, "t": 0.6, "y": [1.0, 0.0, 1.0]},
        "b", "a*(1 - c)*sigmoid(a*(t - b))*(1 - sigmoid(a*(t - b)))*(y - p)/(p*(1 - p))",
        {
            "a*sigmoid(a*(t - b))*(1 - sigmoid(a*(t - b)))*(y - p)/(p*(1 - p))": "1 - c",
            "(1 - c)*sigmoid(a*(t - b))*(1 - sigmoid(a*(t - b)))*(y - p)/(p*(1 - p))": "a",
            "a*(1 - c)*sigmoid(a*(t - b))*(1 - sigmoid(a*(t - b)))*(p - y)/(p*(1 - p))": "sign",
            "a*(1 - c)*p*(1 - p)*(y - p)/(p*(1 - p))": "sigmoid|two mistakes",
        },
    ),
    Model(  # factors of a matrix with weights
        "E = M*(R - U@V.T); L = sum(E**2)/2 + k*sum(U**2)/2",
        {"M": [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], "R": [[0.5, 1.2, -0.4], [0.9, -0.3, 0.7]],
         "U": [[0.3, -0.6], [0.8, 0.2]], "V": [[0.4, 0.9], [-0.7, 0.5], [1.1, -0.2]], "k": 0.1},
        "U", "-E@V + k*U",
        {
            "E@V + k*U": "sign",
            "-E@V": "term|path|k",
            "-E@V + k*V[:2]": "U|two mistakes",
            "-(R - U@V.T)@V + k*U": "M|mask|E",
            "-E@V + 2*k*U": "2",
        },
    ),
]  # fmt: skip
