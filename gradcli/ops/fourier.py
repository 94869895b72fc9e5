"""The discrete Fourier transform of complex numbers, whose parts lie along the last axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.ops.kinds import Linear

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace


def _forward(xp: ArrayNamespace, x: Array, sign: int) -> Array:
    """Sums of x_k times e^(sign·2πi·jk/n), along the axis before the last."""
    if x.dtype.kind == "c":
        raise TypeError("the parts of complex numbers are real")
    # Parts that lie side by side are a complex number: 1j times an infinite one would be nan.
    numbers = xp.ascontiguousarray(x).view(xp.result_type(x, xp.complex64))[..., 0]
    found = xp.fft.ifft(numbers, norm="forward") if sign > 0 else xp.fft.fft(numbers)
    found = xp.ascontiguousarray(found.astype(numbers.dtype, copy=False))
    return found[..., None].view(x.dtype)


FOURIER: Linear = Linear(
    "fourier",
    infer=lambda x, sign: x.shape,
    forward=_forward,
    adjoints=(lambda change, y, x, sign: x.graph.apply(FOURIER, (change,), (-sign,)),),
    work=lambda node: (2 if node.graph.precision == "float64" else 6) * node.size,
)
"""Its adjoint is that of the other sign: both without a factor. NumPy transforms numbers of float32
in float64.
"""


def fourier(x: Node, sign: int) -> Node:
    """The transform of x, of shape (…, n, 2); `sign` is that of the exponent, 1 or -1."""
    return x.graph.apply(FOURIER, (x,), (sign,))
