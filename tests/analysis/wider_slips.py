"""Slips in gradients of models from statistics, finance, mechanics, ecology and learning."""

from __future__ import annotations

from tests.analysis.slips import Model

X = [[0.5, -1.2], [2.0, 0.3], [-0.7, 1.1], [0.9, 0.8]]
Y = [0.3, 1.4, -0.6, 0.9]
KL = (
    "p = softmax(a); q = softmax(b); L = sum(p*(log(p) - log(q)))",
    {"a": [0.4, -0.9, 1.1], "b": [0.1, 0.7, -0.5]},
)
LOG_NORMAL = (
    "z = log(x) - m; L = sum(log(x) + log(s) + z**2/(2*s**2))",
    {"x": [0.4, 1.3, 2.2, 0.9], "m": 0.3, "s": 0.7},
)
EPIDEMIC = (
    "i = b*S*I/N; E1 = E + i - s*E; I1 = I + s*E - g*I; L = (E1 - x)**2 + (I1 - y)**2",
    {"S": 8.1, "E": 1.2, "I": 0.7, "N": 10.3, "b": 0.6, "s": 0.3, "g": 0.15, "x": 0.9, "y": 1.4},
)
PREY = (
    "u = x + h*(a*x - b*x*y); v = y + h*(c*x*y - d*y); L = u**2 + v**2",
    {"x": 1.3, "y": 0.7, "h": 0.1, "a": 1.1, "b": 0.6, "c": 0.45, "d": 0.8},
)
MODELS = [
    Model(  # divergence, the second distribution
        *KL, "b", "q - p",
        {
            "q": "one-hot|term|path|p",
            "p - q": "sign|order",
            "(q - p)/3": "factor|division|3",
            "-p/q": "derivative|softmax|factor|other-output|q",
            "sigmoid(b) - p": "softmax",
        },
        (
            "exp(b)/sum(exp(b)) - exp(a)/sum(exp(a))",
            "-(p - q)",
        ),
    ),
    Model(  # divergence, the first distribution
        *KL, "a", "p*(log(p) - log(q) - L)",
        {
            "p*(log(p) - log(q))": "L|term|path",
            "p*(log(p) + log(q) - L)": "sign",
            "log(p) - log(q) - L": "factor p|p",
            "p*(log(p) - log(q) - 1)": "L",
            "p*(log(q) - log(p) - L)": "order|sign|exchanged|two",
        },
        (
            "p*log(p/q) - p*sum(p*log(p/q))",
            "exp(a - logsumexp(a))*(log_softmax(a) - log_softmax(b) - L)",
        ),
    ),
    Model(  # a log-normal distribution, the spread
        *LOG_NORMAL, "s", "4/s - sum(z**2)/s**3",
        {
            "1/s - sum(z**2)/s**3": "4",
            "4/s - sum(z**2)/s**2": "exponent|s",
            "4/s + sum(z**2)/s**3": "sign",
            "4/s - sum(z)**2/s**3": "parentheses|grouping|z**2",
            "-sum(z**2)/s**3": "4 / s|term|path",
        },
        (
            "sum(s**2 - z**2)/s**3",
            "-dot(z/s, z/s)/s + len(x)/s",
        ),
    ),
    Model(  # the same, the data
        *LOG_NORMAL, "x", "(1 + z/s**2)/x",
        {
            "1 + z/s**2": "x",
            "(1 + z/s)/x": "s**2|exponent|s",
            "z/(s**2*x)": "term|path|1 / x",
            "(1 - z/s**2)/x": "sign",
        },
        (
            "1/x + (log(x) - m)/(x*s**2)",
            "(s**2 + z)/(s**2*x)",
        ),
    ),
    Model(  # moving averages of errors, their weight
        "e1 = y[1] - a*y[0] - b*e0; e2 = y[2] - a*y[1] - b*e1; L = e1**2 + e2**2",
        {"y": [0.4, 1.3, 0.6], "a": 0.5, "b": 0.3, "e0": 0.2}, "b",
        "-2*e1*e0 - 2*e2*(e1 - b*e0)",
        {
            "-2*e1*e0 - 2*e2*e1": "term|path|e0",
            "-2*e1*e0 - 2*e2*(e1 + b*e0)": "sign",
            "-2*e2*(e1 - b*e0)": "term|path|e1 * e0",
            "-e1*e0 - e2*(e1 - b*e0)": "2",
        },
        (
            "2*(e2*(b*e0 - e1) - e0*e1)",
            "-2*(e0*(e1 - b*e2) + e1*e2)",
        ),
    ),
    Model(  # an epidemic with a latent stage, the rate of its end
        *EPIDEMIC, "s", "2*(I1 - y)*E - 2*(E1 - x)*E",
        {
            "2*(I1 - y)*E": "term|path|E1",
            "2*(I1 - y)*E + 2*(E1 - x)*E": "sign",
            "2*(I1 - y) - 2*(E1 - x)": "factor E|E",
            "2*(I1 - y)*I - 2*(E1 - x)*E": "E instead of I|other-value|E",
        },
        (
            "2*E*(I1 - y - E1 + x)",
            "E*(2*I1 - 2*y) + E*(2*x - 2*E1)",
        ),
    ),
    Model(  # the same, the infectious
        *EPIDEMIC, "I", "2*(E1 - x)*b*S/N + 2*(I1 - y)*(1 - g)",
        {
            "2*(E1 - x)*b*S/N + 2*(I1 - y)*(-g)": "1|term|path|complement",
            "2*(E1 - x)*b*S + 2*(I1 - y)*(1 - g)": "N",
            "2*(E1 - x)*b*S/N - 2*(I1 - y)*(1 - g)": "sign",
            "2*(E1 - x)*b/N + 2*(I1 - y)*(1 - g)": "S",
        },
        (
            "2*(b*(S/N)*(E1 - x) + (I1 - y) - g*(I1 - y))",
            "2*i/I*(E1 - x) - 2*(g - 1)*(I1 - y)",
        ),
    ),
    Model(  # a unit with one gate, the candidate
        "f = sigmoid(w*x + u*h); c = tanh(v*x + r*(f*h)); n = (1 - f)*h + f*c; L = sum(n**2)/2",
        {"x": [0.4, -1.3, 0.9], "h": [0.6, 1.1, -0.3], "w": 0.5, "u": -0.8, "v": 1.1, "r": 0.4},
        "v", "sum(n*f*(1 - c**2)*x)",
        {
            "sum(n*(1 - f)*(1 - c**2)*x)": "1|complement|f",
            "sum(n*f*(1 - c)*x)": "c**2|exponent|1 - c",
            "sum(n*f*x)": "1 - c**2|derivative",
            "sum(n*f*(1 - c**2))": "x",
            "sum(n*f*(1 - c**2)*h)": "x",
        },
        (
            "dot(n*f/cosh(v*x + r*(f*h))**2, x)",
            "sum(x*f*n) - sum(x*f*n*c*c)",
        ),
    ),
    Model(  # weights with a norm of their own
        "n = norm(v); w = g*v/n; r = X@w - y; L = r@r/2",
        {"X": X, "y": Y, "v": [0.8, -0.5], "g": 1.3}, "v",
        "g/n*(X.T@r - v*dot(v, X.T@r)/n**2)",
        {
            "g/n*X.T@r": "term|path",
            "g/n*(X.T@r - v*dot(v, X.T@r)/n)": "n**2|n",
            "g/n*(X.T@r + v*dot(v, X.T@r)/n**2)": "sign",
            "1/n*(X.T@r - v*dot(v, X.T@r)/n**2)": "g",
            "g*(X.T@r - v*dot(v, X.T@r)/n**2)": "n",
        },
        (
            "g*(eye(2) - outer(v, v)/n**2)@(r@X)/n",
            "g*(r@X)/n - w*(v@(r@X))/n**2",
        ),
    ),
    Model(  # a score of turned vectors, the angle
        "a = cos(t)*q[0] - sin(t)*q[1]; b = sin(t)*q[0] + cos(t)*q[1]; s = a*k[0] + b*k[1]",
        {"q": [0.7, -0.4], "k": [1.2, 0.5], "t": 0.6}, "t", "a*k[1] - b*k[0]",
        {
            "a*k[1] + b*k[0]": "sign",
            "b*k[1] - a*k[0]": "exchanged|index|order|other-value|two",
            "a*k[0] - b*k[1]": "exchanged|index|order|two",
            "a*k[1]": "term|path",
        },
        (
            "k[0]*(-sin(t)*q[0] - cos(t)*q[1]) + k[1]*(cos(t)*q[0] - sin(t)*q[1])",
            "-(b*k[0] - k[1]*a)",
        ),
    ),
    Model(  # a squared distance of Mahalanobis, the covariance
        "d = x - m; L = d@inv(S)@d",
        {"x": [0.4, 1.3], "m": [0.1, -0.6], "S": [[2.0, 0.3], [0.7, 1.5]]}, "S",
        "-inv(S).T@outer(d, d)@inv(S).T",
        {
            "-inv(S)@outer(d, d)@inv(S)": "transposed|.T",
            "inv(S).T@outer(d, d)@inv(S).T": "sign",
            "-inv(S).T@outer(d, d)": "inv(S)|factor",
            "outer(d, d)": "inv|derivative|two",
            "-inv(S).T@outer(x, x)@inv(S).T": "d instead of x|d",
        },
        (
            "-outer(solve(S.T, d), solve(S, d))",
            "-outer(d@inv(S), inv(S)@d)",
        ),
    ),
    Model(  # a soft triplet loss
        "z = sum((a - p)**2) - sum((a - n)**2); L = log(1 + exp(z))",
        {"a": [0.4, -0.3, 0.8], "p": [0.5, 0.1, 0.6], "n": [-0.2, 0.4, 0.9]}, "a",
        "2*sigmoid(z)*(n - p)",
        {
            "2*sigmoid(z)*(p - n)": "order|sign",
            "2*(n - p)": "sigmoid(z)|derivative of L|factor",
            "2*sigmoid(-z)*(n - p)": "sign",
            "sigmoid(z)*(n - p)": "2",
            "2*sigmoid(z)*(a - p)": "term|path|n",
        },
        (
            "exp(z)/(1 + exp(z))*(2*(a - p) - 2*(a - n))",
            "2*(n - p)/(1 + exp(-z))",
        ),
    ),
    Model(  # a bond, its yield
        "P = sum(c/(1 + y)**t); L = (P - q)**2",
        {"c": [4.0, 4.0, 104.0], "t": [1.0, 2.0, 3.0], "y": 0.037, "q": 99.2}, "y",
        "-2*(P - q)*sum(t*c/(1 + y)**(t + 1))",
        {
            "-2*(P - q)*sum(t*c/(1 + y)**t)": "1|exponent|factor",
            "-2*(P - q)*sum(c/(1 + y)**(t + 1))": "factor t|t",
            "2*(P - q)*sum(t*c/(1 + y)**(t + 1))": "sign",
            "-2*(P - q)*sum(t*c/(1 + y)**(t - 1))": "sign|exponent|operation|t + 1",
        },
        (
            "2*(q - P)/(1 + y)*sum(t*c*(1 + y)**(-t))",
            "-2*(P - q)*dot(t, c*exp(-(t + 1)*log(1 + y)))",
        ),
    ),
    Model(  # a bent beam, its height
        "I = b*h**3/12; w = F*l**3/(3*E*I); C = (w - d)**2",
        {"b": 0.2, "h": 0.4, "F": 1.3, "l": 2.1, "E": 70.0, "d": 0.02}, "h", "-6*(w - d)*w/h",
        {
            "6*(w - d)*w/h": "sign",
            "-2*(w - d)*w/h": "3|6",
            "-6*(w - d)*w": "h",
            "-6*(w - d)*w*h": "operation|h",
            "-6*w/h": "w - d|factor",
        },
        (
            "2*(w - d)*F*l**3/(3*E)*(-3*12/(b*h**4))",
            "6*(d - w)*w/h",
        ),
    ),
    Model(  # predators and prey, one step from the prey
        *PREY, "x", "2*u*(1 + h*(a - b*y)) + 2*v*h*c*y",
        {
            "2*u*h*(a - b*y) + 2*v*h*c*y": "1|term|path",
            "2*u*(1 + h*(a - b*y))": "term|path",
            "2*u*(1 + h*(a - b*x)) + 2*v*h*c*y": "y instead of x|y",
            "2*u*(1 + h*(a + b*y)) + 2*v*h*c*y": "sign",
            "2*u*(1 + h*a - b*y) + 2*v*h*c*y": "parentheses|grouping|factor h|h",
        },
        (
            "2*u + 2*h*(u*a - u*b*y + v*c*y)",
            "2*(u*(1 + h*a - h*b*y) + h*c*v*y)",
        ),
    ),
    Model(  # a smooth lasso
        "r = X@w - y; L = r@r/8 + k*sum(sqrt(w**2 + 1e-3))",
        {"X": X, "y": Y, "w": [0.3, -0.2], "k": 0.2}, "w", "X.T@r/4 + k*w/sqrt(w**2 + 1e-3)",
        {
            "X.T@r/8 + k*w/sqrt(w**2 + 1e-3)": "4|8|2",
            "X.T@r/4 + k*sign(w)": "0.001|sign(|sqrt|function|abs",
            "X.T@r/4 + k*w": "sqrt",
            "X.T@r/4 + w/sqrt(w**2 + 1e-3)": "k",
            "X.T@r/4 + k*w/sqrt(w**2)": "0.001",
        },
        (
            "(r@X)*0.25 + k*w*(w**2 + 1e-3)**-0.5",
            "sum(X*r[:, None], dim=0)/4 + k*(w/sqrt(1e-3 + w*w))",
        ),
    ),
    Model(  # counts with too many zeros, the rate
        "L = -sum(log(p + (1 - p)*exp(-m)))", {"p": 0.3, "m": [0.4, 1.2, 2.3]}, "m",
        "(1 - p)*exp(-m)/(p + (1 - p)*exp(-m))",
        {
            "-(1 - p)*exp(-m)/(p + (1 - p)*exp(-m))": "sign",
            "exp(-m)/(p + (1 - p)*exp(-m))": "1 - p",
            "(1 - p)/(p + (1 - p)*exp(-m))": "exp(-m)",
            "(1 - p)*exp(-m)": "p + (1 - p)|log|division",
        },
        (
            "(1 - p)/(p*exp(m) + 1 - p)",
            "1 - p/(p + (1 - p)*exp(-m))",
        ),
    ),
    Model(  # overlap of soft masks
        "i = sum(p*t); u = sum(p) + sum(t) - i; L = 1 - i/u",
        {"p": [0.8, 0.3, 0.6, 0.1], "t": [1.0, 0.0, 1.0, 1.0]}, "p", "(i*(1 - t) - t*u)/u**2",
        {
            "(i*(1 - t) - t*u)/u": "u**2|exponent|u",
            "-t/u": "term|path",
            "(i - t*u)/u**2": "1 - t|term|path",
            "(i*(1 - t) + t*u)/u**2": "sign",
            "(t*u - i*(1 - t))/u**2": "sign|order",
        },
        (
            "-t/u + i/u**2 - i*t/u**2",
            "(i - t*(i + u))/(u*u)",
        ),
    ),
    Model(  # an F score
        "s = sum(p*t); D = b**2*sum(t) + sum(p); F = (1 + b**2)*s/D",
        {"p": [0.8, 0.3, 0.6], "t": [1.0, 0.0, 1.0], "b": 1.5}, "p", "(1 + b**2)*(t*D - s)/D**2",
        {
            "(1 + b)*(t*D - s)/D**2": "b**2|exponent|2",
            "(1 + b**2)*(t*D + s)/D**2": "sign",
            "(1 + b**2)*(t - s)/D**2": "D",
            "(1 + b**2)*t/D": "term|path",
        },
        (
            "(1 + b**2)*t/D - F/D",
            "((1 + b**2)*t - F)/D",
        ),
    ),
    Model(  # a cubic of Hermite, its parameter
        (
            "H = (2*t**3 - 3*t**2 + 1)*p + (t**3 - 2*t**2 + t)*m + (3*t**2 - 2*t**3)*q + "
            "(t**3 - t**2)*n; L = (H - y)**2"
        ),
        {"t": 0.35, "p": 0.4, "m": 1.2, "q": 1.7, "n": -0.6, "y": 0.9}, "t",
        "2*(H - y)*(6*t*(t - 1)*(p - q) + (3*t**2 - 4*t + 1)*m + (3*t**2 - 2*t)*n)",
        {
            "2*(H - y)*(6*t*(t - 1)*(p - q) + (3*t**2 - 4*t)*m + (3*t**2 - 2*t)*n)": "1",
            "2*(H - y)*(6*t*(t - 1)*(p + q) + (3*t**2 - 4*t + 1)*m + (3*t**2 - 2*t)*n)": "sign",
            "(H - y)*(6*t*(t - 1)*(p - q) + (3*t**2 - 4*t + 1)*m + (3*t**2 - 2*t)*n)": "2",
            "2*(H - y)*(6*t*(t - 1)*(p - q) + (3*t**2 - 2*t + 1)*m + (3*t**2 - 2*t)*n)": "4",
        },
        (
            "2*(H - y)*((6*t**2 - 6*t)*p + (3*t - 1)*(t - 1)*m + (6*t - 6*t**2)*q + t*(3*t - 2)*n)",
            "(2*H - 2*y)*(6*t*t*(p - q) - 6*t*(p - q) + m*(1 - 4*t + 3*t*t) - n*(2*t - 3*t*t))",
        ),
    ),
    Model(  # softplus, its sharpness
        "L = sum(log(1 + exp(b*x))/b)", {"b": 1.7, "x": [0.4, -1.3, 0.9]}, "b",
        "sum(x*sigmoid(b*x)/b - log(1 + exp(b*x))/b**2)",
        {
            "sum(x*sigmoid(b*x)/b)": "term|path",
            "sum(x*sigmoid(b*x)/b + log(1 + exp(b*x))/b**2)": "sign",
            "sum(sigmoid(b*x)/b - log(1 + exp(b*x))/b**2)": "x",
            "sum(x*sigmoid(b*x) - log(1 + exp(b*x))/b**2)": "b",
            "sum(x*sigmoid(x)/b - log(1 + exp(b*x))/b**2)": "b",
        },
        (
            "sum(x*sigmoid(b*x) - softplus(b*x)/b)/b",
            "(sum(x/(1 + exp(-b*x))) - L)/b",
        ),
    ),
    Model(  # a step with momentum and decay
        "m = k*m0 + g + c*w; n = w - r*m; L = sum((n - t)**2)",
        {"w": [0.4, -0.7], "m0": [0.1, 0.2], "g": [0.5, -0.3], "t": [0.3, 0.1], "k": 0.9,
         "c": 0.2, "r": 0.3}, "w", "2*(n - t)*(1 - r*c)",
        {
            "2*(n - t)": "r * c|term|path|factor",
            "2*(n - t)*(1 + r*c)": "sign",
            "2*(n - t)*(1 - r)": "c",
            "-2*(n - t)*r*c": "1|term|path",
        },
        (
            "(n - t)*(2 - 2*r*c)",
            "2*n - 2*t - 2*r*c*n + 2*r*c*t",
        ),
    ),
    Model(  # a gated linear unit, the gate
        "g = sigmoid(x@B); L = sum((x@A)*g)",
        {"x": [0.4, -1.3, 0.9], "A": [[0.5, -0.2], [1.1, 0.3], [0.7, -0.9]],
         "B": [[0.3, 0.8], [-0.6, 0.4], [0.2, -0.5]]}, "B", "outer(x, (x@A)*g*(1 - g))",
        {
            "outer(x, g*(1 - g))": "x @ A|x@A|factor",
            "outer(x, (x@A)*g)": "1 - g|stands where its derivative",
            "outer((x@A)*g*(1 - g), x)": "order|transposed|shape",
            "outer(x, (x@A)*g*(1 + g))": "sign|not g*(1 + g)",
            "outer(x, (x@B)*g*(1 - g))": "A",
        },
        (
            "x[:, None]*((x@A)*g*(1 - g))[None, :]",
            "outer(x, (x@A)*(g - g**2))",
        ),
    ),
    Model(  # pooling by a soft maximum
        "y = log(mean(exp(r*x), dim=1))/r; L = sum(c*y)",
        {"x": [[0.4, -0.3, 0.8], [1.2, 0.5, -0.7]], "r": 2.5, "c": [0.7, -1.3]}, "x",
        "c[:, None]*softmax(r*x, dim=1)",
        {
            "c[:, None]*softmax(x, dim=1)": "r",
            "c[:, None]*softmax(r*x, dim=0)": "dim=1|axis",
            "softmax(r*x, dim=1)": "c",
            "c[:, None]*softmax(r*x, dim=1)/3": "factor|3",
            "r*c[:, None]*softmax(r*x, dim=1)": "r",
        },
        (
            "c[:, None]*exp(r*x)/sum(exp(r*x), dim=1, keepdim=True)",
            "(c*exp(-r*y)).unsqueeze(1)*exp(r*x)/3",
        ),
    ),
    Model(  # a turn by a quaternion that is normalised on the way
        "n = w**2 + x**2 + y**2 + z**2; a = 1 - 2*(y**2 + z**2)/n; L = (a - t)**2",
        {"w": 0.8, "x": 0.1, "y": -0.3, "z": 0.4, "t": 0.2}, "y",
        "8*(a - t)*y*((y**2 + z**2)/n - 1)/n",
        {
            "-8*(a - t)*y/n": "term|path",
            "8*(a - t)*y*((y**2 + z**2)/n + 1)/n": "sign",
            "4*(a - t)*y*((y**2 + z**2)/n - 1)/n": "2|8|4",
            "8*(a - t)*y*((y**2 + z**2)/n - 1)": "n",
            "8*(a - t)*z*((y**2 + z**2)/n - 1)/n": "y instead of z|y",
        },
        (
            "-8*(a - t)*y*(w**2 + x**2)/n**2",
            "2*(a - t)*(-4*y/n + 4*y*(y**2 + z**2)/n**2)",
        ),
    ),
    Model(  # an implicit step of decay, its rate
        "u = (x + h*f)/(1 + k*h); L = (u - y)**2",
        {"x": 0.9, "h": 0.1, "f": 0.4, "k": 2.3, "y": 0.5}, "k", "-2*(u - y)*u*h/(1 + k*h)",
        {
            "2*(u - y)*u*h/(1 + k*h)": "sign",
            "-2*(u - y)*u*h/(1 + k*h)**2": "exponent|1 + k*h|twice|1 + k * h",
            "-2*(u - y)*u/(1 + k*h)": "h",
            "-2*(u - y)*u*k/(1 + k*h)": "h instead of k|h",
        },
        (
            "-2*(u - y)*h*(x + h*f)/(1 + k*h)**2",
            "2*(y - u)*u/(1/h + k)",
        ),
    ),
    Model(  # a Gaussian of log-odds, the data
        "z = log(x/(1 - x)) - m; L = sum(log(x) + log(1 - x) + z**2/(2*s**2))",
        {"x": [0.2, 0.45, 0.8], "m": 0.3, "s": 0.7}, "x", "(1 - 2*x + z/s**2)/(x*(1 - x))",
        {
            "(1 - 2*x + z/s**2)/x": "1 - x",
            "(1 - x + z/s**2)/(x*(1 - x))": "2",
            "(1 - 2*x + z/s)/(x*(1 - x))": "s",
            "(1 + z/s**2)/(x*(1 - x))": "2 * x|term|path|sign of the derivative of log(1 - x)",
            "(1 - 2*x - z/s**2)/(x*(1 - x))": "sign",
        },
        (
            "1/x - 1/(1 - x) + z/(s**2*x*(1 - x))",
            "(z/s**2 + 1 - 2*x)*(1/x + 1/(1 - x))",
        ),
    ),
    Model(  # cross-entropy for labels with noise, its exponent
        "L = mean((1 - p**q)/q)", {"p": [0.3, 0.6, 0.8], "q": 0.7}, "q",
        "-mean(p**q*log(p)/q + (1 - p**q)/q**2)",
        {
            "-mean(p**q*log(p)/q)": "term|path",
            "-mean(p**q/q + (1 - p**q)/q**2)": "log(p)",
            "-sum(p**q*log(p)/q + (1 - p**q)/q**2)": "mean|3",
            "-mean(q*p**(q - 1)/q + (1 - p**q)/q**2)": "log|exponent|p**q|derivative",
            "-mean(p**q*log(p)/q - (1 - p**q)/q**2)": "sign",
        },
        (
            "-(mean(p**q*log(p)) + L)/q",
            "sum(p**q*(1 - q*log(p)) - 1)/(3*q**2)",
        ),
    ),
    Model(  # exponential smoothing, its weight
        "s1 = a*x[1] + (1 - a)*x[0]; s2 = a*x[2] + (1 - a)*s1; L = (s2 - y)**2",
        {"x": [0.4, 1.3, 0.6], "a": 0.3, "y": 0.9}, "a",
        "2*(s2 - y)*(x[2] - s1 + (1 - a)*(x[1] - x[0]))",
        {
            "2*(s2 - y)*(x[2] - s1)": "term|path",
            "2*(s2 - y)*(x[2] - s1 + (1 - a)*(x[1] + x[0]))": "sign",
            "2*(s2 - y)*(x[2] - s1 + a*(x[1] - x[0]))": "1 - a|complement",
            "2*(s2 - y)*(x[2] - x[1] + (1 - a)*(x[1] - x[0]))": "s1",
        },
        (
            "2*(s2 - y)*(x[2] - a*x[1] - (1 - a)*x[0] + (1 - a)*x[1] - (1 - a)*x[0])",
            "(s2 - y)*(2*x[2] - 2*s1 - 2*(a - 1)*(x[1] - x[0]))",
        ),
    ),
    Model(  # quantile loss, the estimate
        "r = y - q; L = sum(where(r > 0, t*r, (t - 1)*r))",
        {"y": [0.4, 1.3, -0.6], "q": [0.7, 0.2, -0.9], "t": 0.8}, "q", "where(r > 0, -t, 1 - t)",
        {
            "where(r > 0, t, t - 1)": "sign",
            "where(r < 0, -t, 1 - t)": "condition",
            "where(r > 0, -t, t - 1)": "sign|order",
            "where(r > 0, -t, t)": "1|complement|term|order",
        },
        (
            "where(y > q, 0, 1) - t",
            "(r <= 0) - t",
        ),
    ),
]  # fmt: skip
