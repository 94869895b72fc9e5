"""`torch.distributions`: proportions, counts of events, and numbers above 0.

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.graph import Node, Shape
from gradcli.ops import f
from gradcli.trace.constraints import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    SIMPLEX,
    check,
    each,
)
from gradcli.trace.distributions import ByInverse, Distribution, shown_value
from gradcli.trace.draws import Draws
from gradcli.trace.supports import Support
from gradcli.trace.usual_distributions import Normal
from gradcli.trace.values import Value


class LogNormal(Normal):
    support = POSITIVE
    printed_names = ()

    def checked(self) -> Distribution:
        return Normal(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        log = f("log", x)
        return -log + super().log_density(log)

    def mean(self) -> Node:
        loc, scale = self.parameters
        return f("exp", loc + scale**2.0 / 2.0)

    def mode(self) -> Node:
        loc, scale = self.parameters
        return f("exp", loc - scale**2.0)

    def variance(self) -> Node:
        loc, scale = self.parameters
        return f("expm1", scale**2.0) * f("exp", 2.0 * loc + scale**2.0)

    def deviation(self) -> Node:
        return f("sqrt", self.variance())

    def entropy(self) -> Node:
        return super().entropy() + self.parameters[0]

    def drawn(self, shape: Shape) -> Node:
        return f("exp", super().drawn(shape))

    def cdf(self, x: Node) -> Node:
        return super().cdf(f("log", x))

    def icdf(self, x: Node) -> Node:
        return f("exp", super().icdf(x))


class Gamma(ByInverse):
    support = NOT_NEGATIVE
    shapes = 1
    names = ("concentration", "rate")
    constraints = (POSITIVE, POSITIVE)
    nodes = MappingProxyType({"mode": "ClampBackward1", "cdf": "IgammaBackward0"})

    def log_density(self, x: Node) -> Node:
        a, rate = self.parameters
        return f("xlogy", a, rate) + f("xlogy", a - 1.0, x) - rate * x - f("lgamma", a)

    def mean(self) -> Node:
        return self.parameters[0] / self.parameters[1]

    def mode(self) -> Node:
        return f("clamp", (self.parameters[0] - 1.0) / self.parameters[1], 0.0)

    def variance(self) -> Node:
        return self.parameters[0] / self.parameters[1] ** 2.0

    def entropy(self) -> Node:
        a, rate = self.parameters
        return a - f("log", rate) + f("lgamma", a) + (1.0 - a) * f("digamma", a)

    def cdf(self, x: Node) -> Node:
        a, rate = self.parameters
        return f("gammainc", a, rate * x)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammaincinv

        return gammaincinv(*parameters, u)

    def placed(self, x: Node) -> Node:
        return x / self.parameters[1]


class Chi2(Gamma):
    takes = ("df",)
    printed_names = ()

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        (df,) = parameters
        super().__init__(draws, [df / 2.0, df.graph.constant(0.5)])

    def check(self, names: Sequence[str]) -> None:
        df = self.attribute("df")
        if not self.draws.is_followed(df):
            value = self.values.evaluator.value(df)
            check("df", value, POSITIVE, self.shown(), shown_value(value))

    def _limits(self) -> list[tuple[Value, Value]]:
        return [("df", Support(self.values, POSITIVE))]

    def attribute(self, name: str) -> Any:
        return self.parameters[0] * 2.0 if name == "df" else super().attribute(name)


class Dirichlet(ByInverse):
    """Of rows of proportions, whose sum is 1."""

    support = SIMPLEX
    names = ("concentration",)
    constraints = (each(POSITIVE),)
    events = 1
    nodes = MappingProxyType({"mode": "overwritten"})

    def log_density(self, x: Node) -> Node:
        (a,) = self.parameters
        return f("sum", f("xlogy", a - 1.0, x), -1) - self._log_beta()

    def _log_beta(self) -> Node:
        (a,) = self.parameters
        return f("sum", f("lgamma", a), -1) - f("lgamma", f("sum", a, -1))

    def mean(self) -> Node:
        (a,) = self.parameters
        return a / f("sum", a, -1, True)

    def mode(self) -> Node:
        (a,) = self.parameters
        above = f("clamp", a - 1.0, 0.0)
        first = np.eye(1, a.shape[-1])[0]  # of a density without bound at each corner
        is_below = f("all", a < 1.0, -1, True)
        return f("where", is_below, a.graph.constant(first), above / f("sum", above, -1, True))

    def variance(self) -> Node:
        whole = f("sum", self.parameters[0], -1, True)
        return self.mean() * (1.0 - self.mean()) / (whole + 1.0)

    def entropy(self) -> Node:
        (a,) = self.parameters
        whole = f("sum", a, -1)
        own = f("sum", (a - 1.0) * f("digamma", a), -1)
        return self._log_beta() + (whole - float(a.shape[-1])) * f("digamma", whole) - own

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammaincinv

        parts = gammaincinv(parameters[0], u)
        return parts / parts.sum(-1, keepdims=True)


class Beta(ByInverse):
    support = PROBABILITY
    names = ("concentration1", "concentration0")
    constraints = (POSITIVE, POSITIVE)
    printed_names = ()

    def rows(self) -> Dirichlet:
        """The same one of both proportions."""
        return Dirichlet(self.draws, [f("stack", self.parameters, -1)])

    def log_density(self, x: Node) -> Node:
        return self.rows().log_density(f("stack", [x, 1.0 - x], -1))

    def mean(self) -> Node:
        a, b = self.parameters
        return a / (a + b)

    def mode(self) -> Node:
        return f("select", self.rows().mode(), -1, 0)

    def variance(self) -> Node:
        a, b = self.parameters
        return a * b / ((a + b) ** 2.0 * (a + b + 1.0))

    def entropy(self) -> Node:
        return self.rows().entropy()

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import betaincinv

        return betaincinv(*parameters, u)


class Poisson(ByInverse):
    support = COUNT
    names = ("rate",)
    constraints = (NOT_NEGATIVE,)
    has_rsample = False

    def log_density(self, x: Node) -> Node:
        (rate,) = self.parameters
        return f("xlogy", x, rate) - rate - f("lgamma", x + 1.0)

    def mean(self) -> Node:
        return self.parameters[0]

    def mode(self) -> Node:
        return f("floor", self.parameters[0])

    def variance(self) -> Node:
        return self.parameters[0]

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import poisson

        return np.maximum(poisson.ppf(u, *parameters), 0.0)


CLASSES: tuple[type[Distribution], ...] = (LogNormal, Gamma, Chi2, Dirichlet, Beta, Poisson)
