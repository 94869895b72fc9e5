"""Tensors as text in PyTorch's notation, as `torch/_tensor_str.py` writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gradcli.graph import Array, Shape
from gradcli.tuples import NamedTuple

LINE = "\n"
DTYPE = "dtype=torch."


class Style(NamedTuple):
    """What `torch.set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    """Of arrays with more elements, `edge` items from both ends of each axis are shown."""
    edge: int = 3
    width: int = 80
    exponents: bool | None = None
    """Whether numbers are written with exponents; None where that depends on them."""


PLAIN = Style()
PROFILES = {"default": PLAIN, "short": Style(2, edge=2), "full": Style(threshold=math.inf)}


def with_suffixes(array: Array, suffixes: Sequence[str], style: Style = PLAIN) -> str:
    """A tensor with suffixes, in a line of their own where they do not fit."""
    dtype = next((each for each in suffixes if each.startswith(DTYPE)), "")
    found = tensor_text(as_held(array, dtype.removeprefix(DTYPE)), style).removesuffix(")")
    if dtype:
        found = found.removesuffix(f", {DTYPE}int64")
    width = len(found) - found.rfind(LINE) + 1
    for suffix in suffixes:
        if width + len(suffix) + 2 > style.width:
            indent = len("tensor(")
            found += f",{LINE}{' ' * indent}{suffix}"
            width = indent + len(suffix)
        else:
            found += f", {suffix}"
            width += len(suffix) + 2
    return f"{found})"


def tensor_text(array: Array, style: Style = PLAIN) -> str:
    """The array as a tensor of a default dtype; of long axes only the edges."""
    if not array.size:
        size = "" if array.ndim == 1 else f", size={array.shape}"
        kinds = {"i": ", dtype=torch.int64", "b": ", dtype=torch.bool"}
        return f"tensor([]{size}{kinds.get(array.dtype.kind, '')})"
    edge = style.edge
    cut = [array.size > style.threshold and length > 2 * edge for length in array.shape]
    for axis, is_cut in enumerate(cut):
        if is_cut:
            array = array.take([*range(edge), *range(-edge, 0)], axis)
    cells, width = _cells(array, style)
    return f"tensor({_CellRows(width, style).text(cells, array.shape, cut, len('tensor('))})"


def _cells(array: Array, style: Style) -> tuple[list[str], int]:
    """The elements in one notation, and the width of those that are finite and not 0."""
    if array.dtype.kind == "c":
        return _complex_cells(array, style)
    numbers = array.ravel().tolist()
    if array.dtype.kind != "f":
        texts = [str(number) for number in numbers]
        width = max(map(len, texts))
        return [each.rjust(width) for each in texts], width
    sizes = [abs(number) for number in numbers if number and math.isfinite(number)]
    notate = _notation(sizes, style)
    found = (number for number in numbers if number and math.isfinite(number))
    width = max((len(notate(number)) for number in found), default=1)
    return [notate(number).rjust(width) for number in numbers], width


def _complex_cells(array: Array, style: Style) -> tuple[list[str], int]:
    """Complex elements: the real parts in one notation, the imaginary parts in another."""
    real, width = _cells(array.real, style)
    imaginary, more = _cells(array.imag, style)
    signed = (each.lstrip() if each.lstrip()[0] in "+-" else f"+{each.lstrip()}"
              for each in imaginary)  # fmt: skip
    cells = [f"{a}{b}j" for a, b in zip(real, signed, strict=True)]
    return cells, width + more + 1


def _notation(sizes: Sequence[float], style: Style) -> Callable[[float], str]:
    """Whole numbers as `3.`, others with four digits; with exponents if magnitudes differ much."""
    least, most = min(sizes, default=1.0), max(sizes, default=1.0)
    exponents = style.exponents
    if exponents is None:
        exponents = most / least > 1000 or most > 1e8 or least < 1e-4
    if exponents:
        return f"{{:.{style.precision}e}}".format
    if all(map(float.is_integer, sizes)):
        return lambda number: f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"
    return f"{{:.{style.precision}f}}".format


class _CellRows(NamedTuple):
    """Cells in brackets, rows below each other, `...` where an axis is cut."""

    cell: int
    """The width of a cell."""
    style: Style

    def text(self, cells: Sequence[str], shape: Shape, cut: Sequence[bool], indent: int) -> str:
        """The cells of an array of that shape, which begins behind so many blanks."""
        if not shape:
            return cells[0]
        edge = self.style.edge
        below = " " * (indent + 1)
        if len(shape) == 1:
            items = [*cells[:edge], " ...", *cells[edge:]] if cut[0] else cells
            count = max(1, (self.style.width - indent) // (self.cell + 2))
            lines = [", ".join(items[i : i + count]) for i in range(0, len(items), count)]
            return f"[{f',{LINE}{below}'.join(lines)}]"
        size = len(cells) // shape[0]
        parts = [
            self.text(cells[start : start + size], shape[1:], cut[1:], indent + 1)
            for start in range(0, len(cells), size)
        ]
        if cut[0]:
            parts.insert(edge, "...")
        return f"[{f',{LINE * (len(shape) - 1)}{below}'.join(parts)}]"


def as_held(array: Array, dtype: str) -> Array:
    """The elements as that dtype holds them: fewer digits, and integers that wrap around."""
    if not dtype:
        return array
    if array.dtype.kind == "i":
        return array.astype(dtype).astype(np.int64)
    if array.dtype.kind == "c":
        return array.astype(dtype)
    if dtype == "bfloat16":
        bits = array.astype(np.float32).view(np.uint32)
        half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
        near = ((bits + half) & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isfinite(array), near, array)
    with np.errstate(over="ignore"):
        return array.astype(dtype).astype(array.dtype)
