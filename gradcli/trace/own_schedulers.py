"""Schedulers that are classes of the program: `class Warmup(LRScheduler)`, which has `get_lr`."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given
from gradcli.trace.rated import Rated
from gradcli.trace.schedulers import FLAGS
from gradcli.trace.values import Value, Values

_CLOSED = "_get_closed_form_lr"
"""What PyTorch asks for the rates of an epoch that the program names, where a class has it."""


class OwnScheduler(Instance):
    """An object of such a class."""

    def __init__(self, values: Values, made_by: Class) -> None:
        super().__init__(values, made_by)
        self.fields["last_epoch"] = values.graph.constant(-1.0)

    def methods(self) -> dict[str, Method]:
        return {
            "__init__": self.begin,
            "step": self._step,
            "get_last_lr": self._last,
            "state_dict": self._state,
            "load_state_dict": self._load,
        }

    def method(self, name: str) -> Method:
        is_own = name in self.fields or self.made_by.found(name) is not None
        if not is_own and name in self.methods():
            return self.methods()[name]
        return super().method(name)

    def begin(self, arguments: list[Value], keywords: Given) -> Any:
        """`super().__init__(optimizer)`, which gives the first rates."""
        names = ("optimizer", "last_epoch", "verbose")
        given = bind_names("LRScheduler", names, arguments, keywords, names[1:])
        optimiser = given["optimizer"]
        if not isinstance(optimiser, Rated):
            raise GradcliError("type", "a scheduler takes an optimiser first")
        self.fields["optimizer"] = optimiser
        self.fields["base_lrs"] = Items([*map(self.values.plain, optimiser.first_rates())])
        begun, last = self.fields.pop("last_epoch"), given.get("last_epoch")
        self.fields["last_epoch"] = begun if last is None else last
        self._count(0)
        yield self._step([], {})
        self.fields.update(dict.fromkeys(FLAGS, self.values.graph.constant(False)))
        self.fields["_last_lr"] = self.fields.pop("_last_lr")

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        epoch = bind_names("step", ("epoch",), arguments, keywords, ("epoch",)).get("epoch")
        optimiser = self.fields["optimizer"]
        assert isinstance(optimiser, Rated)
        names_epoch = epoch is not None
        if epoch is None:
            epoch = self.values.plain(self.values.integer(self.fields["last_epoch"], "epoch") + 1)
        self._count(self.values.integer(self.fields["_step_count"], "_step_count") + 1)
        self.fields["last_epoch"] = epoch
        is_closed = names_epoch and self.made_by.found(_CLOSED) is not None
        rates = yield self.method(_CLOSED if is_closed else "get_lr")([], {})
        for place, rate in enumerate(self.values.elements(rates)):
            optimiser.set_rate(place, self.values.number(rate, "a rate"))
        self.fields["_last_lr"] = Items([*map(self.values.plain, optimiser.rates())])

    def _count(self, steps: int) -> None:
        self.fields["_step_count"] = self.values.plain(steps)

    def _state(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("state_dict", (), arguments, keywords)
        own = [(name, value) for name, value in self.fields.items() if name != "optimizer"]
        return Dictionary(self.values, own)

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        (state,) = bind_names("load_state_dict", ("state_dict",), arguments, keywords).values()
        if not isinstance(state, Dictionary):
            raise GradcliError("type", "load_state_dict takes what state_dict gives")
        self.fields.update({str(name): value for name, value in state.pairs()})
        return None

    def _last(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("get_last_lr", (), arguments, keywords)
        return self.fields["_last_lr"]
