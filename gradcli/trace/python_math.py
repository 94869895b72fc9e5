"""Functions of Python's `math` of plain numbers that the op table does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from operator import mul

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.members import check_math
from gradcli.trace.objects import Given
from gradcli.trace.printing import EXACT, PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_OF_COUNTS: dict[str, tuple[Callable[..., int], int]] = {
    "factorial": (math.factorial, 1), "comb": (math.comb, 2), "perm": (math.perm, 2),
    "isqrt": (math.isqrt, 1),
}  # fmt: skip
"""What is computed of whole numbers from 0, and how many it takes."""
_OF_FLOATS = {"remainder": 2, "cbrt": 1, "modf": 1, "ulp": 1}
"""What is computed of floats by Python itself, and how many it takes."""
_BELOW_0 = {
    "factorial": "factorial() not defined for negative values",
    "isqrt": "isqrt() argument must be nonnegative",
}
"""What Python says of numbers below 0."""
_MOST = 10_000
"""The largest of these numbers."""


class PythonMath:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"math.{name}": partial(self._of_counts, name) for name in _OF_COUNTS},
            "math.gcd": partial(self._of_whole, math.gcd),
            "math.lcm": partial(self._of_whole, math.lcm),
            "math.prod": self._prod,
            "math.fsum": self._fsum,
            "math.gamma": self._gamma,
            "math.isclose": self._isclose,
            "math.log": self._log,
            "math.dist": self._dist,
            **{f"math.{name}": partial(self._of_floats, name) for name in _OF_FLOATS},
        }

    def _dist(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("dist", ("p", "q"), arguments, keywords)
        p, q = (self.values.numbers(each, "dist") for each in given.values())
        if len(p) != len(q):
            raise GradcliError("value", f"dist: the points have {len(p)} and {len(q)} coordinates")
        return self.values.plain(math.dist(p, q))

    def _of_floats(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(name, ("x", "y")[: _OF_FLOATS[name]], arguments, keywords)
        numbers = [self.values.number(each, f"{name}: {key}") for key, each in given.items()]
        try:
            found = getattr(math, name)(*numbers)
        except ValueError as error:
            raise RefusedError(
                ("ValueError", str(error)), "value", f"math.{name}: {error}"
            ) from None
        plain = self.values.plain
        return tuple(map(plain, found)) if isinstance(found, tuple) else plain(found)

    def _gamma(self, arguments: list[Value], keywords: Given) -> Value:
        (x,) = bind_names("gamma", ("x",), arguments, keywords).values()
        number = self.values.number(x, "gamma: x")
        try:
            return self.values.plain(math.gamma(number))
        except (ValueError, OverflowError) as error:
            raise RefusedError(
                (type(error).__name__, str(error)), "value", f"gamma of {number}: {error}",
                hint="math.lgamma is its logarithm",
            ) from None  # fmt: skip

    def _of_counts(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        compute, count = _OF_COUNTS[name]
        given = bind_names(name, ("n", "k")[:count], arguments, keywords)
        for each in given.values():
            if self.values.is_python and self.values.plain_kind(each) == "float":
                said = "'float' object cannot be interpreted as an integer"
                raise RefusedError(("TypeError", said), "type", f"math.{name} is of integers",
                                   hint="int(x) makes one of a number")  # fmt: skip
        numbers = [self.values.integer(each, f"{name}: n") for each in given.values()]
        for place, number in enumerate(numbers):
            if number < 0:
                said = _BELOW_0.get(name, f"{'nk'[place]} must be a non-negative integer")
                raise RefusedError(("ValueError", said), "value", f"math.{name} of {number}",
                                   hint="it is of integers from 0")  # fmt: skip
        limit = EXACT if name == "isqrt" else _MOST
        if any(not 0 <= each <= limit for each in numbers):
            raise GradcliError("value", f"{name} takes whole numbers from 0 to {limit}")
        return self._exact(name, compute(*numbers))

    def _of_whole(
        self, compute: Callable[..., int], arguments: list[Value], keywords: Given
    ) -> Value:
        bind_names("this", (), (), keywords)
        return self._exact("this", compute(*(self.values.integer(e, "n") for e in arguments)))

    def _exact(self, name: str, number: float) -> Value:
        if isinstance(number, int) and abs(number) > EXACT:
            raise GradcliError(
                "value",
                f"{name} is larger than 2**53: whole numbers are exact up to there",
                hint="exp(lgamma(n + 1)) is about the factorial of n",
            )
        return self.values.plain(number)

    def _prod(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("prod", ("iterable", "start"), arguments, keywords, ("start",))
        factors = self.values.elements(given["iterable"])
        if "start" in given or not factors:
            factors = [given.get("start", self.values.plain(1)), *factors]
        known = PrintedNumbers(self.values)
        plain = [each for each in factors if isinstance(each, Node) and each in known]
        if len(plain) == len(factors):
            is_whole = all(map(known.is_integer, plain))
            numbers = [self.values.number(each, "a factor") for each in plain]
            return self._exact("prod", math.prod(map(int, numbers) if is_whole else numbers))
        tensors = [self.values.tensor(each, "a factor") for each in factors]
        return reduce(mul, (cast(each, "int") if each.kind == "bool" else each for each in tensors))

    def _fsum(self, arguments: list[Value], keywords: Given) -> Value:
        (items,) = bind_names("fsum", ("seq",), arguments, keywords).values()
        numbers = [self.values.number(each, "a term") for each in self.values.elements(items)]
        return self.values.plain(math.fsum(numbers))

    def _isclose(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("a", "b", "rel_tol", "abs_tol")
        given = bind_names("isclose", names, arguments, keywords, names[2:])
        numbers = {name: self.values.number(each, name) for name, each in given.items()}
        return self.values.graph.constant(
            math.isclose(numbers.pop("a"), numbers.pop("b"), **numbers)
        )

    def _log(self, arguments: list[Value], keywords: Given) -> Value:
        """`math.log(x)`, and `math.log(x, base)`."""
        given = bind_names("log", ("x", "base"), arguments, keywords, ("base",))
        if self.values.is_python:
            names, numbers = list(given), check_math(self.values, "log", list(given.values()))
            given = dict(zip(names, numbers, strict=True))
        log = FUNCTIONS["log"](self.values.tensor(given["x"], "log: x"))
        if "base" not in given:
            return log
        return log / FUNCTIONS["log"](self.values.tensor(given["base"], "log: base"))
