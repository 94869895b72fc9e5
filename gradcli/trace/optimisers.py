"""`torch.optim`: optimisers, which change the parameters that they are given in place.

The formulas are those of PyTorch's documentation of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, detach, leaf
from gradcli.ops.kinds import zeros_like
from gradcli.ops.loops import Unlike
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.optimiser_states import in_order
from gradcli.trace.values import Value, Values

State = dict[str, Node]
"""What an optimiser remembers of a parameter."""
Numbers = dict[str, float]
"""The numbers that set an optimiser, by name."""
Rates = dict[str, Node | float]
"""The numbers that follow from these and from the count of steps; nodes in a pass of a loop that
stands for others."""
MOST_RATES = 1 << 17
"""More passes than these have no rates of their own."""


class Method(NamedTuple):
    """An optimiser: its numbers with their defaults, and how it changes a parameter."""

    numbers: Numbers
    step: Callable[[Node, Node, State, Rates, Numbers], Node]
    """Of the parameter, its grad, what is remembered, the rates, the numbers."""
    rates: Callable[[int, Numbers], Rates] = lambda step, n: {}
    """The rates of a step, which are counted from 1."""


def _sqrt(x: Node) -> Node:
    root: Node = FUNCTIONS["sqrt"](x)
    return root


def _larger(a: Node, b: Node) -> Node:
    larger: Node = FUNCTIONS["maximum"](a, b)
    return larger


def _first(step: int, n: Numbers) -> Rates:
    return {"is_first": step == 1}


def _sgd(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    if n["momentum"]:
        if rates["is_first"]:
            state["momentum"] = g
        else:
            state["momentum"] = state["momentum"] * n["momentum"] + g * (1 - n["dampening"])
        g = g + state["momentum"] * n["momentum"] if n["nesterov"] else state["momentum"]
    return p + g * n["lr"] if n["maximize"] else p - g * n["lr"]


def _adam(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    return _adapted(p, g, state, rates, n)


def _adamw(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        p = p * (1 - n["lr"] * n["weight_decay"])
    return _adapted(p, g, state, rates, n)


def _unbiased(step: int, n: Numbers) -> Rates:
    size = n["lr"] / (1 - n["beta1"] ** step)
    return {"size": size, "scale": (1 - n["beta2"] ** step) ** 0.5}


def _adapted(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    zero = zeros_like(p)
    m = state["m"] = state.get("m", zero) * n["beta1"] + g * (1 - n["beta1"])
    v = state["v"] = state.get("v", zero) * n["beta2"] + g * g * (1 - n["beta2"])
    if n["amsgrad"]:
        v = state["most"] = _larger(state.get("most", zero), v)
    return p - m / (_sqrt(v) / rates["scale"] + n["eps"]) * rates["size"]


def _rmsprop(p: Node, g: Node, state: State, _: Rates, n: Numbers) -> Node:
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


def _decayed(step: int, n: Numbers) -> Rates:
    return {"lr": n["lr"] / (1 + (step - 1) * n["lr_decay"])}


def _adagrad(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    start = zeros_like(p) + n["initial_accumulator_value"]
    total = state["sum"] = state.get("sum", start) + g * g
    return p - g / (_sqrt(total) + n["eps"]) * rates["lr"]


def _adadelta(p: Node, g: Node, state: State, _: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero, rho = zeros_like(p), n["rho"]
    v = state["square"] = state.get("square", zero) * rho + g * g * (1 - rho)
    u = state.get("change", zero)
    change = _sqrt(u + n["eps"]) / _sqrt(v + n["eps"]) * g
    state["change"] = u * rho + change * change * (1 - rho)
    return p - change * n["lr"]


def _adamax(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero = zeros_like(p)
    m = state["m"] = state.get("m", zero) * n["beta1"] + g * (1 - n["beta1"])
    size: Node = FUNCTIONS["abs"](g)
    most = state["most"] = _larger(state.get("most", zero) * n["beta2"], size + n["eps"])
    return p - m / most * rates["size"]


_ADAM: Numbers = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0,
                  "amsgrad": 0}  # fmt: skip
METHODS = {
    "SGD": Method({"lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0,
                   "nesterov": 0, "maximize": 0}, _sgd, _first),
    "Adam": Method(_ADAM, _adam, _unbiased),
    "AdamW": Method(_ADAM | {"weight_decay": 1e-2}, _adamw, _unbiased),
    "RMSprop": Method({"lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0,
                       "momentum": 0, "centered": 0}, _rmsprop),
    "Adagrad": Method({"lr": 1e-2, "lr_decay": 0, "weight_decay": 0,
                       "initial_accumulator_value": 0, "eps": 1e-10}, _adagrad, _decayed),
    "Adadelta": Method({"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0}, _adadelta),
    "Adamax": Method({"lr": 2e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8,
                      "weight_decay": 0}, _adamax, _unbiased),
}  # fmt: skip
"""By the name of PyTorch's class."""
PAIRS = {"betas": ("beta1", "beta2"), "etas": ("eta1", "eta2"), "step_sizes": ("least", "most")}
"""Numbers that are given two and two, by the name of both."""
_PAIR_OF = {each: pair for pair, both in PAIRS.items() for each in both}
_IGNORED = ("foreach", "fused", "capturable", "differentiable")


def group_of(values: Values, name: str, given: Given, defaults: Given) -> Dictionary:
    """A group of parameters: what it was given, the rest as by default. Raises `value`."""
    numbers = METHODS[name].numbers
    group = Dictionary(values)
    for key in numbers:
        whole, both = _PAIR_OF.get(key, key), PAIRS.get(_PAIR_OF.get(key, ""), ())
        usual = tuple(values.plain(numbers[each]) for each in both) or values.plain(numbers[key])
        group.put(whole, given.get(whole, defaults.get(whole, usual)))
    if values.number(group.item(["lr"]), "lr") < 0:
        raise GradcliError("value", f"{name}: lr is negative", hint="lr=0.1")
    return group


def numbers_of(values: Values, group: Dictionary) -> Numbers:
    """The numbers of a group as they are now."""
    numbers: Numbers = {}
    for key, value in group.pairs():
        if isinstance(key, str) and key in PAIRS:
            pair = values.numbers(value, key)
            if len(pair) != len(PAIRS[key]):
                raise GradcliError("value", f"{key} are two numbers", hint="betas=(0.9, 0.999)")
            numbers |= dict(zip(PAIRS[key], pair, strict=True))
        elif key != "params" and isinstance(key, str) and isinstance(value, Node | None):
            numbers[key] = values.number(value, key) if value is not None else 0.0
    return numbers


class Optimiser(Object):
    """An optimiser and its parameters, in groups."""

    what = "an optimiser"

    def __init__(
        self,
        autograd: Autograd,
        name: str,
        groups: Sequence[Dictionary],
        replace: Callable[[Node, Node], None],
    ) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.name = self.title = name
        self.groups = list(groups)
        self._replace = replace
        self.states: dict[tuple[int, int], State] = {}
        """By the places of a group and of a parameter in it."""
        self.steps: dict[tuple[int, int], int] = {}
        self.steps_of_passes: dict[tuple[int, int], range] = {}
        """The same in each of the passes of a loop that a pass stands for."""
        autograd.optimisers.append(self)

    def parameters(self, group: Dictionary) -> list[Node]:
        """The parameters of a group as they are now."""
        found = self.values.elements(group.item(["params"]))
        return [self.values.current(self.values.tensor(each)) for each in found]

    def rates(self) -> list[float]:
        """The learning rate of each group."""
        return [self.values.number(group.item(["lr"]), "lr") for group in self.groups]

    def first_rates(self) -> list[float]:
        """The learning rates when the first scheduler took over."""
        for group in self.groups:
            if not group.contains("initial_lr"):
                group.put("initial_lr", group.item(["lr"]))
        return [self.values.number(group.item(["initial_lr"]), "lr") for group in self.groups]

    def set_rate(self, place: int, rate: float) -> None:
        """Give a group another learning rate."""
        self.groups[place].put("lr", self.values.plain(rate))

    def set_momentum(self, place: int, momentum: float) -> bool:
        """Give a group another momentum, or a first beta; whether it has one of these."""
        group, value = self.groups[place], self.values.plain(momentum)
        if group.contains("betas"):
            _, second = self.values.elements(group.item(["betas"]))
            group.put("betas", (value, second))
        elif group.contains("momentum"):
            group.put("momentum", value)
        else:
            return False
        return True

    def attribute(self, name: str) -> Value:
        if name == "param_groups":
            return Items(list(self.groups))
        if name == "state":
            from gradcli.trace.optimiser_states import state_by_parameter

            parameters = list(map(self.parameters, self.groups))
            return state_by_parameter(self.values, parameters, self.states, self.steps)
        if name == "defaults":
            pairs = [pair for pair in self.groups[0].pairs() if pair[0] != "params"]
            return Dictionary(self.values, pairs)
        raise self.has_no("attribute", name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "step": self._step,
            "zero_grad": self._zero_grad,
            "state_dict": self._state_dict,
            "load_state_dict": self._load,
            "add_param_group": self._add_group,
        }

    def _state_dict(self, arguments: list[Value], keywords: Given) -> Value:
        from gradcli.trace.optimiser_states import state_of

        bind_names("state_dict", (), arguments, keywords)
        return state_of(self.values, self.name, self.groups, self.states, self.steps)

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        from gradcli.trace.optimiser_states import load_state

        (state,) = bind_names("load_state_dict", ("state",), arguments, keywords).values()
        load_state(self.values, self.groups, self.states, self.steps, state)
        return None

    def _add_group(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("add_param_group", ("param_group",), arguments, keywords).values()
        if not isinstance(given, Dictionary) or not given.contains("params"):
            raise GradcliError("type", "a group is a dictionary with params", hint="{'params': …}")
        pairs = {str(key): value for key, value in given.pairs()}
        defaults = {str(key): value for key, value in self.groups[0].pairs()}
        group = group_of(self.values, self.name, pairs, defaults)
        params = pairs["params"]
        group.put("params", Items([params] if isinstance(params, Node)
                                  else self.values.elements(params)))  # fmt: skip
        in_order(self.values, self.name, group)
        self.groups.append(group)
        return None

    def shown(self) -> str:
        """As PyTorch prints it: the numbers of each group by name."""
        from gradcli.trace.optimiser_states import shown_options

        lines = [f"{self.name} ("]
        for place, group in enumerate(self.groups):
            lines.append(f"Parameter Group {place}")
            found = shown_options(self.values, self.name, group)
            lines += [f"    {key}: {text}" for key, text in found]
        return "\n".join([*lines, ")"])

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("zero_grad", ("set_to_none",), arguments, keywords, ("set_to_none",))
        keeps = "set_to_none" in given and not self.values.truth(given["set_to_none"])
        for node in (each for group in self.groups for each in self.parameters(group)):
            if node in self.autograd.grads:
                self.autograd.set_grad(node, None)
                if keeps:
                    self.autograd.grads[node] = zeros_like(node)
        return None

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("step", ("closure",), arguments, keywords, ("closure",))
        closure = given.get("closure")
        loss = (yield closure.call([], {})) if isinstance(closure, Object) else None
        method = METHODS[self.name]
        for place, group in enumerate(self.groups):
            numbers = numbers_of(self.values, group)
            for position, node in enumerate(self.parameters(group)):
                grad = self.autograd.grads.get(node)
                if grad is None:
                    continue
                key = place, position
                state = self.states.setdefault(key, {})
                rates = self._rates(method, key, numbers)
                new = method.step(detach(node), detach(grad), state, rates, numbers)
                self.values.overwritten.add(node)
                self._replace(node, leaf(detach(new), marked=True))
        return loss

    def _rates(self, method: Method, key: tuple[int, int], numbers: Numbers) -> Rates:
        """The rates of a parameter's next step, or what stands for those of several passes."""
        if self.values.any_pass is None or key not in self.steps_of_passes:
            self.steps[key] = self.steps.get(key, 0) + 1
            return method.rates(self.steps[key], numbers)
        before = self.steps_of_passes[key]
        if len(before) > MOST_RATES:
            raise Unlike("it may have too many passes for the rates of an optimiser")
        steps = range(before.start + 1, before.stop + 1, before.step)
        self.steps_of_passes[key] = steps
        found = [method.rates(each, numbers) for each in steps]
        return {name: self._rate([each[name] for each in found]) for name in found[0]}

    def _rate(self, rates: Sequence[Any]) -> Any:
        if all(each == rates[0] for each in rates):
            return rates[0]
        if self.values.any_pass is None or not all(isinstance(each, float) for each in rates):
            raise Unlike("an optimiser does something else in some of its passes")
        return self.values.any_pass.numbered(np.array(rates))


class Optimisers:
    """The functions that make optimisers, by the names of PyTorch's classes."""

    def __init__(self, autograd: Autograd, replace: Callable[[Node, Node], None]) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.replace = replace
        self.functions = {f"torch.optim.{name}": self.maker(name) for name in METHODS}

    def maker(self, name: str) -> Callable[[list[Value], Given], Value]:
        """The function that makes an optimiser of that name."""
        numbers = METHODS[name].numbers
        known = list(dict.fromkeys(_PAIR_OF.get(each, each) for each in numbers))

        def make(arguments: list[Value], keywords: Given) -> Value:
            names = ("params", *known, *_IGNORED)
            defaults = bind_names(name, names, arguments, keywords, names[1:])
            params = defaults.pop("params")
            groups = self._groups(params)
            made = []
            for given in groups or [{"params": params}]:
                if "params" not in given:
                    raise GradcliError(
                        "value", f"{name}: a group has params, and of {', '.join(known)} what it "
                        "needs",
                    )  # fmt: skip
                own = {key: each for key, each in given.items() if key in names}
                group = group_of(self.values, name, own, defaults)
                for key in given.keys() - own.keys():  # which the program itself may read
                    group.put(key, given[key])
                group.put(
                    "params", Items([*self.leaves(name, given["params"], in_group=bool(groups))])
                )
                in_order(self.values, name, group)
                made.append(group)
            return Optimiser(self.autograd, name, made, self.replace)

        return make

    def _groups(self, params: Value) -> list[Given]:
        """Groups that are given as dictionaries; none where parameters are given as they are."""
        if not isinstance(params, Items | tuple):
            return []
        found = [each for each in params if isinstance(each, Dictionary)]
        return [{str(key): value for key, value in each.pairs()} for each in found]

    def leaves(self, name: str, params: Value, *, in_group: bool = False) -> list[Node]:
        """The parameters, each of which must be a leaf; of a group it may be a single one."""
        values = self.values
        is_list = isinstance(params, Items | tuple) or params in values.listed
        found = values.elements(params) if is_list else [params] if in_group else []
        nodes = [each[1] if isinstance(each, tuple) else each for each in found]
        leaves = [each for each in nodes if isinstance(each, Node)]
        if not leaves or len(leaves) < len(found):
            raise GradcliError(
                "type",
                f"{name} takes a list of parameters",
                hint=f"torch.optim.{name}([w, b], lr=0.1), or model.parameters()",
            )
        for node in leaves:
            if node.op is not LEAF and self.autograd.requires_grad(node):
                raise GradcliError(
                    "value",
                    "can't optimize a non-leaf Tensor: an optimiser changes leaves",
                    hint="make the parameter by tensor(…, requires_grad=True), and nothing after",
                )
        return leaves
