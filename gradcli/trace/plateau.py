"""`ReduceLROnPlateau`: smaller rates where what is measured has stopped to improve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradcli.diagnostics import RefusedError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given
from gradcli.trace.rated import Rated
from gradcli.trace.schedulers import Scheduler, Schedulers, Visit
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_KNOWN = {"mode": ("min", "max"), "threshold_mode": ("rel", "abs")}


class PlateauSettings(NamedTuple):
    """What it is made with, by PyTorch's names."""

    factor: float = 0.1
    patience: int = 10
    cooldown: int = 0
    eps: float = 1e-8
    mode: str = "min"
    threshold: float = 1e-4
    threshold_mode: str = "rel"


class PlateauScheduler(Scheduler):
    """The scheduler, and how long nothing has improved."""

    title = "ReduceLROnPlateau"

    def __init__(
        self,
        values: Values,
        optimiser: Rated,
        settings: PlateauSettings,
        least: Sequence[float],
    ) -> None:
        """`least` are the rates that are not fallen below. Raises `value`."""
        super().__init__(values, optimiser)
        self.epoch = 0
        for name, known in _KNOWN.items():
            given = getattr(settings, name)
            if given not in known:
                said = f"{name.replace('_', ' ')} {given} is unknown!"
                raise RefusedError(("ValueError", said), "value", f"{name} is {' or '.join(known)}")
        if settings.factor >= 1:
            said = "Factor should be < 1.0."
            raise RefusedError(("ValueError", said), "value", said)
        self._settings, self._least = settings, least
        self._best = self._worst
        self._bad = self._cooling = 0

    def first_rates(self) -> list[float]:
        return self.optimiser.rates()

    @property
    def _worst(self) -> float:
        return math.inf if self._settings.mode == "min" else -math.inf

    def attribute(self, name: str) -> Value:
        if name == "in_cooldown":
            return self.values.graph.constant(self._cooling > 0)
        state = self._pairs()
        return state[name] if name in state else super().attribute(name)

    def _pairs(self) -> dict[str, Value]:
        """What PyTorch has of it under these names."""
        own, plain = self._settings, self.values.plain
        least = Items([plain(each) for each in self._least])
        one = plain(self._least[0]) if len(set(self._least)) == 1 else None
        return {
            "factor": plain(own.factor),
            "default_min_lr": one,
            "min_lrs": least,
            "patience": plain(own.patience),
            "cooldown": plain(own.cooldown),
            "eps": plain(own.eps),
            "last_epoch": plain(self.epoch),
            "_last_lr": Items([plain(each) for each in self.last]),
            "mode_worse": plain(self._worst),
            "mode": own.mode,
            "threshold": plain(own.threshold),
            "threshold_mode": own.threshold_mode,
            "best": plain(self._best),
            "cooldown_counter": plain(self._cooling),
            "num_bad_epochs": plain(self._bad),
        }

    def set(self, name: str, value: Value) -> Any:
        if name == "best":
            self._best = self.values.number(value, name)
        elif name == "num_bad_epochs":
            self._bad = self.values.integer(value, name)
        elif name == "cooldown_counter":
            self._cooling = self.values.integer(value, name)
        elif name == "min_lrs":
            self._least = self.values.numbers(value, name)
        elif name in PlateauSettings._fields:
            kind = type(PlateauSettings._field_defaults[name])
            given: Any = value if kind is str else kind(self.values.number(value, name))
            self._settings = self._settings._replace(**{name: given})
        else:
            super().set(name, value)

    def state(self) -> list[tuple[Value, Value]]:
        return list(self._pairs().items())

    def load(self, state: Dictionary) -> None:
        numbers = {
            name: self.values.number(state.item([name]), name)
            for name in ("factor", "eps", "threshold", "best")
        }
        counts = {
            name: self.values.integer(state.item([name]), name)
            for name in ("patience", "cooldown", "cooldown_counter", "num_bad_epochs")
        }
        self._best = numbers.pop("best")
        self._cooling, self._bad = counts.pop("cooldown_counter"), counts.pop("num_bad_epochs")
        self._settings = self._settings._replace(**numbers, **counts)  # type: ignore[arg-type]

    def _step(self, arguments: list[Value], keywords: Given) -> Visit:
        given = bind_names("step", ("metrics", "epoch"), arguments, keywords, ("epoch",))
        epoch = given.get("epoch")
        self.epoch = self.epoch + 1 if epoch is None else self.values.integer(epoch, "epoch")
        found = self.values.number(given["metrics"], "metrics")
        if self._is_better(found):
            self._best, self._bad = found, 0
        else:
            self._bad += 1
        if self._cooling > 0:
            self._cooling -= 1
            self._bad = 0
        if self._bad > self._settings.patience:
            self._cooling, self._bad = self._settings.cooldown, 0
            yield self.set_rates()
        self.note_rates()

    def _is_better(self, found: float) -> bool:
        own, sign = self._settings, -1.0 if self._settings.mode == "min" else 1.0
        is_relative = own.threshold_mode == "rel"
        more = sign * own.threshold
        bound = self._best * (1 + more) if is_relative else self._best + more
        return sign * found > sign * bound

    def set_rates(self, *, named: bool = False) -> Visit:
        yield from ()
        for place, before in enumerate(self.optimiser.rates()):
            least = self._least[min(place, len(self._least) - 1)]
            after = max(before * self._settings.factor, least)
            if before - after > self._settings.eps:
                self.optimiser.set_rate(place, after)


class Plateaus:
    """The function that makes it, by the name of PyTorch's class."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self._schedulers = Schedulers(values)
        self.functions = {"torch.optim.lr_scheduler.ReduceLROnPlateau": self._make}
        self.methods: dict[str, Special] = {}

    def _make(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("mode", "factor", "patience", "threshold", "threshold_mode", "cooldown", "min_lr",
                 "eps")  # fmt: skip
        given = self._schedulers.given("ReduceLROnPlateau", names, names, arguments, keywords)
        optimiser = self._schedulers.optimiser(given["optimizer"])
        settings: dict[str, Any] = {
            name: str(given[name])
            if isinstance(default, str)
            else type(default)(self.values.number(given[name], name))
            for name, default in PlateauSettings._field_defaults.items()
            if name in given
        }
        least = given.get("min_lr")
        several = least is not None and not (isinstance(least, Node) and not least.shape)
        rates = (0,) if least is None else self.values.numbers(least, "min_lr")
        if several and len(rates) != len(optimiser.groups):
            said = f"expected {len(optimiser.groups)} min_lrs, got {len(rates)}"
            raise RefusedError(("ValueError", said), "value", said)
        wanted = [*rates] if several else [*rates] * len(optimiser.groups)
        return PlateauScheduler(self.values, optimiser, PlateauSettings(**settings), wanted)
