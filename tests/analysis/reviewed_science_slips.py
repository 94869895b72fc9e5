"""Slips in formulas of statistics and physics as people write them for a review."""

from __future__ import annotations

from tests.analysis.slips import Model

MODELS = [
    Model(  # generalised least squares
        "r = A@w - y; L = r@C@r/2",
        {
            "A": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [0.5, 1.0, -0.5, 0.2],
            "C": [
                [2.0, 0.3, 0.1, 0.0],
                [0.3, 1.5, 0.2, 0.1],
                [0.1, 0.2, 1.0, 0.3],
                [0.0, 0.1, 0.3, 2.5],
            ],
        },
        "w",
        "A.T@(C + C.T)@r/2",
        {
            "A.T@C@r*2": "2|factor|number",
            "A.T@r": "factor C",
            "A.T@C@(A@w + y)": "sign",
            "A.T@(C + C.T)@r": "2|factor|number",
        },
        (
            "(A.T@C@r + A.T@C.T@r)/2",
            "r@(C + C.T)@A*0.5",
            "A.T@(0.5*(C@(A@w - y) + (A@w - y)@C))",
        ),
    ),
    Model(  # Kalman gain, measurement noise
        "K = P*h/(h*P*h + R); L = (x + K*(z - h*x))**2",
        {"P": 1.4, "h": 0.7, "R": 0.5, "x": 0.3, "z": 1.9},
        "R",
        "-2*(x + K*(z - h*x))*(z - h*x)*P*h/(h*P*h + R)**2",
        {
            "-2*(x + K*(z - h*x))*(z - h*x)*P*h/(h*P*h + R)": "exponent|square|2",
            "2*(x + K*(z - h*x))*(z - h*x)*P*h/(h*P*h + R)**2": "sign",
            "-2*(x + K*(z - h*x))*P*h/(h*P*h + R)**2": "factor|z|missing",
            "-2*(x + K*(z - x))*(z - h*x)*P*h/(h*P*h + R)**2": "h",
        },
        (
            "-2*(x + K*(z - h*x))*(z - h*x)*K/(h*P*h + R)",
            "2*(x + K*(z - h*x))*(h*x - z)*K**2/(P*h)",
            "-2*(x + P*h/(h**2*P + R)*(z - h*x))*(z - h*x)*P*h*(R + P*h**2)**-2",
        ),
    ),
    Model(  # Gaussian likelihood with precision
        "L = -0.5*log(q) + 0.5*q*mean((x - u)**2)",
        {"x": [0.45, 1.3, 2.2], "u": 0.9, "q": 1.7},
        "q",
        "-0.5/q + 0.5*mean((x - u)**2)",
        {
            "0.5/q + 0.5*mean((x - u)**2)": "sign",
            "-0.5/q + 0.5*sum((x - u)**2)": "sum|mean",
            "-1/q + 0.5*mean((x - u)**2)": "0.5|factor|number|2",
            "-0.5/q + 0.5*mean(x - u)**2": "parenth|group|place|square|mean|order|exponent",
            "-0.5*q + 0.5*mean((x - u)**2)": "/|divi|product|quotient|exponent",
        },
        (
            "0.5*(mean((x - u)**2) - 1/q)",
            "-1/(2*q) + sum((x - u)**2)/6",
            "(q*mean((x - u)**2) - 1)/(2*q)",
        ),
    ),
    Model(  # double pendulum, potential
        "V = -(m1 + m2)*9.81*l1*cos(a) - m2*9.81*l2*cos(b)",
        {"m1": 1.2, "m2": 0.7, "l1": 0.9, "l2": 1.4, "a": 0.5, "b": -0.8},
        "a",
        "(m1 + m2)*9.81*l1*sin(a)",
        {
            "m1*9.81*l1*sin(a)": "m2|term|missing",
            "-(m1 + m2)*9.81*l1*sin(a)": "sign",
            "(m1 + m2)*9.81*l2*sin(a)": "l1|l2|variable|value",
            "(m1 + m2)*9.81*l1*cos(a)": "sin|cos|function",
            "(m1 + m2)*l1*sin(a)": "9.81|factor",
        },
        (
            "9.81*l1*(m1*sin(a) + m2*sin(a))",
            "-9.81*(m1 + m2)*l1*sin(-a)",
            "9.81*l1*(m1 + m2)*cos(a)*tan(a)",
        ),
    ),
    Model(  # heat equation, conductivity, implicit step
        "u = solve(eye(3) + k*D, f); L = sum(u**2)",
        {
            "k": 0.4,
            "D": [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]],
            "f": [1.0, -0.5, 0.8],
        },
        "k",
        "-2*u@solve(eye(3) + k*D, D@u)",
        {
            "2*u@solve(eye(3) + k*D, D@u)": "sign",
            "-2*u@solve(eye(3) + k*D, u)": "factor D",
            "-u@solve(eye(3) + k*D, D@u)": "2|factor",
            "-2*u@solve(eye(3) + D, D@u)": "k|factor|missing",
            "-2*u@D@u": "solve|function|factor|inv|missing",
        },
        (
            "-2*sum(u*(inv(eye(3) + k*D)@D@u))",
            "-2*solve((eye(3) + k*D).T, u)@D@u",
            "-sum(2*u*solve(eye(3) + k*D, D@u))",
        ),
    ),
    Model(  # VAE KL, log-variance with beta
        "L = 0.7*sum(-0.5*(1 + l - m**2 - exp(l)))",
        {"m": [0.45, 1.3, 2.2], "l": [-0.3, 0.6, 0.1]},
        "l",
        "-0.35*(1 - exp(l))",
        {
            "-0.35*(1 + exp(l))": "sign",
            "-0.5*(1 - exp(l))": "0.7|factor|number",
            "-0.35*(1 - exp(2*l))": "2|factor|number",
            "-0.35*(1 - 2*exp(l))": "2|factor",
            "0.35*exp(l)": "term|1|missing",
        },
        (
            "0.35*expm1(l)",
            "0.7*(exp(l) - 1)/2",
            "0.35*exp(l/2)**2 - 0.35",
        ),
    ),
    Model(  # Huber regression, smooth form
        "r = A@w - y; L = mean(d**2*(sqrt(1 + (r/d)**2) - 1))",
        {
            "A": [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.25, 0.85]],
            "w": [0.3, -0.2],
            "y": [0.5, 1.0, -0.5, 0.2],
            "d": 0.8,
        },
        "w",
        "A.T@(r/sqrt(1 + (r/d)**2))/4",
        {
            "A.T@(r/sqrt(1 + (r/d)**2))": "mean|4|number|factor",
            "A.T@(r/sqrt(1 + r**2))/4": "d|factor",
            "A.T@(r/(1 + (r/d)**2))/4": "sqrt|function|exponent|root",
            "A.T@(d**2*r/sqrt(1 + (r/d)**2))/4": "d**2",
            "A@(r/sqrt(1 + (r/d)**2))[0:2]/4": "transpos|.T",
        },
        (
            "mean((r*(1 + r**2/d**2)**-0.5)[:, None]*A, dim=0)",
            "A.T@(d*r/sqrt(d**2 + r**2))/4",
            "0.25*r/sqrt(1 + r*r/(d*d))@A",
        ),
    ),
    Model(  # spring network energy
        "d = sqrt((x[1] - x[0])**2 + (y[1] - y[0])**2); E = 0.5*k*(d - l)**2",
        {"x": [0.2, 1.5], "y": [-0.3, 0.6], "k": 3.0, "l": 1.1},
        "x",
        "k*(d - l)*stack([x[0] - x[1], x[1] - x[0]])/d",
        {
            "k*(d - l)*stack([x[1] - x[0], x[0] - x[1]])/d": "sign|order|index|exchang",
            "k*(d - l)*stack([x[0] - x[1], x[1] - x[0]])": "d|factor",
            "0.5*k*(d - l)*stack([x[0] - x[1], x[1] - x[0]])/d": "2|0.5|factor",
            "k*(d + l)*stack([x[0] - x[1], x[1] - x[0]])/d": "sign",
            "k*(d - l)*stack([y[0] - y[1], y[1] - y[0]])/d": "x|y|variable|value",
        },
        (
            "k*(1 - l/d)*stack([x[0] - x[1], x[1] - x[0]])",
            "k*(d - l)/d*(x[1] - x[0])*[-1, 1]",
            "k*(d - l)*(x - flip(x, 0))/d",
        ),
    ),
    Model(  # negative binomial likelihood
        "L = -(lgamma(y + r) - lgamma(r) + r*log(p) + y*log(1 - p))",
        {"y": 4.0, "r": 2.3, "p": 0.45},
        "r",
        "-(digamma(y + r) - digamma(r) + log(p))",
        {
            "-(digamma(y + r) + digamma(r) + log(p))": "sign",
            "-(digamma(y + r) - digamma(r))": "term|log",
            "-(digamma(y + r) - digamma(r) + p)": "log|function",
            "-(digamma(y) - digamma(r) + log(p))": "r|term",
        },
        (
            "digamma(r) - digamma(y + r) - log(p)",
            "-1/r - 1/(r + 1) - 1/(r + 2) - 1/(r + 3) - log(p)",
            "-log(p) - (digamma(r + y) - digamma(r))",
        ),
    ),
    Model(  # mixture of two Gaussians, weight
        "f = w*exp(-(x - 1)**2/2) + (1 - w)*exp(-(x + 1)**2/2); L = -sum(log(f))",
        {"x": [0.45, 1.3, 2.2], "w": 0.3},
        "w",
        "-sum((exp(-(x - 1)**2/2) - exp(-(x + 1)**2/2))/f)",
        {
            "-sum((exp(-(x - 1)**2/2) + exp(-(x + 1)**2/2))/f)": "sign",
            "-sum(exp(-(x - 1)**2/2)/f)": "term",
            "-sum(exp(-(x - 1)**2/2) - exp(-(x + 1)**2/2))": "f|factor",
            "-mean((exp(-(x - 1)**2/2) - exp(-(x + 1)**2/2))/f)": "sum|mean",
            "-sum((exp(-(x - 1)**2) - exp(-(x + 1)**2/2))/f)": "division by 2",
        },
        (
            "sum((exp(-(x + 1)**2/2) - exp(-(x - 1)**2/2))/f)",
            "-sum((exp(x) - exp(-x))/(w*exp(x) + (1 - w)*exp(-x)))",
            "-sum(2*sinh(x)/(w*exp(x) + (1 - w)*exp(-x)))",
        ),
    ),
]
