"""`torch.Generator`: a source of random numbers with a seed of its own."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values

FIRST_SEED = 67280421310721
"""What PyTorch's generators have until they are given another seed."""


class SeededSource(Object):
    """A generator. A run has one source of random numbers: its seed becomes the source's."""

    what = "a generator"
    title = "Generator"
    python_class = "torch._C.Generator"

    def __init__(self, values: Values) -> None:
        self.values = values
        self._seed = FIRST_SEED

    def methods(self) -> dict[str, Method]:
        return {
            "manual_seed": self._manual_seed,
            "seed": lambda *_: self.values.graph.constant(0.0),
            "initial_seed": lambda *_: self.values.graph.constant(float(self._seed)),
        }

    def attribute(self, name: str) -> Any:
        return "cpu" if name == "device" else super().attribute(name)

    def _manual_seed(self, arguments: list[Value], keywords: Given) -> Value:
        (seed,) = bind_names("manual_seed", ("seed",), arguments, keywords).values()
        number = self.values.integer(seed, "a seed")
        if number < 0:
            raise GradcliError("value", "a seed is 0 or more")
        self.values.graph.reseed(number)
        self._seed = number
        return self
