"""Python's `random`: the numbers that it draws with the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe


class OwnChances(Object):
    """What `random.Random(0)` gives."""

    what = "a source of random numbers"
    title = "Random"

    def __init__(self, chances: Chances) -> None:
        self._functions = chances.functions

    def methods(self) -> dict[str, Special]:
        return {name.removeprefix("random."): each for name, each in self._functions.items()}


class Chances:
    """The functions by name."""

    def __init__(self, values: Values, note_random: Callable[[], None]) -> None:
        """`note_random` is called where something is drawn without a seed."""
        self.values = values
        self._note_random = note_random
        self._source: random.Random | None = None
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "random.seed": self._seed,
            "random.random": self._random,
            "random.uniform": self._uniform,
            "random.shuffle": self._shuffle,
            "random.choice": self._choice,
            "random.choices": self._choices,
            "random.sample": self._sample,
            "random.randint": self._integer,
            "random.randrange": self._range,
            "random.gauss": partial(self._normal, "gauss"),
            "random.normalvariate": partial(self._normal, "normalvariate"),
            "random.Random": self._apart,
        }

    def _apart(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`random.Random(0)`, which draws numbers of its own."""
        given = bind_names("Random", ("x",), arguments, keywords, ("x",))
        made = Chances(self.values, self._note_random)
        if given.get("x") is not None:
            made._seed([given["x"]], {})
        return OwnChances(made)

    def _drawn(self) -> random.Random:
        """What draws the next number."""
        self.values.check_draw()
        if self._source is None:
            self._note_random()
            self._source = random.Random(self.values.graph.draw()[0])  # noqa: S311
        return self._source

    def _seed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("seed", ("a",), arguments, keywords)["a"]
        self.values.check_draw()
        self._source = random.Random(self.values.integer(given, "a seed"))  # noqa: S311
        return None

    def _random(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        bind_names("random", (), arguments, keywords)
        return self.values.plain(self._drawn().random())

    def _uniform(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("uniform", ("a", "b"), arguments, keywords)
        low, high = (self.values.number(given[each], each) for each in given)
        return self.values.plain(self._drawn().uniform(low, high))

    def _shuffle(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (items,) = bind_names("shuffle", ("x",), arguments, keywords).values()
        if not isinstance(items, Items):
            raise GradcliError("type", f"shuffle takes a list, not {describe(items)}")
        held = self.values.elements(items)
        self._drawn().shuffle(held)
        items.become(held)
        return None

    def _held(self, items: Value) -> list[Any]:
        held = self.values.elements(items)
        if not held:
            raise GradcliError("index", "there is nothing to choose from")
        return held

    def _choice(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (items,) = bind_names("choice", ("seq",), arguments, keywords).values()
        held = self._held(items)
        return self._drawn().choice(held)  # type: ignore[no-any-return]

    def _choices(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("population", "weights", "k")
        given = bind_names("choices", names, arguments, keywords, names[1:])
        held = self._held(given["population"])
        count = self.values.integer(given["k"], "k") if "k" in given else 1
        self.values.graph.check_room(max(0, count))
        weights = given.get("weights")
        likely = None if weights is None else self.values.numbers(weights, "weights")
        if likely is not None and (len(likely) != len(held) or sum(likely) <= 0):
            raise GradcliError("value", "there is one weight for each item, and not all are 0")
        return Items(self._drawn().choices(held, likely, k=count))

    def _sample(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("sample", ("population", "k"), arguments, keywords)
        held = self.values.elements(given["population"])
        count = self.values.integer(given["k"], "k")
        if not 0 <= count <= len(held):
            raise GradcliError("value", f"{count} items cannot be drawn from {len(held)}")
        return Items(self._drawn().sample(held, count))

    def _integer(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`randint(a, b)`, both included."""
        given = bind_names("randint", ("a", "b"), arguments, keywords)
        low, high = (self.values.integer(given[name], name) for name in given)
        if high < low:
            raise GradcliError("value", f"randint: there is no integer from {low} to {high}")
        return self.values.plain(self._drawn().randint(low, high))

    def _range(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("start", "stop", "step")
        given = bind_names("randrange", names, arguments, keywords, names[1:])
        bounds = [self.values.integer(each, "randrange") for each in given.values()]
        if (len(bounds) == 3 and not bounds[2]) or not range(*bounds):
            raise GradcliError("value", "randrange: there is no integer to draw")
        return self.values.plain(self._drawn().randrange(*bounds))

    def _normal(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names(name, ("mu", "sigma"), arguments, keywords, ("mu", "sigma"))
        mu = self.values.number(given["mu"], "mu") if "mu" in given else 0.0
        sigma = self.values.number(given["sigma"], "sigma") if "sigma" in given else 1.0
        return self.values.plain(getattr(self._drawn(), name)(mu, sigma))
