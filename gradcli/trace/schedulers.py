"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch.

The formulas are those of PyTorch's documentation of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple, TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import EMPTY
from gradcli.trace.arguments import bind_names
from gradcli.trace.bounds import check_numbers
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.optimisers import Optimiser
from gradcli.trace.values import Value, Values
from gradcli.trace.wrong_arguments import class_of

Numbers = Mapping[str, float]
Visit: TypeAlias = Generator[Any, Any, Any]


class Schedule(NamedTuple):
    """The numbers of a scheduler with their defaults, and the rate that it gives."""

    numbers: dict[str, float | None]
    """None where there is no default."""
    rate: Callable[[float, float, int, Numbers], float]
    """Of the first rate, the rate before, the epoch from 1, the numbers."""


def _cosine(first: float, before: float, epoch: int, n: Numbers) -> float:
    least, turn = n["eta_min"], math.pi / n["T_max"]
    if (epoch - 1 - n["T_max"]) % (2 * n["T_max"]) == 0:
        return before + (first - least) * (1 - math.cos(turn)) / 2
    part = (1 + math.cos(turn * epoch)) / (1 + math.cos(turn * (epoch - 1)))
    return least + (before - least) * part


def _warm(first: float, _: float, epoch: int, n: Numbers) -> float:
    length, since = n["T_0"], float(epoch)
    while since >= length:
        since -= length
        length *= n["T_mult"]
    return n["eta_min"] + (first - n["eta_min"]) * (1 + math.cos(math.pi * since / length)) / 2


def _linear(_: float, before: float, epoch: int, n: Numbers) -> float:
    start, change = n["start_factor"], n["end_factor"] - n["start_factor"]
    if epoch == 0:
        return before * start
    if epoch > n["total_iters"]:
        return before
    return before * (1 + change / (n["total_iters"] * start + (epoch - 1) * change))


def _constant(_: float, before: float, epoch: int, n: Numbers) -> float:
    if epoch == 0:
        return before * n["factor"]
    return before / n["factor"] if epoch == n["total_iters"] else before


def _polynomial(_: float, before: float, epoch: int, n: Numbers) -> float:
    length = n["total_iters"]
    if epoch > length:
        return before
    ratio = (1 - epoch / length) / (1 - (epoch - 1) / length)
    return before * math.pow(ratio, n["power"])


SCHEDULES = {
    "StepLR": Schedule(
        {"step_size": None, "gamma": 0.1},
        lambda _, before, epoch, n: before * (1 if epoch % n["step_size"] else n["gamma"]),
    ),
    "ExponentialLR": Schedule({"gamma": None}, lambda _, before, __, n: before * n["gamma"]),
    "CosineAnnealingLR": Schedule({"T_max": None, "eta_min": 0.0}, _cosine),
    "CosineAnnealingWarmRestarts": Schedule({"T_0": None, "T_mult": 1.0, "eta_min": 0.0}, _warm),
    "LinearLR": Schedule({"start_factor": 1 / 3, "end_factor": 1.0, "total_iters": 5.0}, _linear),
    "ConstantLR": Schedule({"factor": 1 / 3, "total_iters": 5.0}, _constant),
    "PolynomialLR": Schedule({"total_iters": 5.0, "power": 1.0}, _polynomial),
}
"""By the name of PyTorch's class."""
_COUNTS = ("step_size", "T_max", "total_iters", "T_0", "T_mult")
"""Numbers of schedulers that are whole."""
_FLAGS = ("_is_initial", "_get_lr_called_within_step")
_AT_ONCE = ("LinearLR", "ConstantLR")
"""Those that change the first rate, too."""


class Scheduler(Object):
    """A scheduler and its optimiser."""

    what = "a scheduler"
    family = "LRScheduler"

    starts = False
    """Whether it changes the first rate, too."""
    numbers: Mapping[str, float] = EMPTY
    """What it was made with, by PyTorch's names."""

    def __init__(self, values: Values, optimiser: Optimiser) -> None:
        self.values = values
        self.optimiser = optimiser
        self.epoch = 0
        self.first = self.first_rates()
        self.last = optimiser.rates()
        """What `get_last_lr` gives: others may have changed the rates since."""

    def first_rates(self) -> list[float]:
        """The rates that it begins with; the optimiser remembers them."""
        return self.optimiser.first_rates()

    def rate(self, first: float, before: float) -> Any:
        """The rate of an epoch, or the visitor that finds it."""
        raise NotImplementedError

    def attribute(self, name: str) -> Value:
        if name in ("last_epoch", "_step_count"):
            return self.values.graph.constant(float(self.epoch + (name == "_step_count")))
        if name == "base_lrs":
            return Items([self.values.plain(each) for each in self.first])
        if name in self.numbers:
            number = self.numbers[name]
            return self.values.plain(int(number) if name in _COUNTS else number)
        return self.optimiser if name == "optimizer" else super().attribute(name)

    def methods(self) -> dict[str, Method]:
        return {
            "step": self._step,
            "get_last_lr": self._last,
            "get_lr": self._last,
            "state_dict": lambda *_: Dictionary(self.values, self.state()),
            "load_state_dict": self._load,
        }

    def state(self) -> list[tuple[Value, Value]]:
        """What it needs to go on elsewhere."""
        pairs: list[tuple[Value, Value]] = [(name, self.attribute(name)) for name in self.numbers]
        names = ("base_lrs", "last_epoch", "_step_count")
        pairs += [(name, self.attribute(name)) for name in names]
        pairs += [(each, self.values.graph.constant(False)) for each in _FLAGS]
        return [*pairs, ("_last_lr", self._last([], {}))]

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        (state,) = bind_names("load_state_dict", ("state_dict",), arguments, keywords).values()
        if not isinstance(state, Dictionary):
            raise GradcliError("type", "load_state_dict takes what state_dict gives")
        self.epoch = self.values.integer(state.item(["last_epoch"]), "last_epoch")
        self.last = self._rates_in(state, "_last_lr")
        self.load(state)
        return None

    def load(self, state: Dictionary) -> None:
        """Go on with the numbers of another one of its kind."""
        self.first = self._rates_in(state, "base_lrs")
        self.numbers = {name: self.values.number(state.item([name]), name) for name in self.numbers}

    def _rates_in(self, state: Dictionary, name: str) -> list[float]:
        rates = self.values.elements(state.item([name]))
        return [self.values.number(each, "a rate") for each in rates]

    def _last(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("get_last_lr", (), arguments, keywords)
        return Items([self.values.plain(each) for each in self.last])

    def _step(self, arguments: list[Value], keywords: Given) -> Visit:
        bind_names("step", ("epoch",), arguments, keywords, ("epoch",))
        self.epoch += 1
        yield self.set_rates()

    def note_rates(self) -> None:
        """Remember the rates as they are now."""
        self.last = self.optimiser.rates()

    def set_rates(self) -> Visit:
        """Give each group the rate of this epoch."""
        for place, before in enumerate(self.optimiser.rates()):
            rate = yield self.rate(self.first[place], before)
            self.optimiser.set_rate(place, float(rate))
        self.note_rates()


class FormulaScheduler(Scheduler):
    """A scheduler with a formula."""

    def __init__(self, values: Values, optimiser: Optimiser, name: str, numbers: Numbers) -> None:
        super().__init__(values, optimiser)
        self.title = name
        self._schedule, self.numbers = SCHEDULES[name], numbers

    def rate(self, first: float, before: float) -> float:
        return self._schedule.rate(first, before, self.epoch, self.numbers)


class LambdaScheduler(Scheduler):
    """`LambdaLR` and `MultiplicativeLR`: a function of the program says by what."""

    def __init__(
        self, values: Values, optimiser: Optimiser, functions: list[Object], of_first: bool
    ) -> None:
        super().__init__(values, optimiser)
        self._functions = functions
        self._of_first = of_first
        self.title = "LambdaLR" if of_first else "MultiplicativeLR"

    def attribute(self, name: str) -> Value:
        return Items(list(self._functions)) if name == "lr_lambdas" else super().attribute(name)

    def state(self) -> list[tuple[Value, Value]]:
        """The same, and None for each of the functions, which are not saved."""
        return [*super().state(), ("lr_lambdas", Items([None] * len(self.first)))]

    def rate(self, first: float, before: float) -> Visit:
        place = self.optimiser.rates().index(before)
        function = self._functions[min(place, len(self._functions) - 1)]
        epoch = self.values.graph.constant(float(self.epoch))
        factor = self.values.number((yield function.call([epoch], {})), "a factor")
        return (first if self._of_first else before) * factor


class MilestoneScheduler(Scheduler):
    """`MultiStepLR`: smaller at some epochs."""

    title = "MultiStepLR"

    def __init__(
        self, values: Values, optimiser: Optimiser, milestones: tuple[float, ...], gamma: float
    ) -> None:
        super().__init__(values, optimiser)
        self._milestones, self.numbers = milestones, {"gamma": gamma}

    def rate(self, first: float, before: float) -> float:
        return before * self.numbers["gamma"] ** self._milestones.count(float(self.epoch))


class Schedulers:
    """The functions that make schedulers, by the names of PyTorch's classes."""

    def __init__(self, values: Values) -> None:
        self.values = values
        makers: dict[str, Method] = {name: self._maker(name) for name in SCHEDULES}
        makers |= {
            "LambdaLR": lambda *given: self._by_function(True, *given),
            "MultiplicativeLR": lambda *given: self._by_function(False, *given),
            "MultiStepLR": self._by_milestones,
        }
        self.functions = {f"torch.optim.lr_scheduler.{name}": make for name, make in makers.items()}

    def optimiser(self, value: Value) -> Optimiser:
        """What a scheduler takes first. Raises `type`."""
        if not isinstance(value, Optimiser):
            kind = "Parameter" if value in self.values.parameters else class_of(self.values, value)
            said = f"{kind} is not an Optimizer"
            raise RefusedError(("TypeError", said), "type", "a scheduler takes an optimiser first")
        return value

    def given(
        self, name: str, names: tuple[str, ...], optional: tuple[str, ...], arguments: list[Value],
        keywords: Given,
    ) -> dict[str, Value]:  # fmt: skip
        """The arguments of a scheduler by name."""
        ignored = ("last_epoch", "verbose")
        return bind_names(name, ("optimizer", *names, *ignored), arguments, keywords,
                          (*optional, *ignored))  # fmt: skip

    def _number(self, given: dict[str, Value], name: str, default: float | None) -> float:
        return self.values.number(given[name], name) if name in given else default or 0.0

    def _maker(self, name: str) -> Method:
        numbers = SCHEDULES[name].numbers
        optional = tuple(each for each, default in numbers.items() if default is not None)

        def make(arguments: list[Value], keywords: Given) -> Visit:
            given = self.given(name, tuple(numbers), optional, arguments, keywords)
            found = {each: self._number(given, each, numbers[each]) for each in numbers}
            optimiser = self.optimiser(given["optimizer"])
            whole = {each: int(found[each]) for each in _COUNTS if each in found}
            check_numbers(name, found | whole)
            for each in ("step_size", "T_max", "total_iters"):
                if found.get(each, 1.0) <= 0:
                    raise GradcliError("value", f"{name}: {each} is 1 or more")
            made = FormulaScheduler(self.values, optimiser, name, found)
            made.starts = name in _AT_ONCE
            if made.starts:
                yield made.set_rates()
            return made

        return make

    def _by_function(self, of_first: bool, arguments: list[Value], keywords: Given) -> Visit:
        given = self.given("LambdaLR", ("lr_lambda",), (), arguments, keywords)
        value = given["lr_lambda"]
        found = [value] if isinstance(value, Object) else self.values.elements(value)
        functions = [each for each in found if isinstance(each, Object)]
        if not functions:
            raise GradcliError("type", "lr_lambda is a function", hint="lambda epoch: 0.9**epoch")
        optimiser = self.optimiser(given["optimizer"])
        count = len(optimiser.groups)
        if not isinstance(value, Object) and len(functions) != count:
            said = f"Expected {count} lr_lambdas, but got {len(functions)}"
            told = f"there is a function for each of {count} groups of parameters"
            raise RefusedError(("ValueError", said), "value", told)
        made = LambdaScheduler(self.values, optimiser, functions, of_first)
        made.starts = of_first
        if of_first:
            yield made.set_rates()
        return made

    def _by_milestones(self, arguments: list[Value], keywords: Given) -> Value:
        given = self.given("MultiStepLR", ("milestones", "gamma"), ("gamma",), arguments, keywords)
        return MilestoneScheduler(
            self.values,
            self.optimiser(given["optimizer"]),
            self.values.numbers(given["milestones"], "milestones"),
            self._number(given, "gamma", 0.1),
        )
