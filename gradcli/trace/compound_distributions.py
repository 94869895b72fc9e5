"""`torch.distributions`: those that are made of others."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops import f
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import Constraint, any_of_parts, each, refused
from gradcli.trace.distribution_calls import HOME, DistributionCalls
from gradcli.trace.distributions import Distribution
from gradcli.trace.special import Special
from gradcli.trace.usual_distributions import Categorical
from gradcli.trace.values import Value


class MixtureSameFamily(Distribution):
    """One of several distributions, which lie along the last axis before their values."""

    has_rsample = False
    nodes = MappingProxyType(
        {"mean": "SumBackward1", "variance": "AddBackward0", "cdf": "SumBackward1"}
    )

    def __init__(self, weights: Categorical, parts: Distribution) -> None:
        super().__init__(parts.draws, ())
        self._weights, self._parts = weights, parts
        weights.printed_names = weights.names
        self.events = parts.events
        border = len(parts.batch)
        self.shape = (*parts.shape[: border - 1], *parts.shape[border:])

    def supported(self) -> Constraint | None:
        found = self._parts.supported()
        return None if found is None else any_of_parts(found)

    def _apart(self, x: Node) -> Node:
        """A value with an axis for the parts."""
        return f("unsqueeze", x, -1 - self.events)

    def _averaged(self, of_parts: Node) -> Node:
        weights = self._weights.probs
        weights = f("reshape", weights, *weights.shape, *[1] * self.events)
        return f("sum", weights * of_parts, -1 - self.events)

    def log_density(self, x: Node) -> Node:
        of_parts = self._parts.log_density(self._apart(x))
        return f("logsumexp", of_parts + f("log_softmax", self._weights.logits, -1), -1)

    def cdf(self, x: Node) -> Node:
        return f("sum", self._weights.probs * self._parts.cdf(self._apart(x)), -1)

    def mean(self) -> Node:
        return self._averaged(self._parts.mean())

    def variance(self) -> Node:
        apart = self._parts.mean() - self._apart(self.mean())
        return self._averaged(self._parts.variance() + apart**2.0)

    def expanded(self, batch: Shape) -> Distribution:
        weights = self._weights.expanded(batch)
        assert isinstance(weights, Categorical)
        made = MixtureSameFamily(
            weights, self._parts.expanded((*batch, self._weights.probs.shape[-1]))
        )
        made.checks_values = self.checks_values
        return made

    def drawn(self, shape: Shape) -> Node:
        border = len(shape) - self.events
        count = self._weights.probs.shape[-1]
        of_parts = self._parts.drawn((*shape[:border], count, *shape[border:]))
        chosen = self._weights.expanded(self.batch).drawn(shape[:border])
        chosen = f("reshape", chosen, *shape[:border], *[1] * (self.events + 1))
        chosen = f("expand", chosen, (*shape[:border], 1, *shape[border:]))
        return f("squeeze", f("gather", of_parts, border, chosen), border)

    def shown(self) -> str:
        return f"{self.title}(\n  {self._weights.shown()},\n  {self._parts.shown()})"

    def attribute(self, name: str) -> Value:
        own = {"mixture_distribution": self._weights, "component_distribution": self._parts}
        return own[name] if name in own else super().attribute(name)


class Independent(Distribution):
    """A distribution whose last axes are parts of one value."""

    nodes = MappingProxyType({"entropy": "SumBackward1", "log_prob": "SumBackward1"})

    def __init__(self, base: Distribution, axes: int) -> None:
        super().__init__(base.draws, ())
        self.base, self.axes = base, axes
        self.events = axes + base.events
        self.names, self.parameters, self.shape = base.names, base.parameters, base.shape
        self.has_rsample = base.has_rsample
        self.has_enumerate_support = base.has_enumerate_support and not axes
        self.check_flow = base.check_flow  # type: ignore[method-assign]

    def supported(self) -> Constraint | None:
        found = self.base.supported()
        return each(found, self.axes) if found is not None and self.axes else found

    def check_value(self, value: Value) -> None:
        self.base.check_value(value)

    def _summed(self, node: Node) -> Node:
        return f("sum", node, tuple(range(-self.axes, 0))) if self.axes else node

    def log_density(self, x: Node) -> Node:
        return self._summed(self.base.log_density(x))

    def entropy(self) -> Node:
        return self._summed(self.base.entropy())

    def mean(self) -> Node:
        return self.base.mean()

    def mode(self) -> Node:
        return self.base.mode()

    def variance(self) -> Node:
        return self.base.variance()

    def drawn(self, shape: Shape) -> Node:
        return self.base.drawn(shape)

    def possible(self) -> Node:
        if self.axes:
            said = "Enumeration over cartesian product is not implemented"
            raise self.unknown("enumerate_support", said)
        return self.base.possible()

    def expanded(self, batch: Shape) -> Distribution:
        own = self.base.batch
        made = Independent(self.base.expanded((*batch, *own[len(own) - self.axes :])), self.axes)
        made.checks_values = self.checks_values
        return made

    def _limits(self) -> list[tuple[Value, Value]]:
        return []

    def shown(self) -> str:
        return f"{self.title}({self.base.shown()}, {self.axes})"

    def attribute(self, name: str) -> Any:
        if name == "base_dist":
            return self.base
        if name == "reinterpreted_batch_ndims":
            return self.values.plain(self.axes)
        return super().attribute(name)


class CompoundDistributions:
    """The functions by name."""

    def __init__(self, calls: DistributionCalls) -> None:
        self._calls = calls
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"{HOME}.Independent": self._independent,
            f"{HOME}.MixtureSameFamily": self._mixture,
        }

    def _independent(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("base_distribution", "reinterpreted_batch_ndims", "validate_args")
        given = bind_names("Independent", names, arguments, keywords, names[2:])
        base = given[names[0]]
        if not isinstance(base, Distribution):
            raise GradcliError("type", "Independent takes a distribution")
        axes = base.values.integer(given[names[1]], names[1])
        if not 0 <= axes <= len(base.batch):
            raise refused(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{axes} vs {len(base.batch)}",
                f"a distribution of the batch shape {base.batch} has not {axes} axes to take",
            )
        return self._checking(Independent(base, axes), given)

    def _mixture(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("mixture_distribution", "component_distribution", "validate_args")
        given = bind_names("MixtureSameFamily", names, arguments, keywords, names[2:])
        weights, parts = given[names[0]], given[names[1]]
        if not isinstance(weights, Categorical) or not isinstance(parts, Distribution):
            raise GradcliError(
                "type", "MixtureSameFamily takes a Categorical and the distribution of its parts"
            )
        count = weights.probs.shape[-1]
        own = parts.batch[-1] if parts.batch else 0
        if own != count:
            raise refused(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({own})",
                f"{count} weights need {count} parts along the last axis of the batch",
            )
        return self._checking(MixtureSameFamily(weights, parts), given)

    def _checking(self, made: Distribution, given: dict[str, Value]) -> Distribution:
        made.checks_values = self._calls.checks(given.get("validate_args"))
        return made
