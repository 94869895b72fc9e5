"""`torch.distributions.transforms`, and distributions of what they make of a random variable.

The density of y = t(x) is that of x, divided by |dt/dx|. The formulas are those of PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops import f
from gradcli.ops.shapes import broadcast
from gradcli.trace.arguments import bind_names
from gradcli.trace.compound_distributions import Independent, MixtureSameFamily
from gradcli.trace.constraints import POSITIVE, PROBABILITY, REAL, Constraint, each, within
from gradcli.trace.distribution_calls import HOME, DistributionCalls
from gradcli.trace.distributions import Distribution, Method
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.supports import Support
from gradcli.trace.usual_distributions import Categorical
from gradcli.trace.values import Value, Values, describe

SIGNED_SHARES = within(-1, 1, ("-1.0", "1.0"))


class Bijection(Object):
    """A function that has an inverse, and the logarithm of how it stretches what is near."""

    what = "a transform"
    family = "Transform"
    domain, codomain = REAL, REAL
    events = 0
    """How many of the last axes are parts of one value."""
    depth = 0
    """How many transforms stand one in another."""

    def __init__(self, values: Values, *, caches: bool = False) -> None:
        """One that `caches` gives back what it was last called with."""
        self.title = type(self).__name__
        self.values = values
        self.caches = caches
        self._last: tuple[Node, Node] | None = None
        self._inverse: Bijection | None = None

    # --- what each has ---

    def forward(self, x: Node) -> Node:
        raise NotImplementedError

    def backward(self, y: Node) -> Node:
        raise NotImplementedError

    def log_stretch(self, x: Node, y: Node) -> Node:
        """log |dy/dx|."""
        raise NotImplementedError

    def sign(self) -> Any:
        """Whether it grows (1) or falls (-1)."""
        return self.values.graph.constant(1)

    def parameters(self) -> tuple[Any, ...]:
        """What it was made with."""
        return ()

    # --- calls ---

    def of(self, x: Node) -> Node:
        """What it makes of x."""
        if self.caches and self._last is not None and self._last[0] is x:
            return self._last[1]
        y = self.forward(x)
        self._last = x, y
        return y

    def before(self, y: Node) -> Node:
        """What it makes y of."""
        if self.caches and self._last is not None and self._last[1] is y:
            return self._last[0]
        x = self.backward(y)
        self._last = x, y
        return x

    def remember(self, x: Node, y: Node) -> None:
        """Have made y of x."""
        self._last = x, y

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        return self.of(self._tensor(bind_names(self.title, ("x",), arguments, keywords)["x"]))

    def _tensor(self, value: Value) -> Node:
        if not self.values.is_tensor(value):
            raise GradcliError("type", f"{self.title} takes a tensor, not {describe(value)}",
                               hint="torch.tensor(1.0) makes one of a number")  # fmt: skip
        return self.values.tensor(value)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"log_abs_det_jacobian": self._log_stretch, "inv": self.inverse().call}

    def _log_stretch(self, arguments: list[Any], keywords: Given) -> Node:
        given = bind_names("log_abs_det_jacobian", ("x", "y"), arguments, keywords)
        x = self._tensor(given["x"])
        y = self.of(x) if given["y"] is None else self._tensor(given["y"])
        return self.log_stretch(x, y)

    def attribute(self, name: str) -> Any:
        if name == "inv":
            return self.inverse()
        if name == "sign":
            return self.sign()
        if name in ("domain", "codomain"):
            return Support(self.values, self.values_of(getattr(self, name)))
        if name == "bijective":
            return self.values.graph.constant(value=True)
        return super().attribute(name)

    def values_of(self, constraint: Constraint) -> Constraint:
        """What one of its values satisfies, of which several elements may be parts."""
        return each(constraint, self.events) if self.events else constraint

    def single(self) -> list[Bijection]:
        """Those that it is made of, one after another."""
        return [self]

    def inverse(self) -> Bijection:
        """The same one each time, whose inverse is this one."""
        if self._inverse is None:
            self._inverse = self._turned()
        return self._inverse

    def _turned(self) -> Bijection:
        return Inverse(self)

    def special(self, name: str) -> Object | None:
        return BuiltIn(name, self._compared) if name == "__eq__" else None

    def _compared(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        return self.values.graph.constant(bool(self.equals(arguments[0])))

    def equals(self, other: Any) -> bool | None:
        from gradcli.trace.operators import is_same  # which asks objects, too

        return type(self) is type(other) and all(
            is_same(self.values, a, b)
            for a, b in zip(self.parameters(), other.parameters(), strict=True)
        )

    def shown(self) -> str:
        return f"{self.title}()"


class Inverse(Bijection):
    """The other way round."""

    def __init__(self, base: Bijection) -> None:
        super().__init__(base.values)
        self.title = "_InverseTransform"
        self._base = self._inverse = base
        self.domain, self.codomain, self.events = base.codomain, base.domain, base.events
        self.depth = base.depth

    def of(self, x: Node) -> Node:
        return self._base.before(x)

    def before(self, y: Node) -> Node:
        return self._base.of(y)

    def remember(self, x: Node, y: Node) -> None:
        self._base.remember(y, x)

    def log_stretch(self, x: Node, y: Node) -> Node:
        return -self._base.log_stretch(y, x)

    def sign(self) -> Any:
        return self._base.sign()

    def parameters(self) -> tuple[Any, ...]:
        return (self._base,)

    def shown(self) -> str:
        return f"{self.title}({self._base.shown()})"


class Compose(Bijection):
    """Several, one after another."""

    def __init__(self, values: Values, parts: Sequence[Bijection]) -> None:
        super().__init__(values)
        self.title = "ComposeTransform"
        self.steps = tuple(parts)
        self.events = max((each.events for each in parts), default=0)
        self.depth = _deeper(parts)
        if parts:
            self.domain, self.codomain = parts[0].domain, parts[-1].codomain

    def single(self) -> list[Bijection]:
        return [each for part in self.steps for each in part.single()]

    def of(self, x: Node) -> Node:
        for part in self.steps:
            x = part.of(x)
        return x

    def before(self, y: Node) -> Node:
        for part in reversed(self.steps):
            y = part.before(y)
        return y

    def log_stretch(self, x: Node, y: Node) -> Node:
        if not self.steps:
            return f("zeros_like", x)
        values = [x]
        for part in self.steps[:-1]:
            values.append(part.of(values[-1]))
        total: Node | None = None
        for part, before, after in zip(self.steps, values, [*values[1:], y], strict=True):
            own = summed(part.log_stretch(before, after), self.events - part.events)
            total = own if total is None else total + own
        assert total is not None
        return total

    def sign(self) -> Any:
        return _product(self.values, self.steps)

    def _turned(self) -> Bijection:
        turned = Compose(self.values, [each.inverse() for each in reversed(self.steps)])
        turned._inverse = self
        return turned

    def parameters(self) -> tuple[Any, ...]:
        return (self.steps,)

    def attribute(self, name: str) -> Any:
        return Items([*self.steps]) if name == "parts" else super().attribute(name)

    def shown(self) -> str:
        return f"{self.title}(\n    " + ",\n    ".join(each.shown() for each in self.steps) + "\n)"


MOST_DEPTH = 100


def _deeper(parts: Sequence[Bijection | TransformedDistribution]) -> int:
    """The depth of what holds these."""
    depth = 1 + max((each.depth for each in parts), default=0)
    if depth > MOST_DEPTH:
        raise GradcliError("limit-depth", f"more than {MOST_DEPTH} transforms stand one in another",
                           hint="give them in one list")  # fmt: skip
    return depth


class ExpTransform(Bijection):
    codomain = POSITIVE

    def forward(self, x: Node) -> Node:
        return f("exp", x)

    def backward(self, y: Node) -> Node:
        return f("log", y)

    def log_stretch(self, x: Node, y: Node) -> Node:
        return x


class SigmoidTransform(Bijection):
    codomain = PROBABILITY

    def _clipped(self, share: Node) -> Node:
        limits = np.finfo(np.float32 if self.values.is_single(share) else np.float64)
        return f("clamp", share, float(limits.tiny), 1.0 - float(limits.eps))

    def forward(self, x: Node) -> Node:
        return self._clipped(f("sigmoid", x))

    def backward(self, y: Node) -> Node:
        y = self._clipped(y)
        return f("log", y) - f("log1p", -y)

    def log_stretch(self, x: Node, y: Node) -> Node:
        return -f("softplus", -x) - f("softplus", x)


class SoftplusTransform(Bijection):
    codomain = POSITIVE

    def forward(self, x: Node) -> Node:
        return f("softplus", x)

    def backward(self, y: Node) -> Node:
        return f("log", -f("expm1", -y)) + y

    def log_stretch(self, x: Node, y: Node) -> Node:
        return -f("softplus", -x)


class TanhTransform(Bijection):
    codomain = SIGNED_SHARES

    def forward(self, x: Node) -> Node:
        return f("tanh", x)

    def backward(self, y: Node) -> Node:
        return f("atanh", y)

    def log_stretch(self, x: Node, y: Node) -> Node:
        return 2.0 * (math.log(2.0) - x - f("softplus", -2.0 * x))


class AffineTransform(Bijection):
    """loc + scale · x."""

    def __init__(
        self, values: Values, loc: Node, scale: Node, events: int = 0, *, caches: bool = False
    ) -> None:
        super().__init__(values, caches=caches)
        self.loc, self.scale, self.events = loc, scale, events

    def forward(self, x: Node) -> Node:
        return self.loc + self.scale * x

    def backward(self, y: Node) -> Node:
        return (y - self.loc) / self.scale

    def log_stretch(self, x: Node, y: Node) -> Node:
        logs = f("log", f("abs", self.scale))
        if not self.values.is_tensor(self.scale):
            logs = f("expand", logs, x.shape)
        logs = summed(logs, min(self.events, logs.ndim))
        return f("expand", logs, x.shape[: x.ndim - self.events])

    def sign(self) -> Any:
        sign = f("sign", self.scale)
        if self.values.is_tensor(self.scale):
            return sign
        return self.values.graph.constant(int(self.values.number(sign, "scale")))

    def parameters(self) -> tuple[Any, ...]:
        return self.loc, self.scale

    def attribute(self, name: str) -> Any:
        return getattr(self, name) if name in ("loc", "scale") else super().attribute(name)


def summed(x: Node, count: int) -> Node:
    """The sum over so many last axes."""
    return f("sum", x, tuple(range(-count, 0))) if count > 0 else x


def _product(values: Values, parts: Sequence[Bijection]) -> Any:
    """Whether all of them together grow or fall."""
    sign = values.graph.constant(1)
    for part in parts:
        sign = sign * part.sign()
    return sign


_UNLIKE = (Categorical, MixtureSameFamily)
"""Distributions whose samples no transform here widens."""


class TransformedDistribution(Distribution):
    """Of what transforms make of a variable that another distribution is of."""

    def __init__(self, base: Distribution, parts: Sequence[Bijection]) -> None:
        depth = _deeper([base] if isinstance(base, TransformedDistribution) else [])
        tensors = [
            each for part in parts for each in _parameters(part) if base.values.is_tensor(each)
        ]
        events = max((each.events for each in parts), default=0)
        if events > base.events:
            base = Independent(base, events - base.events)
        super().__init__(base.draws, ())
        self.base, self._parts = base, tuple(parts)
        self.depth = depth
        self.parameters = (*base.parameters, *tensors)
        self.shape = broadcast(self.title, [base.shape, *(one.shape for one in tensors)])
        self.events = base.events
        self.has_rsample = base.has_rsample
        self.check_flow = base.check_flow  # type: ignore[method-assign]
        if len(self.shape) < self.events:
            raise GradcliError(
                "value", f"base_distribution needs to have shape with size at least {self.events}"
            )

    def methods(self) -> dict[str, Method]:
        return super().methods() | {"sample": self._sampled}

    def drawn(self, shape: Shape) -> Node:
        x = self.base.drawn(shape)
        for part in self._parts:
            x = part.of(x)
        return x

    def _sample(self, arguments: list[Value], keywords: Given) -> Node:
        return self._made(self._drawn_of_base(arguments, keywords), lambda y: y)

    def _sampled(self, arguments: list[Value], keywords: Given) -> Node:
        return self._made(self._cut(self._drawn_of_base(arguments, keywords)), self._cut)

    def _drawn_of_base(self, arguments: list[Value], keywords: Given) -> Node:
        drawn = self.base.drawn(self.shape_of_sample(arguments, keywords))
        return self.draws.alike(drawn, *self.base.parameters)

    def _made(self, x: Node, cut: Callable[[Node], Node]) -> Node:
        """What the transforms make of a sample; each remembers it."""
        for part in (one for several in self._parts for one in several.single()):
            y = cut(part.of(x))
            part.remember(x, y)
            x = y
        return x

    def supported(self) -> Constraint | None:
        if not self._parts:
            return self.base.supported()
        last = self._parts[-1]
        found = last.values_of(last.codomain)
        inner = self.events - last.events
        return each(found, inner) if inner else found

    def log_density(self, x: Node) -> Node:
        lost: Node | None = None
        for part in reversed(self._parts):
            before = part.before(x)
            own = summed(part.log_stretch(before, x), self.events - part.events)
            lost = -own if lost is None else lost - own
            x = before
        density = self.base.log_density(x)
        return density if lost is None else lost + density

    def _monotone(self, share: Node) -> Node:
        """A share of what is below, of the base where the transforms fall together."""
        turned: Node = _product(self.values, self._parts) * (share - 0.5)
        return turned + 0.5

    def cdf(self, x: Node) -> Node:
        for part in reversed(self._parts):
            x = part.before(x)
        return self._monotone(self.base.cdf(x))

    def icdf(self, x: Node) -> Node:
        x = self.base.icdf(self._monotone(x))
        for part in self._parts:
            x = part.of(x)
        return x

    def expanded(self, batch: Shape) -> Distribution:
        made = TransformedDistribution(self.base.expanded(batch), self._parts)
        made.checks_values = self.checks_values
        return made

    def is_made_as(self, other: TransformedDistribution) -> bool:
        """Whether the transforms of another one are equal, and its values of the same lengths."""
        pairs = zip(self._parts, other._parts, strict=False)
        return (
            len(self._parts) == len(other._parts)
            and all(a.equals(b) for a, b in pairs)
            and self.shape[len(self.batch) :] == other.shape[len(other.batch) :]
        )

    def _limits(self) -> list[tuple[Value, Value]]:
        return []

    def attribute(self, name: str) -> Any:
        if name == "transforms":
            return Items([*self._parts])
        return self.base if name == "base_dist" else super().attribute(name)


def _parameters(part: Bijection) -> tuple[Any, ...]:
    """The numbers and tensors that a transform and its parts were made with."""
    left, found = [part], list[Any]()
    while left:
        part = left.pop()
        for one in part.parameters():
            if isinstance(one, tuple):
                left += one
            elif isinstance(one, Bijection):
                left.append(one)
            else:
                found.append(one)
    return tuple(found)


_PLAIN = (ExpTransform, SigmoidTransform, SoftplusTransform, TanhTransform)


class TransformedDistributions:
    """The functions by name."""

    def __init__(
        self, calls: DistributionCalls, of_program: Callable[[Value], Value] = lambda each: each
    ) -> None:
        """`of_program` makes one of these of a transform that is an object of the program."""
        self._calls = calls
        self._of_program = of_program
        self.values = calls.values
        makers: dict[str, Special] = {
            **{made.__name__: partial(self._plain, made) for made in _PLAIN},
            "AffineTransform": self._affine,
            "ComposeTransform": self._composed,
            "TransformedDistribution": self._transformed,
        }
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"{HOME}.{name}": make for name, make in makers.items()
        }

    def _caches(self, given: Given) -> bool:
        name = "cache_size"
        size = self.values.integer(given[name], name) if name in given else 0
        if size not in (0, 1):
            raise GradcliError("value", "cache_size must be 0 or 1")
        return size == 1

    def _plain(self, made: type[Bijection], arguments: list[Value], keywords: Given) -> Value:
        names = ("cache_size",)
        given = bind_names(made.__name__, names, arguments, keywords, names)
        return made(self.values, caches=self._caches(given))

    def _affine(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("loc", "scale", "event_dim", "cache_size")
        given = bind_names("AffineTransform", names, arguments, keywords, names[2:])
        loc, scale = (self.values.tensor(given[each], each) for each in names[:2])
        events = self.values.integer(given[names[2]], names[2]) if names[2] in given else 0
        if events < 0:
            raise GradcliError("value", "event_dim is 0 or more")
        return AffineTransform(self.values, loc, scale, events, caches=self._caches(given))

    def _composed(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("ComposeTransform", ("parts", "cache_size"), arguments, keywords,
                           ("cache_size",))  # fmt: skip
        if self._caches(given):
            raise GradcliError("value", "ComposeTransform with a cache is not known here",
                               hint="give cache_size=1 to its parts")  # fmt: skip
        return Compose(self.values, self._parts("ComposeTransform", given["parts"]))

    def _parts(self, name: str, given: Value) -> list[Bijection]:
        whole = self._of_program(given)
        several = [whole] if isinstance(whole, Bijection) else self.values.elements(given)
        parts = [each for each in map(self._of_program, several) if isinstance(each, Bijection)]
        if len(parts) != len(several):
            raise GradcliError("value", f"{name}: transforms must be a Transform or a list of them")
        return parts

    def _transformed(self, arguments: list[Value], keywords: Given) -> Value:
        name = "TransformedDistribution"
        names = ("base_distribution", "transforms", "validate_args")
        given = bind_names(name, names, arguments, keywords, names[2:])
        base = given[names[0]]
        if not isinstance(base, Distribution):
            raise GradcliError("type", f"{name} takes a distribution, not {describe(base)}")
        if isinstance(base, _UNLIKE):
            raise GradcliError("value", f"{name} of a {base.title} is not known here")
        made = TransformedDistribution(base, self._parts(name, given[names[1]]))
        made.checks_values = self._calls.checks(given.get(names[2]))
        return made
