"""`torch.optim`: optimisers, which change the parameters that they are given in place.

The formulas are those of PyTorch's documentation of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, detach, leaf
from gradcli.ops.kinds import zeros_like
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values

State = dict[str, Node]
"""What an optimiser remembers of a parameter."""
Numbers = dict[str, float]
"""The numbers that set an optimiser, by name."""


class Method(NamedTuple):
    """An optimiser: its numbers with their defaults, and how it changes a parameter."""

    numbers: Numbers
    step: Callable[[Node, Node, State, int, Numbers], Node]
    """Of the parameter, its grad, what is remembered, the count of steps from 1, the numbers."""


def _sqrt(x: Node) -> Node:
    root: Node = FUNCTIONS["sqrt"](x)
    return root


def _larger(a: Node, b: Node) -> Node:
    larger: Node = FUNCTIONS["maximum"](a, b)
    return larger


def _sgd(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    if n["momentum"]:
        if step == 1:
            state["momentum"] = g
        else:
            state["momentum"] = state["momentum"] * n["momentum"] + g * (1 - n["dampening"])
        g = g + state["momentum"] * n["momentum"] if n["nesterov"] else state["momentum"]
    return p + g * n["lr"] if n["maximize"] else p - g * n["lr"]


def _adam(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    return _adapted(p, g, state, step, n)


def _adamw(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        p = p * (1 - n["lr"] * n["weight_decay"])
    return _adapted(p, g, state, step, n)


def _adapted(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    zero = zeros_like(p)
    m = state["m"] = state.get("m", zero) * n["beta1"] + g * (1 - n["beta1"])
    v = state["v"] = state.get("v", zero) * n["beta2"] + g * g * (1 - n["beta2"])
    if n["amsgrad"]:
        v = state["most"] = _larger(state.get("most", zero), v)
    size = n["lr"] / (1 - n["beta1"] ** step)
    scale: float = (1 - n["beta2"] ** step) ** 0.5
    return p - m / (_sqrt(v) / scale + n["eps"]) * size


def _rmsprop(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero = zeros_like(p)
    v = state["v"] = state.get("v", zero) * n["alpha"] + g * g * (1 - n["alpha"])
    if n["centered"]:
        mean = state["mean"] = state.get("mean", zero) * n["alpha"] + g * (1 - n["alpha"])
        v = v - mean * mean
    change = g / (_sqrt(v) + n["eps"])
    if n["momentum"]:
        change = state["change"] = state.get("change", zero) * n["momentum"] + change
    return p - change * n["lr"]


def _adagrad(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    start = zeros_like(p) + n["initial_accumulator_value"]
    total = state["sum"] = state.get("sum", start) + g * g
    lr = n["lr"] / (1 + (step - 1) * n["lr_decay"])
    return p - g / (_sqrt(total) + n["eps"]) * lr


_ADAM: Numbers = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0,
                  "amsgrad": 0.0}  # fmt: skip
METHODS = {
    "SGD": Method({"lr": 1e-3, "momentum": 0.0, "dampening": 0.0, "weight_decay": 0.0,
                   "nesterov": 0.0, "maximize": 0.0}, _sgd),
    "Adam": Method(_ADAM, _adam),
    "AdamW": Method(_ADAM | {"weight_decay": 1e-2}, _adamw),
    "RMSprop": Method({"lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0.0,
                       "momentum": 0.0, "centered": 0.0}, _rmsprop),
    "Adagrad": Method({"lr": 1e-2, "lr_decay": 0.0, "weight_decay": 0.0,
                       "initial_accumulator_value": 0.0, "eps": 1e-10}, _adagrad),
}  # fmt: skip
"""By the name of PyTorch's class."""
_BETAS = ("beta1", "beta2")
_IGNORED = ("foreach", "fused", "capturable", "differentiable")


def numbers_of(values: Values, name: str, arguments: list[Value], keywords: Given) -> Numbers:
    """The numbers that an optimiser is made with, the others at their defaults."""
    numbers = dict(METHODS[name].numbers)
    names = list(dict.fromkeys("betas" if each in _BETAS else each for each in numbers))
    names += _IGNORED
    for key, value in bind_names(name, names, arguments, keywords, names).items():
        if key == "betas":
            pair = values.elements(value)
            numbers |= dict(zip(_BETAS, (values.number(each, key) for each in pair), strict=True))
        elif key not in _IGNORED:
            numbers[key] = values.number(value, key)
    if numbers["lr"] < 0:
        raise GradcliError("value", f"{name}: lr is negative", hint="lr=0.1")
    return numbers


class Optimiser(Object):
    """An optimiser and its parameters."""

    what = "an optimiser"

    def __init__(
        self,
        autograd: Autograd,
        name: str,
        parameters: Sequence[Node],
        numbers: Numbers,
        replace: Callable[[Node, Node], None],
    ) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.name = name
        self.parameters = list(parameters)
        self.numbers = numbers
        self._replace = replace
        self._states: list[State] = [{} for _ in parameters]
        self._steps = [0] * len(parameters)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return {"step": self._step, "zero_grad": self._zero_grad}

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("zero_grad", ("set_to_none",), arguments, keywords, ("set_to_none",))
        keeps = "set_to_none" in given and not self.values.truth(given["set_to_none"])
        for parameter in self.parameters:
            node = self.values.current(parameter)
            if node in self.autograd.grads:
                self.autograd.set_grad(node, None)
                if keeps:
                    self.autograd.grads[node] = zeros_like(node)
        return None

    def _step(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("step", (), arguments, keywords)
        change = METHODS[self.name].step
        for place, parameter in enumerate(self.parameters):
            node = self.values.current(parameter)
            grad = self.autograd.grads.get(node)
            if grad is None:
                continue
            self._steps[place] += 1
            new = change(
                detach(node), detach(grad), self._states[place], self._steps[place], self.numbers
            )
            self._replace(node, leaf(detach(new), marked=True))
        return None


class Optimisers:
    """The functions that make optimisers, by the names of PyTorch's classes."""

    def __init__(self, autograd: Autograd, replace: Callable[[Node, Node], None]) -> None:
        self.autograd = autograd
        self._replace = replace
        self.functions = {f"torch.optim.{name}": self._maker(name) for name in METHODS}

    def _maker(self, name: str) -> Callable[[list[Value], Given], Value]:
        def make(arguments: list[Value], keywords: Given) -> Value:
            params = keywords.get("params", arguments[0] if arguments else None)
            rest = {key: value for key, value in keywords.items() if key != "params"}
            numbers = numbers_of(self.autograd.values, name, arguments[1:], rest)
            return Optimiser(
                self.autograd, name, self._leaves(name, params), numbers, self._replace
            )

        return make

    def _leaves(self, name: str, params: Value) -> list[Node]:
        """The parameters, each of which must be a leaf."""
        values = self.autograd.values
        is_list = isinstance(params, Items | tuple) or params in values.listed
        found = values.elements(params) if is_list else []
        nodes = [each for each in found if isinstance(each, Node)]
        if not nodes or len(nodes) < len(found):
            raise GradcliError(
                "type",
                f"{name} takes a list of parameters",
                hint=f"torch.optim.{name}([w, b], lr=0.1), or model.parameters()",
            )
        for node in nodes:
            if node.op is not LEAF:
                raise GradcliError(
                    "value",
                    "can't optimize a non-leaf Tensor: an optimiser changes leaves",
                    hint="make the parameter by tensor(…, requires_grad=True), and nothing after",
                )
        return nodes
