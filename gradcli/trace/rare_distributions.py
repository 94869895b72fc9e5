"""`torch.distributions`: counts, classes, and those with long tails.

Formulas: Johnson, Kotz and Balakrishnan, Univariate Discrete Distributions, 1992, and Continuous
Univariate Distributions, 1994.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops import f
from gradcli.ops.kinds import cast
from gradcli.trace.constraints import (
    COUNT,
    NOT_NEGATIVE,
    ONE_HOT,
    POSITIVE,
    PROBABILITY,
    REAL,
    SIMPLEX,
    Constraint,
    check_positive,
    counted,
    counts_of,
    each,
)
from gradcli.trace.distributions import ByInverse, Distribution, OfLogits, both, shown_value
from gradcli.trace.draws import Draws
from gradcli.trace.usual_distributions import Categorical

EULER = 0.5772156649015329


class Geometric(OfLogits):
    """How many trials fail before one does not."""

    support = COUNT
    of_truths = True
    constraints = (PROBABILITY, REAL)

    def check(self, names: Sequence[str]) -> None:
        super().check(names)
        if not self.draws.is_followed(self.probs):
            check_positive("probs", self.values.evaluator.value(self.probs), self.shown())

    def log_density(self, x: Node) -> Node:
        is_sure = f("logical_and", f("eq", self.probs, 1.0), f("eq", x, 0.0))
        return x * f("log1p", -f("where", is_sure, 0.0, self.probs)) + f("log", self.probs)

    def mean(self) -> Node:
        return 1.0 / self.probs - 1.0

    def mode(self) -> Node:
        return self.values.own(f("zeros_like", self.probs))

    def variance(self) -> Node:
        return (1.0 / self.probs - 1.0) / self.probs

    def entropy(self) -> Node:
        return (f("softplus", self.logits) - self.probs * self.logits) / self.probs

    def drawn(self, shape: Shape) -> Node:
        u = self.draws.uniform(shape)
        return f("floor", f("log1p", -u) / f("log1p", -self.probs))


class OneHotCategorical(OfLogits):
    """Of rows with a one at the place that a Categorical gives."""

    support = ONE_HOT
    has_enumerate_support = True
    constraints = (SIMPLEX, each(REAL))
    printed_names = ()

    events = 1
    nodes = MappingProxyType({"log_prob": "SqueezeBackward1"})

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def _places(self) -> Categorical:
        """The same one of places."""
        return Categorical(self.draws, self.parameters)

    def _as_rows(self, places: Node) -> Node:
        return cast(f("one_hot", places, self.shape[-1]), "float")

    def log_density(self, x: Node) -> Node:
        return self._places().log_density(f("argmax", x, -1))

    def mean(self) -> Node:
        return self.probs

    def mode(self) -> Node:
        return self._as_rows(f("argmax", self.probs, -1))

    def variance(self) -> Node:
        return self.probs * (1.0 - self.probs)

    def entropy(self) -> Node:
        return self._places().entropy()

    def possible(self) -> Node:
        return self.values.own(self.values.graph.constant(np.eye(self.shape[-1])))

    def drawn(self, shape: Shape) -> Node:
        return self._as_rows(self._places().drawn(shape[:-1]))


class Binomial(OfLogits):
    """How many of `total_count` trials do not fail."""

    names = ("total_count", "probs", "logits")
    has_enumerate_support = True
    defaults = MappingProxyType({"total_count": 1.0})
    constraints = (COUNT, PROBABILITY, REAL)
    of_truths = True
    nodes = MappingProxyType({"mode": "ClampBackward0"})

    @property
    def total(self) -> Node:
        return self.parameters[0]

    def supported(self) -> Constraint | None:
        if self.draws.is_followed(self.total):
            return None
        limits = self.values.evaluator.value(self.total)
        return counted(0, limits, ("0", shown_value(limits)))

    def log_density(self, x: Node) -> Node:
        ways = f("lgamma", x + 1.0) + f("lgamma", self.total - x + 1.0)
        sides = self.total * f("softplus", self.logits) - f("lgamma", self.total + 1.0)
        return x * self.logits - ways - sides

    def mean(self) -> Node:
        return self.total * self.probs

    def mode(self) -> Node:
        return f("minimum", f("floor", (self.total + 1.0) * self.probs), self.total)

    def variance(self) -> Node:
        return self.total * self.probs * (1.0 - self.probs)

    def entropy(self) -> Node:
        logs = self.log_density(self.counts("entropy"))
        return -f("sum", f("exp", logs) * logs, 0)

    def counts(self, wanted: str) -> Node:
        """All counts in front of the axes of the parameters, where there are as many in each."""
        total = self.values.evaluator.value(self.total)
        if not total.size or total.min() != total.max():
            raise self.unknown(wanted, f"Inhomogeneous total count not supported by `{wanted}`.")
        count = int(total.max()) + 1
        self.values.graph.check_room(count * max(1, self.total.size))
        found = np.arange(float(count)).reshape(count, *[1] * len(self.shape))
        return self.values.own(self.values.graph.constant(found))

    def possible(self) -> Node:
        return f("reshape", self.counts("enumerate_support"), -1)

    def drawn(self, shape: Shape) -> Node:
        from scipy.stats import binom

        u, total, probs = map(
            self.values.evaluator.value, (self.draws.uniform(shape), self.total, self.probs)
        )
        return self.values.graph.constant(np.maximum(binom.ppf(u, total, probs), 0.0))


class Multinomial(OfLogits):
    """How many of `total_count` draws give each class; these lie along the last axis."""

    takes = ("total_count", "probs", "logits")
    defaults = MappingProxyType({"total_count": 1.0})
    constraints = (SIMPLEX, each(REAL))
    printed_names = ()
    events = 1

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters[1:])
        self.total = self.values.integer(parameters[0], "total_count")
        if self.total < 0:
            raise GradcliError("value", "Multinomial: total_count is 0 or more")

    def checked(self) -> Distribution:
        return Categorical(self.draws, self.parameters)

    def supported(self) -> Constraint | None:
        return counts_of(self.total)

    def log_density(self, x: Node) -> Node:
        ways = f("sum", f("lgamma", x + 1.0), -1)
        whole = f("lgamma", f("sum", x, -1) + 1.0)
        never = f("logical_and", f("eq", x, 0.0), f("eq", self.logits, -math.inf))
        logits = f("where", never, 0.0, self.logits)
        return whole - ways + f("sum", x * logits, -1)

    def mean(self) -> Node:
        return self.probs * self.total

    def variance(self) -> Node:
        return self.total * self.probs * (1.0 - self.probs)

    def entropy(self) -> Node:
        own = self.total * Categorical(self.draws, self.parameters).entropy()
        total = self.probs.graph.constant(float(self.total))
        of_class = Binomial(self.draws, [total, *both(self.values, Binomial, "probs", self.probs)])
        counts = of_class.counts("entropy")
        weights = f("exp", of_class.log_density(counts)) * f("lgamma", counts + 1.0)
        return own - math.lgamma(self.total + 1) + f("sum", weights, (0, -1))

    def drawn(self, shape: Shape) -> Node:
        weights = self.values.evaluator.value(self.probs)
        classes = shape[-1]
        rows = np.broadcast_to(weights, shape).reshape(-1, classes)
        self.values.graph.check_room(len(rows) * max(1, self.total))
        chosen = self.draws.chosen(rows, self.total, replace=True)
        counts: Array = np.stack([np.bincount(row, minlength=classes) for row in chosen])
        return self.values.graph.constant(counts.reshape(shape).astype(float))

    def attribute(self, name: str) -> Any:
        return self.values.plain(self.total) if name == "total_count" else super().attribute(name)


class Cauchy(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -math.log(math.pi) - f("log", scale) - f("log1p", ((x - loc) / scale) ** 2.0)

    def mean(self) -> Node:
        return self._everywhere(np.nan)

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return self._everywhere(np.inf)

    def _everywhere(self, number: float) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, number)))

    def entropy(self) -> Node:
        return math.log(4 * math.pi) + f("log", self.parameters[1])

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        return loc + scale * f("tan", (self.draws.uniform(shape) - 0.5) * math.pi)

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return f("atan", (x - loc) / scale) / math.pi + 0.5

    def icdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return f("tan", math.pi * (x - 0.5)) * scale + loc


class Gumbel(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)
    nodes = MappingProxyType({"cdf": "AddBackward0"})

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        apart = (loc - x) / scale
        return apart - f("exp", apart) - f("log", scale)

    def mean(self) -> Node:
        return self.parameters[0] + EULER * self.parameters[1]

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return self.deviation() ** 2.0

    def deviation(self) -> Node:
        return (math.pi / math.sqrt(6)) * self.parameters[1]

    def entropy(self) -> Node:
        return f("log", self.parameters[1]) + (1.0 + EULER)

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(f("clamp", self.draws.uniform(shape), 1e-300, 1.0))

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return f("exp", -f("exp", (loc - x) / scale))

    def icdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return loc - scale * f("log", -f("log", x))


class HalfNormal(Distribution):
    support = NOT_NEGATIVE
    names = ("scale",)
    constraints = (POSITIVE,)
    printed_names = ()
    nodes = MappingProxyType({"entropy": "SubBackward0", "cdf": "SubBackward0"})

    def log_density(self, x: Node) -> Node:
        (scale,) = self.parameters
        inside = 0.5 * math.log(2 / math.pi) - f("log", scale) - x**2.0 / (2.0 * scale**2.0)
        return f("where", x >= 0.0, inside, -math.inf)

    def mean(self) -> Node:
        return self.parameters[0] * math.sqrt(2 / math.pi)

    def mode(self) -> Node:
        return self.values.own(f("zeros_like", self.parameters[0]))

    def variance(self) -> Node:
        return self.parameters[0] ** 2.0 * (1 - 2 / math.pi)

    def entropy(self) -> Node:
        return f("log", self.parameters[0]) + (0.5 * math.log(math.pi / 2) + 0.5)

    def drawn(self, shape: Shape) -> Node:
        return f("abs", self.draws.gaussian(shape)) * self.parameters[0]

    def cdf(self, x: Node) -> Node:
        return f("erf", x / (self.parameters[0] * math.sqrt(2)))

    def icdf(self, x: Node) -> Node:
        return self.parameters[0] * f("erfinv", x) * math.sqrt(2)


class StudentT(ByInverse):
    shapes = 1
    names = ("df", "loc", "scale")
    constraints = (POSITIVE, REAL, POSITIVE)
    defaults = MappingProxyType({"loc": 0.0, "scale": 1.0})
    nodes = MappingProxyType({"mean": "overwritten", "variance": "overwritten"})

    def log_density(self, x: Node) -> Node:
        df, loc, scale = self.parameters
        size = f("lgamma", (df + 1.0) / 2.0) - f("lgamma", df / 2.0)
        spread = f("log", scale) + 0.5 * f("log", df * math.pi)
        apart = ((x - loc) / scale) ** 2.0 / df
        return size - spread - (df + 1.0) / 2.0 * f("log1p", apart)

    def mean(self) -> Node:
        df, loc, _ = self.parameters
        return f("where", df > 1.0, loc, math.nan)

    def mode(self) -> Node:
        return self.parameters[1]

    def entropy(self) -> Node:
        df, _, scale = self.parameters
        half, more = 0.5 * df, 0.5 * (df + 1.0)
        size = f("lgamma", half) + math.lgamma(0.5) - f("lgamma", more)
        spread = more * (f("digamma", more) - f("digamma", half)) + 0.5 * f("log", df)
        return f("log", scale) + spread + size

    def variance(self) -> Node:
        df, _, scale = self.parameters
        finite = scale**2.0 * df / (df - 2.0)
        return f("where", df > 2.0, finite, f("where", df > 1.0, math.inf, math.nan))

    def inverse(self, u: Any, *parameters: Any) -> Any:
        from scipy.stats import t

        return t.ppf(u, *parameters)

    def placed(self, x: Node) -> Node:
        _, loc, scale = self.parameters
        return loc + scale * x


CLASSES: tuple[type[Distribution], ...] = (
    Geometric, OneHotCategorical, Binomial, Multinomial, Cauchy, Gumbel, HalfNormal, StudentT
)  # fmt: skip
