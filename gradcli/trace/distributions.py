"""`torch.distributions`: the usual ones, as objects with `log_prob`, `sample`, `entropy` …

Formulas: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 1994. A sample's
shape is `sample_shape`, followed by that of the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import EMPTY, Array, Node, Shape
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.constraints import (
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    REAL,
    SIMPLEX,
    TRUTH,
    Constraint,
    check,
    check_value,
    each,
    less_than,
    up_to,
    within,
)
from gradcli.trace.draws import Draws
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import as_single
from gradcli.trace.special import Size, Special
from gradcli.trace.tensor_text import with_suffixes
from gradcli.trace.values import Value, Values

Rule = Callable[..., Node]
LOG_TWO_PI = math.log(2 * math.pi)


def function(name: str, *arguments: Any, **options: Any) -> Node:
    """What a function of the op table makes."""
    made: Node = FUNCTIONS[name].build(*arguments, **options)
    return made


_f = function


def _fits(node: Node, shape: Shape) -> bool:
    """Whether a parameter can be expanded to a shape; those that are rows are longer."""
    pairs = zip(node.shape[::-1], shape[::-1], strict=False)
    return node.ndim <= len(shape) and all(own in (1, length) for own, length in pairs)


class Distribution(Object):
    """A distribution of a random variable, independent in each element of its parameters."""

    what = "a distribution"
    family = "Distribution"
    names: tuple[str, ...] = ()
    """Its parameters."""
    defaults: tuple[float, ...] = ()
    """Those of the last of them."""
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

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        self.title = type(self).__name__
        self.draws = draws
        self.values = draws.values
        self.shape: Shape = np.broadcast_shapes(*(each.shape for each in parameters))
        self.parameters = tuple(parameters)

    def check(self, names: Sequence[str]) -> None:
        """Raise PyTorch's error where one of these parameters is none. One that follows from
        leaves is not looked at: that would be a condition in each step of a training.
        """
        owner = self.checked()
        known = names if isinstance(owner, OfLogits) else owner.names
        if owner is not self and isinstance(owner, OfLogits):
            owner.printed_names = (*names,)
        for name, node, constraint in zip(
            owner.names, owner.parameters, owner.bounds(), strict=False
        ):
            if name in known and not self.draws.is_followed(node):
                wide = _f("expand", node, owner.shape) if _fits(node, owner.shape) else node
                value = self.values.evaluator.value(wide)
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

    def check_value(self, x: Node) -> None:
        """Raise PyTorch's error where it does not have a value; one that follows from leaves is not
        looked at, as no such parameter is.
        """
        support = self.supported() if self.checks_values else None
        if support is None or self.draws.is_followed(x):
            return
        value = self.values.evaluator.value(x)
        is_single = not value.shape and self.values.is_single(x)
        shown = f"{as_single(value.item())}" if is_single else shown_value(value)
        check_value(value, support, self.shown(), shown)

    # --- what each has ---

    def log_density(self, x: Node) -> Node:
        raise self._unknown("log_prob")

    def mean(self) -> Node:
        raise self._unknown("mean")

    def variance(self) -> Node:
        raise self._unknown("variance")

    def entropy(self) -> Node:
        raise self._unknown("entropy")

    def drawn(self, shape: Shape) -> Node:
        """A sample as a function of the parameters, where it is one, and of random numbers."""
        raise self._unknown("sample")

    def cdf(self, x: Node) -> Node:
        raise self._unknown("cdf")

    def _unknown(self, what: str) -> GradcliError:
        return GradcliError("name", f"{what} of {type(self).__name__} is not known here")

    can_flow = True
    """Whether gradients flow back from samples: whether there is `rsample`."""

    # --- methods and attributes ---

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        found: dict[str, Callable[[list[Any], Given], Any]] = {
            "log_prob": partial(self._of_value, self.log_density),
            "cdf": partial(self._of_value, self.cdf),
            "entropy": lambda *_: self.entropy(),
            "sample": lambda *given: self._cut(self._sample(*given)),
        }
        return found | ({"rsample": self._sample} if self.can_flow else {})

    def attribute(self, name: str) -> Any:
        if name in self.names:
            return self.parameters[self.names.index(name)]
        if name in ("mean", "variance"):
            return getattr(self, name)()
        if name in ("batch_shape", "event_shape"):
            border = len(self.shape) - self.events
            lengths = self.shape[:border] if name == "batch_shape" else self.shape[border:]
            return Size([self.values.plain(each) for each in lengths])
        if name == "stddev":
            return _f("sqrt", self.variance())
        return super().attribute(name)

    def _of_value(self, rule: Rule, arguments: list[Value], keywords: Given) -> Node:
        given = bind_names("log_prob", ("value",), arguments, keywords)["value"]
        x = self.values.tensor(given, "a value")
        if getattr(rule, "__func__", rule) is not Distribution.cdf:
            self.check_value(x)
        return rule(x)

    def _sample(self, arguments: list[Value], keywords: Given) -> Node:
        names = ("sample_shape",)
        given = bind_names("sample", names, arguments, keywords, names)
        front = self.values.integers(given["sample_shape"], names[0]) if given else ()
        return self.draws.alike(self.drawn((*front, *self.shape)), *self.parameters)

    def _cut(self, node: Node) -> Node:
        return detach(node) if node.kind == "float" else node

    printed_names: tuple[str, ...] | None = None
    """The parameters that print shows, if they are not all; those of the others follow."""

    def shown(self) -> str:
        names = self.names if self.printed_names is None else self.printed_names
        parts = [f"{name}: {self._parameter_shown(self.attribute(name))}" for name in names]
        return f"{self.title}({', '.join(parts)})"

    def _parameter_shown(self, node: Node) -> str:
        if self.shape != node.shape and node.size == 1:
            node = _f("expand", node, self.shape)
        value = self.values.evaluator.value(node)
        if value.size != 1:
            return f"torch.Size({list(node.shape)})"
        if value.shape:
            return with_suffixes(value, ())
        return f"{as_single(value.item()) if self.values.is_single(node) else value.item()}"


def shown_value(value: Array) -> str:
    """What a format string shows of a tensor."""
    return with_suffixes(value, ()) if value.shape else f"{value.item()}"


class Normal(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -((x - loc) ** 2.0) / (2.0 * scale**2.0) - _f("log", scale) - LOG_TWO_PI / 2

    def mean(self) -> Node:
        return _f("expand", self.parameters[0], self.shape)

    def variance(self) -> Node:
        return _f("expand", self.parameters[1] ** 2.0, self.shape)

    def entropy(self) -> Node:
        return _f("expand", 0.5 + LOG_TWO_PI / 2 + _f("log", self.parameters[1]), self.shape)

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        return loc + self.draws.gaussian(shape) * scale

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        return 0.5 * (1.0 + _f("erf", (x - loc) / (scale * math.sqrt(2))))


class Uniform(Distribution):
    names = ("low", "high")

    def bounds(self) -> tuple[Constraint, ...]:
        if self.draws.is_followed(self.parameters[1]):
            return ()
        _, high = self._ends()
        return (less_than(high, shown_value(high)),)

    def supported(self) -> Constraint | None:
        if any(map(self.draws.is_followed, self.parameters)):
            return None
        low, high = self._ends()
        return within(low, high, (shown_value(low), shown_value(high)))

    def _ends(self) -> Sequence[Array]:
        value = self.values.evaluator.value
        return [value(_f("expand", each, self.shape)) for each in self.parameters]

    def log_density(self, x: Node) -> Node:
        low, high = self.parameters
        inside = cast(_f("logical_and", x >= low, x < high), "float")
        return _f("log", inside) - _f("log", high - low)

    def mean(self) -> Node:
        return (self.parameters[0] + self.parameters[1]) / 2.0

    def variance(self) -> Node:
        return (self.parameters[1] - self.parameters[0]) ** 2.0 / 12.0

    def entropy(self) -> Node:
        return _f("log", self.parameters[1] - self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        low, high = self.parameters
        return low + self.draws.uniform(shape) * (high - low)

    def cdf(self, x: Node) -> Node:
        low, high = self.parameters
        return _f("clamp", (x - low) / (high - low), 0.0, 1.0)


class Exponential(Distribution):
    names = ("rate",)
    constraints = (POSITIVE,)
    support = NOT_NEGATIVE

    def log_density(self, x: Node) -> Node:
        (rate,) = self.parameters
        return _f("log", rate) - rate * x

    def mean(self) -> Node:
        return 1.0 / self.parameters[0]

    def variance(self) -> Node:
        return self.parameters[0] ** -2.0

    def entropy(self) -> Node:
        return 1.0 - _f("log", self.parameters[0])

    def drawn(self, shape: Shape) -> Node:
        return -_f("log1p", -self.draws.uniform(shape)) / self.parameters[0]

    def cdf(self, x: Node) -> Node:
        return 1.0 - _f("exp", -self.parameters[0] * x)


class Laplace(Distribution):
    names = ("loc", "scale")
    constraints = (REAL, POSITIVE)

    def log_density(self, x: Node) -> Node:
        loc, scale = self.parameters
        return -_f("log", 2.0 * scale) - _f("abs", x - loc) / scale

    def mean(self) -> Node:
        return _f("expand", self.parameters[0], self.shape)

    def variance(self) -> Node:
        return _f("expand", 2.0 * self.parameters[1] ** 2.0, self.shape)

    def entropy(self) -> Node:
        return _f("expand", 1.0 + _f("log", 2.0 * self.parameters[1]), self.shape)

    def drawn(self, shape: Shape) -> Node:
        loc, scale = self.parameters
        u = self.draws.uniform(shape) - 0.5
        return loc - scale * _f("sign", u) * _f("log1p", -2.0 * _f("abs", u))

    def cdf(self, x: Node) -> Node:
        loc, scale = self.parameters
        apart = x - loc
        return 0.5 - 0.5 * _f("sign", apart) * _f("expm1", -_f("abs", apart) / scale)


_NEEDED = {
    "log_prob": ("logits",), "entropy": ("probs", "logits"), "logits": ("logits",),
    **dict.fromkeys(("probs", "sample", "mean", "variance", "stddev"), ("probs",)),
}  # fmt: skip
"""What methods and attributes are computed of."""


class OfLogits(Distribution):
    """Given by `probs` or by `logits`, of which the other follows."""

    names = ("probs", "logits")
    can_flow = False
    printed_names: tuple[str, ...] | None = ("probs",)
    of_truths = False
    """Whether each probability is one of a yes, not of a class."""

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        found = super().methods()
        return {name: partial(self._noting, name, each) for name, each in found.items()}

    def _noting(self, name: str, method: Callable[..., Any], *given: Any) -> Any:
        found = method(*given)
        self._note(name)
        return found

    def attribute(self, name: str) -> Any:
        self._note(name)
        return super().attribute(name)

    def _note(self, used: str) -> None:
        """Print shows both of them once what needs the other was asked for, as in PyTorch."""
        needed = _NEEDED.get(used, ())
        if self.printed_names:
            known = {*self.printed_names, *needed}
            self.printed_names = tuple(
                [name for name in ("total_count", *self.names) if name in known]
            )


class Bernoulli(OfLogits):
    of_truths = True
    constraints = (PROBABILITY, REAL)
    support = TRUTH

    @property
    def probs(self) -> Node:
        return self.parameters[0]

    def log_density(self, x: Node) -> Node:
        logits = self.parameters[1]
        return x * logits - _f("softplus", logits)

    def mean(self) -> Node:
        return self.probs

    def variance(self) -> Node:
        return self.probs * (1.0 - self.probs)

    def entropy(self) -> Node:
        logits = self.parameters[1]
        return _f("softplus", logits) - self.probs * logits

    def drawn(self, shape: Shape) -> Node:
        return cast(self.draws.uniform(shape) < self.probs, "float")


class Categorical(OfLogits):
    """Of places 0 to n - 1; the parameters' last axis has length n."""

    constraints = (SIMPLEX, each(REAL))

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self.shape = self.shape[:-1]

    def supported(self) -> Constraint | None:
        last = self.parameters[0].shape[-1] - 1
        return up_to(last, str(last))

    def log_density(self, x: Node) -> Node:
        x = self.values.index(x, "a value")
        logits = self.parameters[1]
        shape = np.broadcast_shapes(x.shape, self.shape)
        wide = _f("expand", logits, (*shape, logits.shape[-1]))
        places = _f("expand", _f("unsqueeze", x, -1), (*shape, 1))
        return _f("squeeze", _f("gather", wide, -1, places), -1)

    def mean(self) -> Node:
        return self._no_number()

    def variance(self) -> Node:
        return self._no_number()

    def _no_number(self) -> Node:
        return self.values.own(self.values.graph.constant(np.full(self.shape, np.nan)))

    def entropy(self) -> Node:
        probs, logits = self.parameters
        return -_f("sum", probs * logits, -1)

    def drawn(self, shape: Shape) -> Node:
        weights = self.values.evaluator.value(self.parameters[0])
        front = shape[: len(shape) - len(self.shape)]
        count = math.prod(front)
        self.values.graph.check_room(count)
        found = self.draws.chosen(weights, count, replace=True)
        moved = np.moveaxis(found, -1, 0).reshape(shape)
        return self.values.graph.constant(moved)


CLASSES: tuple[type[Distribution], ...] = (
    Normal, Uniform, Exponential, Laplace, Bernoulli, Categorical
)  # fmt: skip


class Distributions:
    """The functions by name."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.values: Values = draws.values
        self.functions: dict[str, Special] = {
            f"torch.distributions.{made.__name__}": partial(self.make, made) for made in CLASSES
        } | {
            "torch.distributions.kl_divergence": self._divergence,
            "torch.distributions.kl.kl_divergence": self._divergence,
        }

    def make(
        self, made: type[Distribution], arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """A distribution of a class with these parameters."""
        keywords, told = self._as_named(made, keywords)
        last = made.names[len(made.names) - len(made.defaults) :]
        options = (*(made.names if issubclass(made, OfLogits) else last), "validate_args")
        names = (*made.names, "validate_args")
        given = bind_names(made.__name__, names, arguments, keywords, options)
        for name, default in zip(last, made.defaults, strict=True):
            given.setdefault(name, self.values.graph.constant(default))
        nodes = {
            name: self.parameter(given[name], f"{made.__name__}: {name}")
            for name in made.names
            if given.get(name) is not None
        }
        if not issubclass(made, OfLogits):
            plain = made(self.draws, list(nodes.values()))
            self.check(plain, made.names, given)
            plain.printed_names = told or plain.printed_names
            return plain
        if len(nodes) != 1:
            raise GradcliError("type", f"{made.__name__} takes probs or logits, one of them",
                               hint=f"{made.__name__}(logits=x)")  # fmt: skip
        ((name, node),) = nodes.items()
        found = made(self.draws, both(made, name, node))
        if found.printed_names:
            found.printed_names = (name,)
        self.check(found, (name,), given)
        return found

    def _as_named(
        self, made: type[Distribution], keywords: dict[str, Value]
    ) -> tuple[dict[str, Value], tuple[str, ...] | None]:
        """The parameters by the class's own names; and by which they are shown, if by others."""
        for name, turned in made.instead.items():
            if keywords.get(name) is not None:
                first, own = made.names
                node = turned(self.parameter(keywords[name], f"{made.__name__}: {name}"))
                others = {key: each for key, each in keywords.items() if key != name}
                return {**others, own: node}, (first, name)
        return keywords, None

    def check(self, made: Distribution, names: Sequence[str], given: dict[str, Value]) -> None:
        """Raise PyTorch's error for a parameter, unless the call says `validate_args=False`."""
        wanted = given.get("validate_args")
        if self.values.is_pytorch and (wanted is None or self.values.truth(wanted)):
            made.check(names)
            made.checks_values = True

    def parameter(self, value: Value, what: str) -> Node:
        """A parameter as a tensor, also where it is given as a number."""
        node = cast(self.values.tensor(value, what), "float")
        return node if node.known is None else self.values.own(node)

    def _divergence(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The Kullback-Leibler divergence of p from q, two of one kind."""
        given = bind_names("kl_divergence", ("p", "q"), arguments, keywords)
        p, q = given["p"], given["q"]
        if isinstance(p, Normal) and isinstance(q, Normal):
            ratio = (p.parameters[1] / q.parameters[1]) ** 2.0
            apart = ((p.parameters[0] - q.parameters[0]) / q.parameters[1]) ** 2.0
            return 0.5 * (ratio + apart - 1.0 - _f("log", ratio))
        if isinstance(p, Categorical) and isinstance(q, Categorical):
            return _f("sum", p.parameters[0] * (p.parameters[1] - q.parameters[1]), -1)
        if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
            apart = p.parameters[1] - q.parameters[1]
            sizes = _f("softplus", q.parameters[1]) - _f("softplus", p.parameters[1])
            return p.probs * apart + sizes
        raise GradcliError(
            "type", "kl_divergence is known here of two Normal, Bernoulli or Categorical",
            hint="(p.log_prob(x) - q.log_prob(x)).mean() of samples x estimates it",
        )  # fmt: skip


def both(made: type[OfLogits], name: str, node: Node) -> tuple[Node, Node]:
    """Probabilities and logits of one of them; logits of classes are log-probabilities."""
    if made.of_truths:
        return (node, _f("log", node) - _f("log1p", -node)) if name == "probs" else (
            _f("sigmoid", node), node)  # fmt: skip
    if name == "logits":
        return _f("softmax", node, -1), _f("log_softmax", node, -1)
    probs = node / _f("sum", node, -1, True)
    return probs, _f("log", probs)
