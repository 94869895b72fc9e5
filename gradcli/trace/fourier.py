"""`torch.fft`: transforms along axes of the parts of complex tensors; gradients flow through."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import f
from gradcli.ops.fourier import fourier
from gradcli.ops.shapes import normalize_axis
from gradcli.trace.complex_parts import Parts, spread


class FourierTransform(NamedTuple):
    """`torch.fft.rfft(x, n, dim, norm)` and its like."""

    name: str
    axes: list[int] | None
    lengths: list[int] | None
    norm: str

    @property
    def is_back(self) -> bool:
        return self.name.startswith("i")

    @property
    def is_real(self) -> bool:
        """Whether it is of, or gives, real elements: those of half of the frequencies suffice."""
        return "rfft" in self.name

    def scale(self, length: int) -> float:
        if self.norm == "ortho":
            return float(length**-0.5)
        return 1 / length if (self.norm == "forward") != self.is_back else 1.0


def transformed(asked: FourierTransform, parts: Parts, is_real: bool) -> tuple[Node, Node | None]:
    """The parts of a transform of a tensor, whose imaginary part may be nought; None in the place
    of an imaginary part where the result is real.
    """
    if asked.is_real and not asked.is_back and not is_real:
        raise GradcliError("type", f"{asked.name} takes a real tensor", hint="torch.fft.fft")
    real, imaginary = parts
    imaginary = spread(imaginary, real.shape)
    axes = _axes(asked, real.ndim)
    lengths = asked.lengths or [real.shape[axis] for axis in axes]
    if asked.lengths is None and asked.is_real and asked.is_back:
        lengths[-1] = 2 * (lengths[-1] - 1)
    for length in lengths:
        if length < 1:
            raise without_elements(length)
    last = len(axes) - 1
    order = [last, *range(last)] if not asked.is_back else [*range(last), last]
    for place in order:
        half = asked.is_real and place == last
        found = _along(asked, half, (real, imaginary), axes[place], lengths[place])
        real, imaginary = found[0], imaginary if found[1] is None else found[1]
        if found[1] is None:
            return real, None
    return real, imaginary


def without_elements(length: int) -> GradcliError:
    """The error for a transform of so many elements."""
    said = f"Invalid number of data points ({length}) specified"
    message = f"a transform has 1 element or more, not {length}"
    return RefusedError(("RuntimeError", said), "value", message)


def _axes(asked: FourierTransform, ndim: int) -> list[int]:
    """Which axes are transformed, one after the other."""
    given = asked.axes
    if given is None:
        few = [-1] if asked.name[-1] == "t" else [-2, -1] if asked.name[-1] == "2" else None
        count = len(asked.lengths) if asked.lengths else ndim
        given = few if few is not None else [*range(ndim - count, ndim)]
    return [normalize_axis(f"torch.fft.{asked.name}", axis, ndim) for axis in given]


def _along(
    asked: FourierTransform, half: bool, parts: Parts, axis: int, length: int
) -> tuple[Node, Node | None]:
    """The transform along one axis; of the half of the frequencies, if those are given or asked."""
    real, imaginary = (f("movedim", each, (axis,), (-1,)) for each in parts)
    given = length // 2 + 1 if half and asked.is_back else length
    used = min(real.shape[-1], given)
    numbers = f("narrow", f("stack", (real, imaginary), dim=-1), -2, 0, used)
    if half and asked.is_back:  # each stands for the one of the opposite frequency, too
        weights = np.ones((used, 1))
        weights[1 : (length + 1) // 2] = 2
        numbers = numbers * numbers.graph.constant(weights)
    if used < length:
        numbers = f("pad", numbers, (0, 0, 0, length - used), "constant", 0.0)
    scale = asked.scale(length)
    found = fourier(numbers, 1 if asked.is_back else -1)
    found = found if scale == 1 else found * scale
    if half and not asked.is_back:
        found = f("narrow", found, -2, 0, length // 2 + 1)
    whole, other = (f("movedim", f("select", found, -1, i), (-1,), (axis,)) for i in (0, 1))
    return whole, None if half and asked.is_back else other
