"""`torch.optim.swa_utils`: averages of models, and the learning rate that goes with them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.batch_norms import BatchNorm
from gradcli.trace.composite import Composite
from gradcli.trace.copies import Copies
from gradcli.trace.items import Items
from gradcli.trace.modules import Method, Module, Replace
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.rated import Rated
from gradcli.trace.schedulers import Scheduler
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values


class AveragedModel(Composite):
    """A model whose parameters are averages of another's over some steps."""

    def __init__(self, autograd: Autograd, replace: Replace, module: Module) -> None:
        def compute(layer: Composite, inputs: list[Value], named: Given) -> Any:
            return layer.fields["module"].call(inputs, named)

        super().__init__(autograd, "AveragedModel", replace, {"module": module}, compute)
        self.mean: Callable[[Node, Node, int], Any] = _mean
        """The next average, or the visitor that finds it, of the last one, the new value, and how
        many values there were.
        """
        self.averages_buffers = False
        count = self.values.graph.constant(np.zeros((), np.int64))
        self._count = leaf(count, marked=False)

    def buffers(self) -> dict[str, Node]:
        return {"n_averaged": self.values.current(self._count)}

    def attribute(self, name: str) -> Any:
        return self.buffers()[name] if name == "n_averaged" else super().attribute(name)

    def methods(self) -> dict[str, Method]:
        return super().methods() | {"update_parameters": self._update}

    def _update(self, arguments: list[Value], keywords: Given) -> Any:
        (model,) = bind_names("update_parameters", ("model",), arguments, keywords).values()
        if not isinstance(model, Module):
            raise GradcliError("type", "update_parameters takes the model that is averaged")
        own, new = dict(self.fields["module"].named()), dict(model.named())
        if self.averages_buffers:
            own |= dict(self.fields["module"].named_buffers())
            new |= dict(model.named_buffers())
        if own.keys() != new.keys():
            raise GradcliError("value", "the model is not like the one that is averaged")
        seen = self.values.current(self._count)
        count = self.values.integer(seen, "n_averaged")
        for name, node in own.items():
            value = new[name]
            if count:
                value = self.values.tensor((yield self.mean(node, value, count)))
            self.replace(node, leaf(detach(value), marked=self.autograd.requires_grad(node)))
        self.replace(seen, leaf(cast(seen + 1.0, "int"), marked=False))


def _mean(average: Node, value: Node, count: int) -> Node:
    return average + (value - average) / float(count + 1)


class AverageRate(Scheduler):
    """`SWALR`: from the rate that is there to one that stays."""

    title = "SWALR"

    def __init__(
        self, values: Values, optimiser: Rated, rates: list[float], turns: int, linear: bool
    ) -> None:
        for group, rate in zip(optimiser.groups, rates, strict=True):
            group.put("swa_lr", values.plain(rate))
        super().__init__(values, optimiser)
        self._rates, self._turns, self._linear = rates, turns, linear

    def _part(self, epoch: int) -> float:
        """How much of the way is gone."""
        part = max(0.0, min(1.0, epoch / max(1, self._turns))) if self._turns else 1.0
        return part if self._linear else (1 - math.cos(math.pi * part)) / 2

    def rate(self, place: int, rate: float) -> float:
        """The rate before it is found back from the one that is there, as PyTorch does."""
        step, last = self.steps - 1, self._rates[place]
        before, now = self._part(max(0, step - 1)), self._part(step)
        first = last if before == 1 else (rate - before * last) / (1 - before)
        return last * now + first * (1 - now)


class Averaging:
    """The functions by name."""

    def __init__(self, autograd: Autograd, replace: Replace) -> None:
        self._autograd, self._replace = autograd, replace
        self.values = autograd.values
        self.methods: dict[str, Special] = {}
        made: dict[str, Special] = {
            "AveragedModel": self._model,
            "SWALR": self._rate,
            "update_bn": self._update_norms,
            **dict.fromkeys(("get_ema_multi_avg_fn", "get_ema_avg_fn"), self._decaying),
            **dict.fromkeys(
                ("get_swa_multi_avg_fn", "get_swa_avg_fn"), lambda *_: BuiltIn("swa", self._equal)
            ),
        }
        self.functions = {f"torch.optim.swa_utils.{name}": make for name, make in made.items()}

    def _model(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("model", "device", "avg_fn", "multi_avg_fn", "use_buffers")
        given = bind_names("AveragedModel", names, arguments, keywords, names[1:])
        model = given["model"]
        if not isinstance(model, Module):
            raise GradcliError("type", "AveragedModel takes a model", hint="AveragedModel(net)")
        copy = Copies(self.values).deep(model)
        assert isinstance(copy, Module)
        made = AveragedModel(self._autograd, self._replace, copy)
        made.averages_buffers = "use_buffers" in given and self.values.truth(given["use_buffers"])
        function = given.get("multi_avg_fn") or given.get("avg_fn")
        if isinstance(function, BuiltIn):
            made.mean = partial(self._called, function)
        elif isinstance(function, Object) and given.get("multi_avg_fn") is not None:
            raise GradcliError("value", "a multi_avg_fn of the program's own is not known here",
                               hint="avg_fn=lambda a, p, n: …")  # fmt: skip
        elif isinstance(function, Object):
            made.mean = partial(self._called, function)
        return made

    def _called(self, function: Object, average: Node, value: Node, count: int) -> Any:
        return function.call([average, value, self.values.graph.constant(float(count))], {})

    def _decaying(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("get_ema_multi_avg_fn", ("decay",), arguments, keywords, ("decay",))
        decay = self.values.number(given["decay"], "decay") if "decay" in given else 0.999
        if not 0 <= decay <= 1:
            raise GradcliError("value", f"decay is from 0 to 1; it is {decay}")

        def mean(_: str, values: list[Value], __: Given) -> Value:
            average, value = (self.values.tensor(each) for each in values[:2])
            return average * decay + value * (1 - decay)

        return BuiltIn("ema", mean)

    def _equal(self, _: str, values: list[Value], __: Given) -> Value:
        average, value, count = values
        return _mean(self.values.tensor(average), self.values.tensor(value),
                     self.values.integer(count, "count"))  # fmt: skip

    def _rate(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("optimizer", "swa_lr", "anneal_epochs", "anneal_strategy", "last_epoch")
        given = bind_names("SWALR", names, arguments, keywords, names[2:])
        optimiser = given["optimizer"]
        if not isinstance(optimiser, Rated):
            raise GradcliError("type", "a scheduler takes an optimiser first")
        last = given["swa_lr"]
        listed = self.values.elements(last) if isinstance(last, Items | tuple) else [last]
        rates = [self.values.number(each, "swa_lr") for each in listed]
        rates = rates * len(optimiser.groups) if len(rates) == 1 else rates
        if len(rates) != len(optimiser.groups):
            raise GradcliError("value", "swa_lr has one rate for each group")
        turns = self.values.integer(given["anneal_epochs"], "anneal_epochs") if (
            "anneal_epochs" in given
        ) else 10  # fmt: skip
        strategy = given.get("anneal_strategy", "cos")
        if strategy not in ("cos", "linear") or turns < 0:
            raise GradcliError("value", "anneal_strategy is 'cos' or 'linear', and anneal_epochs "
                               "0 or more")  # fmt: skip
        made = AverageRate(self.values, optimiser, rates, turns, strategy == "linear")
        yield made.begin()
        return made

    def _update_norms(self, arguments: list[Value], keywords: Given) -> Any:
        """The means and variances of batch norms, of all data once more."""
        names = ("loader", "model", "device")
        given = bind_names("update_bn", names, arguments, keywords, names[2:])
        model = given["model"]
        if not isinstance(model, Module):
            raise GradcliError("type", "update_bn takes data and a model")
        parts = [each for _, each in model.named_modules() if isinstance(each, BatchNorm)]
        if not parts:
            return None
        modes = [(each, each.training) for _, each in model.named_modules()]
        for norm in parts:
            norm.begin_again()
        for module, _ in modes:
            module.training = True
        for batch in self.values.elements(given["loader"]):
            inputs = self.values.elements(batch)[0] if isinstance(batch, Items | tuple) else batch
            yield model.call([inputs], {})
        for module, mode in modes:
            module.training = mode
        for norm in parts:
            norm.end_again()
        return None
