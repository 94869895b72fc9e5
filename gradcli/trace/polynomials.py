"""NumPy's polynomials: `np.poly1d([1, 2, 3])`, the highest power first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_COEFFICIENTS = ("c", "coef", "coeffs", "coefficients")


class Polynomial(Object):
    """A polynomial, which is called with where it is asked for."""

    what = "a polynomial"
    title = "poly1d"

    def __init__(self, arrays: ArrayCalls, coefficients: Value) -> None:
        self._arrays = arrays
        self._coefficients = coefficients
        self._known = np.poly1d(np.atleast_1d(arrays.plain("poly1d", coefficients)))

    def call(self, arguments: list[Any], keywords: Given) -> Value:
        (value,) = bind_names("a polynomial", ("val",), arguments, keywords).values()
        given = self._arrays.plain("poly1d", value)
        return self._arrays.computed("polyval", np.polyval, [self._known, given], {})

    def attribute(self, name: str) -> Any:
        if name in _COEFFICIENTS:
            return self._arrays.array(self._known.coeffs)
        if name in ("o", "order"):
            return self._arrays.values.plain(int(self._known.order))
        if name in ("r", "roots"):
            return self._arrays.array(self._known.roots)
        return super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"deriv": self._derivative, "integ": self._integral}

    def _made(self, found: Any) -> Polynomial:
        return Polynomial(self._arrays, self._arrays.array(found.coeffs))

    def _derivative(self, arguments: list[Any], keywords: Given) -> Polynomial:
        given = bind_names("deriv", ("m",), arguments, keywords, ("m",))
        times = self._arrays.values.integer(given["m"], "m") if "m" in given else 1
        if times < 0:
            raise GradcliError("value", "deriv: m is not negative")
        return self._made(self._known.deriv(min(times, self._known.order + 1)))

    def _integral(self, arguments: list[Any], keywords: Given) -> Polynomial:
        if arguments or keywords:
            raise GradcliError("value", "integ: the constant is 0 here", hint="p.integ()")
        return self._made(self._known.integ())

    def shown(self) -> str:
        return str(self._known)


class Polynomials:
    """The functions by name."""

    def __init__(self, arrays: ArrayCalls) -> None:
        self._arrays = arrays
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {"np.poly1d": self._polynomial}

    def _polynomial(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (given,) = bind_names("np.poly1d", ("c_or_r",), arguments, keywords).values()
        return Polynomial(self._arrays, given)
