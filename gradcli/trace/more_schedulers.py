"""`torch.optim.lr_scheduler`: learning rates that rise and fall, and schedulers in turn."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.plateau import PlateauScheduler
from gradcli.trace.rated import Rated
from gradcli.trace.schedulers import Scheduler, Schedulers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

Numbers = dict[str, float]
Visit: TypeAlias = Generator[Any, Any, Any]


def _between(start: float, end: float, part: float, *, linear: bool) -> float:
    if linear:
        return (end - start) * part + start
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))


class Momenta(NamedTuple):
    """The momentum while the rate is smallest, and while it is largest."""

    most: float
    least: float


def _set_momenta(optimiser: Rated, momentum: float) -> None:
    """Give all groups a momentum. Raises `value` where they have none."""
    for place in range(len(optimiser.groups)):
        if not optimiser.set_momentum(place, momentum):
            raise GradcliError(
                "value",
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                hint="cycle_momentum=False",
            )


def _note_momenta(optimiser: Rated, momenta: Momenta | None) -> None:
    """Let all groups begin with the largest momentum, and remember between what it turns."""
    if momenta is None:
        return
    _set_momenta(optimiser, momenta.most)
    for group in optimiser.groups:
        group.put("max_momentum", optimiser.values.plain(momenta.most))
        group.put("base_momentum", optimiser.values.plain(momenta.least))


class OneCycle(Scheduler):
    """Smith and Topin (2018): up to `max_lr`, and down to far less than it began with."""

    title = "OneCycleLR"

    def __init__(self, values: Values, optimiser: Rated, most: list[float], numbers: Numbers,
                 linear: bool, momenta: Momenta | None, last: int) -> None:  # fmt: skip
        super().__init__(values, optimiser, last)
        self._momenta = momenta
        self._most, self._numbers, self._linear = most, numbers, linear
        if last != -1:
            return
        self.first = [each / numbers["div_factor"] for each in most]
        for group, rate, top in zip(optimiser.groups, self.first, most, strict=True):
            group.put("initial_lr", values.plain(rate))
            group.put("max_lr", values.plain(top))
            group.put("min_lr", values.plain(rate / numbers["final_div_factor"]))
        _note_momenta(optimiser, momenta)

    def rate(self, place: int, before: float) -> float:
        first = self.first[place]
        return self._curve(first, self._most[place], first / self._numbers["final_div_factor"])

    def rates(self, *, named: bool = False) -> Visit:
        if self._momenta is not None:
            most, least = self._momenta
            _set_momenta(self.optimiser, self._curve(most, least, most))
        return (yield super().rates(named=named))

    def _curve(self, first: float, middle: float, last: float) -> float:
        """A number that goes from the first to the middle one, and on to the last."""
        n = self._numbers
        if self.epoch > n["total_steps"]:
            raise GradcliError(
                "value",
                f"Tried to step {self.epoch} times. The specified number of total steps is "
                f"{int(n['total_steps'])}",
            )
        top = n["pct_start"] * n["total_steps"] - 1
        if self.epoch <= top:
            return _between(first, middle, self.epoch / top, linear=self._linear)
        part = (self.epoch - top) / (n["total_steps"] - 1 - top)
        return _between(middle, last, part, linear=self._linear)


class Cyclic(Scheduler):
    """Smith (2017): up and down between two rates."""

    title = "CyclicLR"

    def __init__(self, values: Values, optimiser: Rated, numbers: Numbers, mode: str,
                 momenta: Momenta | None, last: int) -> None:  # fmt: skip
        if last == -1:
            for place in range(len(optimiser.groups)):
                optimiser.set_rate(place, numbers["base_lr"])
            _note_momenta(optimiser, momenta)
        super().__init__(values, optimiser, last)
        self._numbers, self._mode, self._momenta = numbers, mode, momenta
        self.first = [numbers["base_lr"]] * len(optimiser.groups)

    def rates(self, *, named: bool = False) -> Visit:
        if self._momenta is not None:
            most, least = self._momenta
            _set_momenta(self.optimiser, most - (most - least) * self._part())
        return (yield super().rates(named=named))

    def rate(self, place: int, before: float) -> float:
        n = self._numbers
        return n["base_lr"] + (n["max_lr"] - n["base_lr"]) * self._part()

    def _part(self) -> float:
        """How far it is up between the two rates."""
        n = self._numbers
        whole = n["step_size_up"] + n["step_size_down"]
        cycle = math.floor(1 + self.epoch / whole)
        place = 1 + self.epoch / whole - cycle
        up = n["step_size_up"] / whole
        part = place / up if place <= up else (place - 1) / (up - 1)
        if self._mode == "triangular2":
            return part / 2.0 ** (cycle - 1)
        return part * n["gamma"] ** self.epoch if self._mode == "exp_range" else part


class InTurn(Object):
    """`SequentialLR`: one scheduler up to each milestone; `ChainedScheduler`: all of them."""

    what = "a scheduler"
    family = "LRScheduler"

    def __init__(self, values: Values, parts: list[Part], milestones: list[int]) -> None:
        """Without milestones all schedulers step each time."""
        self.values = values
        self.title = "SequentialLR" if milestones else "ChainedScheduler"
        self._parts, self._milestones = parts, milestones
        self._epoch = 0

    def methods(self) -> dict[str, Method]:
        return {
            "step": self._step,
            "get_last_lr": self._rates,
            "get_lr": self._refuse,
            "state_dict": self._state,
        }

    def _refuse(self, arguments: list[Value], keywords: Given) -> Value:
        raise RefusedError(
            ("NotImplementedError", ""), "value", f"{self.title} has no get_lr of its own",
            hint="get_last_lr() gives the rates as they are",
        )  # fmt: skip

    def _state(self, arguments: list[Value], keywords: Given) -> Value:
        pairs = [("last_epoch", self.attribute("last_epoch")), ("_last_lr", self._rates([], {}))]
        return Dictionary(self.values, pairs)

    def _rates(self, arguments: list[Value], keywords: Given) -> Value:
        return Items([self.values.plain(each) for each in self.optimiser.rates()])

    @property
    def optimiser(self) -> Rated:
        return self._parts[0].optimiser

    def undo(self) -> None:
        """Take back that the parts have been begun."""
        for part in self._parts:
            part.undo()

    def begin(self) -> Visit:
        """Take the first step as a part of others."""
        yield self._step([], {})

    def move_to(self, epoch: float) -> Visit:
        """It has no rates of its own for an epoch. Raises `value`."""
        self._refuse([], {})
        yield from ()

    def attribute(self, name: str) -> Value:
        if name == "last_epoch":
            return self.values.graph.constant(float(self._epoch))
        raise self.has_no("attribute", name)

    def start(self) -> Visit:
        """Begin with the rates of the scheduler whose turn is first, as if no other had been."""
        if not self._milestones:
            return
        self.undo()
        first = self._parts[bisect_right(self._milestones, 0)]
        for place, rate in enumerate(first.optimiser.first_rates()):
            first.optimiser.set_rate(place, rate)
        yield first.begin()

    def _step(self, arguments: list[Value], keywords: Given) -> Visit:
        self._epoch += 1
        if not self._milestones:
            for part in self._parts:
                yield part.methods()["step"]([], {})
            return
        place = bisect_right(self._milestones, self._epoch)
        part = self._parts[place]
        if place and self._milestones[place - 1] == self._epoch:
            yield part.move_to(0)
        else:
            yield part.methods()["step"]([], {})


Part: TypeAlias = "Scheduler | InTurn"

_NO_PLATEAU = (
    "{} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
    "specified when calling `step`, but got one at index {} in the given schedulers sequence."
)

_MODES = ("triangular", "triangular2", "exp_range")
"""How the peaks of cycles change."""


class MoreSchedulers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self._schedulers = Schedulers(values)
        makers: dict[str, Method] = {
            "OneCycleLR": self._one_cycle,
            "CyclicLR": self._cyclic,
            "SequentialLR": self._sequential,
            "ChainedScheduler": self._chained,
        }
        self.functions = {f"torch.optim.lr_scheduler.{name}": make for name, make in makers.items()}
        self.methods: dict[str, Special] = {}

    def _numbers(self, given: dict[str, Value], defaults: Numbers) -> Numbers:
        return {
            name: self.values.number(given[name], name) if given.get(name) is not None else default
            for name, default in defaults.items()
        }

    def _momenta(self, given: dict[str, Value], defaults: Momenta) -> Momenta | None:
        """Between what the momentum goes up and down; None where it stays."""
        if "cycle_momentum" in given and not self.values.truth(given["cycle_momentum"]):
            return None
        names = {"max_momentum": defaults.most, "base_momentum": defaults.least}
        return Momenta(*self._numbers(given, names).values())

    def _one_cycle(self, arguments: list[Value], keywords: Given) -> Visit:
        names = ("max_lr", "total_steps", "epochs", "steps_per_epoch", "pct_start",
                 "anneal_strategy", "cycle_momentum", "base_momentum", "max_momentum",
                 "div_factor", "final_div_factor", "three_phase")  # fmt: skip
        given = self._schedulers.given("OneCycleLR", names, names[1:], arguments, keywords)
        numbers = self._numbers(given, {
            "total_steps": 0.0, "epochs": 0.0, "steps_per_epoch": 0.0, "pct_start": 0.3,
            "div_factor": 25.0, "final_div_factor": 1e4,
        })  # fmt: skip
        numbers["total_steps"] = numbers["total_steps"] or (
            numbers["epochs"] * numbers["steps_per_epoch"]
        )
        if numbers["total_steps"] < 1:
            said = "You must define either total_steps OR (epochs AND steps_per_epoch)"
            if given.get("total_steps") is not None:
                said = (
                    f"Expected positive integer total_steps, but got {int(numbers['total_steps'])}"
                )
            raise RefusedError(("ValueError", said), "value", "OneCycleLR needs total_steps, or "
                               "epochs and steps_per_epoch")  # fmt: skip
        if "three_phase" in given and self.values.truth(given["three_phase"]):
            raise GradcliError("value", "OneCycleLR: three_phase is not known here")
        optimiser = self._schedulers.optimiser(given["optimizer"])
        most = list(self.values.numbers(given["max_lr"], "max_lr"))
        most = most * len(optimiser.groups) if len(most) == 1 else most
        is_linear = given.get("anneal_strategy", "cos") == "linear"
        momenta = self._momenta(given, Momenta(0.95, 0.85))
        made = OneCycle(self.values, optimiser, most, numbers, is_linear, momenta,
                        self._schedulers.last(given))  # fmt: skip
        yield made.begin()
        return made

    def _cyclic(self, arguments: list[Value], keywords: Given) -> Visit:
        names = ("base_lr", "max_lr", "step_size_up", "step_size_down", "mode", "gamma",
                 "scale_fn", "scale_mode", "cycle_momentum", "base_momentum",
                 "max_momentum")  # fmt: skip
        given = self._schedulers.given("CyclicLR", names, names[2:], arguments, keywords)
        if given.get("scale_fn") is not None:
            raise GradcliError("value", "CyclicLR: scale_fn is not known here", hint="mode=…")
        numbers = self._numbers(given, {
            "base_lr": 0.0, "max_lr": 0.0, "step_size_up": 2000.0, "step_size_down": 0.0,
            "gamma": 1.0,
        })  # fmt: skip
        numbers["step_size_down"] = numbers["step_size_down"] or numbers["step_size_up"]
        optimiser = self._schedulers.optimiser(given["optimizer"])
        mode = str(given.get("mode", "triangular"))
        if mode not in _MODES:
            raise RefusedError(("ValueError", "mode is invalid and scale_fn is None"), "value",
                               f"CyclicLR: mode is one of {', '.join(_MODES)}")  # fmt: skip
        momenta = self._momenta(given, Momenta(0.9, 0.8))
        made = Cyclic(self.values, optimiser, numbers, mode, momenta,
                      self._schedulers.last(given))  # fmt: skip
        yield made.begin()
        return made

    def _parts(self, name: str, value: Value) -> list[Part]:
        found = self.values.elements(value)
        for place, each in enumerate(found):
            if isinstance(each, PlateauScheduler):
                raise RefusedError(
                    ("ValueError", _NO_PLATEAU.format(name, place)), "value",
                    f"{name} takes no ReduceLROnPlateau, whose steps need a measure",
                    hint="call its step(loss) along with the other's step()",
                )  # fmt: skip
        parts = [each for each in found if isinstance(each, Scheduler | InTurn)]
        if not parts or len(parts) < len(found):
            other = next((describe(each) for each in found if each not in parts), "nothing")
            raise GradcliError("type", f"{name} takes a list of schedulers; in it is {other}",
                               hint="[warmup, decay]: StepLR(…), LinearLR(…) …")  # fmt: skip
        return parts

    def _sequential(self, arguments: list[Value], keywords: Given) -> Visit:
        names = ("schedulers", "milestones")
        given = self._schedulers.given("SequentialLR", names, (), arguments, keywords)
        parts = self._parts("SequentialLR", given["schedulers"])
        milestones = [*self.values.integers(given["milestones"], "milestones")]
        if len(parts) != len(milestones) + 1:
            raise GradcliError("value", "SequentialLR has one scheduler more than milestones")
        made = InTurn(self.values, parts, milestones)
        yield made.start()
        return made

    def _chained(self, arguments: list[Value], keywords: Given) -> Value:
        value = arguments[0] if arguments else keywords.get("schedulers")
        return InTurn(self.values, self._parts("ChainedScheduler", value), [])
