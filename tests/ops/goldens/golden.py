"""What a golden says, and how arrays are kept: shared by the script that makes goldens with
PyTorch and by the test that reads them without.

A module in `cases` lists `Golden`s. The script runs each on PyTorch and writes `<module>.json`:
programs, inputs, values, and gradients for the cotangent that `cotangent` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class View:
    """An input that the program reads through a view, so that it is not contiguous."""

    base: Array
    how: str
    """One of `.T`, `.mT`, `[::2]`, `[..., ::2]`."""


Input: TypeAlias = "Array | View | float | Sequence[Any]"


@dataclass(frozen=True)
class Golden:
    """One call on many inputs, in gradcli's words and in PyTorch's."""

    function: str
    """The entry of the op table that it tests."""
    program: str
    """What gradcli runs; it reads the names of the inputs."""
    torch: Callable[..., Any]
    """What PyTorch runs on the same inputs, in their order: one tensor in float64 comes back."""
    inputs: Sequence[Mapping[str, Input]]
    """One mapping a record. Arrays of integers and truth values stay what they are."""
    rtol: float = 1e-12
    """Of each element where `elementwise`, else of the largest finite element."""
    atol: float = 0.0
    reason: str = ""
    """Why PyTorch's result is not within 1e-12 (1e-10 for linear algebra) of the right one."""
    elementwise: bool = False
    differentiable: bool = True
    """False where only the value is compared; the deviations or the kinks say why."""


def cotangent(shape: tuple[int, ...]) -> Array:
    """The gradient that goes in: small numbers of both signs that float64 holds exactly."""
    count = int(np.prod(shape, dtype=np.int64))
    return ((np.arange(count) * 7 % 11 - 4.5) / 4).reshape(shape)


def encode(array: Array) -> dict[str, Any]:
    """An array as JSON, every bit kept: `repr` of a float is read back as the same float.

    Whole numbers are written without a point: most of what shaping moves are such.
    """
    values = [_encode_number(value) for value in array.ravel().tolist()]
    kind = {} if array.dtype.kind == "f" else {"kind": array.dtype.kind}
    return {"shape": list(array.shape), **kind, "data": values}


def _encode_number(value: float | bool) -> float | bool | str:
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (float("inf"), float("-inf")):
            return "inf" if value > 0 else "-inf"
        if value.is_integer() and abs(value) < 1e6 and repr(value) != "-0.0":
            return int(value)
    return value


def decode(stored: Mapping[str, Any]) -> Array:
    """The array that `encode` wrote."""
    dtype = {"f": np.float64, "i": np.int64, "b": np.bool_}[stored.get("kind", "f")]
    values = [float(each) if isinstance(each, str) else each for each in stored["data"]]
    return np.array(values, dtype).reshape(stored["shape"])
