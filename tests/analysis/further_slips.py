"""Further slips in further programs, written down before any of them was tried."""

from __future__ import annotations

from tests.analysis.slips import Model

M = [[1.2, -0.4, 0.3], [0.5, 0.9, -0.7], [-0.2, 0.6, 1.4]]
X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.2, 0.8]]
Y = [0.4, 1.3, 2.2]
MODELS = [
    Model(
        "k = 0.5*m*v**2; u = -G*M*m/r; L = k + u",
        {"m": 1.5, "v": 2.2, "G": 6.7, "M": 3.1, "r": 1.9},
        "r",
        "G*M*m/r**2",
        {
            "-G*M*m/r**2": "sign",
            "G*M*m/r": "exponent|r",
            "G*M/r**2": "m",
            "2*G*M*m/r**3": "r",
            "G*M*m*log(r)": "integral",
        },
    ),
    Model(
        "q = log(1 + exp(-y*(X@w))); L = mean(q)",
        {"X": X, "w": [0.4, -0.3], "y": [1, -1, 1, -1]},
        "w",
        "-X.T@(y*sigmoid(-y*(X@w)))/4",
        {
            "X.T@(y*sigmoid(-y*(X@w)))/4": "sign",
            "-X.T@(y*sigmoid(y*(X@w)))/4": "sign",
            "-X.T@sigmoid(-y*(X@w))/4": "y",
            "-X.T@(y*exp(-y*(X@w)))/4": "function|1 + |sigmoid|factor|division",
            "-X.T@(y*sigmoid(-y*(X@w)))/2": "4|number",
            "-X.T@(y*sigmoid(-(X@w)))/4": "y",
        },
    ),
    Model(
        "z = X@W; h = maximum(z, 0.1*z); L = sum(h*C)",
        {
            "X": X,
            "W": [[0.4, -0.6], [1.1, 0.2]],
            "C": [[1.0, 0.5], [-0.3, 0.8], [0.6, -0.9], [0.2, 0.7]],
        },
        "W",
        "X.T@(C*where(z > 0, 1, 0.1))",
        {
            "X.T@(C*where(z > 0, 1, 0))": "0.1|number",
            "X.T@(C*where(z > 0, 0.1, 1))": "order|way round|condition",
            "X.T@(C*(z > 0))": "path|0.1|where|elements",
            "X.T@(h*where(z > 0, 1, 0.1))": "C|variable",
            "X.T@where(z > 0, 1, 0.1)": "C",
            "(C*where(z > 0, 1, 0.1)).T@X": "transpos",
        },
    ),
    Model(
        "d2 = sum((x - c)**2); L = exp(-d2/(2*s**2))",
        {"x": Y, "c": [0.1, 0.9, 1.7], "s": 0.9},
        "s",
        "L*d2/s**3",
        {
            "L*d2/s**2": "exponent|s",
            "-L*d2/s**3": "sign",
            "d2/s**3": "L",
            "L*d2/(2*s**3)": "2",
            "L*sqrt(d2)/s**3": "sqrt|function|exponent",
            "L/s**3": "d2",
        },
    ),
    Model(
        "e = y - a*exp(-b*t); L = sum(e**2)",
        {"y": [1.9, 1.2, 0.7, 0.3], "a": 2.1, "b": 0.6, "t": [0.1, 0.9, 1.8, 3.0]},
        "b",
        "sum(2*e*a*t*exp(-b*t))",
        {
            "sum(-2*e*a*t*exp(-b*t))": "sign",
            "sum(2*e*t*exp(-b*t))": "a",
            "sum(2*e*a*exp(-b*t))": "t",
            "2*sum(e)*sum(a*t*exp(-b*t))": "grouping",
            "sum(2*e*a*t*exp(-b))": "t",
            "sum(e*a*t*exp(-b*t))": "2",
            "mean(2*e*a*t*exp(-b*t))": "sum|4",
        },
    ),
    Model(
        "v = x@M@x; n = x@x; L = v/n",
        {"x": Y, "M": M},
        "x",
        "((M + M.T)@x - 2*L*x)/n",
        {
            "(2*M@x - 2*L*x)/n": "transpos|M",
            "(M + M.T)@x/n": "path|term|quotient",
            "((M + M.T)@x - L*x)/n": "2",
            "((M + M.T)@x - 2*x)/n": "L",
            "((M + M.T)@x - 2*L*x)/sqrt(n)": "sqrt|function|exponent",
            "((M + M.T)@x + 2*L*x)/n": "sign",
            "((M + M)@x - 2*L*x)/n": "transpos",
        },
    ),
    Model(
        "f = sqrt(x**2 + y**2 + 1e-6); L = atan2(y, x) + f",
        {"x": 0.7, "y": 1.2},
        "y",
        "x/(x**2 + y**2) + y/f",
        {
            "-x/(x**2 + y**2) + y/f": "sign",
            "y/(x**2 + y**2) + y/f": "x|variable",
            "x/(x**2 + y**2) + y/f**2": "exponent",
            "x/sqrt(x**2 + y**2) + y/f": "sqrt|function|exponent",
            "x/(x**2 + y**2) + 1/f": "y",
            "x/(x**2 + y**2) + y/sqrt(x**2 + y**2)": "1e-06|0.000001|f",
        },
    ),
    Model(
        "p = softmax(z); H = -sum(p*log(p))",
        {"z": [0.3, -0.5, 1.1, 0.2]},
        "z",
        "-p*(log(p) + H)",
        {
            "p*(log(p) + H)": "sign",
            "-p*(log(p) - H)": "sign",
            "-(log(p) + H)": "p",
            "-p*(log(p) + 1)": "H|1",
            "-p*log(p)": "H|term|path",
            "-p*(log2(p) + H)": "function|log",
        },
    ),
    Model(
        "s = cumsum(x, 0); L = sum(w*s**2)",
        {"x": [0.4, 1.3, 2.2, -0.6], "w": [1.0, 0.5, -0.3, 0.8]},
        "x",
        "flip(cumsum(flip(2*w*s, 0), 0), 0)",
        {
            "cumsum(2*w*s, 0)": "operand-transposed|transpose|flip",
            "flip(cumsum(flip(w*s, 0), 0), 0)": "2",
            "flip(cumsum(flip(2*s, 0), 0), 0)": "w",
            "cumsum(flip(2*w*s, 0), 0)": "flip|permuted|reverse",
            "2*w*s": "cumsum|path|operand|gradient of s",
            "flip(cumsum(flip(2*w*x, 0), 0), 0)": "s|variable",
        },
    ),
    Model(
        "mu = mean(x, dim=1, keepdim=True); sd = std(x, dim=1, keepdim=True); "
        "L = sum(g*(x - mu)/sd)",
        {"x": [[0.5, -1.2, 0.9], [2.0, 0.3, -0.4]], "g": [[0.7, 1.5, -0.6], [0.4, -0.2, 1.1]]},
        "g",
        "(x - mu)/sd",
        {
            "x/sd - mu": "grouping|parentheses|sd",
            "(x - mu)/sd**2": "exponent",
            "(x - mean(x))/sd": "mu|axis|dim",
            "(x - mu)/std(x, dim=1, keepdim=True, unbiased=False)": "argument|unbiased|sd",
            "(x - mu)/var(x, dim=1, keepdim=True)": "function|std|sqrt",
            "(x - mu)/std(x, dim=0, keepdim=True)": "axis|dim|sd",
        },
    ),
    Model(
        "A = a*b/(a + b); L = A**1.5",
        {"a": 1.4, "b": 0.8},
        "a",
        "1.5*sqrt(A)*b**2/(a + b)**2",
        {
            "1.5*A*b**2/(a + b)**2": "sqrt|exponent|function",
            "1.5*sqrt(A)*b/(a + b)**2": "exponent|b",
            "1.5*sqrt(A)*b**2/(a + b)": "exponent|a + b",
            "1.5*sqrt(A)*a**2/(a + b)**2": "b|variable",
            "sqrt(A)*b**2/(a + b)**2": "1.5|chain",
            "1.5*sqrt(A)*b**2/(a - b)**2": "sign",
            "1.5*sqrt(A)*b/(a + b)": "b|path|term|quotient|division|factor",
        },
    ),
    Model(
        "y = conv1d(reshape(x, 1, 1, 5), reshape(k, 1, 1, 3)).reshape(3); L = sum(y*c)",
        {"x": [0.4, 1.3, -0.2, 0.7, 1.1], "k": [0.5, -1.0, 0.25], "c": [1.0, 2.0, -0.5]},
        "k",
        "stack([sum(c*x[0:3]), sum(c*x[1:4]), sum(c*x[2:5])])",
        {
            "stack([sum(c*x[2:5]), sum(c*x[1:4]), sum(c*x[0:3])])": "order|reverse|permuted",
            "stack([sum(x[0:3]), sum(x[1:4]), sum(x[2:5])])": "factor c",
            "stack([sum(c*x[0:3]), sum(c*x[1:4]), sum(c*x[1:4])])": "index",
            "stack([sum(y*x[0:3]), sum(y*x[1:4]), sum(y*x[2:5])])": "c|variable",
            "stack([mean(c*x[0:3]), mean(c*x[1:4]), mean(c*x[2:5])])": "mean|3|sum",
        },
    ),
    Model(
        "t = tan(a); L = v**2*sin(2*a)/g + t",
        {"a": 0.6, "v": 3.0, "g": 9.81},
        "a",
        "2*v**2*cos(2*a)/g + 1 + t**2",
        {
            "v**2*cos(2*a)/g + 1 + t**2": "2|chain",
            "2*v**2*cos(a)/g + 1 + t**2": "2",
            "2*v**2*cos(2*a)/g + 1/cos(a)": "exponent|cos",
            "2*v*cos(2*a)/g + 1 + t**2": "exponent|v",
            "-2*v**2*cos(2*a)/g + 1 + t**2": "sign",
            "2*v**2*cos(2*a)/g + t**2": "1|term",
        },
    ),
]
