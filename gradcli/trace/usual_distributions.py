"""`torch.distributions`: the six that programs use most.

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from gradcli.graph import Array, Node, Shape
from gradcli.ops import f
from gradcli.ops.kinds import cast
from gradcli.trace.constraints import (
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    REAL,
    SIMPLEX,
    TRUTH,
    Constraint,
    counted,
    each,
    greater_than,
    less_than,
    within,
)
from gradcli.trace.distributions import Distribution, OfLogits, shown_value
from gradcli.trace.draws import Draws

LOG_TWO_PI = math.log(2 * math.pi)


class Normal(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -((x - loc) ** 2.0) / (2.0 * scale**2.0) - f("log", scale) - LOG_TWO_PI / 2

    def mean(self) -> Node:
        return self.parameters[0]

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return self.parameters[1] ** 2.0

    def deviation(self) -> Node:
        return self.parameters[1]

    def entropy(self) -> Node:
        return 0.5 + LOG_TWO_PI / 2 + f("log", self.parameters[1])

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        return loc + self.draws.gaussian(shape) * scale

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return 0.5 * (1.0 + f("erf", (x - loc) / (scale * math.sqrt(2))))

    def icdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return loc + scale * f("erfinv", 2.0 * x - 1.0) * math.sqrt(2)


class Uniform(Distribution):
    names = ("low", "high")
    nodes = MappingProxyType({"cdf": "ClampBackward1"})

    def bounds(self) -> tuple[Constraint, ...]:
        if any(map(self.draws.is_followed, self.parameters)):
            return ()
        low, high = self._ends()
        return less_than(high, shown_value(high)), greater_than(low, shown_value(low))

    def supported(self) -> Constraint | None:
        if any(map(self.draws.is_followed, self.parameters)):
            return None
        low, high = self._ends()
        return within(low, high, (shown_value(low), shown_value(high)))

    def _ends(self) -> Sequence[Array]:
        return [*map(self.values.evaluator.value, self.parameters)]

    def log_density(self, x: Node) -> Node:
        low, high = self.parameters
        inside = cast(f("logical_and", x >= low, x < high), "float")
        return f("log", inside) - f("log", high - low)

    def mean(self) -> Node:
        return (self.parameters[0] + self.parameters[1]) / 2.0

    def mode(self) -> Node:
        return self.parameters[1] * math.nan

    def variance(self) -> Node:
        return (self.parameters[1] - self.parameters[0]) ** 2.0 / 12.0

    def deviation(self) -> Node:
        return (self.parameters[1] - self.parameters[0]) / math.sqrt(12.0)

    def entropy(self) -> Node:
        return f("log", self.parameters[1] - self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        low, high = self.parameters
        return low + self.draws.uniform(shape) * (high - low)

    def cdf(self, x: Node) -> Node:
        low, high = self.parameters
        return f("clamp", (x - low) / (high - low), 0.0, 1.0)

    def icdf(self, x: Node) -> Node:
        low, high = self.parameters
        return x * (high - low) + low


class Exponential(Distribution):
    names = ("rate",)
    constraints = (POSITIVE,)
    support = NOT_NEGATIVE

    def log_density(self, x: Node) -> Node:
        (rate,) = self.parameters
        return f("log", rate) - rate * x

    def mean(self) -> Node:
        return f("reciprocal", self.parameters[0])

    def mode(self) -> Node:
        return self.values.own(f("zeros_like", self.parameters[0]))

    def variance(self) -> Node:
        return self.parameters[0] ** -2.0

    def deviation(self) -> Node:
        return self.mean()

    def entropy(self) -> Node:
        return 1.0 - f("log", self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        return -f("log1p", -self.draws.uniform(shape)) / self.parameters[0]

    def cdf(self, x: Node) -> Node:
        return 1.0 - f("exp", -self.parameters[0] * x)

    def icdf(self, x: Node) -> Node:
        return -f("log1p", -x) / self.parameters[0]


class Laplace(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -f("log", 2.0 * scale) - f("abs", x - loc) / scale

    def mean(self) -> Node:
        return self.parameters[0]

    def mode(self) -> Node:
        return self.parameters[0]

    def variance(self) -> Node:
        return 2.0 * self.parameters[1] ** 2.0

    def deviation(self) -> Node:
        return math.sqrt(2.0) * self.parameters[1]

    def entropy(self) -> Node:
        return 1.0 + f("log", 2.0 * self.parameters[1])

    def drawn(self, shape: Shape) -> Node:
        return self.icdf(self.draws.uniform(shape))

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        apart = x - loc
        return 0.5 - 0.5 * f("sign", apart) * f("expm1", -f("abs", apart) / scale)

    def icdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        apart = x - 0.5
        return loc - scale * f("sign", apart) * f("log1p", -2.0 * f("abs", apart))


class Bernoulli(OfLogits):
    of_truths = True
    has_enumerate_support = True
    constraints = (PROBABILITY, REAL)
    support = TRUTH
    nodes = MappingProxyType({
        "entropy": "BinaryCrossEntropyWithLogitsBackward0", "log_prob": "NegBackward0",
    })  # fmt: skip

    def log_density(self, x: Node) -> Node:
        return x * self.logits - f("softplus", self.logits)

    def mean(self) -> Node:
        return self.probs

    def mode(self) -> Node:
        likely = cast(self.probs >= 0.5, "float")
        return f("where", f("eq", self.probs, 0.5), math.nan, likely)

    def variance(self) -> Node:
        return self.probs * (1.0 - self.probs)

    def entropy(self) -> Node:
        return f("softplus", self.logits) - self.probs * self.logits

    def possible(self) -> Node:
        return self.values.own(self.values.graph.constant(np.arange(2.0)))

    def drawn(self, shape: Shape) -> Node:
        return cast(self.draws.uniform(shape) < self.probs, "float")


class Categorical(OfLogits):
    """Of places 0 to n - 1; the parameters' last axis has length n."""

    constraints = (SIMPLEX, each(REAL))
    has_enumerate_support = True
    nodes = MappingProxyType({"log_prob": "SqueezeBackward1"})

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self.shape = self.shape[:-1]

    def supported(self) -> Constraint | None:
        last = self.probs.shape[-1] - 1
        return counted(0, last, ("0", str(last)))

    def log_density(self, x: Node) -> Node:
        x = self.values.index(x, "a value")
        shape = np.broadcast_shapes(x.shape, self.shape)
        wide = f("expand", self.logits, (*shape, self.logits.shape[-1]))
        places = f("expand", f("unsqueeze", x, -1), (*shape, 1))
        return f("squeeze", f("gather", wide, -1, places), -1)

    def mean(self) -> Node:
        return self._no_number()

    def mode(self) -> Node:
        return f("argmax", self.probs, -1)

    def variance(self) -> Node:
        return self._no_number()

    def _no_number(self) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, np.nan)))

    def entropy(self) -> Node:
        lowest = float(np.finfo(np.float32 if self.values.is_single(self.logits) else float).min)
        return -f("sum", self.probs * f("clamp", self.logits, lowest), -1)

    def possible(self) -> Node:
        return self.values.own(self.values.graph.constant(np.arange(self.probs.shape[-1])))

    def drawn(self, shape: Shape) -> Node:
        weights = self.values.evaluator.value(self.probs)
        front = shape[: len(shape) - len(self.shape)]
        count = math.prod(front)
        self.values.graph.check_room(count)
        found = self.draws.chosen(weights, count, replace=True)
        moved = np.moveaxis(found, -1, 0).reshape(shape)
        return self.values.graph.constant(moved)


CLASSES: tuple[type[Distribution], ...] = (
    Normal, Uniform, Exponential, Laplace, Bernoulli, Categorical
)  # fmt: skip
