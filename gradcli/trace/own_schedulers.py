"""Schedulers that are classes of the program: `class Warmup(LRScheduler)`, which has `get_lr`."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class, Instance
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given
from gradcli.trace.optimisers import Optimiser
from gradcli.trace.values import Value, Values


class OwnScheduler(Instance):
    """An object of such a class."""

    def __init__(self, values: Values, made_by: Class) -> None:
        super().__init__(values, made_by)
        self.fields["last_epoch"] = values.graph.constant(-1.0)

    def methods(self) -> dict[str, Method]:
        return {"__init__": self.begin, "step": self._step, "get_last_lr": self._last}

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
        if not isinstance(optimiser, Optimiser):
            raise GradcliError("type", "a scheduler takes an optimiser first")
        self.fields["optimizer"] = optimiser
        self.fields["base_lrs"] = Items([*map(self.values.plain, optimiser.first_rates())])
        yield self._step([], {})

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        bind_names("step", ("epoch",), arguments, keywords, ("epoch",))
        optimiser = self.fields["optimizer"]
        assert isinstance(optimiser, Optimiser)
        epoch = self.values.integer(self.fields["last_epoch"], "last_epoch") + 1
        self.fields["last_epoch"] = self.values.graph.constant(float(epoch))
        rates = yield self.method("get_lr")([], {})
        for place, rate in enumerate(self.values.elements(rates)):
            optimiser.set_rate(place, self.values.number(rate, "a rate"))
        self.fields["_last_lr"] = Items([*map(self.values.plain, optimiser.rates())])

    def _last(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("get_last_lr", (), arguments, keywords)
        return self.fields["_last_lr"]
