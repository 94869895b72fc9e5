"""Python's `random`: functions that draw from lists and ranges."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe


class Chances:
    """The functions by name."""

    def __init__(self, values: Values, note_random: Callable[[], None]) -> None:
        """`note_random` is called where something is drawn."""
        self.values = values
        self._note_random = note_random
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "random.shuffle": self._shuffle,
            "random.choice": self._choice,
            "random.sample": self._sample,
            "random.randint": self._integer,
            "random.gauss": self._gauss,
        }

    def _drawn(self, name: str, *shape: int) -> list[float]:
        """Random numbers, looked at now."""
        self._note_random()
        node: Node = FUNCTIONS[name].build(self.values.graph, *shape)
        found: list[float] = self.values.evaluator.value(node).ravel().tolist()
        return found

    def _order(self, count: int) -> list[int]:
        """The places of so many items in a random order."""
        drawn = self._drawn("rand", count) if count else []
        return sorted(range(count), key=drawn.__getitem__)

    def _shuffle(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (items,) = bind_names("shuffle", ("x",), arguments, keywords).values()
        if not isinstance(items, Items):
            raise GradcliError("type", f"shuffle takes a list, not {describe(items)}")
        held = self.values.elements(items)
        items.become([held[place] for place in self._order(len(held))])
        return None

    def _choice(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (items,) = bind_names("choice", ("seq",), arguments, keywords).values()
        held = self.values.elements(items)
        if not held:
            raise GradcliError("index", "choice: there is nothing to choose from")
        return held[int(self._drawn("rand", 1)[0] * len(held))]

    def _sample(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("sample", ("population", "k"), arguments, keywords)
        held = self.values.elements(given["population"])
        count = self.values.integer(given["k"], "k")
        if not 0 <= count <= len(held):
            raise GradcliError("value", f"{count} items cannot be drawn from {len(held)}")
        return Items([held[place] for place in self._order(len(held))[:count]])

    def _integer(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`randint(a, b)`, both included."""
        given = bind_names("randint", ("a", "b"), arguments, keywords)
        low, high = (self.values.integer(given[name], name) for name in given)
        if high < low:
            raise GradcliError("value", f"randint: there is no integer from {low} to {high}")
        drawn = self._drawn("rand", 1)[0]
        return self.values.plain(low + int(drawn * (high - low + 1)))

    def _gauss(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("gauss", ("mu", "sigma"), arguments, keywords, ("mu", "sigma"))
        mu = self.values.number(given["mu"], "mu") if "mu" in given else 0.0
        sigma = self.values.number(given["sigma"], "sigma") if "sigma" in given else 1.0
        return self.values.plain(mu + sigma * self._drawn("randn", 1)[0])
