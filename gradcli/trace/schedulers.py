"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import EMPTY
from gradcli.ops.loops import Unlike
from gradcli.trace.arguments import bind_names
from gradcli.trace.bounds import check_numbers
from gradcli.trace.classes import Instance
from gradcli.trace.counters import Occurrences
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.optimisers import MOST_RATES, Optimiser
from gradcli.trace.rated import Rated
from gradcli.trace.schedules import SCHEDULES, Numbers
from gradcli.trace.values import Value, Values
from gradcli.trace.wrong_arguments import class_of
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.scheduled_passes import ScheduledPasses

Visit: TypeAlias = Generator[Any, Any, Any]

_COUNTS = ("step_size", "T_max", "total_iters", "T_0", "T_mult", "T_i")
"""Numbers of schedulers that are whole."""
FLAGS = ("_is_initial", "_get_lr_called_within_step")
"""What PyTorch's schedulers have, along with what they compute with."""
_UNKNOWN_FIRST = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)"
)


class Advance(NamedTuple):
    """How far a scheduler is."""

    epoch: float
    steps: int
    last: list[float]


class Scheduler(Object):
    """A scheduler and its optimiser."""

    what = "a scheduler"
    family = "LRScheduler"

    starts = True
    """Whether its first step changes the rates, too."""
    is_foreseen: ClassVar[bool] = False
    """Whether its rates follow from numbers alone, so that those of later epochs are known."""
    passes: ScheduledPasses | None = None
    """What it does in the passes of a loop that one stands for."""
    numbers: Mapping[str, float] = EMPTY
    """What it was made with, by PyTorch's names."""

    def __init__(self, values: Values, optimiser: Rated, last: int = -1) -> None:
        """`last` is the epoch after which it goes on; -1 at the beginning. Raises `value`."""
        self.values = values
        self.optimiser = optimiser
        self.epoch: float = last
        self.steps = 0
        self.first = self.first_rates()
        self.last = optimiser.rates()
        """What `get_last_lr` gives: others may have changed the rates since."""
        values.schedulers.append(self)

    def first_rates(self) -> list[float]:
        """The rates that it begins with; the optimiser remembers them."""
        places = (n for n, e in enumerate(self.optimiser.groups) if not e.contains("initial_lr"))
        place = next(places, None)
        if self.epoch != -1 and place is not None:
            said = repr(_UNKNOWN_FIRST.format(place))
            raise RefusedError(
                ("KeyError", said), "value",
                "last_epoch is for an optimiser whose first rates are known from a scheduler",
                hint="without last_epoch a scheduler begins at the first epoch",
            )  # fmt: skip
        return self.optimiser.first_rates()

    def begin(self) -> Visit:
        """Take the step that belongs to being made."""
        self.epoch += 1
        self.steps = 1
        if self.starts:
            yield self.set_rates()

    def rate(self, place: int, before: float) -> Any:
        """The rate of a group in this epoch, after the one before, or the visitor that finds it."""
        raise NotImplementedError

    def rate_at(self, place: int, before: float) -> Any:
        """The same, where the program names the epoch."""
        return self.rate(place, before)

    def attribute(self, name: str) -> Value:
        if self.passes is not None:
            raise Unlike("it reads what a scheduler has")
        if name == "last_epoch":
            return self.values.plain(self.epoch)
        if name == "_step_count":
            return self.values.plain(self.steps)
        if name == "base_lrs":
            return Items([self.values.plain(each) for each in self.first])
        if name in self.numbers:
            number = self.numbers[name]
            return self.values.plain(int(number) if name in _COUNTS else number)
        return self.optimiser if name == "optimizer" else super().attribute(name)

    def set(self, name: str, value: Value) -> Any:
        if name == "last_epoch":
            self.epoch = self._epoch(value)
        elif name == "_step_count":
            self.steps = self.values.integer(value, name)
        elif name == "base_lrs":
            self.first = [*self.values.numbers(value, name)]
        elif name in self.numbers:
            self.numbers = {**self.numbers, name: self.values.number(value, name)}
        else:
            super().set(name, value)

    def methods(self) -> dict[str, Method]:
        return {
            "step": self._step if self.values.any_pass is None else self._step_of_passes,
            "get_last_lr": self._last,
            "get_lr": self._next,
            "state_dict": lambda *_: Dictionary(self.values, self.state()),
            "load_state_dict": self._load,
        }

    def state(self) -> list[tuple[Value, Value]]:
        """What it needs to go on elsewhere."""
        pairs: list[tuple[Value, Value]] = [(name, self.attribute(name)) for name in self.numbers]
        names = ("base_lrs", "last_epoch", "_step_count")
        pairs += [(name, self.attribute(name)) for name in names]
        pairs += [(each, self.values.graph.constant(False)) for each in FLAGS]
        return [*pairs, ("_last_lr", self._last([], {}))]

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        (state,) = bind_names("load_state_dict", ("state_dict",), arguments, keywords).values()
        if not isinstance(state, Dictionary):
            raise GradcliError("type", "load_state_dict takes what state_dict gives")
        self.epoch = self._epoch(state.item(["last_epoch"]))
        if state.contains("_step_count"):
            self.steps = self.values.integer(state.item(["_step_count"]), "_step_count")
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

    def _epoch(self, value: Value) -> float:
        number = float(self.values.number(value, "epoch"))
        return int(number) if number.is_integer() else number

    def _last(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("get_last_lr", (), arguments, keywords)
        if self.passes is not None:
            return Items([group.item(["lr"]) for group in self.optimiser.groups])
        return Items([self.values.plain(each) for each in self.last])

    def _next(self, arguments: list[Value], keywords: Given) -> Visit:
        """What the rates would become in another step of this epoch: `get_lr` is for steps."""
        if self.passes is not None:
            raise Unlike("it reads what a scheduler has")
        bind_names("get_lr", (), arguments, keywords)
        found = yield self.rates()
        return Items([self.values.plain(each) for each in found])

    def _step(self, arguments: list[Value], keywords: Given) -> Visit:
        given = bind_names("step", ("epoch",), arguments, keywords, ("epoch",)).get("epoch")
        self.steps += 1
        if given is None:
            self.epoch += 1
            yield self.set_rates()
        else:
            yield self.move_to(self._epoch(given))

    def _step_of_passes(self, arguments: list[Value], keywords: Given) -> None:
        if self.passes is None or arguments or keywords:
            raise Unlike("a scheduler makes a step that it did not make in the pass before")
        self.passes.step()

    def stand_for(self, passes: int, each: int) -> None:
        """Make so many steps in `each` of the passes that one stands for. Raises `Unlike`."""
        from gradcli.trace.scheduled_passes import ScheduledPasses  # most programs do without

        if not isinstance(self.optimiser, Optimiser) or self.optimiser.rates_of_passes:
            raise Unlike("it changes learning rates in several ways")
        if passes * each > MOST_RATES:
            raise Unlike("it may have too many passes for the rates of a scheduler")
        rates = self.foresee(passes * each)
        self.passes = ScheduledPasses(self.optimiser, rates, passes, each)

    def check_passes(self) -> None:
        """Raise `Unlike` where the pass that stands for others was not as the one before."""
        assert self.passes is not None
        self.passes.check()

    def progress(self) -> Advance:
        """How far it is."""
        return Advance(self.epoch, self.steps, self.last)

    def go_back(self, progress: Advance) -> None:
        """Be as far as it was then."""
        self.epoch, self.steps, self.last = progress
        self.passes = None

    def foresee(self, steps: int) -> list[list[float]]:
        """The rates as they are now, and after each of so many steps, where these are foreseen."""
        kept, rates = self.progress(), [self.optimiser.rates()]
        rounded = self.values.graph.dtype("float").type
        for _ in range(steps):
            self.epoch, self.steps = self.epoch + 1, self.steps + 1
            found = [self.rate(place, before) for place, before in enumerate(rates[-1])]
            rates.append([float(rounded(each)) for each in found])
        self.go_back(kept)
        return rates

    def advance(self, steps: int) -> None:
        """Make so many steps that are foreseen."""
        *_, last = self.foresee(steps)
        self.epoch, self.steps = self.epoch + steps, self.steps + steps
        for place, rate in enumerate(last):
            self.optimiser.set_rate(place, rate)
        self.note_rates()

    def undo(self) -> None:
        """Go back by the step of being made."""
        self.epoch -= 1

    def move_to(self, epoch: float) -> Visit:
        """Give each group the rate of an epoch that the program names."""
        self.epoch = epoch
        yield self.set_rates(named=True)

    def note_rates(self) -> None:
        """Remember the rates as they are now."""
        self.last = self.optimiser.rates()

    def rates(self, *, named: bool = False) -> Visit:
        """The rate of each group in this epoch, which the program may have named."""
        find = self.rate_at if named else self.rate
        found = []
        for place, before in enumerate(self.optimiser.rates()):
            rate = yield find(place, before)
            found.append(float(rate))
        return found

    def set_rates(self, *, named: bool = False) -> Visit:
        """Give each group the rate of this epoch."""
        found = yield self.rates(named=named)
        for place, rate in enumerate(found):
            self.optimiser.set_rate(place, rate)
        self.note_rates()


class FormulaScheduler(Scheduler):
    """A scheduler with a formula."""

    is_foreseen = True

    def __init__(
        self, values: Values, optimiser: Rated, name: str, numbers: Numbers, last: int
    ) -> None:
        super().__init__(values, optimiser, last)
        self.title = name
        self._schedule, self.numbers = SCHEDULES[name], numbers
        is_kept = name == "LinearLR" and last != -1
        self.starts = self._schedule.starts and not is_kept

    def rate(self, place: int, before: float) -> float:
        if self.title == "CosineAnnealingLR" and self.steps == 1 and self.epoch > 0:
            return self.rate_at(place, before)  # a rate from elsewhere may be before it
        return self._schedule.next(self.first[place], before, self.epoch, self.numbers)

    def rate_at(self, place: int, before: float) -> float:
        return self._schedule.at(self.first[place], self.epoch, self.numbers)


class WarmRestarts(Scheduler):
    """`CosineAnnealingWarmRestarts`: `T_cur` is how far it is in a turn of the length `T_i`."""

    title = "CosineAnnealingWarmRestarts"

    def __init__(self, values: Values, optimiser: Rated, numbers: Numbers, last: int) -> None:
        super().__init__(values, optimiser, last)
        length, factor = numbers["T_0"], numbers["T_mult"]
        self.numbers = {
            "T_0": length, "T_i": length, "T_mult": factor, "eta_min": numbers["eta_min"],
            "T_cur": last,
        }  # fmt: skip

    def begin(self) -> Visit:
        yield self._step([], {})

    def rate(self, place: int, before: float) -> float:
        least, part = self.numbers["eta_min"], self.numbers["T_cur"] / self.numbers["T_i"]
        return least + (self.first[place] - least) * (1 + math.cos(math.pi * part)) / 2

    def attribute(self, name: str) -> Value:
        if name == "T_cur":
            number = float(self.numbers[name])
            return self.values.plain(int(number) if number.is_integer() else number)
        return super().attribute(name)

    def _step(self, arguments: list[Value], keywords: Given) -> Visit:
        given = bind_names("step", ("epoch",), arguments, keywords, ("epoch",)).get("epoch")
        n = dict(self.numbers)
        if given is None and self.epoch >= 0:
            epoch = self.epoch + 1
            n["T_cur"] += 1
            if n["T_cur"] >= n["T_i"]:
                n["T_cur"] %= n["T_i"]
                n["T_i"] *= n["T_mult"]
        else:
            epoch = 0 if given is None else self._epoch(given)
            if epoch < 0:
                said = f"Expected non-negative epoch, but got {epoch}"
                raise RefusedError(("ValueError", said), "value", f"an epoch is 0 or more: {epoch}")
            n["T_cur"], n["T_i"] = self._turn(epoch)
        self.epoch, self.numbers = math.floor(epoch), n
        yield self.set_rates()

    def _turn(self, epoch: float) -> tuple[float, float]:
        """How far an epoch is in its turn, and the length of that."""
        n = self.numbers
        length, factor = n["T_0"], n["T_mult"]
        if epoch < length:
            return epoch, length
        if factor == 1:
            return epoch % length, n["T_i"]
        turn = int(math.log(epoch / length * (factor - 1) + 1, factor))
        return epoch - length * (factor**turn - 1) / (factor - 1), length * factor**turn


class LambdaScheduler(Scheduler):
    """`LambdaLR` and `MultiplicativeLR`: a function of the program says by what."""

    def __init__(self, values: Values, optimiser: Rated, functions: list[Object],
                 of_first: bool, last: int) -> None:  # fmt: skip
        super().__init__(values, optimiser, last)
        self._functions = functions
        self._of_first = self.starts = of_first
        self.title = "LambdaLR" if of_first else "MultiplicativeLR"

    def attribute(self, name: str) -> Value:
        return Items(list(self._functions)) if name == "lr_lambdas" else super().attribute(name)

    def state(self) -> list[tuple[Value, Value]]:
        """The same, and what objects that are called have; None for functions, which are not
        saved.
        """
        saved: list[Value] = [
            Dictionary(self.values, each.fields.items()) if isinstance(each, Instance) else None
            for each in self._functions
        ]
        saved *= len(self.first) if len(saved) == 1 else 1
        return [*super().state(), ("lr_lambdas", Items(saved))]

    def load(self, state: Dictionary) -> None:
        super().load(state)
        saved = self.values.elements(state.item(["lr_lambdas"]))
        for function, each in zip(self._functions, saved, strict=False):
            if isinstance(function, Instance) and isinstance(each, Dictionary):
                function.fields |= {str(name): value for name, value in each.pairs()}

    def rate(self, place: int, before: float) -> Visit:
        function = self._functions[min(place, len(self._functions) - 1)]
        epoch = self.values.plain(self.epoch)
        factor = self.values.number((yield function.call([epoch], {})), "a factor")
        return (self.first[place] if self._of_first else before) * factor


class MilestoneScheduler(Scheduler):
    """`MultiStepLR`: smaller at some epochs."""

    title = "MultiStepLR"
    is_foreseen = True

    def __init__(self, values: Values, optimiser: Rated, milestones: Occurrences, gamma: float,
                 last: int) -> None:  # fmt: skip
        super().__init__(values, optimiser, last)
        self._milestones, self.numbers = milestones, {"gamma": gamma}

    def attribute(self, name: str) -> Value:
        return self._milestones if name == "milestones" else super().attribute(name)

    def state(self) -> list[tuple[Value, Value]]:
        return [("milestones", self._milestones), *super().state()]

    def _all(self) -> list[float]:
        """The milestones in order, each as often as it was given."""
        counts = [(key, self.values.integer(each, "a count")) for key, each in
                  self._milestones.pairs()]  # fmt: skip
        return sorted(self.values.number(key, "a milestone") for key, n in counts for _ in range(n))

    def rate(self, place: int, before: float) -> float:
        epoch = self.values.plain(self.epoch)
        if not self._milestones.contains(epoch):
            return before
        count = self.values.integer(self._milestones.item([epoch]), "a count")
        return before * self.numbers["gamma"] ** count

    def rate_at(self, place: int, before: float) -> float:
        return self.first[place] * self.numbers["gamma"] ** bisect_right(self._all(), self.epoch)


class Schedulers:
    """The functions that make schedulers, by the names of PyTorch's classes."""

    def __init__(self, values: Values) -> None:
        self.values = values
        makers: dict[str, Method] = {name: self._maker(name) for name in SCHEDULES}
        makers |= {
            "LambdaLR": lambda *given: self._by_function(True, *given),
            "MultiplicativeLR": lambda *given: self._by_function(False, *given),
            "MultiStepLR": self._by_milestones,
            "CosineAnnealingWarmRestarts": self._warm_restarts,
        }
        self.functions = {f"torch.optim.lr_scheduler.{name}": make for name, make in makers.items()}

    def optimiser(self, value: Value) -> Rated:
        """What a scheduler takes first. Raises `type`."""
        if not isinstance(value, Rated):
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

    def last(self, given: dict[str, Value]) -> int:
        """The epoch after which a scheduler goes on; -1 where it begins."""
        last = given.get("last_epoch")
        return -1 if last is None else self.values.integer(last, "last_epoch")

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
            made = FormulaScheduler(self.values, optimiser, name, found, self.last(given))
            yield made.begin()
            return made

        return make

    def _warm_restarts(self, arguments: list[Value], keywords: Given) -> Visit:
        name, defaults = WarmRestarts.title, {"T_0": None, "T_mult": 1.0, "eta_min": 0.0}
        given = self.given(name, tuple(defaults), ("T_mult", "eta_min"), arguments, keywords)
        numbers = {each: self._number(given, each, default) for each, default in defaults.items()}
        check_numbers(name, {**numbers, "T_0": int(numbers["T_0"])})
        optimiser = self.optimiser(given["optimizer"])
        made = WarmRestarts(self.values, optimiser, numbers, self.last(given))
        yield made.begin()
        return made

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
        made = LambdaScheduler(self.values, optimiser, functions, of_first, self.last(given))
        yield made.begin()
        return made

    def _by_milestones(self, arguments: list[Value], keywords: Given) -> Visit:
        given = self.given("MultiStepLR", ("milestones", "gamma"), ("gamma",), arguments, keywords)
        found = self.values.numbers(given["milestones"], "milestones")
        made = MilestoneScheduler(
            self.values,
            self.optimiser(given["optimizer"]),
            Occurrences(self.values, [self.values.plain(int(each)) for each in found]),
            self._number(given, "gamma", 0.1),
            self.last(given),
        )
        yield made.begin()
        return made
