"""`torch.distributions`: counts, classes, proportions, and those with long tails.

Formulas: Johnson, Kotz and Balakrishnan, Univariate Discrete Distributions, 1992, and Continuous
Univariate Distributions, 1994.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import (
    COUNT,
    NOT_NEGATIVE,
    ONE_HOT,
    POSITIVE,
    PROBABILITY,
    REAL,
    SIMPLEX,
    Constraint,
    check,
    check_positive,
    counts_of,
    each,
    up_to,
)
from gradcli.trace.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Distributions,
    OfLogits,
    both,
    shown_value,
)
from gradcli.trace.distributions import function as _f
from gradcli.trace.draws import Draws
from gradcli.trace.more_distributions import ByInverse, Gamma
from gradcli.trace.special import Special
from gradcli.trace.values import Value

EULER = 0.5772156649015329


class Geometric(OfLogits):
    """How many trials fail before one does not."""

    support = COUNT
    of_truths = True
    constraints = (PROBABILITY, REAL)

    def check(self, names: Sequence[str]) -> None:
        super().check(names)
        if not self.draws.is_followed(self.parameters[0]):
            check_positive("probs", self.values.evaluator.value(self.parameters[0]), self.shown())

    def log_density(self, x: Node) -> Node:
        probs = self.parameters[0]
        return x * _f("log1p", -probs) + _f("log", probs)

    def mean(self) -> Node:
        return 1.0 / self.parameters[0] - 1.0

    def variance(self) -> Node:
        return (1.0 / self.parameters[0] - 1.0) / self.parameters[0]

    def entropy(self) -> Node:
        probs, logits = self.parameters
        return (_f("softplus", logits) - probs * logits) / probs

    def drawn(self, shape: Shape) -> Node:
        u = self.draws.uniform(shape)
        return _f("floor", _f("log1p", -u) / _f("log1p", -self.parameters[0]))


class OneHotCategorical(OfLogits):
    """Of rows with a one at the place that a Categorical gives."""

    support = ONE_HOT
    printed_names = ()

    events = 1

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        return _f("sum", x * self.parameters[1], -1)

    def mean(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return self.parameters[0] * (1.0 - self.parameters[0])

    def entropy(self) -> Node:
        return Categorical(self.draws, self.parameters).entropy()

    def drawn(self, shape: Shape) -> Node:
        places = Categorical(self.draws, self.parameters).drawn(shape[:-1])
        return cast(_f("one_hot", places, shape[-1]), "float")


class Binomial(OfLogits):
    """How many of `total_count` trials do not fail."""

    constraints = (PROBABILITY, REAL)

    def __init__(self, draws: Draws, total: int, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self.total = total

    def supported(self) -> Constraint | None:
        limits = self.values.evaluator.value(self.attribute("total_count"))
        return up_to(self.total, shown_value(limits))

    def log_density(self, x: Node) -> Node:
        logits = self.parameters[1]
        ways = _f("lgamma", x + 1.0) + _f("lgamma", self.total - x + 1.0)
        return x * logits - self.total * _f("softplus", logits) + math.lgamma(self.total + 1) - ways

    def mean(self) -> Node:
        return self.total * self.parameters[0]

    def variance(self) -> Node:
        return self.total * self.parameters[0] * (1.0 - self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        from scipy.stats import binom

        value = self.values.evaluator.value
        u, probs = value(self.draws.uniform(shape)), value(self.parameters[0])
        return self.values.graph.constant(np.maximum(binom.ppf(u, self.total, probs), 0.0))

    def attribute(self, name: str) -> Any:
        if name == "total_count" and self.events:
            return self.values.plain(self.total)
        if name == "total_count":
            full = np.full(self.shape, float(self.total))
            return self.values.own(self.values.graph.constant(full))
        return super().attribute(name)


class Multinomial(Binomial):
    """How many of `total_count` draws give each class; these lie along the last axis."""

    printed_names = ()
    events = 1

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def supported(self) -> Constraint | None:
        return counts_of(self.total)

    def log_density(self, x: Node) -> Node:
        ways = _f("sum", _f("lgamma", x + 1.0), -1)
        whole = _f("lgamma", _f("sum", x, -1) + 1.0)
        return whole - ways + _f("sum", x * self.parameters[1], -1)

    def drawn(self, shape: Shape) -> Node:
        weights = self.values.evaluator.value(self.parameters[0])
        classes = shape[-1]
        rows = np.broadcast_to(weights, shape).reshape(-1, classes)
        self.values.graph.check_room(len(rows) * max(1, self.total))
        chosen = self.draws.chosen(rows, self.total, replace=True)
        counts: Array = np.stack([np.bincount(row, minlength=classes) for row in chosen])
        return self.values.graph.constant(counts.reshape(shape).astype(float))


class Dirichlet(ByInverse):
    """Of rows of proportions, whose sum is 1."""

    support = SIMPLEX
    names = ("concentration",)
    constraints = (each(POSITIVE),)
    events = 1

    def log_density(self, x: Node) -> Node:
        (a,) = self.parameters
        return _f("sum", (a - 1.0) * _f("log", x), -1) - self._log_beta()

    def _log_beta(self) -> Node:
        (a,) = self.parameters
        return _f("sum", _f("lgamma", a), -1) - _f("lgamma", _f("sum", a, -1))

    def mean(self) -> Node:
        (a,) = self.parameters
        return a / _f("sum", a, -1, True)

    def variance(self) -> Node:
        whole = _f("sum", self.parameters[0], -1, True)
        return self.mean() * (1.0 - self.mean()) / (whole + 1.0)

    def entropy(self) -> Node:
        (a,) = self.parameters
        whole = _f("sum", a, -1)
        own = _f("sum", (a - 1.0) * _f("digamma", a), -1)
        return self._log_beta() + (whole - float(a.shape[-1])) * _f("digamma", whole) - own

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammaincinv

        parts = gammaincinv(parameters[0], u)
        return parts / parts.sum(-1, keepdims=True)


class Cauchy(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -math.log(math.pi) - _f("log", scale) - _f("log1p", ((x - loc) / scale) ** 2.0)

    def mean(self) -> Node:
        return self._everywhere(np.nan)

    def variance(self) -> Node:
        return self._everywhere(np.inf)

    def _everywhere(self, number: float) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, number)))

    def entropy(self) -> Node:
        return math.log(4 * math.pi) + _f("log", self.parameters[1])

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        return loc + scale * _f("tan", (self.draws.uniform(shape) - 0.5) * math.pi)


class Gumbel(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        apart = (loc - x) / scale
        return apart - _f("exp", apart) - _f("log", scale)

    def mean(self) -> Node:
        return self.parameters[0] + EULER * self.parameters[1]

    def variance(self) -> Node:
        return (math.pi**2 / 6) * self.parameters[1] ** 2.0

    def entropy(self) -> Node:
        return _f("log", self.parameters[1]) + (1.0 + EULER)

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        u = _f("clamp", self.draws.uniform(shape), 1e-300, 1.0)
        return loc - scale * _f("log", -_f("log", u))


class HalfNormal(Distribution):
    support = NOT_NEGATIVE
    names = ("scale",)
    constraints = (POSITIVE,)
    printed_names = ()

    def log_density(self, x: Node) -> Node:
        (scale,) = self.parameters
        inside = 0.5 * math.log(2 / math.pi) - _f("log", scale) - x**2.0 / (2.0 * scale**2.0)
        return _f("where", x >= 0.0, inside, -math.inf)

    def mean(self) -> Node:
        return self.parameters[0] * math.sqrt(2 / math.pi)

    def variance(self) -> Node:
        return self.parameters[0] ** 2.0 * (1 - 2 / math.pi)

    def entropy(self) -> Node:
        return _f("log", self.parameters[0]) + (0.5 * math.log(math.pi / 2) + 0.5)

    def drawn(self, shape: Shape) -> Node:
        return _f("abs", self.draws.gaussian(shape)) * self.parameters[0]


class StudentT(ByInverse):
    names = ("df", "loc", "scale")
    constraints = (POSITIVE, REAL, POSITIVE)
    defaults = (0.0, 1.0)

    def log_density(self, x: Node) -> Node:
        df, loc, scale = self.parameters
        size = _f("lgamma", (df + 1.0) / 2.0) - _f("lgamma", df / 2.0)
        spread = _f("log", scale) + 0.5 * _f("log", df * math.pi)
        apart = ((x - loc) / scale) ** 2.0 / df
        return size - spread - (df + 1.0) / 2.0 * _f("log1p", apart)

    def mean(self) -> Node:
        df, loc, _ = self.parameters
        return _f("where", df > 1.0, loc, math.nan)

    def variance(self) -> Node:
        df, _, scale = self.parameters
        finite = scale**2.0 * df / (df - 2.0)
        return _f("where", df > 2.0, finite, _f("where", df > 1.0, math.inf, math.nan))

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import t

        df, loc, scale = parameters
        return loc + scale * t.ppf(u, df)


class Chi2(Gamma):
    printed_names = ()

    def __init__(self, draws: Draws, df: Node) -> None:
        super().__init__(draws, [df / 2.0, df.graph.constant(0.5)])
        self._df = df

    def check(self, names: Sequence[str]) -> None:
        if not self.draws.is_followed(self._df):
            value = self.values.evaluator.value(self._df)
            check("df", value, POSITIVE, self.shown(), shown_value(value))

    def attribute(self, name: str) -> Any:
        return self._df if name == "df" else super().attribute(name)


class RareDistributions:
    """The functions by name."""

    def __init__(self, distributions: Distributions) -> None:
        self._distributions = distributions
        self.values = distributions.values
        plain = (Geometric, OneHotCategorical, Dirichlet, Cauchy, Gumbel, HalfNormal, StudentT)
        self.functions: dict[str, Special] = {
            **{
                f"torch.distributions.{made.__name__}": partial(distributions.make, made)
                for made in plain
            },
            "torch.distributions.Chi2": self._chi2,
            "torch.distributions.Binomial": partial(self._counted, Binomial, Bernoulli),
            "torch.distributions.Multinomial": partial(self._counted, Multinomial, Categorical),
        }
        self.methods: dict[str, Special] = {}

    def _counted(
        self,
        made: type[Binomial],
        single: type[OfLogits],
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        """Of `total_count` draws of a distribution of single ones."""
        names = ("total_count", "probs", "logits", "validate_args")
        given = bind_names(made.__name__, names, arguments, keywords, names)
        total = self.values.integer(given["total_count"], names[0]) if names[0] in given else 1
        ways = [name for name in names[1:3] if given.get(name) is not None]
        if total < 0 or len(ways) != 1:
            raise GradcliError("type", f"{made.__name__} takes a count, and probs or logits",
                               hint=f"{made.__name__}(10, probs=p)")  # fmt: skip
        node = self._distributions.parameter(given[ways[0]], ways[0])
        found = made(self._distributions.draws, total, both(single, ways[0], node))
        if found.printed_names:
            found.printed_names = ("total_count", ways[0])
        self._distributions.check(found, ways, given)
        return found

    def _chi2(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("df", "validate_args")
        given = bind_names("Chi2", names, arguments, keywords, names[1:])
        df = self._distributions.parameter(given["df"], "df")
        made = Chi2(self._distributions.draws, df)
        self._distributions.check(made, ("df",), given)
        return made
