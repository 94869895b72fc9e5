"""`torch.Generator`: a source of random numbers with a seed of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values

FIRST_SEED = 67280421310721
"""What PyTorch's generators have until they are given another seed."""


class SeededSource(Object):
    """A generator: what is drawn from it neither depends on other draws, nor changes them."""

    what = "a generator"
    title = "Generator"
    python_class = "torch._C.Generator"

    def __init__(self, values: Values) -> None:
        self.values = values
        self.seed: int | None = FIRST_SEED
        self.draws = 0
        """How many were drawn since it was given its seed."""

    def methods(self) -> dict[str, Method]:
        return {
            "manual_seed": self._manual_seed,
            "seed": lambda *_: self.values.graph.constant(0.0),
            "initial_seed": lambda *_: self.values.plain(self.seed or 0),
            "get_state": self._state,
            "set_state": self._go_back_to,
        }

    def attribute(self, name: str) -> Any:
        return "cpu" if name == "device" else super().attribute(name)

    def _manual_seed(self, arguments: list[Value], keywords: Given) -> Value:
        (seed,) = bind_names("manual_seed", ("seed",), arguments, keywords).values()
        number = self.values.integer(seed, "a seed")
        if number < 0:
            raise GradcliError("value", "a seed is 0 or more")
        self.seed, self.draws = number, 0
        return self

    def _state(self, arguments: list[Value], keywords: Given) -> Value:
        return self.values.graph.constant(np.array([self.seed or 0, self.draws], float))

    def _go_back_to(self, arguments: list[Value], keywords: Given) -> Value:
        (state,) = bind_names("set_state", ("new_state",), arguments, keywords).values()
        node = self.values.tensor(state, "a state")
        if node.shape != (2,):
            raise GradcliError("type", "set_state takes what get_state gave")
        self.seed, self.draws = map(int, self.values.evaluator.value(node).tolist())
        return self


class DefaultSource(SeededSource):
    """What `torch.manual_seed` gives: the source of all that is drawn from no other."""

    def __init__(self, values: Values) -> None:
        self.values = values

    @property
    def seed(self) -> int | None:
        return self.values.graph.seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self.values.graph.seed = seed

    @property
    def draws(self) -> int:
        return self.values.graph.draws

    @draws.setter
    def draws(self, draws: int) -> None:
        self.values.graph.draws = draws


@contextmanager
def drawn_from(source: Value) -> Iterator[None]:
    """What is drawn here is drawn from a generator, if it is one."""
    if not isinstance(source, SeededSource) or isinstance(source, DefaultSource):
        yield
        return
    source.values.check_draw()
    graph = source.values.graph
    before = graph.seed, graph.draws
    graph.seed, graph.draws = source.seed, source.draws
    try:
        yield
    finally:
        source.seed, source.draws = graph.seed, graph.draws
        graph.seed, graph.draws = before
