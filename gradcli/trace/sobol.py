"""`torch.quasirandom.SobolEngine`: points that fill a cube evenly, with the directions of Joe and
Kuo, Constructing Sobol sequences with better two-dimensional projections, 2008.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value

MOST = 21201
"""The most axes for which directions are known."""


class SobolEngine(Object):
    """Draws the points one after another."""

    what = "a sequence of points"
    title = "SobolEngine"

    def __init__(self, autograd: Autograd, axes: int) -> None:
        from scipy.stats.qmc import Sobol

        self._autograd = autograd
        self._values = autograd.values
        self._axes = axes
        self._source = Sobol(axes, scramble=False)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {
            "draw": self._draw,
            "draw_base2": self._draw_power,
            "reset": self._reset,
            "fast_forward": self._skip,
        }

    def _draw(self, arguments: list[Value], keywords: Given) -> Node:
        names = ("n", "out", "dtype")
        given = bind_names("draw", names, arguments, keywords, names)
        count = self._values.integer(given["n"], "n") if "n" in given else 1
        return self._made(count, given.get("dtype"))

    def _draw_power(self, arguments: list[Value], keywords: Given) -> Node:
        names = ("m", "out", "dtype")
        given = bind_names("draw_base2", names, arguments, keywords, names[1:])
        power = self._values.integer(given["m"], "m")
        if not 0 <= power <= 30:
            raise GradcliError("value", "draw_base2: m is a number from 0 to 30")
        return self._made(2**power, given.get("dtype"))

    def _made(self, count: int, dtype: Value) -> Node:
        if count < 0:
            raise GradcliError("value", "draw: n is 0 or more")
        self._values.graph.check_room(count * self._axes)
        with warnings.catch_warnings():  # of counts that are no powers of 2
            warnings.simplefilter("ignore")
            found: Array = self._source.random(count)
        node = self._values.own(self._values.graph.constant(found))
        return node if dtype is None else as_dtype(self._autograd, node, dtype)

    def _reset(self, arguments: list[Value], keywords: Given) -> SobolEngine:
        self._source.reset()
        return self

    def _skip(self, arguments: list[Value], keywords: Given) -> SobolEngine:
        given = bind_names("fast_forward", ("n",), arguments, keywords)
        count = self._values.integer(given["n"], "n")
        if not 0 <= count < 2**30:
            raise GradcliError("value", "fast_forward: n is a number from 0 to 2**30")
        self._source.fast_forward(count)
        return self

    def attribute(self, name: str) -> Any:
        known = {"dimension": self._axes, "num_generated": self._source.num_generated}
        if name == "scramble":
            return self._values.graph.constant(False)
        return self._values.plain(known[name]) if name in known else super().attribute(name)

    def shown(self) -> str:
        return f"SobolEngine(dimension={self._axes})"


class Sobols:
    """The function by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {"torch.quasirandom.SobolEngine": self._engine}

    def _engine(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("dimension", "scramble", "seed")
        given = bind_names("SobolEngine", names, arguments, keywords, names[1:])
        values = self._autograd.values
        axes = values.integer(given["dimension"], "dimension")
        if not 1 <= axes <= MOST:
            raise GradcliError(
                "value",
                f"Supported range of dimensionality for SobolEngine is [1, {MOST}]",
            )
        if "scramble" in given and values.truth(given["scramble"]):
            raise GradcliError(
                "value", "SobolEngine: scrambled points are PyTorch's own random numbers",
                hint="scramble=False has the same points here as there",
            )  # fmt: skip
        return SobolEngine(self._autograd, axes)
