"""What schedulers know of an optimiser, whether PyTorch's or the program's: groups with rates."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.graph import Node
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.objects import Object
from gradcli.trace.values import Values


class Rated(Object):
    """The groups of parameters of an optimiser, each with a learning rate."""

    values: Values
    groups: Sequence[Dictionary]

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
