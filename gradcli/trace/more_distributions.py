"""`torch.distributions`: those that few programs use.

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import COUNT, NOT_NEGATIVE, POSITIVE, PROBABILITY, REAL, each
from gradcli.trace.distributions import LOG_TWO_PI, Categorical, Distribution, Distributions, Normal
from gradcli.trace.distributions import function as _f
from gradcli.trace.draws import Draws
from gradcli.trace.special import Size, Special
from gradcli.trace.values import Value


class LogNormal(Normal):
    support = POSITIVE
    printed_names = ()

    def checked(self) -> Distribution:
        return Normal(self.draws, self.parameters)

    def log_density(self, x: Node) -> Node:
        log = _f("log", x)
        return -log + super().log_density(log)

    def mean(self) -> Node:
        loc, scale = self.parameters
        return _f("exp", loc + scale**2.0 / 2.0)

    def variance(self) -> Node:
        loc, scale = self.parameters
        return _f("expm1", scale**2.0) * _f("exp", 2.0 * loc + scale**2.0)

    def entropy(self) -> Node:
        return super().entropy() + self.parameters[0]

    def drawn(self, shape: Shape) -> Node:
        return _f("exp", super().drawn(shape))

    def cdf(self, x: Node) -> Node:
        return super().cdf(_f("log", x))


class ByInverse(Distribution):
    """Drawn by the inverse of the distribution function, through which no gradient flows here."""

    can_flow = False

    def inverse(self, u: Any, *parameters: Any) -> Any:
        """The inverse, of arrays."""
        raise NotImplementedError

    def drawn(self, shape: Shape) -> Node:
        value = self.values.evaluator.value
        u = np.clip(value(self.draws.uniform(shape)), 1e-300, 1.0)
        return self.values.graph.constant(self.inverse(u, *map(value, self.parameters)))


class Gamma(ByInverse):
    support = NOT_NEGATIVE
    names = ("concentration", "rate")
    constraints = (POSITIVE, POSITIVE)

    def log_density(self, x: Node) -> Node:
        a, rate = self.parameters
        return a * _f("log", rate) + (a - 1.0) * _f("log", x) - rate * x - _f("lgamma", a)

    def mean(self) -> Node:
        return self.parameters[0] / self.parameters[1]

    def variance(self) -> Node:
        return self.parameters[0] / self.parameters[1] ** 2.0

    def entropy(self) -> Node:
        a, rate = self.parameters
        return a - _f("log", rate) + _f("lgamma", a) + (1.0 - a) * _f("digamma", a)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import gammaincinv

        a, rate = parameters
        return gammaincinv(a, u) / rate


class Beta(ByInverse):
    support = PROBABILITY
    names = ("concentration1", "concentration0")
    constraints = (POSITIVE, POSITIVE)
    printed_names = ()

    def log_density(self, x: Node) -> Node:
        a, b = self.parameters
        whole = _f("lgamma", a + b) - _f("lgamma", a) - _f("lgamma", b)
        return (a - 1.0) * _f("log", x) + (b - 1.0) * _f("log1p", -x) + whole

    def mean(self) -> Node:
        a, b = self.parameters
        return a / (a + b)

    def variance(self) -> Node:
        a, b = self.parameters
        return a * b / ((a + b) ** 2.0 * (a + b + 1.0))

    def entropy(self) -> Node:
        a, b = self.parameters
        whole = _f("lgamma", a) + _f("lgamma", b) - _f("lgamma", a + b)
        parts = (a - 1.0) * _f("digamma", a) + (b - 1.0) * _f("digamma", b)
        return whole - parts + (a + b - 2.0) * _f("digamma", a + b)

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.special import betaincinv

        return betaincinv(*parameters, u)


class Poisson(ByInverse):
    support = COUNT
    names = ("rate",)
    constraints = (NOT_NEGATIVE,)

    def log_density(self, x: Node) -> Node:
        (rate,) = self.parameters
        return x * _f("log", rate) - rate - _f("lgamma", x + 1.0)

    def mean(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return self.parameters[0]

    def entropy(self) -> Node:
        raise GradcliError("name", "entropy of Poisson is not known")

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import poisson

        return poisson.ppf(u, *parameters)


_INSTEAD = {
    "scale_tril": lambda triangle: _f("matmul", triangle, _f("transpose", triangle, -2, -1)),
    "precision_matrix": lambda precision: _f("inv", precision),
}
"""How a covariance follows from what may be given instead."""


class MultivariateNormal(Distribution):
    """Of rows, whose covariance is a matrix."""

    support = each(REAL)
    names = ("loc", "covariance_matrix")
    instead = _INSTEAD

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters[:1])
        self.parameters = tuple(parameters)
        self._event = parameters[0].shape[-1:]
        self.shape = self.shape[:-1]
        self._triangle = _f("cholesky", parameters[1])

    def log_density(self, x: Node) -> Node:
        apart = _f("unsqueeze", x - self.parameters[0], -1)
        solved = _f("squeeze", _f("solve_triangular", self._triangle, apart, upper=False), -1)
        square = _f("sum", solved**2.0, -1)
        return -0.5 * (square + self._event[0] * LOG_TWO_PI) - self._half_log_det()

    def _half_log_det(self) -> Node:
        return _f("sum", _f("log", _f("diagonal", self._triangle, 0, -2, -1)), -1)

    def mean(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return _f("diagonal", self.parameters[1], 0, -2, -1)

    def entropy(self) -> Node:
        return 0.5 * self._event[0] * (1.0 + LOG_TWO_PI) + self._half_log_det()

    def attribute(self, name: str) -> Any:
        if name == "event_shape":
            return Size([self.values.plain(each) for each in self._event])
        if name == "scale_tril":
            return self._triangle
        if name == "precision_matrix":
            return _f("inv", self.parameters[1])
        return super().attribute(name)

    def drawn(self, shape: Shape) -> Node:
        noise = _f("unsqueeze", self.draws.gaussian((*shape, *self._event)), -1)
        return self.parameters[0] + _f("squeeze", _f("matmul", self._triangle, noise), -1)


CLASSES: tuple[type[Distribution], ...] = (LogNormal, Gamma, Beta, Poisson, MultivariateNormal)


class MoreDistributions:
    """The functions by name."""

    def __init__(self, distributions: Distributions) -> None:
        makers: dict[str, Callable[..., Value]] = {
            made.__name__: partial(distributions.make, made) for made in CLASSES
        }
        makers["Independent"] = self._independent
        makers["MixtureSameFamily"] = self._mixture
        self.functions: dict[str, Special] = {
            f"torch.distributions.{name}": make for name, make in makers.items()
        }
        self.methods: dict[str, Special] = {}

    def _independent(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("base_distribution", "reinterpreted_batch_ndims")
        given = bind_names("Independent", names, arguments, keywords)
        base = given[names[0]]
        if not isinstance(base, Distribution):
            raise GradcliError("type", "Independent takes a distribution")
        return Independent(base, base.values.integer(given[names[1]], names[1]))

    def _mixture(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("mixture_distribution", "component_distribution")
        given = bind_names("MixtureSameFamily", names, arguments, keywords)
        weights, parts = given[names[0]], given[names[1]]
        if not isinstance(weights, Categorical) or not isinstance(parts, Distribution):
            raise GradcliError(
                "type", "MixtureSameFamily takes a Categorical and the distribution of its parts"
            )
        return MixtureSameFamily(weights, parts)


class MixtureSameFamily(Distribution):
    """One of several distributions, which lie along the last axis."""

    support = None
    can_flow = False

    def __init__(self, weights: Categorical, parts: Distribution) -> None:
        super().__init__(parts.draws, parts.parameters)
        self._weights, self._parts = weights, parts
        weights.printed_names = weights.names
        self.shape = parts.shape[:-1]

    def _averaged(self, of_parts: Node) -> Node:
        return _f("sum", self._weights.parameters[0] * of_parts, -1)

    def log_density(self, x: Node) -> Node:
        of_parts = self._parts.log_density(_f("unsqueeze", x, -1))
        return _f("logsumexp", of_parts + self._weights.parameters[1], -1)

    def cdf(self, x: Node) -> Node:
        return self._averaged(self._parts.cdf(_f("unsqueeze", x, -1)))

    def mean(self) -> Node:
        return self._averaged(self._parts.mean())

    def variance(self) -> Node:
        apart = self._parts.mean() - _f("unsqueeze", self.mean(), -1)
        return self._averaged(self._parts.variance() + apart**2.0)

    def drawn(self, shape: Shape) -> Node:
        from gradcli.ops.indexing import getitem

        u = self.values.evaluator.value(self.draws.uniform(shape))
        edges = np.cumsum(self.values.evaluator.value(self._weights.parameters[0]), -1)
        chosen = np.minimum((u[..., None] > edges).sum(-1), edges.shape[-1] - 1)
        of_parts = self._parts.drawn((*shape, edges.shape[-1]))
        flat = _f("reshape", of_parts, -1, edges.shape[-1])
        row = self.values.graph.constant(np.arange(chosen.size))
        column = self.values.graph.constant(chosen.ravel().astype(np.int64))
        return _f("reshape", getitem(flat, [row, column]), *shape)

    def shown(self) -> str:
        return f"{self.title}(\n  {self._weights.shown()},\n  {self._parts.shown()})"

    def attribute(self, name: str) -> Value:
        own = {"mixture_distribution": self._weights, "component_distribution": self._parts}
        return own[name] if name in own else super().attribute(name)


class Independent(Distribution):
    """A distribution whose last axes are parts of one value."""

    def __init__(self, base: Distribution, axes: int) -> None:
        super().__init__(base.draws, base.parameters)
        self._base, self._axes, self._count = base, tuple(range(-axes, 0)), axes
        self.events = axes + base.events
        self.names, self.shape = base.names, base.shape
        self.can_flow = base.can_flow

    def check_value(self, x: Node) -> None:
        self._base.check_value(x)

    def log_density(self, x: Node) -> Node:
        return _f("sum", self._base.log_density(x), self._axes)

    def entropy(self) -> Node:
        return _f("sum", self._base.entropy(), self._axes)

    def mean(self) -> Node:
        return self._base.mean()

    def variance(self) -> Node:
        return self._base.variance()

    def drawn(self, shape: Shape) -> Node:
        return self._base.drawn(shape)

    def shown(self) -> str:
        return f"{self.title}({self._base.shown()}, {self._count})"
