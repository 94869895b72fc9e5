"""Methods that change a tensor in place and have no function of their own: `x.random_(10)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import leaf
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.draws import check_chance
from gradcli.trace.objects import Object
from gradcli.trace.refusals import check_drawn
from gradcli.trace.values import Value

Change: TypeAlias = Callable[[Node, list[Value], dict[str, Value]], Node]
"""What a tensor becomes, of its arguments."""

_INTEGERS_END = float(2**24)
"""Up to here `random_` draws integers for floats of PyTorch's default dtype."""


class InPlace:
    """The methods by name, without the underscore at their end."""

    def __init__(self, autograd: Autograd, note_random: Callable[[], None]) -> None:
        """`note_random` is called where something is drawn."""
        self.autograd = autograd
        self.values = autograd.values
        self._note_random = note_random
        self.functions: dict[str, Change] = {
            "random": self._random,
            "bernoulli": self._bernoulli,
            "exponential": self._exponential,
            "geometric": self._geometric,
            "log_normal": self._log_normal,
            "cauchy": self._cauchy,
            "trunc_normal": self._trunc_normal,
            "fill_diagonal": self._fill_diagonal,
            "apply": self._apply,
            "map": self._map,
        }

    def _uniform(self, node: Node) -> Node:
        self._note_random()
        return f("rand", node.graph, *node.shape)

    def _number(self, given: dict[str, Value], name: str, default: float) -> float:
        return self.values.number(given[name], name) if given.get(name) is not None else default

    def _random(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        """Integers from `from`, or 0, up to below `to`."""
        names = ("from", "to", "generator")
        if len(arguments) == 1:
            arguments = [node.graph.constant(0.0), *arguments]
        given = bind_names("random_", names, arguments, keywords, names)
        low, high = self._number(given, "from", 0.0), self._number(given, "to", _INTEGERS_END)
        if high <= low:
            raise GradcliError("value", f"random_: there is no integer from {low:g} to {high:g}")
        return cast(FUNCTIONS["floor"](self._uniform(node) * (high - low)) + low, node.kind)

    def _bernoulli(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        names = ("p", "generator")
        given = bind_names("bernoulli_", names, arguments, keywords, names)
        p = self.values.tensor(given["p"]) if "p" in given else node.graph.constant(0.5)
        if self.values.is_pytorch:
            check_chance(self.values, p, is_tensor=self.values.is_tensor(given.get("p")))
        return cast(FUNCTIONS["lt"](self._uniform(node), p), node.kind)

    def _exponential(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        given = bind_names("exponential_", ("lambd",), arguments, keywords, ("lambd",))
        rate = self._number(given, "lambd", 1.0)
        self._check_floats("exponential", node)
        if rate <= 0:
            raise _refused(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        return -FUNCTIONS["log"](1.0 - self._uniform(node)) / rate

    def _check_floats(self, name: str, node: Node) -> None:
        if self.values.is_pytorch:
            check_drawn(name, self.values.array_dtype(node))

    def _geometric(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        p = self._number(bind_names("geometric_", ("p",), arguments, keywords), "p", 0.5)
        if not 0 < p < 1:
            raise _refused(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        log = FUNCTIONS["log"]
        return FUNCTIONS["ceil"](log(1.0 - self._uniform(node)) / log(node.graph.constant(1 - p)))

    def _log_normal(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        given = bind_names("log_normal_", ("mean", "std"), arguments, keywords, ("mean", "std"))
        self._note_random()
        drawn = FUNCTIONS["randn"].build(node.graph, *node.shape)
        return FUNCTIONS["exp"](
            drawn * self._number(given, "std", 2.0) + self._number(given, "mean", 1.0)
        )

    def _cauchy(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        names = ("median", "sigma")
        self._check_floats("cauchy", node)
        given = bind_names("cauchy_", names, arguments, keywords, names)
        spread = FUNCTIONS["tan"]((self._uniform(node) - 0.5) * 3.141592653589793)
        return spread * self._number(given, "sigma", 1.0) + self._number(given, "median", 0.0)

    def _trunc_normal(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        """Of the normal distribution between `a` and `b`, by the inverse of its integral."""
        names = ("mean", "std", "a", "b")
        given = bind_names("trunc_normal_", names, arguments, keywords, names)
        mean, std, a, b = (
            self._number(given, name, default)
            for name, default in zip(names, (0.0, 1.0, -2.0, 2.0), strict=True)
        )
        root = 1.4142135623730951
        low, high = (
            self.values.number(
                FUNCTIONS["erf"](node.graph.constant((each - mean) / (std * root))), ""
            )
            for each in (a, b)
        )
        drawn = FUNCTIONS["erfinv"](self._uniform(node) * (high - low) + low)
        return drawn * (std * root) + mean

    def _fill_diagonal(
        self, node: Node, arguments: list[Value], keywords: dict[str, Value]
    ) -> Node:
        given = bind_names("fill_diagonal_", ("fill_value", "wrap"), arguments, keywords, ("wrap",))
        wrap = "wrap" in given and self.values.truth(given["wrap"])
        if node.ndim < 2 or (node.ndim > 2 and len(set(node.shape)) > 1):
            raise GradcliError("shape", "fill_diagonal_ is for matrices, and for cubes of any axes")
        places = np.zeros(node.shape, bool)
        np.fill_diagonal(places, val=True, wrap=wrap)
        value = self.values.tensor(given["fill_value"], "fill_value")
        filled = FUNCTIONS["where"].build(node.graph.constant(places), value, node)
        return cast(filled, node.kind)

    def _apply(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        """What a function gives for each element, one by one."""
        (function,) = bind_names("apply_", ("callable",), arguments, keywords).values()
        return self._of_each("apply_", function, node)

    def _map(self, node: Node, arguments: list[Value], keywords: dict[str, Value]) -> Node:
        """The same of each element and the one at its place in another tensor."""
        given = bind_names("map_", ("tensor", "callable"), arguments, keywords)
        other = self.values.tensor(given["tensor"], "map_")
        return self._of_each("map_", given["callable"], node, other)

    def _of_each(self, name: str, function: Value, node: Node, *others: Node) -> Node:
        if not isinstance(function, Object):
            raise GradcliError("type", f"{name} takes a function", hint="x.apply_(lambda v: 2 * v)")
        if any(map(self.autograd.requires_grad, (node, *others))):
            raise GradcliError(
                "value", f"{name} is for tensors that require no grad: no gradient flows back",
                hint="y = 2 * x computes with all elements at once",
            )  # fmt: skip
        node.graph.check_room(node.size)
        rows = [np.broadcast_to(self.values.evaluator.value(each), node.shape).ravel()
                for each in (node, *others)]  # fmt: skip
        found = [
            self.values.number(
                self.autograd.run_inside(
                    function.call([self.values.plain(each.item()) for each in elements], {})
                ),
                f"what {name} gets",
            )
            for elements in zip(*rows, strict=True)
        ]
        made = node.graph.constant(np.array(found).reshape(node.shape))
        return leaf(cast(made, node.kind), marked=False)


def _refused(said: str) -> RefusedError:
    """The error for numbers of which there is no distribution, in PyTorch's words."""
    return RefusedError(("RuntimeError", said), "value", said)
