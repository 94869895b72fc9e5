"""`torch.optim`: optimisers, which change the parameters that they are given in place.

The formulas are those of PyTorch's documentation of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import EMPTY, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, bind, detach, leaf
from gradcli.ops.kinds import zeros_like
from gradcli.ops.loops import Unlike
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.bounds import check_numbers
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.dtype_names import TYPES
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.rated import Rated, StepHooks, clear_grads
from gradcli.trace.values import Value, Values

if TYPE_CHECKING:
    from gradcli.trace.optimiser_states import Place

_NOT_LISTED = (
    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
)
"""PyTorch's words, before what it got."""
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
    """An optimiser: its options, and how it changes a parameter."""

    options: Mapping[str, Any]
    """By PyTorch's names and in the order of its groups, with defaults: numbers, pairs of numbers,
    truth values; None where it chooses.
    """
    step: Callable[[Node, Node, State, Rates, Numbers], Node] | None
    """Of the parameter, its grad, what is remembered, the rates, the numbers; None where all
    parameters are changed at once.
    """
    rates: Callable[[int, Numbers], Rates] = lambda step, n: {}
    """The rates of a step, which are counted from 1, besides those of all methods."""
    positional: tuple[str, ...] = ()
    """The first options that are given without names, where these are others."""
    counts: bool = True
    """Whether the count of steps is a part of what it remembers."""

    def rates_of(self, step: int, n: Numbers) -> Rates:
        """The rates of a step: the learning rate, what a decay of weights keeps, and its own."""
        kept = 1 - n["lr"] * n.get("weight_decay", 0.0)
        return {"lr": n["lr"], "kept": kept, **self.rates(step, n)}

    def names(self) -> tuple[str, ...]:
        """The options in the order in which they are given."""
        return tuple(dict.fromkeys((*self.positional, *self.options)))


def _sqrt(x: Node) -> Node:
    root: Node = FUNCTIONS["sqrt"](x)
    return root


def _larger(a: Node, b: Node) -> Node:
    larger: Node = FUNCTIONS["maximum"](a, b)
    return larger


def _first(step: int, _: Numbers) -> Rates:
    return {"is_first": step == 1}


def _sgd(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    if n["momentum"]:
        before = None if rates["is_first"] else state.get("momentum_buffer")
        kept = g if before is None else before * n["momentum"] + g * (1 - n["dampening"])
        state["momentum_buffer"] = kept
        g = g + kept * n["momentum"] if n["nesterov"] else kept
    return p - g * rates["lr"]


def after_decay(p: Node, g: Node, rates: Rates, n: Numbers) -> tuple[Node, Node]:
    """A parameter and its grad, one of which has the decay of weights."""
    if not n["weight_decay"]:
        return p, g
    if n["decoupled_weight_decay"]:
        return p * rates["kept"], g
    return p, g + p * n["weight_decay"]


def moments(p: Node, g: Node, state: State, n: Numbers) -> tuple[Node, Node]:
    """The means of grads and of their squares."""
    zero = zeros_like(p)
    mean = state.get("exp_avg", zero) * n["beta1"] + g * (1 - n["beta1"])
    square = state.get("exp_avg_sq", zero) * n["beta2"] + g * g * (1 - n["beta2"])
    state |= {"exp_avg": mean, "exp_avg_sq": square}
    return mean, square


def _unbiased(step: int, n: Numbers) -> Rates:
    size = n["lr"] / (1 - n["beta1"] ** step)
    return {"size": size, "scale": (1 - n["beta2"] ** step) ** 0.5}


def _adam(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    p, g = after_decay(p, g, rates, n)
    m, v = moments(p, g, state, n)
    if n["amsgrad"]:
        v = state["max_exp_avg_sq"] = _larger(state.get("max_exp_avg_sq", zeros_like(p)), v)
    return p - m / (_sqrt(v) / rates["scale"] + n["eps"]) * rates["size"]


def _rmsprop(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero = zeros_like(p)
    v = state["square_avg"] = state.get("square_avg", zero) * n["alpha"] + g * g * (1 - n["alpha"])
    if n["momentum"]:
        state.setdefault("momentum_buffer", zero)
    if n["centered"]:
        mean = state["grad_avg"] = state.get("grad_avg", zero) * n["alpha"] + g * (1 - n["alpha"])
        v = v - mean * mean
    change = g / (_sqrt(v) + n["eps"])
    if n["momentum"]:
        change = state["momentum_buffer"] = (
            state.get("momentum_buffer", zero) * n["momentum"] + change
        )
    return p - change * rates["lr"]


def _decayed(step: int, n: Numbers) -> Rates:
    return {"lr": n["lr"] / (1 + (step - 1) * n["lr_decay"])}


def _adagrad(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    start = zeros_like(p) + n["initial_accumulator_value"]
    total = state["sum"] = state.get("sum", start) + g * g
    return p - g / (_sqrt(total) + n["eps"]) * rates["lr"]


def _adadelta(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero, rho = zeros_like(p), n["rho"]
    v = state["square_avg"] = state.get("square_avg", zero) * rho + g * g * (1 - rho)
    u = state.get("acc_delta", zero)
    change = _sqrt(u + n["eps"]) / _sqrt(v + n["eps"]) * g
    state["acc_delta"] = u * rho + change * change * (1 - rho)
    return p - change * rates["lr"]


def _adamax(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    zero = zeros_like(p)
    m = state["exp_avg"] = state.get("exp_avg", zero) * n["beta1"] + g * (1 - n["beta1"])
    size: Node = FUNCTIONS["abs"](g)
    most = state["exp_inf"] = _larger(state.get("exp_inf", zero) * n["beta2"], size + n["eps"])
    return p - m / most * rates["size"]


_BETAS = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}
_ADAM = {**_BETAS, "amsgrad": False, "maximize": False, "foreach": None, "capturable": False,
         "differentiable": False, "fused": None, "decoupled_weight_decay": False}  # fmt: skip
METHODS = {
    "SGD": Method(
        {"lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False,
         "maximize": False, "foreach": None, "differentiable": False, "fused": None},
        _sgd, _first, counts=False),
    "Adam": Method(_ADAM, _adam, _unbiased),
    "AdamW": Method(
        _ADAM | {"weight_decay": 0.01, "decoupled_weight_decay": True}, _adam, _unbiased),
    "RMSprop": Method(
        {"lr": 1e-2, "momentum": 0, "alpha": 0.99, "eps": 1e-8, "centered": False,
         "weight_decay": 0, "capturable": False, "foreach": None, "maximize": False,
         "differentiable": False},
        _rmsprop, positional=("lr", "alpha", "eps", "weight_decay", "momentum", "centered")),
    "Adagrad": Method(
        {"lr": 1e-2, "lr_decay": 0, "eps": 1e-10, "weight_decay": 0,
         "initial_accumulator_value": 0, "foreach": None, "maximize": False,
         "differentiable": False, "fused": None},
        _adagrad, _decayed,
        positional=("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")),
    "Adadelta": Method(
        {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0, "maximize": False,
         "capturable": False, "foreach": None, "differentiable": False}, _adadelta),
    "Adamax": Method(
        {**_BETAS, "lr": 2e-3, "foreach": None, "maximize": False, "differentiable": False,
         "capturable": False}, _adamax, _unbiased),
}  # fmt: skip
"""By the name of PyTorch's class."""
_PAIRS = {"betas": ("beta1", "beta2"), "etas": ("eta1", "eta2"), "step_sizes": ("least", "most"),
          "eps": ("eps1", "eps2")}  # fmt: skip
"""What formulas call the numbers of options that are pairs."""


def group_of(
    values: Values, name: str, options: Mapping[str, Any], given: Given, defaults: Given
) -> Dictionary:
    """A group of parameters: what it was given, also what the program itself may read, and then
    the defaults. Raises `value`.
    """
    group = Dictionary(values, given.items())
    for key in options:
        if key not in given:
            group.put(key, defaults[key])
    whole = {key for key in options if values.plain_kind(group.item([key])) == "int"}
    _check(name, numbers_of(values, options, group), whole)
    if "differentiable" in options and values.truth(group.item(["differentiable"])):
        raise GradcliError(
            "value", f"{name}: steps are not differentiated here",
            hint="w = w - lr * torch.autograd.grad(loss, w, create_graph=True)[0]",
        )  # fmt: skip
    return group


def defaults_of(values: Values, options: Mapping[str, Any], given: Given) -> Given:
    """What groups have that are not given it."""
    found = {}
    for key, usual in options.items():
        pair = tuple(map(values.setting, usual)) if isinstance(usual, tuple) else usual
        found[key] = given[key] if key in given else values.setting(pair)
    return found


_NOT_NEGATIVE = ("lr", "momentum", "weight_decay", "eps", "eps1", "eps2", "lr_decay",
                 "initial_accumulator_value", "momentum_decay")  # fmt: skip
_BELOW_ONE = ("beta1", "beta2", "rho")


def _check(name: str, numbers: Numbers, whole: Container[str]) -> None:
    """Raise `value` for numbers with which nothing could be learned, as PyTorch does; those of
    `whole` are integers.
    """
    for key, number in numbers.items():
        is_wrong = number < 0 if key in _NOT_NEGATIVE else (
            key in _BELOW_ONE and not 0 <= number <= (key == "rho" or math.nextafter(1, 0))
        )  # fmt: skip
        if is_wrong:
            bound = "0 or more" if key in _NOT_NEGATIVE else "between 0 and 1"
            shown = int(number) if key in whole else number
            raise GradcliError("value", f"{name}: invalid {key}: {shown}",
                               hint=f"{key} is {bound}")  # fmt: skip
    check_numbers(name, {k: int(n) if k in whole else n for k, n in numbers.items()})
    if numbers.get("nesterov") and (numbers["momentum"] <= 0 or numbers["dampening"]):
        raise GradcliError("value", "Nesterov momentum requires a momentum and zero dampening",
                           hint="momentum=0.9, nesterov=True")  # fmt: skip


def numbers_of(
    values: Values,
    options: Mapping[str, Any],
    group: Dictionary,
    known: Mapping[str, float] = EMPTY,
) -> Numbers:
    """The numbers of a group as they are now, without those that are known; nan and 0 for None.
    Raises `value`.
    """
    numbers: Numbers = {**known}
    for key, usual in options.items():
        if key in known:
            continue
        value = group.item([key])
        if isinstance(usual, tuple):
            pair = [math.nan if each is None else values.number(each, key)
                    for each in values.elements(value)]  # fmt: skip
            if len(pair) != len(usual):
                raise GradcliError("value", f"{key} are two numbers", hint=f"{key}={usual}")
            numbers |= dict(zip(_PAIRS[key], pair, strict=True))
        elif isinstance(value, str) and key == "lr":
            from gradcli.trace.refusals import no_order  # a mistake

            raise no_order("<=", "float", "str")
        elif not isinstance(value, str):
            numbers[key] = 0.0 if value is None else values.number(value, key)
    return numbers


class Optimiser(Rated):
    """An optimiser and its parameters, in groups."""

    what = "an optimiser"
    family = "Optimizer"

    def __init__(
        self,
        autograd: Autograd,
        name: str,
        method: Method,
        defaults: Given,
        groups: Sequence[Dictionary],
        replace: Callable[[Node, Node], None],
    ) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.title = name
        self.rule = method
        self._defaults = defaults
        self.groups: list[Dictionary] = list(groups)
        self._check_apart()
        self._replace = replace
        self.hooks = StepHooks([], [])
        self.states: dict[Place, State] = {}
        """By the places of a group and of a parameter in it."""
        self.steps: dict[Place, int] = {}
        self.partners: dict[Place, set[tuple[Any, Place]]] = {}
        """Who remembers in the same tensors, itself among them."""
        self.held: dict[Place, State] = {}
        """What the program may hold of these, and of the counts, as it was given."""
        self.steps_of_passes: dict[Place, range] = {}
        """The same in each of the passes of a loop that a pass stands for."""
        self.rates_of_passes: dict[int, list[float]] = {}
        """The learning rates of a group there, by its place, where a scheduler changes them."""
        autograd.optimisers.append(self)

    @property
    def counts_steps(self) -> bool:
        """Whether the count of its steps is part of what it remembers."""
        return self.rule.counts

    def attribute(self, name: str) -> Value:
        if name == "param_groups":
            return Items(list(self.groups))
        if name == "state":
            from gradcli.trace.optimiser_states import state_by_parameter

            return state_by_parameter(self.values, self)
        if name == "defaults":
            return Dictionary(self.values, self._defaults.items())
        raise self.has_no("attribute", name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "step": self.hooked(self._step),
            **self.registering(),
            "zero_grad": self._zero_grad,
            "state_dict": self._state_dict,
            "load_state_dict": self._load,
            "add_param_group": self._add_group,
        }

    def _state_dict(self, arguments: list[Value], keywords: Given) -> Value:
        from gradcli.trace.optimiser_states import state_of

        bind_names("state_dict", (), arguments, keywords)
        return state_of(self.values, self)

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        from gradcli.trace.optimiser_states import load_state

        (state,) = bind_names("load_state_dict", ("state",), arguments, keywords).values()
        load_state(self.values, self, state)
        return None

    def _add_group(self, arguments: list[Value], keywords: Given) -> Value:
        (given,) = bind_names("add_param_group", ("param_group",), arguments, keywords).values()
        if not isinstance(given, Dictionary) or not given.contains("params"):
            raise GradcliError("type", "a group is a dictionary with params", hint="{'params': …}")
        pairs = {str(key): value for key, value in given.pairs()}
        params = pairs["params"]
        is_one = isinstance(params, Node)
        pairs["params"] = Items([params] if is_one else self.values.elements(params))
        options = self.rule.options
        self.groups.append(group_of(self.values, self.title, options, pairs, self._defaults))
        self._check_apart()
        return None

    def _check_apart(self) -> None:
        """Raise `value` where a parameter would be changed twice in a step."""
        nodes = [node for group in self.groups for node in self.parameters(group)]
        if len(set(nodes)) < len(nodes):
            raise GradcliError(
                "value", "some parameters appear in more than one parameter group"
                if len(self.groups) > 1
                else "a parameter appears twice in one group",
                hint="give each parameter once",
            )  # fmt: skip

    def shown(self) -> str:
        """As PyTorch prints it: the numbers of each group by name."""
        from gradcli.trace.optimiser_states import shown_options

        lines = [f"{self.title} ("]
        for place, group in enumerate(self.groups):
            lines += [""] * (place > 0) + [f"Parameter Group {place}"]
            found = shown_options(self.values, self.rule.options, group)
            lines += [f"    {key}: {text}" for key, text in found]
        return "\n".join([*lines, ")"])

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        nodes = (each for group in self.groups for each in self.parameters(group))
        clear_grads(self.autograd, nodes, arguments, keywords)
        return None

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("step", ("closure",), arguments, keywords, ("closure",))
        closure = given.get("closure")
        loss = (yield closure.call([], {})) if isinstance(closure, Object) else None
        method = self.rule
        if self.partners:
            from gradcli.trace.optimiser_states import tell_partners
        for place, group in enumerate(self.groups):
            moving = self.rates_of_passes.get(place)
            known = {"lr": moving[0]} if moving else {}
            numbers = numbers_of(self.values, method.options, group, known)
            for position, node in enumerate(self.parameters(group)):
                grad = self.autograd.grads.get(node)
                if grad is None:
                    continue
                key = place, position
                state = self._state(key)
                rates = self._rates(method, key, numbers)
                assert method.step is not None
                change = detach(-grad if numbers.get("maximize") else grad)
                new = method.step(detach(node), change, state, rates, numbers)
                if key in self.held:
                    self._change_held(key, state)
                if key in self.partners:
                    tell_partners(self, key)
                self.values.overwritten.add(node)
                self._replace(node, leaf(detach(new), marked=True))
        return loss

    def _state(self, key: Place) -> State:
        """What is remembered of a parameter, as it is now."""
        if key in self.partners and self.values.any_pass is not None:
            raise Unlike("two optimisers remember in the same tensors")
        state = self.states.setdefault(key, {})
        held = self.held.get(key, EMPTY)
        for name, node in state.items():
            state[name] = self.values.current(held.get(name, node))
        return state

    def _change_held(self, key: Place, state: State) -> None:
        """Have what the program holds of a state be what that has become."""
        for name, node in self.held[key].items():
            is_count = name == "step"
            new = self.values.own(self._count_node(key)) if is_count else bind(state[name])
            self._replace(self.values.current(node), new)

    def _count_node(self, key: Place) -> Node:
        """The count of a parameter's steps, or what stands for those of several passes."""
        if self.values.any_pass is not None and key in self.steps_of_passes:
            return self.values.any_pass.numbered(np.array(self.steps_of_passes[key], float))
        return self.values.graph.constant(float(self.steps[key]))

    def _rates(self, method: Method, key: Place, numbers: Numbers) -> Rates:
        """The rates of a parameter's next step, or what stands for those of several passes."""
        moving = self.rates_of_passes.get(key[0])
        if self.values.any_pass is None or key not in self.steps_of_passes:
            if moving:
                raise Unlike("an optimiser makes its first step")
            self.steps[key] = self.steps.get(key, 0) + 1
            return method.rates_of(self.steps[key], numbers)
        before = self.steps_of_passes[key]
        if len(before) > MOST_RATES:
            raise Unlike("it may have too many passes for the rates of an optimiser")
        steps = range(before.start + 1, before.stop + 1, before.step)
        self.steps_of_passes[key] = steps
        found = [
            method.rates_of(each, {**numbers, "lr": rate})
            for each, rate in zip(steps, moving or [numbers["lr"]] * len(steps), strict=True)
        ]
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
        self.functions = {
            f"torch.optim.{name}": self.maker(name, method) for name, method in METHODS.items()
        }

    def maker(self, name: str, method: Method) -> Callable[[list[Value], Given], Value]:
        """The function that makes an optimiser of that name."""

        def make(arguments: list[Value], keywords: Given) -> Value:
            names = ("params", *method.names())
            given = bind_names(name, names, arguments, keywords, names[1:])
            params = self.listed(name, given.pop("params"))
            defaults = defaults_of(self.values, method.options, given)
            groups = self._groups(params)
            made = []
            for own in groups or [{"params": params}]:
                if "params" not in own:
                    raise RefusedError(
                        ("KeyError", "'params'"), "value",
                        f"{name}: a group has params, and of {', '.join(names[1:])} what it needs",
                    )  # fmt: skip
                rows = own["params"]
                rows = Items(self.values.elements(rows)) if isinstance(rows, Object) else rows
                nodes = self.leaves(name, rows, in_group=bool(groups))
                named = {**own, "params": Items([*nodes]), **self._names(rows)}
                made.append(group_of(self.values, name, method.options, named, defaults))
            return Optimiser(self.autograd, name, method, defaults, made, self.replace)

        return make

    def listed(self, name: str, params: Value) -> Value:
        """Parameters that a generator gives, or another iterable, as a list."""
        if isinstance(params, Node) and self.values.is_python and params not in self.values.listed:
            kind = TYPES[self.values.array_dtype(params)]
            raise RefusedError(
                ("TypeError", f"{_NOT_LISTED}torch.{kind}Tensor"),
                "type",
                f"{name} takes a list of parameters",
                hint=f"torch.optim.{name}([w], lr=0.1)",
            )
        return Items(self.values.elements(params)) if isinstance(params, Object) else params

    def _groups(self, params: Value) -> list[Given]:
        """Groups that are given as dictionaries; none where parameters are given as they are."""
        if not isinstance(params, Items | tuple):
            return []
        found = [each for each in params if isinstance(each, Dictionary)]
        return [{str(key): value for key, value in each.pairs()} for each in found]

    def _names(self, params: Value) -> Given:
        """The names of parameters, where these are given with them."""
        pairs = [*params] if isinstance(params, Items | tuple) else []
        if not pairs or not all(isinstance(each, tuple) for each in pairs):
            return {}
        return {"param_names": Items([each[0] for each in pairs])}

    def _check_tensors(self, nodes: Iterable[Value]) -> None:
        """Raise `type` for what cannot be learned: numbers, strings and others."""
        from gradcli.trace.kinds_of_values import kind_of
        from gradcli.trace.printing import PrintedNumbers

        for each in nodes:
            kind = kind_of(each, PrintedNumbers(self.values))
            if kind not in ("Tensor", "Parameter"):
                said = f"optimizer can only optimize Tensors, but one of the params is {kind}"
                raise RefusedError(
                    ("TypeError", said), "type", f"a {kind} is no tensor that can be learned",
                    hint="torch.tensor(2., requires_grad=True) is one",
                )  # fmt: skip

    def leaves(self, name: str, params: Value, *, in_group: bool = False) -> list[Node]:
        """The parameters, each of which must be a leaf; of a group it may be a single one."""
        values = self.values
        is_list = isinstance(params, Items | tuple) or params in values.listed
        found = values.elements(params) if is_list else [params] if in_group else []
        if values.of_complex is not None:
            from gradcli.trace.complex_parameters import leaves_of

            found = leaves_of(found)
        if is_list and not found and not in_group:
            raise GradcliError("value", "optimizer got an empty parameter list",
                               hint="was a generator of them used up before?")  # fmt: skip
        nodes = [each[1] if isinstance(each, tuple) else each for each in found]
        leaves = [each for each in nodes if isinstance(each, Node)]
        if self.values.is_pytorch and not all(map(self.values.is_tensor, nodes)):
            self._check_tensors(nodes)
        if not (leaves or (is_list and in_group)) or len(leaves) < len(found):
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
