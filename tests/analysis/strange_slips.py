"""Slips in gradients of programs far from each other: preferences, angles, light, reactions,
curves, control. Each has its gradient as PyTorch finds it, and once in words that nobody expects.
"""

from __future__ import annotations

from typing import Any

from tests.analysis.slips import Model

R = [0.4, 0.9, 1.7]
MODELS = [
    Model(  # direct preference optimisation
        "z = be*((a - ar) - (c - cr)); L = -mean(log(sigmoid(z)))",
        {"a": [-1.2, -0.7, -2.1], "ar": [-1.5, -0.6, -2.4], "c": [-1.1, -1.9, -2.2],
         "cr": [-1.3, -1.4, -2.6], "be": 0.3},
        "a", "-be*(1 - sigmoid(z))/3",
        {
            "-be*sigmoid(z)/3": "complement|from 1|-z",  # sigmoid(-z) is 1 - sigmoid(z)
            "-(1 - sigmoid(z))/3": "be",
        },
        ("-be/(3*(1 + exp(z)))",),
    ),
    Model(  # Tversky
        "tp = sum(p*y); D = tp + al*sum(p*(1 - y)) + be*sum((1 - p)*y); L = 1 - tp/D",
        {"p": [0.8, 0.3, 0.6, 0.1], "y": [1.0, 0.0, 1.0, 1.0], "al": 0.3, "be": 0.7},
        "p", "-(y*D - tp*(y + al*(1 - y) - be*y))/D**2",
        {
            "-(y*D - tp*(y + al*(1 - y) + be*y))/D**2": "sign",
            "-(y*D - tp*(y + al*(1 - y) - be*y))/D": "D|exponent|factor",
        },
        ("(tp*(y + al - (al + be)*y)/D - y)/D",),
    ),
    Model(  # Barron's robust loss
        "e = ((x - y)/c)**2; k = abs(a - 2); L = sum(k/a*((e/k + 1)**(a/2) - 1))",
        {"x": [0.4, 1.9, -2.0], "y": [0.1, -0.3, 0.5], "c": 0.8, "a": 1.3},
        "x", "(x - y)/c**2*(e/k + 1)**(a/2 - 1)",
        {
            "(x - y)/c*(e/k + 1)**(a/2 - 1)": "c",
            "(x - y)/c**2*(e/k + 1)**(a/2)": "exponent|- 1|factor|term|e / k",
        },
        ("(x - y)/(c**2*exp((1 - a/2)*log1p(e/k)))",),
    ),
    Model(  # von Mises
        "L = -sum(k*cos(t - m)) + 4*log(i0(k))",
        {"t": [0.3, -0.8, 1.2, 2.4], "m": 0.2, "k": 1.4},
        "k", "-sum(cos(t - m)) + 4*i1(k)/i0(k)",
        {
            "-sum(cos(t - m)) + 4*i0(k)/i1(k)":
                "way round: 4 * i0(k) / i1(k) instead of 4 * i1(k) / i0(k)",
            "-sum(cos(t + m)) + 4*i1(k)/i0(k)": "sign",
        },
        ("4*exp(log(i1(k)) - log(i0(k))) - cos(m)*sum(cos(t)) - sin(m)*sum(sin(t))",),
    ),
    Model(  # Gumbel, the scale
        "z = (x - m)/b; L = sum(z + exp(-z)) + 3*log(b)",
        {"x": [0.7, 2.1, -0.4], "m": 0.5, "b": 1.3},
        "b", "(3 - sum(z*(1 - exp(-z))))/b",
        {
            "(3 - sum(z*(1 - exp(-z))))/b**2": "b|exponent",
            "(3 - sum(z*(1 - exp(z))))/b": "sign",
        },
        ("3/b - (x - m)@(-expm1(-z))/b**2",),
    ),
    Model(  # beta likelihood
        "L = 4*(lgamma(a) + lgamma(b) - lgamma(a + b)) - sum((a - 1)*log(x) + (b - 1)*log(1 - x))",
        {"x": [0.3, 0.6, 0.82, 0.45], "a": 2.3, "b": 1.6},
        "a", "4*(digamma(a) - digamma(a + b)) - sum(log(x))",
        {
            "4*(digamma(a) - digamma(b)) - sum(log(x))": "a + b|term|variable",
            "digamma(a) - digamma(a + b) - sum(log(x))": "4|factor|number",
        },
        ("-log(prod(x)) - 4*(digamma(a + b) - digamma(1 + a) + 1/a)",),
    ),
    Model(  # Fresnel, the refractive index
        "c = cos(t); s = sqrt(1 - (sin(t)/n)**2); r = (c - n*s)/(c + n*s); L = r**2",
        {"t": 0.6, "n": 1.5},
        "n", "-4*r*c*(s + sin(t)**2/(n**2*s))/(c + n*s)**2",
        {
            "-4*r*c*s/(c + n*s)**2": "term|path|/ s",  # s + sin(t)**2/(n**2*s) is 1/s
            "-2*r*c*(s + sin(t)**2/(n**2*s))/(c + n*s)**2": "number|factor|constant",
        },
        ("-4*r*c/(s*(c + n*s)**2)",),
    ),
    Model(  # a beam of laser light, the distance
        "w = w0*sqrt(1 + (z/q)**2); L = sum((w0/w)**2*exp(-2*r**2/w**2))",
        {"r": [0.1, 0.5, 0.9], "w0": 0.7, "z": 1.1, "q": 2.0},
        "z", "sum(w0**2*exp(-2*r**2/w**2)*(4*r**2/w**5 - 2/w**3))*w0**2*z/(q**2*w)",
        {
            "sum(w0**2*exp(-2*r**2/w**2)*(4*r**2/w**5 - 2/w**3))*w0*z/(q**2*w)": "w0",
            "sum(w0**2*exp(-2*r**2/w**2)*(4*r**2/w**5 - 2/w**3))*w0**2*z/(q*w)": "q",
        },
        ("2*z*w0**4/q**2*sum(exp(-2*(r/w)**2)*(2*r*r - w*w))/w**6",),
    ),
    Model(  # a slit, its width
        "u = pi*a*sin(t)/l; L = sum((sin(u)/u)**2)",
        {"t": [0.1, 0.3, -0.5], "a": 1.2, "l": 0.8},
        "a", "sum(2*sin(u)/u*(u*cos(u) - sin(u))/u**2*pi*sin(t)/l)",
        {
            "sum(2*sin(u)/u*(u*cos(u) + sin(u))/u**2*pi*sin(t)/l)": "sign",
            "sum(2*sin(u)/u*(u*cos(u) - sin(u))/u*pi*sin(t)/l)": "u|exponent",
        },
        ("2/a*sum((sin(2*u)/2 - sin(u)**2/u)/u)",),
    ),
    Model(  # Arrhenius
        "k = A*exp(-E/(8.314*T)); L = sum((log(k) - y)**2)",
        {"T": [300.0, 330.0, 365.0], "y": [1.2, 2.6, 3.9], "A": 2.5e9, "E": 51000.0},
        "E", "-sum(2*(log(k) - y)/(8.314*T))",
        {
            "-sum(2*(log(k) - y)*k/(8.314*T))": "k|factor",
            "-sum(2*(log(k) - y)/T)": "8.314",
        },
        ("2*dot(y - log(A) + E/T/8.314, 1/T)/8.314",),
    ),
    Model(  # potential of a membrane, one permeability
        "a = pk*ko + pn*no; b = pk*ki + pn*ni; V = 25.7*log(a/b)",
        {"pk": 1.0, "pn": 0.04, "ko": 5.0, "ki": 140.0, "no": 145.0, "ni": 12.0},
        "pk", "25.7*(ko/a - ki/b)",
        {
            "25.7*(ko/a + ki/b)": "sign",
            "25.7*(ko/a - ki/a)": "b|variable",
        },
        ("25.7*pn*(ko*ni - ki*no)/(a*b)",),
    ),
    Model(  # adsorption
        "th = K*p/(1 + K*p); L = sum((q*th - y)**2)",
        {"p": [0.5, 1.5, 4.0], "K": 0.9, "q": 2.2, "y": [0.6, 1.3, 1.6]},
        "K", "sum(2*(q*th - y)*q*p/(1 + K*p)**2)",
        {
            "sum(2*(q*th - y)*q*p/(1 + K*p))": "1 + K * p|1 + K*p|exponent|factor",
            "sum(2*(q*th - y)*p/(1 + K*p)**2)": "q",
        },
        ("2*q/K*sum((q*th - y)*th*(1 - th))",),
    ),
    Model(  # activity of ions
        "g = -0.51*z**2*sqrt(I)/(1 + 1.6*sqrt(I)); L = sum(10**g)",
        {"I": [0.01, 0.05, 0.2], "z": [1.0, 2.0, 1.0]},
        "I", "-0.51*z**2*log(10)*10**g/(2*sqrt(I)*(1 + 1.6*sqrt(I))**2)",
        {
            "-0.51*z**2*10**g/(2*sqrt(I)*(1 + 1.6*sqrt(I))**2)": "log(10)|ln 10",
            "-0.51*z**2*log(10)*10**g/(2*sqrt(I)*(1 + 1.6*sqrt(I)))": "exponent|factor|1.6",
        },
        ("g*exp(g*log(10))*log(10)/(2*I*(1 + 1.6*I**0.5))",),
    ),
    Model(  # a lit surface, its direction
        "h = N/norm(N); L = kd*dot(h, l) + ks*dot(h, e)**s",
        {"N": [0.3, 0.5, 1.2], "l": [0.2, 0.6, 0.7], "e": [-0.1, 0.3, 0.9], "kd": 0.8, "ks": 0.5,
         "s": 6.0},
        "N", "(kd*l + ks*s*dot(h, e)**(s - 1)*e - h*(kd*dot(h, l) + ks*s*dot(h, e)**s))/norm(N)",
        {
            "(kd*l + ks*s*dot(h, e)**(s - 1)*e)/norm(N)": "term|path|depends",
            "(kd*l + ks*s*dot(h, e)**s*e - h*(kd*dot(h, l) + ks*s*dot(h, e)**s))/norm(N)":
                "exponent|- 1|s|factor|term",
        },
        ("(eye(3) - outer(N, N)/(N@N))@(kd*l + ks*s*(h@e)**5*e)/sqrt(N@N)",),
    ),
    Model(  # a curve of Bézier, its parameter
        "b = (1 - t)**3*p + 3*(1 - t)**2*t*q + 3*(1 - t)*t**2*r + t**3*s; L = sum((b - c)**2)",
        {"t": 0.35, "p": [0.0, 0.2], "q": [0.4, 1.3], "r": [1.1, 0.9], "s": [1.6, -0.2],
         "c": [0.7, 0.1]},
        "t", "2*sum((b - c)*(3*(1 - t)**2*(q - p) + 6*(1 - t)*t*(r - q) + 3*t**2*(s - r)))",
        {
            "2*sum((b - c)*(3*(1 - t)**2*(q - p) + 3*(1 - t)*t*(r - q) + 3*t**2*(s - r)))":
                "number|factor|2|3|6",
            "2*sum((b - c)*(3*(1 - t)**2*(q - p) + 6*(1 - t)*t*(r - q) + 3*t**2*(s - q)))":
                "r|variable",
        },
        (
            "6*(b - c)@(q - p + 2*t*(r - 2*q + p) + t*t*(s - 3*r + 3*q - p))",
        ),
    ),
    Model(  # a smooth union of distances, its sharpness
        "d = -log(sum(exp(-k*x)))/k",
        {"x": [0.2, 0.5, 0.9], "k": 3.0},
        "k", "-d/k + sum(x*exp(-k*x))/(k*sum(exp(-k*x)))",
        {
            "d/k + sum(x*exp(-k*x))/(k*sum(exp(-k*x)))": "sign",
            "-d/k + sum(x*exp(-k*x))/sum(exp(-k*x))": "k",
        },
        ("(dot(x, softmax(-k*x)) + logsumexp(-k*x)/k)/k",),
    ),
    Model(  # a camera, the depth
        "u = f*X/Z; v = f*Y/Z; L = sum((u - a)**2 + (v - b)**2)",
        {"X": [0.4, -0.7, 1.1], "Y": [0.2, 0.9, -0.5], "Z": [2.0, 3.1, 2.6], "f": 1.4,
         "a": [0.4, -0.2, 0.5], "b": [0.1, 0.5, -0.3]},
        "Z", "-2*f*((u - a)*X + (v - b)*Y)/Z**2",
        {
            "-2*f*((u - a)*X + (v - b)*Y)/Z": "Z|exponent",
            "-2*f*((u - a)*X + (v - a)*Y)/Z**2": "b|variable",
        },
        ("2*((a - u)*u + (b - v)*v)/Z",),
    ),
    Model(  # one step of linear control, the action
        "y = A@x + B@u; L = y@Q@y + u@R@u",
        {"A": [[1.0, 0.1], [-0.2, 0.9]], "B": [[0.0, 0.3], [0.5, 0.1]], "x": [0.7, -0.4],
         "u": [0.2, -0.6], "Q": [[2.0, 0.3], [0.3, 1.0]], "R": [[0.5, 0.1], [0.1, 0.4]]},
        "u", "2*B.T@Q@y + 2*R@u",
        {
            "2*B@Q@y + 2*R@u": "transposed",
            "2*B.T@Q@y + R@u": "2|factor|sides|once",
        },
        ("solve(inv(B.T), (Q + Q.T)@y) + u@(R + R.T)",),
    ),
    Model(  # a resonance, its damping
        "H = 1/sqrt((1 - w**2)**2 + (2*z*w)**2); L = sum(log(H))",
        {"w": [0.4, 0.9, 1.5], "z": 0.25},
        "z", "-sum(4*z*w**2*H**2)",
        {
            "-sum(4*z*w**2*H)": "H|exponent",
            "-sum(4*z*w*H**2)": "w|exponent",
        },
        ("-4*z*norm(w*H)**2",),
    ),
    Model(  # an orbit, its eccentricity
        "r = a*(1 - e**2)/(1 + e*cos(th)); L = sum((r - y)**2)",
        {"th": [0.3, 1.4, 2.6], "a": 1.5, "e": 0.3, "y": [1.0, 1.3, 2.0]},
        "e", "-sum(2*(r - y)*a*(2*e + (1 + e**2)*cos(th))/(1 + e*cos(th))**2)",
        {
            "-sum(2*(r - y)*a*(2*e + (1 - e**2)*cos(th))/(1 + e*cos(th))**2)": "sign",
            "-sum(2*(r - y)*a*(2*e + (1 + e**2)*sin(th))/(1 + e*cos(th))**2)": "cos|function",
        },
        ("-2*(r - y)@((2*e/(1 - e**2) + cos(th)/(1 + e*cos(th)))*r)",),
    ),
]  # fmt: skip

FOUND_BY_PYTORCH: tuple[Any, ...] = (
    [-0.0492500562449, -0.0470035948235, -0.0507499437551],
    [-0.314221763085, 0.0645661157025, -0.314221763085, -0.314221763085],
    [0.439657806824, 1.44889864232, -1.51574637919],
    0.794583537973,
    1.08893476124,
    0.202606437111,
    0.185047129949,
    -0.297025780852,
    -1.29616307843,
    -0.000937623823316,
    -13.71403864,
    0.144626500321,
    [-3.94343215551, -2.62855472466, -0.328465417761],
    [-0.40141172925, 0.108575791076, 0.0551130193642],
    0.02590355625,
    0.0924584946175,
    [0.028, 0.000845893054949, -0.0356850250341],
    [-0.236, -0.01],
    -4.66821882169,
    -0.473993703596,
)
"""The gradients of these models by PyTorch 2.13, to twelve digits."""
