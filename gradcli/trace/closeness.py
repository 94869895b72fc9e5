"""Whether two arrays agree, and where they differ most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

import numpy as np

from gradcli.graph import Array, Precision

TOLERANCE: dict[Precision, tuple[float, float]] = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
}
"""Relative and absolute tolerance of PyTorch's `assert_close`."""
_OF_DTYPES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}  # fmt: skip


def tolerance(dtypes: Iterable[str]) -> tuple[float, float]:
    """The largest tolerances of some dtypes; there is none of integers."""
    pairs = [_OF_DTYPES.get(each, (0.0, 0.0)) for each in dtypes]
    return max(each for each, _ in pairs), max(each for _, each in pairs)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The worst of the elements that differ."""

    place: tuple[int, ...]
    found: float
    wanted: float
    count: int
    """How many elements differ."""
    total: int

    @property
    def both_nan(self) -> bool:
        return isnan(self.found) and isnan(self.wanted)

    def __str__(self) -> str:
        where = f" at [{', '.join(map(str, self.place))}]" if self.place else ""
        difference = abs(self.found - self.wanted)
        many = f"; {self.count} of {self.total} elements differ" if self.total > 1 else ""
        return (
            f"{self.found:.10g} instead of {self.wanted:.10g}{where}, "
            f"a difference of {difference:.3g}{many}"
        )


def worst(
    found: Array, wanted: Array, rtol: float, atol: float, *, equal_nan: bool
) -> Mismatch | None:
    """The element where arrays of one shape differ most, if |found - wanted| <= atol +
    rtol·|wanted| does not hold everywhere. Equal infinities agree, and two nan where they may.
    """
    a, b = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    close = _close(a, b, rtol, atol, equal_nan=equal_nan)
    if close.all():
        return None
    with np.errstate(all="ignore"):
        difference = np.abs(a - b)
    badness = np.where(close, -1.0, np.where(np.isnan(difference), np.inf, difference))
    place = tuple(int(i) for i in np.unravel_index(np.argmax(badness), badness.shape))
    return Mismatch(place, float(a[place]), float(b[place]), int((~close).sum()), a.size)


def _close(a: Array, b: Array, rtol: float, atol: float, *, equal_nan: bool) -> Array:
    with np.errstate(all="ignore"):
        near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b)
    close: Array = (a == b) | near
    return close | (np.isnan(a) & np.isnan(b)) if equal_nan else close


def told(a: Array, b: Array, rtol: float, atol: float, *, equal_nan: bool) -> str:
    """PyTorch's words for arrays that are not close, in the dtype in which it has them."""
    of_integers = a.dtype.kind in "iu"
    if of_integers:  # few bits would not hold a difference
        a, b = a.astype(np.int64), b.astype(np.int64)
    close = _close(a, b, rtol, atol, equal_nan=equal_nan)
    kind = "close" if rtol or atol else "equal"
    with np.errstate(all="ignore"):
        apart = np.where(close, 0, np.abs(a - b))
        relative = np.where(close, 0, apart / np.abs(b))
    if of_integers:
        relative = relative.astype(np.float32)
    bounds = (f" (up to {each} allowed)" if rtol or atol else "" for each in (atol, rtol))
    if not a.ndim:
        said = [f"Scalars are not {kind}!", "", f"Expected {b.item()} but got {a.item()}."]
        parts = zip(("Absolute", "Relative"), (apart, relative), bounds, strict=True)
        said += [f"{name} difference: {each.item()}{most}" for name, each, most in parts]
        return "\n".join(said)
    count = int((~close).sum())
    said = [f"Tensor-likes are not {kind}!", "",
            f"Mismatched elements: {count} / {a.size} ({count / a.size:.1%})"]  # fmt: skip
    for name, each, most in zip(("absolute", "relative"), (apart, relative), bounds, strict=True):
        place = tuple(int(i) for i in np.unravel_index(np.argmax(each), each.shape))
        said.append(f"Greatest {name} difference: {each[place].item()} at index {place}{most}")
    return "\n".join(said)
