"""`np.random`: the numbers that NumPy draws with the same seed, as arrays that are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.control import bind, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

MODULE = "numpy.random"
_LIKE = {
    "random": (), "random_sample": (), "standard_normal": (), "uniform": ("low", "high"),
    "normal": ("loc", "scale"), "exponential": ("scale",), "poisson": ("lam",),
    "binomial": ("n", "p"), "beta": ("a", "b"),
}  # fmt: skip
"""Functions and the names of their parameters before `size`, which all have defaults."""


class Drawing:
    """Draws by NumPy: `functions` by the names of NumPy's."""

    def __init__(
        self, values: Values, put: Callable[[Node, Node], Value], source: Callable[[], Any],
        integers: str,
    ) -> None:  # fmt: skip
        """`put` writes into an array, `source` gives what draws, and `integers` is the function for
        integers of it.
        """
        self.values = values
        self._put = put
        self._source = source
        self._integers = integers
        self.functions: dict[str, Special] = {
            **{name: partial(self._numbers, name, names) for name, names in _LIKE.items()},
            integers: self._whole,
            "choice": self._choice,
            "multivariate_normal": self._several_normal,
            "permutation": self._permutation,
            "shuffle": self._shuffle,
        }

    def of_lengths(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`rand(2, 3)` and `randn(2, 3)`."""
        bind_names(name, (), (), keywords)
        shape = tuple(self.values.integer(each, "a length") for each in arguments)
        self._check(shape)
        return self._result(getattr(self._source(), name)(*shape))

    def _numbers(
        self, name: str, names: Sequence[str], arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        every = (*names, "size")
        given = bind_names(name, every, arguments, keywords, every)
        options: dict[str, Any] = {}
        for each in names:
            if each in given:
                array = self.values.evaluator.value(self.values.tensor(given[each], each))
                options[each] = array if array.shape else array.item()
        return self._called(name, options, given)

    def _whole(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`randint(low, high, size)`: integers below `high`."""
        every = ("low", "high", "size", "dtype", "endpoint")
        given = bind_names(self._integers, every, arguments, keywords, every[1:])
        options: dict[str, Any] = {
            name: self.values.integer(given[name], name)
            for name in every[:2]
            if given.get(name) is not None
        }
        if "endpoint" in given:
            options["endpoint"] = self.values.truth(given["endpoint"])
        return self._called(self._integers, options, given)

    def _called(self, name: str, options: Mapping[str, Any], given: Mapping[str, Value]) -> Value:
        size = given.get("size")
        shape = None if size is None else self.values.integers(size, "size")
        self._check(shape or ())
        try:
            drawn = getattr(self._source(), name)(**options, size=shape)
        except (ValueError, TypeError) as error:
            raise GradcliError("value", f"{name}: {error}") from None
        return self._result(drawn)

    def _several_normal(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Rows of normal numbers with these means and covariances."""
        names = ("mean", "cov", "size")
        given = bind_names("multivariate_normal", names, arguments, keywords, names[2:])
        mean, cov = (
            self.values.evaluator.value(self.values.tensor(given[name], name)) for name in names[:2]
        )
        self._check((*mean.shape, math.prod(self.values.integers(given["size"], "size"))) if (
            given.get("size") is not None
        ) else mean.shape)  # fmt: skip
        if not np.isfinite(cov).all() or not np.isfinite(mean).all():
            raise GradcliError("value", "multivariate_normal: mean and cov are finite")
        return self._called("multivariate_normal", {"mean": mean, "cov": cov}, given)

    def _choice(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("a", "size", "replace", "p")
        given = bind_names("choice", names, arguments, keywords, names[1:])
        held = given["a"]
        items = None
        if isinstance(held, Node):
            known = self.values.evaluator.value(held)
            count = known.shape[0] if known.shape else self.values.integer(held, "a")
        else:
            items = self.values.elements(held)
            count = len(items)
        size = given.get("size")
        shape = None if size is None else self.values.integers(size, "size")
        self._check(shape or ())
        chances = given.get("p")
        likely = None if chances is None else self.values.numbers(chances, "p")
        replace = "replace" not in given or self.values.truth(given["replace"])
        try:
            places = self._source().choice(count, shape, replace, likely)
        except ValueError as error:
            raise GradcliError("value", f"choice: {error}") from None
        if items is None:
            return self._result(known[places] if known.shape else places)
        if shape is None:
            return items[int(places)]
        return self._result(self._array(held, "choice")[places])

    def _array(self, held: Value, what: str) -> Array:
        """An array of elements: of integers, where a list has these alone."""
        if not isinstance(held, Items | tuple | range):
            return self.values.evaluator.value(self.values.tensor(held, what))
        items = self.values.elements(held)
        array = self.values.evaluator.value(self.values.tensor(Items(items), what))
        are_integers = all(self.values.plain_kind(each) == "int" for each in items)
        return array.astype(int) if are_integers or isinstance(held, range) else array

    def _permutation(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (held,) = bind_names("permutation", ("x",), arguments, keywords).values()
        array = self._array(held, "permutation")
        if not array.shape:
            count = self.values.integer(held, "permutation")
            self._check((count,))
            return self._result(self._source().permutation(count))
        return self._result(self._source().permutation(array))

    def _shuffle(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (items,) = bind_names("shuffle", ("x",), arguments, keywords).values()
        if isinstance(items, Node) and items.shape:
            array = self.values.evaluator.value(items).copy()
            self._source().shuffle(array)
            self._put(items, leaf(self.values.graph.constant(array), marked=False))
            return None
        if not isinstance(items, Items):
            raise GradcliError("type", f"shuffle takes a list or an array, not {describe(items)}")
        held = self.values.elements(items)
        places = np.arange(len(held))
        self._source().shuffle(places)
        items.become([held[place] for place in places.tolist()])
        return None

    def _check(self, shape: Shape) -> None:
        if any(length < 0 for length in shape):
            raise GradcliError("shape", "lengths are 0 or more")
        self.values.graph.check_room(math.prod(shape))

    def _result(self, drawn: Any) -> Value:
        """A number, or an array as a tensor of its own."""
        if not isinstance(drawn, np.ndarray):
            return self.values.plain(drawn if isinstance(drawn, float) else int(drawn))
        kind = np.int64 if drawn.dtype.kind in "iu" else float
        array: Array = drawn.astype(kind)
        node = self.values.graph.constant(array)
        made = bind(node) if node.kind == "float" else leaf(node, marked=False)
        self.values.arrays.add(made)
        self.values.copies.add(made)
        return made


_MODULES = {"Generator": "_generator", "RandomState": "mtrand"}
_BITS = {"Generator": "PCG64", "RandomState": "MT19937"}
"""What makes the random bits of each."""


class Generator(Object):
    """What `np.random.default_rng(seed)` or `np.random.RandomState(seed)` gives."""

    what = "a generator of random numbers"

    def __init__(self, functions: Mapping[str, Special], title: str) -> None:
        self._functions = functions
        self.title = title
        self.python_class = f"numpy.random.{_MODULES[title]}.{title}"

    def methods(self) -> dict[str, Callable[[list[Any], dict[str, Any]], Any]]:
        return dict(self._functions)

    def shown(self) -> str:
        return f"{self.title}({_BITS[self.title]})"


class NumpyRandom:
    """The functions of the module by name."""

    def __init__(
        self, values: Values, put: Callable[[Node, Node], Value], note_random: Callable[[], None]
    ) -> None:
        """`put` writes into an array; `note_random` is called where something is drawn without a
        seed.
        """
        self.values = values
        self._put = put
        self._note_random = note_random
        self._state: Any = None
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"{MODULE}.{name}": function for name, function in self._drawn_by(self._source).items()
        }
        self.functions |= {
            f"{MODULE}.seed": self._seed,
            f"{MODULE}.default_rng": self._generator,
            f"{MODULE}.RandomState": self._random_state,
        }

    def _drawn_by(self, source: Callable[[], Any]) -> dict[str, Special]:
        """The functions of a `RandomState`."""
        drawing = Drawing(self.values, self._put, source, "randint")
        lengths = {name: partial(drawing.of_lengths, name) for name in ("rand", "randn")}
        return drawing.functions | lengths

    def _source(self) -> Any:
        self.values.check_draw()
        if self._state is None:
            self._note_random()
            self._state = np.random.RandomState(self.values.graph.draw()[0] % 2**32)
        return self._state

    def _seed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("seed", ("seed",), arguments, keywords)["seed"]
        self.values.check_draw()
        self._state = np.random.RandomState(_seed_of(self.values, given))
        return None

    def _generator(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        source = self._checked(np.random.default_rng(self._seed_in(arguments, keywords)))
        return Generator(Drawing(self.values, self._put, source, "integers").functions, "Generator")

    def _random_state(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        source = self._checked(np.random.RandomState(self._seed_in(arguments, keywords)))
        return Generator(self._drawn_by(source), "RandomState")

    def _checked(self, source: Any) -> Callable[[], Any]:
        """What gives a source, if the program may draw."""

        def drawn() -> Any:
            self.values.check_draw()
            return source

        return drawn

    def _seed_in(self, arguments: list[Value], keywords: dict[str, Value]) -> int:
        """The seed that a generator is made with; without one it is drawn, which is noted."""
        given = bind_names("a generator", ("seed",), arguments, keywords, ("seed",))
        self.values.check_draw()
        if given.get("seed") is not None:
            return _seed_of(self.values, given["seed"])
        self._note_random()
        return self.values.graph.draw()[0] % 2**32


def _seed_of(values: Values, value: Value) -> int:
    seed = values.integer(value, "a seed")
    if not 0 <= seed < 2**32:
        raise GradcliError("value", "a seed is from 0 to 2**32 - 1")
    return seed
