"""What all of `torch.distributions` have in common: `log_prob`, `sample`, `entropy`, `support` …

A sample's shape is `sample_shape`, followed by that of the parameters, which are broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import EMPTY, Array, Node, Shape
from gradcli.ops import f
from gradcli.ops.control import detach
from gradcli.ops.shapes import broadcast
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import (
    REAL,
    Constraint,
    check,
    check_shape,
    check_value,
    refused,
)
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.draws import Draws
from gradcli.trace.objects import Given, Object, class_shown
from gradcli.trace.printing import as_single
from gradcli.trace.special import Size
from gradcli.trace.supports import Support
from gradcli.trace.tensor_text import PLAIN, with_suffixes
from gradcli.trace.values import Value, Values

Method = Callable[[list[Any], Given], Any]


def expanded(node: Node, shape: Shape) -> Node:
    """A tensor with its elements repeated to a shape."""
    return node if node.shape == shape else f("expand", node, shape)


class Distribution(Object):
    """A distribution of a random variable, independent in each element of its parameters."""

    what = "a distribution"
    family = "Distribution"
    names: tuple[str, ...] = ()
    """Its parameters."""
    takes: tuple[str, ...] = ()
    """What it is made with, where that is not its parameters."""
    defaults: Mapping[str, float] = EMPTY
    """Parameters that need not be given."""
    instead: Mapping[str, Callable[[Node], Node]] = EMPTY
    """Parameters that may be given for the last of two, and what makes that of them."""
    constraints: tuple[Constraint, ...] = ()
    """What each of them satisfies; those behind are not checked."""
    support: Constraint | None = REAL
    """Which values it has; None where they are not checked."""
    checks_values = False
    """Whether other values are refused: not with `validate_args=False`."""
    events = 0
    """How many of its last axes are parts of one value."""
    has_rsample = True
    """Whether PyTorch's samples pass gradients on."""
    nodes: Mapping[str, str] = EMPTY
    """What PyTorch calls the last node of what it computes by another formula, by method."""
    has_enumerate_support = False
    """Whether it has so few values that they can be listed."""

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        self.title = type(self).__name__
        self.draws = draws
        self.values: Values = draws.values
        self.shape: Shape = broadcast(self.title, [(), *(each.shape for each in parameters)])
        self.parameters = tuple(expanded(each, self.shape) for each in parameters)

    @property
    def parameters(self) -> tuple[Node, ...]:
        """The tensors that it was made with, as they are now."""
        return tuple(map(self.values.current, self._parameters))

    @parameters.setter
    def parameters(self, parameters: Sequence[Node]) -> None:
        self._parameters = tuple(parameters)

    @property
    def batch(self) -> Shape:
        """The axes along which its values are independent."""
        return self.shape[: len(self.shape) - self.events]

    # --- what is refused ---

    def check(self, names: Sequence[str]) -> None:
        """Raise PyTorch's error where one of these parameters is none. One that follows from
        leaves is not looked at: that would be a condition in each step of a training.
        """
        owner = self.checked()
        known = names if isinstance(owner, OfLogits) else owner.names
        if owner is not self and isinstance(owner, OfLogits):
            owner.printed_names = tuple([name for name in names if name in owner.names])
        for name, node, constraint in zip(
            owner.names, owner.parameters, owner.bounds(), strict=False
        ):
            if name in known and not self.draws.is_followed(node):
                value = self.values.evaluator.value(node)
                check(name, value, constraint, owner.shown(), shown_value(value))

    def checked(self) -> Distribution:
        """The one whose parameters PyTorch checks: itself, or what it is made of there."""
        return self

    def bounds(self) -> tuple[Constraint, ...]:
        """The constraints, also those by other parameters."""
        return self.constraints

    def supported(self) -> Constraint | None:
        """Its support, also where it follows from parameters."""
        return self.support

    def check_value(self, value: Value) -> None:
        """Raise PyTorch's error where it does not have a value; elements that follow from leaves
        are not looked at, as no such parameter is.
        """
        if not self.checks_values:
            return
        if not isinstance(value, Node) or not self.values.is_tensor(value):
            raise refused(
                "The value argument to log_prob must be a Tensor",
                f"{self.title} takes a tensor as a value",
            )
        check_shape(value.shape, self.shape, self.events)
        support = self.supported()
        if support is None or self.draws.is_followed(value):
            return
        found = self.values.evaluator.value(value)
        is_single = not found.shape and self.values.is_single(value)
        shown = f"{as_single(found.item())}" if is_single else shown_value(found)
        check_value(found, support, self.shown(), shown)

    # --- what each has ---

    def log_density(self, x: Node) -> Node:
        raise self.unknown("log_prob")

    def mean(self) -> Node:
        raise self.unknown("mean")

    def mode(self) -> Node:
        raise self.unknown("mode", f"{class_shown(self.title)} does not implement mode")

    def variance(self) -> Node:
        raise self.unknown("variance")

    def deviation(self) -> Node:
        """Its `stddev`."""
        return f("sqrt", self.variance())

    def entropy(self) -> Node:
        raise self.unknown("entropy")

    def drawn(self, shape: Shape) -> Node:
        """A sample as a function of the parameters, where it is one, and of random numbers."""
        raise self.unknown("sample")

    def check_flow(self) -> None:
        """Raise `name` where gradients would flow back from samples, and no way is known here."""

    def cdf(self, x: Node) -> Node:
        raise self.unknown("cdf")

    def icdf(self, x: Node) -> Node:
        raise self.unknown("icdf")

    def possible(self) -> Node:
        """All values that it may have, one after another."""
        raise self.unknown("enumerate_support")

    def unknown(self, what: str, said: str = "") -> GradcliError:
        """What PyTorch does not have, either."""
        message = f"{what} of {self.title} is not known"
        return RefusedError(("NotImplementedError", said), "name", message, None)

    # --- methods and attributes ---

    def methods(self) -> dict[str, Method]:
        return {
            **{
                name: partial(self._at_value, name, method)
                for name, method in (
                    ("log_prob", self.log_density),
                    ("cdf", self.cdf),
                    ("icdf", self.icdf),
                )
            },
            "entropy": lambda *_: self._as_made("entropy", self.entropy()),
            "perplexity": lambda *_: f("exp", self.entropy()),
            "sample": lambda *given: self._cut(self._sample(*given)),
            "rsample": self._rsample,
            "expand": self._expand,
            "enumerate_support": self._enumerate,
        }

    def attribute(self, name: str) -> Any:
        if name in self.names:
            return self.parameters[self.names.index(name)]
        if name in ("mean", "mode", "variance"):
            return self._as_made(name, getattr(self, name)())
        if name == "stddev":
            return self.deviation()
        if name in ("batch_shape", "event_shape"):
            border = len(self.batch)
            lengths = self.shape[:border] if name == "batch_shape" else self.shape[border:]
            return Size([self.values.plain(each) for each in lengths])
        if name == "support":
            support = self.supported()
            return None if support is None else Support(self.values, support)
        if name == "arg_constraints":
            return Dictionary(self.values, self._limits())
        if name in ("has_rsample", "has_enumerate_support"):
            return self.values.graph.constant(bool(getattr(self, name)))
        return super().attribute(name)

    def _limits(self) -> list[tuple[Value, Value]]:
        """The parameters' names, and what they satisfy."""
        return [
            (name, Support(self.values, constraint))
            for name, constraint in zip(self.names, self.bounds(), strict=False)
        ]

    def _at_value(
        self, name: str, method: Callable[[Node], Node], arguments: list[Value], keywords: Given
    ) -> Node:
        return self._as_made(name, method(self._value(name, arguments, keywords)))

    def _as_made(self, name: str, node: Node) -> Node:
        """What a method gives, with the node that it is made by in PyTorch."""
        if name in self.nodes:
            self.values.made_by[node] = self.nodes[name], (), EMPTY
        return node

    def _value(self, name: str, arguments: list[Value], keywords: Given) -> Node:
        """The value that a method is given; `icdf` takes any number."""
        (given,) = bind_names(name, ("value",), arguments, keywords).values()
        if name != "icdf" and getattr(type(self), name, None) is not Distribution.cdf:
            self.check_value(given)
        return self.values.tensor(given, "a value")

    def _sample(self, arguments: list[Value], keywords: Given) -> Node:
        drawn = self.drawn(self.shape_of_sample(arguments, keywords))
        return self.draws.alike(drawn, *self.parameters)

    def shape_of_sample(self, arguments: list[Value], keywords: Given) -> Shape:
        """The shape that a call of `sample` asks for, and that of a value behind it."""
        names = ("sample_shape",)
        given = bind_names("sample", names, arguments, keywords, names)
        front = self.values.integers(given["sample_shape"], names[0]) if given else ()
        return (*front, *self.shape)

    def _rsample(self, arguments: list[Value], keywords: Given) -> Node:
        if not self.has_rsample:
            raise self.unknown("rsample")
        self.check_flow()
        return self._sample(arguments, keywords)

    def _cut(self, node: Node) -> Node:
        return detach(node) if node.kind == "float" else self.values.own(node)

    def _expand(self, arguments: list[Value], keywords: Given) -> Distribution:
        names = ("batch_shape", "_instance")
        given = bind_names("expand", names, arguments, keywords, names[1:])
        return self.expanded(self.values.integers(given[names[0]], names[0]))

    def expanded(self, batch: Shape) -> Distribution:
        """The same one, repeated along axes in front."""
        made = copy(self)
        made.shape = (*batch, *self.shape[len(self.batch) :])
        made.parameters = tuple(
            expanded(each, (*batch, *each.shape[len(self.batch) :])) for each in self.parameters
        )
        return made

    def _enumerate(self, arguments: list[Value], keywords: Given) -> Node:
        given = bind_names("enumerate_support", ("expand",), arguments, keywords, ("expand",))
        found = self.possible()
        ones = (1,) * len(self.batch)
        found = f("reshape", found, found.shape[0], *ones, *found.shape[1:])
        is_whole = "expand" not in given or self.values.truth(given["expand"])
        return expanded(found, (found.shape[0], *self.shape)) if is_whole else found

    printed_names: tuple[str, ...] | None = None
    """The parameters that print shows, if they are not all; those of the others follow."""

    def shown(self) -> str:
        names = self.names if self.printed_names is None else self.printed_names
        parts = [f"{name}: {self._parameter_shown(self.attribute(name))}" for name in names]
        return f"{self.title}({', '.join(parts)})"

    def _parameter_shown(self, node: Node) -> str:
        value = self.values.evaluator.value(node)
        if value.size != 1:
            return f"torch.Size({list(node.shape)})"
        if value.shape:
            return with_suffixes(value, self.values.suffixes(node), self.values.style or PLAIN)
        return f"{as_single(value.item()) if self.values.is_single(node) else value.item()}"


def shown_value(value: Array) -> str:
    """What a format string shows of a tensor."""
    return with_suffixes(value, ()) if value.shape else f"{value.item()}"


class ByInverse(Distribution):
    """Drawn by the inverse of the distribution function, through which no gradient flows here."""

    shapes: int | None = None
    """How many of the parameters, from the first on, the inverse depends on; None for all."""

    def inverse(self, u: Any, *parameters: Any) -> Any:
        """The inverse, of arrays."""
        raise NotImplementedError

    def placed(self, x: Node) -> Node:
        """What the other parameters make of it."""
        return x

    def drawn(self, shape: Shape) -> Node:
        value = self.values.evaluator.value
        u = np.clip(value(self.draws.uniform(shape)), 1e-300, 1.0)
        found = self.inverse(u, *map(value, self.parameters[: self.shapes]))
        return self.placed(self.values.graph.constant(found))

    def check_flow(self) -> None:
        if any(map(self.draws.is_followed, self.parameters[: self.shapes])):
            raise GradcliError(
                "name", f"gradients of samples of {self.title} are not known here",
                hint="d.sample() draws without them, d.log_prob(x) has those of a sample x",
            )  # fmt: skip


class OfLogits(Distribution):
    """Given by `probs` or by `logits`, of which the other follows."""

    names: tuple[str, ...] = ("probs", "logits")
    has_rsample = False
    printed_names: tuple[str, ...] | None = ("probs",)
    moments = "probs"
    """Of which of the two its mean, its samples and the like are computed."""
    of_truths = False
    """Whether each probability is one of a yes, not of a class."""

    @property
    def probs(self) -> Node:
        return self.parameters[-2]

    @property
    def logits(self) -> Node:
        return self.parameters[-1]

    def methods(self) -> dict[str, Method]:
        found = super().methods()
        return {name: partial(self._noting, name, each) for name, each in found.items()}

    def _noting(self, name: str, method: Method, *given: Any) -> Any:
        found = method(*given)
        self._note(name)
        return found

    def attribute(self, name: str) -> Any:
        if name == "param_shape":
            return Size([self.values.plain(each) for each in self.probs.shape])
        self._note(name)
        return super().attribute(name)

    def _note(self, used: str) -> None:
        """Print shows both of them once what needs the other was asked for, as in PyTorch."""
        needed = {"log_prob": ["logits"], "entropy": ["probs", "logits"]}.get(used, [])
        if used in ("sample", "mean", "variance", "stddev", "mode"):
            needed = [self.moments]
        if self.printed_names:
            known = {*self.printed_names, *needed, used}
            self.printed_names = tuple([name for name in self.names if name in known])


def both(values: Values, made: type[OfLogits], name: str, node: Node) -> tuple[Node, Node]:
    """Probabilities and logits of one of them; logits of classes are log-probabilities. Of
    probabilities at the edge PyTorch takes the logits of the nearest that are not.
    """
    if name == "logits":
        return (f("sigmoid", node), node) if made.of_truths else (
            f("softmax", node, -1), f("log_softmax", node, -1))  # fmt: skip
    probs = node if made.of_truths else node / f("sum", node, -1, True)
    edge = float(np.finfo(np.float32 if values.is_single(node) else np.float64).eps)
    inside = f("clamp", probs, edge, 1.0 - edge)
    logs = f("log", inside)
    return probs, (logs - f("log1p", -inside) if made.of_truths else logs)
