"""A stand-in for cupy: NumPy behind arrays that refuse what arrays on a card refuse.

Only names and parameters that cupy has are there (`surface.json`). Arrays of NumPy do not mix with
those of the card, and nothing turns one into the other unasked. What cupy takes but leaves open,
such as the order in which one place is written twice, is refused, too. A look at a value
makes the card wait: `looks` counts these.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from pathlib import Path
from types import EllipsisType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.special

SURFACE: dict[str, Any] = json.loads(Path(__file__).with_name("surface.json").read_text())

SCATTERS = {
    "add": "int32 int64 uint32 uint64 float16 float32 float64",
    "maximum": "int32 int64 uint32 uint64 float32 float64",
    "minimum": "int32 int64 uint32 uint64 float32 float64",
}
"""What cupy's `ufunc.at` takes (cupy/_core/_routines_indexing.pyx)."""
ACCUMULATES = {"add", "multiply"}
"""The ufuncs that can `reduce` and `accumulate` (cupy/_core/_kernel.pyx)."""


class DeviceArray:
    """An array whose elements lie on the card."""

    __slots__ = ("held",)
    __array_ufunc__ = None
    looks = 0

    def __init__(self, held: Any) -> None:
        self.held: np.ndarray[Any, Any] = np.asarray(held)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise TypeError(f"numpy.{function.__name__} of an array on the card")

    def __getattr__(self, name: str) -> Any:
        if name not in SURFACE["array"]:
            raise AttributeError(f"cupy's arrays have no {name}")
        return offered(name, getattr(self.held, name), SURFACE["array"][name])

    @property
    def flat(self) -> Flat:
        return Flat(self.held)

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.held.ctypes.data)

    def get(
        self, stream: Any = None, out: np.ndarray[Any, Any] | None = None, blocking: bool = True
    ) -> np.ndarray[Any, Any]:
        """The array on the computer."""
        DeviceArray.looks += 1
        if out is None:
            return self.held.copy()
        out[...] = self.held
        return out

    def set(self, array: np.ndarray[Any, Any], stream: Any = None) -> None:
        """Copy an array from the computer."""
        same = (array.shape, array.dtype) == (self.held.shape, self.held.dtype)
        if not (same and self.held.flags.c_contiguous):
            raise ValueError("shapes, dtypes or layouts differ")
        self.held[...] = array

    def item(self) -> Any:
        return self.get().item()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, key: Any) -> DeviceArray:
        return DeviceArray(self.held[place(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        key = place(key)
        numbers = np.arange(self.held.size).reshape(self.held.shape)[key]
        if np.unique(numbers).size < numbers.size:
            raise TypeError("one place is written twice, in an order that nobody knows")
        self.held[key] = held(value)


def _in_place(change: Callable[..., Any]) -> Callable[..., DeviceArray]:
    def apply(self: DeviceArray, other: Any) -> DeviceArray:
        change(self.held, held(other))
        return self

    return apply


def _from_the_left(combine: Callable[..., Any]) -> Callable[..., DeviceArray]:
    return lambda self, other: DeviceArray(combine(self.held, held(other)))


def _from_the_right(combine: Callable[..., Any]) -> Callable[..., DeviceArray]:
    return lambda self, other: DeviceArray(combine(held(other), self.held))


def _of_itself(change: Callable[..., Any]) -> Callable[..., DeviceArray]:
    return lambda self: DeviceArray(change(self.held))


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"):
    setattr(DeviceArray, f"__{name}__", _from_the_left(getattr(operator, f"__{name}__")))
    setattr(DeviceArray, f"__r{name}__", _from_the_right(getattr(operator, f"__{name}__")))
    setattr(DeviceArray, f"__i{name}__", _in_place(getattr(operator, f"__i{name}__")))
for name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(DeviceArray, f"__{name}__", _from_the_left(getattr(operator, f"__{name}__")))
for name in ("neg", "abs", "invert"):
    setattr(DeviceArray, f"__{name}__", _of_itself(getattr(operator, f"__{name}__")))


class Flat:
    """What `flat` gives: one element after another."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    def __getitem__(self, number: int) -> DeviceArray:
        return DeviceArray(self._array.flat[number])


def held(value: Any) -> Any:
    """What NumPy works on; arrays that are not on the card are refused."""
    if isinstance(value, DeviceArray):
        return value.held
    if isinstance(value, tuple | list):
        return type(value)(map(held, value))
    if isinstance(value, np.ndarray):
        raise TypeError("an array of NumPy among those on the card")
    return value


def place(key: Any) -> Any:
    """What stands between brackets."""
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        if not isinstance(part, DeviceArray | slice | int | EllipsisType | None):
            raise TypeError(f"an index of type {type(part).__name__}")
    return held(key)


def shown(result: Any) -> Any:
    """A result of NumPy as cupy gives it: single values are arrays too."""
    if isinstance(result, np.ndarray | np.generic):
        return DeviceArray(result)
    if isinstance(result, tuple | list):
        return tuple(map(shown, result))
    return result


def offered(name: str, each: Any, parameters: str) -> Any:
    """Something of NumPy's, with no more parameters than cupy's has."""
    if not parameters.startswith("ufunc"):
        if not callable(each) or isinstance(each, type):
            return shown(each) if isinstance(each, np.ndarray) else each
        return Offered(name, each, parameters)
    return Ufunc(name, each, "*operands, out, dtype, casting")


class Offered:
    """A function of NumPy's behind the parameters of cupy's."""

    def __init__(self, name: str, function: Callable[..., Any], parameters: str) -> None:
        self.name = name
        self.function = function
        self.parameters = parameters.split(", ")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.check(len(arguments), options)
        return shown(
            self.function(*map(held, arguments), **{k: held(v) for k, v in options.items()})
        )

    def check(self, count: int, options: dict[str, Any]) -> None:
        """Raise where cupy would not know an argument."""
        positional = 0
        while positional < len(self.parameters) and self.parameters[positional][:1] != "*":
            positional += 1
        rest = "".join(self.parameters[positional : positional + 1])
        if count > positional and rest in ("", "*"):
            raise TypeError(f"cupy's {self.name} takes {positional} positional arguments")
        unknown = set(options) - set(self.parameters)
        if unknown and "**kwargs" not in self.parameters:
            raise TypeError(f"cupy's {self.name} has no {', '.join(unknown)}")


class Ufunc(Offered):
    """An elementwise function, with what else cupy's can do."""

    def at(self, array: DeviceArray, places: Any, values: DeviceArray) -> None:
        """Combine values into places."""
        if array.dtype.name not in SCATTERS.get(self.name, "").split():
            raise TypeError(f"cupy.{self.name}.at of {array.dtype}")
        getattr(np, self.name).at(array.held, place(places), held(values))

    def accumulate(self, array: DeviceArray, axis: int = 0) -> DeviceArray:
        """Combine running values."""
        if self.name not in ACCUMULATES:
            raise NotImplementedError(f"cupy.{self.name}.accumulate")
        return DeviceArray(getattr(np, self.name).accumulate(array.held, axis))


class Room:
    """A module of cupy's: the names it has, and nothing else."""

    def __init__(self, name: str, model: Any, names: dict[str, str], **own: Any) -> None:
        self.__name__ = name
        self._model = model
        self._names = names
        self._own = own

    def __getattr__(self, name: str) -> Any:
        if name in self._own:
            return self._own[name]
        if name not in self._names:
            raise AttributeError(f"{self.__name__} has no {name}")
        return offered(name, getattr(self._model, name), self._names[name])


def _asarray(a: Any, dtype: Any = None) -> DeviceArray:
    """A copy on the card of what lies on the computer."""
    return DeviceArray(np.array(a.held if isinstance(a, DeviceArray) else a, dtype))


def _where(condition: DeviceArray, x: Any, y: Any) -> DeviceArray:
    """Only an array can be a condition."""
    return DeviceArray(np.where(condition.held, held(x), held(y)))


def _in_order(name: str) -> Callable[..., DeviceArray]:
    """Sorting is stable, and of no other kind."""
    function = getattr(np, name)

    def ordered(a: DeviceArray, axis: int | None = -1, kind: str | None = None) -> DeviceArray:
        if kind not in (None, "stable"):
            raise ValueError(f"cupy.{name} of kind {kind}")
        return DeviceArray(function(a.held, axis, kind="stable"))

    return ordered


def _repeat(a: DeviceArray, repeats: Any, axis: int | None = None) -> DeviceArray:
    """How often is known to the computer."""
    if isinstance(repeats, DeviceArray):
        raise ValueError("cupy.ndarray cannot be specified as `repeats` argument.")
    return DeviceArray(np.repeat(a.held, repeats, axis))


def _solve(a: DeviceArray, b: DeviceArray) -> DeviceArray:
    """Stacks of systems do not broadcast."""
    if a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
    return DeviceArray(np.linalg.solve(a.held, b.held))


cupy = Room(
    "cupy",
    np,
    SURFACE["names"],
    asarray=_asarray,
    array=_asarray,
    where=_where,
    sort=_in_order("sort"),
    argsort=_in_order("argsort"),
    repeat=_repeat,
    linalg=Room("cupy.linalg", np.linalg, SURFACE["linalg"], solve=_solve),
    lib=Room(
        "cupy.lib",
        np.lib,
        {},
        stride_tricks=Room(
            "cupy.lib.stride_tricks", np.lib.stride_tricks, SURFACE["lib.stride_tricks"]
        ),
    ),
)
special = Room("cupyx.scipy.special", scipy.special, SURFACE["special"])
