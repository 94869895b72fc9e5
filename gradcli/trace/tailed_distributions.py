"""`torch.distributions`: of times until something fails, of directions, and of relaxed classes.

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994; of relaxed
classes, Maddison, Mnih and Teh, The Concrete Distribution, 2017.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.control import detach
from gradcli.trace.arguments import bind_names
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
)
from gradcli.trace.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Distributions,
    Exponential,
    OfLogits,
    both,
    shown_value,
)
from gradcli.trace.distributions import function as _f
from gradcli.trace.draws import Draws
from gradcli.trace.more_distributions import ByInverse, Gamma
from gradcli.trace.rare_distributions import EULER, OneHotCategorical
from gradcli.trace.special import Special
from gradcli.trace.values import Value


def _log_beta(a: Node, b: Node) -> Node:
    return _f("lgamma", a) + _f("lgamma", b) - _f("lgamma", a + b)


class Weibull(Distribution):
    support = POSITIVE
    names = ("scale", "concentration")
    constraints = (POSITIVE, POSITIVE)

    def log_density(self, x: Node) -> Node:
        scale, k = self.parameters
        ratio = x / scale
        return _f("log", k / scale) + (k - 1.0) * _f("log", ratio) - ratio**k

    def _moment(self, order: float) -> Node:
        return _f("exp", _f("lgamma", 1.0 + order / self.parameters[1]))

    def mean(self) -> Node:
        return self.parameters[0] * self._moment(1.0)

    def variance(self) -> Node:
        return self.parameters[0] ** 2.0 * (self._moment(2.0) - self._moment(1.0) ** 2.0)

    def entropy(self) -> Node:
        scale, k = self.parameters
        return EULER * (1.0 - 1.0 / k) + _f("log", scale / k) + 1.0

    def cdf(self, x: Node) -> Node:
        scale, k = self.parameters
        return -_f("expm1", -((x / scale) ** k))

    def drawn(self, shape: Shape) -> Node:
        scale, k = self.parameters
        return scale * (-_f("log1p", -self.draws.uniform(shape))) ** (1.0 / k)


class Pareto(Distribution):
    names = ("scale", "alpha")
    printed_names = ("alpha", "scale")

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
        return self.values.evaluator.value(_f("expand", self.parameters[0], self.shape))

    def log_density(self, x: Node) -> Node:
        scale, alpha = self.parameters
        return _f("log", alpha) + alpha * _f("log", scale) - (alpha + 1.0) * _f("log", x)

    def mean(self) -> Node:
        scale, alpha = self.parameters
        above = _f("clamp", alpha, 1.0)
        return above * scale / (above - 1.0)

    def variance(self) -> Node:
        scale, alpha = self.parameters
        above = _f("clamp", alpha, 2.0)
        return scale**2.0 * above / ((above - 1.0) ** 2.0 * (above - 2.0))

    def entropy(self) -> Node:
        scale, alpha = self.parameters
        return _f("log", scale / alpha) + 1.0 + 1.0 / alpha

    def cdf(self, x: Node) -> Node:
        scale, alpha = self.parameters
        return 1.0 - (scale / x) ** alpha

    def drawn(self, shape: Shape) -> Node:
        scale, alpha = self.parameters
        return scale * _f("exp", -_f("log1p", -self.draws.uniform(shape)) / alpha)


class HalfCauchy(Distribution):
    support = NOT_NEGATIVE
    names = ("scale",)
    constraints = (POSITIVE,)
    printed_names = ()

    def log_density(self, x: Node) -> Node:
        (scale,) = self.parameters
        inside = math.log(2 / math.pi) - _f("log", scale) - _f("log1p", (x / scale) ** 2.0)
        return _f("where", x >= 0.0, inside, -math.inf)

    def mean(self) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, np.inf)))

    def variance(self) -> Node:
        return self.mean()

    def entropy(self) -> Node:
        return math.log(2 * math.pi) + _f("log", self.parameters[0])

    def cdf(self, x: Node) -> Node:
        return (2 / math.pi) * _f("atan", x / self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        return self.parameters[0] * _f("tan", self.draws.uniform(shape) * (math.pi / 2))


class InverseGamma(ByInverse):
    support = POSITIVE
    names = ("concentration", "rate")
    printed_names = ()

    def checked(self) -> Distribution:
        return Gamma(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        a, rate = self.parameters
        return a * _f("log", rate) - (a + 1.0) * _f("log", x) - rate / x - _f("lgamma", a)

    def mean(self) -> Node:
        a, rate = self.parameters
        return _f("where", a > 1.0, rate / (a - 1.0), math.inf)

    def variance(self) -> Node:
        a, rate = self.parameters
        finite = rate**2.0 / ((a - 1.0) ** 2.0 * (a - 2.0))
        return _f("where", a > 2.0, finite, math.inf)

    def entropy(self) -> Node:
        a, rate = self.parameters
        return a + _f("log", rate) + _f("lgamma", a) - (1.0 + a) * _f("digamma", a)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammainccinv

        a, rate = parameters
        return rate / gammainccinv(a, u)


class Kumaraswamy(Distribution):
    support = PROBABILITY
    names = ("concentration1", "concentration0")
    constraints = (POSITIVE, POSITIVE)

    def log_density(self, x: Node) -> Node:
        a, b = self.parameters
        whole = _f("log", a) + _f("log", b)
        return whole + (a - 1.0) * _f("log", x) + (b - 1.0) * _f("log1p", -(x**a))

    def _moment(self, order: float) -> Node:
        a, b = self.parameters
        return b * _f("exp", _log_beta(1.0 + order / a, b))

    def mean(self) -> Node:
        return self._moment(1.0)

    def variance(self) -> Node:
        return self._moment(2.0) - self._moment(1.0) ** 2.0

    def entropy(self) -> Node:
        a, b = self.parameters
        harmonic = _f("digamma", b + 1.0) + EULER
        rest = (1.0 - 1.0 / a) * harmonic - _f("log", a) - _f("log", b)
        return 1.0 - 1.0 / b + rest

    def cdf(self, x: Node) -> Node:
        a, b = self.parameters
        return 1.0 - (1.0 - x**a) ** b

    def drawn(self, shape: Shape) -> Node:
        a, b = self.parameters
        return (1.0 - self.draws.uniform(shape) ** (1.0 / b)) ** (1.0 / a)


class FisherSnedecor(ByInverse):
    support = POSITIVE
    names = ("df1", "df2")
    constraints = (POSITIVE, POSITIVE)

    def log_density(self, x: Node) -> Node:
        first, second = (each / 2.0 for each in self.parameters)
        ratio = self.parameters[0] / self.parameters[1]
        own = first * _f("log", ratio) + (first - 1.0) * _f("log", x)
        return own - (first + second) * _f("log1p", ratio * x) - _log_beta(first, second)

    def mean(self) -> Node:
        second = self.parameters[1]
        return _f("where", second > 2.0, second / (second - 2.0), math.nan)

    def variance(self) -> Node:
        first, second = self.parameters
        whole = 2.0 * second**2.0 * (first + second - 2.0)
        finite = whole / (first * (second - 2.0) ** 2.0 * (second - 4.0))
        return _f("where", second > 4.0, finite, math.nan)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import f

        return f.ppf(u, *parameters)


class VonMises(ByInverse):
    names = ("loc", "concentration")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, k = self.parameters
        size = math.log(2 * math.pi) + _f("log", _f("i0e", k)) + k
        return k * _f("cos", x - loc) - size

    def mean(self) -> Node:
        return _f("expand", self.parameters[0], self.shape)

    def variance(self) -> Node:
        k = self.parameters[1]
        return _f("expand", 1.0 - _f("i1e", k) / _f("i0e", k), self.shape)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import vonmises

        loc, k = parameters
        angles = vonmises.ppf(u, k) + loc
        return (angles + np.pi) % (2 * np.pi) - np.pi


class NegativeBinomial(OfLogits):
    """How many trials do not fail before `total_count` of them do."""

    support = COUNT
    of_truths = True

    constraints = (BELOW_1, REAL)

    def __init__(self, draws: Draws, total: Node, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self.total = total
        self.shape = np.broadcast_shapes(total.shape, self.shape)

    def log_density(self, x: Node) -> Node:
        logits = self.parameters[1]
        sides = self.total * _f("softplus", logits) + x * _f("softplus", -logits)
        ways = _f("lgamma", self.total + x) - _f("lgamma", 1.0 + x) - _f("lgamma", self.total)
        return ways - sides

    def mean(self) -> Node:
        return self.total * _f("exp", self.parameters[1])

    def variance(self) -> Node:
        return self.mean() * (1.0 + _f("exp", self.parameters[1]))

    def drawn(self, shape: Shape) -> Node:
        from scipy.stats import nbinom

        value = self.values.evaluator.value
        u, probs = value(self.draws.uniform(shape)), value(self.parameters[0])
        found = nbinom.ppf(u, value(self.total), 1.0 - probs)
        return self.values.graph.constant(np.maximum(found, 0.0))

    def attribute(self, name: str) -> Any:
        return self.total if name == "total_count" else super().attribute(name)


class Relaxed(OfLogits):
    """A distribution of classes whose samples are smooth in its parameters."""

    can_flow = True
    printed_names = ()

    def __init__(self, draws: Draws, temperature: Node, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self.temperature = temperature

    def _noise(self, shape: Shape) -> Node:
        edge = float(np.finfo(np.float32).eps)
        return _f("clamp", self.draws.uniform(shape), edge, 1.0 - edge)

    def attribute(self, name: str) -> Any:
        return self.temperature if name == "temperature" else super().attribute(name)


class RelaxedBernoulli(Relaxed):
    support = PROBABILITY
    of_truths = True

    constraints = (PROBABILITY, REAL)

    def log_density(self, x: Node) -> Node:
        logits, t = self.parameters[1], self.temperature
        height = _f("log", x) - _f("log1p", -x)
        apart = logits - height * t
        own = _f("log", t) + apart - 2.0 * _f("softplus", apart)
        return own - _f("log", x) - _f("log1p", -x)

    def drawn(self, shape: Shape) -> Node:
        u = self._noise(shape)
        noise = _f("log", u) - _f("log1p", -u)
        return _f("sigmoid", (noise + self.parameters[1]) / self.temperature)


class RelaxedOneHotCategorical(Relaxed):
    support = SIMPLEX
    events = 1

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        logits, t = self.parameters[1], self.temperature
        count = float(self.shape[-1])
        logs = _f("log", x)
        score = logits - logs * t
        score = _f("sum", score - _f("logsumexp", score, -1, True), -1)
        scale = math.lgamma(count) + (count - 1.0) * _f("log", t)
        return score + scale - _f("sum", logs, -1)

    def drawn(self, shape: Shape) -> Node:
        noise = -_f("log", -_f("log", self._noise(shape)))
        return _f("softmax", (self.parameters[1] + noise) / self.temperature, -1)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Whose samples pass gradients on as if they were the probabilities."""

    can_flow = True

    def drawn(self, shape: Shape) -> Node:
        probs = self.parameters[0]
        return super().drawn(shape) + (probs - detach(probs))


class TailedDistributions:
    """The functions by name."""

    def __init__(self, distributions: Distributions) -> None:
        self._distributions = distributions
        plain = (Weibull, Pareto, HalfCauchy, InverseGamma, Kumaraswamy, FisherSnedecor, VonMises,
                 OneHotCategoricalStraightThrough)  # fmt: skip
        found: dict[str, Special] = {
            made.__name__: partial(distributions.make, made) for made in plain
        }
        found["NegativeBinomial"] = partial(
            self._with_first, "total_count", NegativeBinomial, Bernoulli
        )
        found["RelaxedBernoulli"] = partial(
            self._with_first, "temperature", RelaxedBernoulli, Bernoulli
        )
        found["RelaxedOneHotCategorical"] = partial(
            self._with_first, "temperature", RelaxedOneHotCategorical, Categorical
        )
        self.functions: dict[str, Special] = {
            f"torch.distributions.{name}": make for name, make in found.items()
        }
        self.methods: dict[str, Special] = {}

    def _with_first(
        self,
        first: str,
        made: type[NegativeBinomial] | type[Relaxed],
        single: type[OfLogits],
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        """A distribution with a parameter before `probs` or `logits`."""
        names = (first, "probs", "logits", "validate_args")
        given = bind_names(made.__name__, names, arguments, keywords, names[1:])
        ways = [name for name in names[1:3] if given.get(name) is not None]
        if len(ways) != 1:
            raise GradcliError("type", f"{made.__name__} takes probs or logits, one of them",
                               hint=f"{made.__name__}({first}, probs=p)")  # fmt: skip
        parameter = self._distributions.parameter
        nodes = both(single, ways[0], parameter(given[ways[0]], ways[0]))
        found = made(self._distributions.draws, parameter(given[first], first), nodes)
        if found.printed_names:
            found.printed_names = (first, ways[0])
        self._distributions.check(found, ways, given)
        return found
