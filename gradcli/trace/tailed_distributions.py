"""`torch.distributions`: of times until something fails, of directions, and of relaxed classes.

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994; of relaxed
classes, Maddison, Mnih and Teh, The Concrete Distribution, 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.graph import Array, Node, Shape
from gradcli.ops import f
from gradcli.ops.control import detach
from gradcli.trace.constraints import (
    BELOW_1,
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    REAL,
    SIMPLEX,
    Constraint,
    at_least,
    check,
    each,
)
from gradcli.trace.distributions import ByInverse, Distribution, OfLogits, shown_value
from gradcli.trace.draws import Draws
from gradcli.trace.more_distributions import Gamma
from gradcli.trace.rare_distributions import EULER, OneHotCategorical
from gradcli.trace.supports import Support
from gradcli.trace.usual_distributions import Categorical, Exponential
from gradcli.trace.values import Value

_NEAR = (0.499, 0.501)
"""Between these probabilities a continuous Bernoulli's formulas are their series."""


def _log_beta(a: Node, b: Node) -> Node:
    return f("lgamma", a) + f("lgamma", b) - f("lgamma", a + b)


class Weibull(Distribution):
    support = POSITIVE
    names = ("scale", "concentration")
    constraints = (POSITIVE, POSITIVE)
    nodes = MappingProxyType({"log_prob": "AddBackward0", "cdf": "AddBackward0"})

    def log_density(self, x: Node) -> Node:
        scale, k = self.parameters
        ratio = x / scale
        return f("log", k / scale) + (k - 1.0) * f("log", ratio) - ratio**k

    def _moment(self, order: float) -> Node:
        return f("exp", f("lgamma", 1.0 + order / self.parameters[1]))

    def mean(self) -> Node:
        return self.parameters[0] * self._moment(1.0)

    def mode(self) -> Node:
        scale, k = self.parameters
        return scale * ((k - 1.0) / k) ** (1.0 / k)

    def variance(self) -> Node:
        return self.parameters[0] ** 2.0 * (self._moment(2.0) - self._moment(1.0) ** 2.0)

    def entropy(self) -> Node:
        scale, k = self.parameters
        return EULER * (1.0 - 1.0 / k) + f("log", scale / k) + 1.0

    def cdf(self, x: Node) -> Node:
        scale, k = self.parameters
        return -f("expm1", -((x / scale) ** k))

    def icdf(self, x: Node) -> Node:
        scale, k = self.parameters
        return scale * (-f("log1p", -x)) ** (1.0 / k)

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))


class Pareto(Distribution):
    names = ("scale", "alpha")
    printed_names = ("alpha", "scale")
    nodes = MappingProxyType({"log_prob": "AddBackward0", "cdf": "AddBackward0"})

    def checked(self) -> Distribution:
        return Exponential(self.draws, self.parameters[1:])

    def check(self, names: Sequence[str]) -> None:
        super().check(names)
        if not self.draws.is_followed(self.parameters[0]):
            scale = self._scale()
            check("scale", scale, POSITIVE, self.shown(), shown_value(scale))

    def supported(self) -> Constraint | None:
        if self.draws.is_followed(self.parameters[0]):
            return None
        scale = self._scale()
        return at_least(scale, shown_value(scale))

    def _scale(self) -> Array:
        return self.values.evaluator.value(self.parameters[0])

    def _limits(self) -> list[tuple[Value, Value]]:
        return [(name, Support(self.values, POSITIVE)) for name in ("alpha", "scale")]

    def log_density(self, x: Node) -> Node:
        scale, alpha = self.parameters
        return f("log", alpha) + alpha * f("log", scale) - (alpha + 1.0) * f("log", x)

    def mean(self) -> Node:
        scale, alpha = self.parameters
        above = f("clamp", alpha, 1.0)
        return above * scale / (above - 1.0)

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        scale, alpha = self.parameters
        above = f("clamp", alpha, 2.0)
        return scale**2.0 * above / ((above - 1.0) ** 2.0 * (above - 2.0))

    def entropy(self) -> Node:
        scale, alpha = self.parameters
        return f("log", scale / alpha) + 1.0 + 1.0 / alpha

    def cdf(self, x: Node) -> Node:
        scale, alpha = self.parameters
        return 1.0 - (scale / x) ** alpha

    def icdf(self, x: Node) -> Node:
        scale, alpha = self.parameters
        return scale * f("exp", -f("log1p", -x) / alpha)

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))


class HalfCauchy(Distribution):
    support = NOT_NEGATIVE
    names = ("scale",)
    constraints = (POSITIVE,)
    printed_names = ()
    nodes = MappingProxyType({"entropy": "SubBackward0", "cdf": "SubBackward0"})

    def log_density(self, x: Node) -> Node:
        (scale,) = self.parameters
        inside = math.log(2 / math.pi) - f("log", scale) - f("log1p", (x / scale) ** 2.0)
        return f("where", x >= 0.0, inside, -math.inf)

    def mean(self) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, np.inf)))

    def mode(self) -> Node:
        return self.values.own(f("zeros_like", self.parameters[0]))

    def variance(self) -> Node:
        return self.mean()

    def entropy(self) -> Node:
        return math.log(2 * math.pi) + f("log", self.parameters[0])

    def cdf(self, x: Node) -> Node:
        return (2 / math.pi) * f("atan", x / self.parameters[0])

    def icdf(self, x: Node) -> Node:
        return self.parameters[0] * f("tan", x * (math.pi / 2))

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))


class InverseGamma(ByInverse):
    support = POSITIVE
    names = ("concentration", "rate")
    constraints = (POSITIVE, POSITIVE)
    printed_names = ()
    shapes = 1
    nodes = MappingProxyType({"log_prob": "AddBackward0", "cdf": "AddBackward0"})

    def checked(self) -> Distribution:
        return Gamma(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        a, rate = self.parameters
        return a * f("log", rate) - (a + 1.0) * f("log", x) - rate / x - f("lgamma", a)

    def mean(self) -> Node:
        a, rate = self.parameters
        return f("where", a > 1.0, rate / (a - 1.0), math.inf)

    def mode(self) -> Node:
        a, rate = self.parameters
        return rate / (a + 1.0)

    def variance(self) -> Node:
        a, rate = self.parameters
        finite = rate**2.0 / ((a - 1.0) ** 2.0 * (a - 2.0))
        return f("where", a > 2.0, finite, math.inf)

    def entropy(self) -> Node:
        a, rate = self.parameters
        return a + f("log", rate) + f("lgamma", a) - (1.0 + a) * f("digamma", a)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammainccinv

        return 1.0 / gammainccinv(*parameters, u)

    def placed(self, x: Node) -> Node:
        return self.parameters[1] * x

    def cdf(self, x: Node) -> Node:
        a, rate = self.parameters
        return 1.0 - f("gammainc", a, rate / x)


class Kumaraswamy(Distribution):
    support = PROBABILITY
    names = ("concentration1", "concentration0")
    constraints = (POSITIVE, POSITIVE)
    nodes = MappingProxyType(
        {"mode": "ExpBackward0", "entropy": "SubBackward0", "cdf": "AddBackward0"}
    )

    def log_density(self, x: Node) -> Node:
        a, b = self.parameters
        whole = f("log", a) + f("log", b)
        return whole + (a - 1.0) * f("log", x) + (b - 1.0) * f("log1p", -(x**a))

    def _moment(self, order: float) -> Node:
        a, b = self.parameters
        return b * f("exp", _log_beta(1.0 + order / a, b))

    def mean(self) -> Node:
        return self._moment(1.0)

    def mode(self) -> Node:
        """PyTorch's, where the two parameters are exchanged: it is nan."""
        a, b = self.parameters
        log = f("log1p", -b) / b - f("log1p", -b * a)
        return f("where", f("logical_or", a < 1.0, b < 1.0), math.nan, f("exp", log))

    def variance(self) -> Node:
        return self._moment(2.0) - self._moment(1.0) ** 2.0

    def entropy(self) -> Node:
        a, b = self.parameters
        harmonic = f("digamma", b + 1.0) + EULER
        rest = (1.0 - 1.0 / a) * harmonic - f("log", a) - f("log", b)
        return 1.0 - 1.0 / b + rest

    def cdf(self, x: Node) -> Node:
        a, b = self.parameters
        return 1.0 - (1.0 - x**a) ** b

    def icdf(self, x: Node) -> Node:
        a, b = self.parameters
        return (1.0 - (1.0 - x) ** (1.0 / b)) ** (1.0 / a)

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))


class FisherSnedecor(ByInverse):
    support = POSITIVE
    names = ("df1", "df2")
    constraints = (POSITIVE, POSITIVE)
    nodes = MappingProxyType(
        {"mean": "DivBackward0", "mode": "overwritten", "variance": "DivBackward0"}
    )

    def log_density(self, x: Node) -> Node:
        first, second = (each / 2.0 for each in self.parameters)
        ratio = self.parameters[0] / self.parameters[1]
        own = first * f("log", ratio) + (first - 1.0) * f("log", x)
        return own - (first + second) * f("log1p", ratio * x) - _log_beta(first, second)

    def mean(self) -> Node:
        second = self.parameters[1]
        return f("where", second > 2.0, second / (second - 2.0), math.nan)

    def mode(self) -> Node:
        first, second = self.parameters
        found = (first - 2.0) / first * second / (second + 2.0)
        return f("where", first > 2.0, found, math.nan)

    def variance(self) -> Node:
        first, second = self.parameters
        whole = 2.0 * second**2.0 * (first + second - 2.0)
        finite = whole / (first * (second - 2.0) ** 2.0 * (second - 4.0))
        return f("where", second > 4.0, finite, math.nan)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import f

        return f.ppf(u, *parameters)


class VonMises(ByInverse):
    has_rsample = False
    names = ("loc", "concentration")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, k = self.parameters
        size = math.log(2 * math.pi) + f("log", f("i0e", k)) + k
        return k * f("cos", x - loc) - size

    def mean(self) -> Node:
        return self.parameters[0]

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        k = self.parameters[1]
        return 1.0 - f("i1e", k) / f("i0e", k)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import vonmises

        loc, k = parameters
        angles = vonmises.ppf(u, k) + loc
        return (angles + np.pi) % (2 * np.pi) - np.pi


class NegativeBinomial(OfLogits):
    """How many trials do not fail before `total_count` of them do."""

    names = ("total_count", "probs", "logits")
    constraints = (at_least(0, "0"), BELOW_1, REAL)
    support = COUNT
    moments = "logits"
    of_truths = True
    nodes = MappingProxyType({"mode": "ClampBackward1", "variance": "DivBackward0"})

    @property
    def total(self) -> Node:
        return self.parameters[0]

    def log_density(self, x: Node) -> Node:
        sides = self.total * f("softplus", self.logits) + x * f("softplus", -self.logits)
        ways = f("lgamma", self.total + x) - f("lgamma", 1.0 + x) - f("lgamma", self.total)
        return f("where", f("eq", self.total + x, 0.0), 0.0, ways) - sides

    def mean(self) -> Node:
        return self.total * f("exp", self.logits)

    def mode(self) -> Node:
        found = f("floor", (self.total - 1.0) * f("exp", self.logits))
        return f("clamp", found, 0.0)

    def variance(self) -> Node:
        return self.mean() * (1.0 + f("exp", self.logits))

    def drawn(self, shape: Shape) -> Node:
        from scipy.stats import nbinom

        u, total, probs = map(
            self.values.evaluator.value, (self.draws.uniform(shape), self.total, self.probs)
        )
        return self.values.graph.constant(np.maximum(nbinom.ppf(u, total, 1.0 - probs), 0.0))


class Relaxed(OfLogits):
    """A distribution of classes whose samples are smooth in its parameters."""

    takes = ("temperature", "probs", "logits")
    has_rsample = True
    printed_names = ()

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters[1:])
        self.temperature = parameters[0]

    def _noise(self, shape: Shape) -> Node:
        edge = float(np.finfo(np.float32).eps)
        return f("clamp", self.draws.uniform(shape), edge, 1.0 - edge)

    def attribute(self, name: str) -> Any:
        return self.temperature if name == "temperature" else super().attribute(name)


class RelaxedBernoulli(Relaxed):
    support = PROBABILITY
    of_truths = True
    constraints = (PROBABILITY, REAL)

    def log_density(self, x: Node) -> Node:
        t = self.temperature
        height = f("log", x) - f("log1p", -x)
        apart = self.logits - height * t
        own = f("log", t) + apart - 2.0 * f("softplus", apart)
        return own - f("log", x) - f("log1p", -x)

    def drawn(self, shape: Shape) -> Node:
        u = self._noise(shape)
        noise = f("log", u) - f("log1p", -u)
        return f("sigmoid", (noise + self.logits) / self.temperature)


class ContinuousBernoulli(OfLogits):
    """Of numbers between 0 and 1. Near 1/2 its formulas are their series.

    Source: Loaiza-Ganem and Cunningham, The continuous Bernoulli, 2019.
    """

    has_rsample = True
    of_truths = True
    support = PROBABILITY
    constraints = (PROBABILITY, REAL)

    def _apart(self, formula: Callable[[Node], Node], near: Node) -> Node:
        """A formula of the probabilities, or where these are close to 1/2 what stands for it."""
        is_apart = f("logical_or", self.probs <= _NEAR[0], self.probs > _NEAR[1])
        return f("where", is_apart, formula(f("where", is_apart, self.probs, _NEAR[0])), near)

    def log_norm(self) -> Node:
        """The logarithm of the factor by which it integrates to 1."""
        x = (self.probs - 0.5) ** 2.0

        def formula(p: Node) -> Node:
            return f("log", _odds(p)) - f("log", f("abs", 1.0 - 2.0 * p))

        return self._apart(formula, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    def log_density(self, x: Node) -> Node:
        return x * self.logits - f("softplus", self.logits) + self.log_norm()

    def mean(self) -> Node:
        x = self.probs - 0.5
        near = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2.0) * x
        return self._apart(lambda p: p / (2.0 * p - 1.0) + 1.0 / _odds(p, signed=True), near)

    def variance(self) -> Node:
        x = (self.probs - 0.5) ** 2.0
        near = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return self._apart(
            lambda p: p * (p - 1.0) / (1.0 - 2.0 * p) ** 2.0 + 1.0 / _odds(p) ** 2.0, near
        )

    def entropy(self) -> Node:
        rest = f("log1p", -self.probs)
        return self.mean() * (rest - f("log", self.probs)) - self.log_norm() - rest

    def cdf(self, x: Node) -> Node:
        inside = self._apart(
            lambda p: (p**x * (1.0 - p) ** (1.0 - x) + p - 1.0) / (2.0 * p - 1.0), x
        )
        return f("where", x <= 0.0, 0.0, f("where", x >= 1.0, 1.0, inside))

    def icdf(self, x: Node) -> Node:
        def formula(p: Node) -> Node:
            rest = f("log1p", -p)
            return (f("log1p", -p + x * (2.0 * p - 1.0)) - rest) / (f("log", p) - rest)

        return self._apart(formula, x)

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))


def _odds(p: Node, *, signed: bool = False) -> Node:
    """log((1 - p) / p), without its sign unless that is asked for."""
    found = f("log1p", -p) - f("log", p)
    return found if signed else f("abs", found)


class RelaxedOneHotCategorical(Relaxed):
    support = SIMPLEX
    constraints = (SIMPLEX, each(REAL))
    events = 1

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        t = self.temperature
        count = float(self.shape[-1])
        logs = f("log", x)
        score = self.logits - logs * t
        score = f("sum", score - f("logsumexp", score, -1, True), -1)
        scale = math.lgamma(count) + (count - 1.0) * f("log", t)
        return score + scale - f("sum", logs, -1)

    def drawn(self, shape: Shape) -> Node:
        noise = -f("log", -f("log", self._noise(shape)))
        return f("softmax", (self.logits + noise) / self.temperature, -1)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Whose samples pass gradients on as if they were the probabilities."""

    has_rsample = True

    def drawn(self, shape: Shape) -> Node:
        return super().drawn(shape) + (self.probs - detach(self.probs))


CLASSES: tuple[type[Distribution], ...] = (
    Weibull, Pareto, HalfCauchy, InverseGamma, Kumaraswamy, FisherSnedecor, VonMises,
    OneHotCategoricalStraightThrough, NegativeBinomial, RelaxedBernoulli,
    ContinuousBernoulli,
    RelaxedOneHotCategorical,
)  # fmt: skip
