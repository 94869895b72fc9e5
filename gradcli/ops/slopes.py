"""Differences on grids, and numbers as fractions and powers of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.language.construct import attribute, call
from gradcli.ops.exponential import exp2
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General, cast
from gradcli.ops.rounding import floor
from gradcli.ops.scans import diff
from gradcli.ops.shapes import Axes, normalize_axis, show
from gradcli.ops.shaping import part, reshape
from gradcli.ops.table import Case, Demand

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

scans = Group("scan")
arithmetic = Group("arithmetic")

# --- derivatives of what is known on a grid ------------------------------------------------


@scans.function(
    cases=[
        Case("gradient(x)[0]", {"x": (4,)}),
        Case("gradient(x, spacing=0.5, dim=1, edge_order=2)[0]", {"x": (2, 4)}),
        Case("gradient(x, spacing=[y], dim=0)[0]", {"x": (4,), "y": (4,)}),
        Case("gradient(x, spacing=[y], dim=0, edge_order=2)[0]", {"x": (4,), "y": (4,)}),
    ],
    unlike={"np.gradient": "torch.gradient(x, spacing=…)", "jnp.gradient": "torch.gradient(x)"},
    formula="(x[i + 1] - x[i - 1]) / (2 * spacing)",
    overloaded=True,
)
def gradient(
    x: Node,
    *,
    spacing: Node | Sequence[Node] | None = None,
    dim: Axes | None = None,
    edge_order: int = 1,
) -> tuple[Node, ...]:
    """For each axis in `dim` (all without it) the derivative along it, from the values on a grid.

    `spacing` is the distance of neighbours (1), or for each axis its own or a vector of places.
    The ends take two places, or three with edge_order=2.
    """
    axes = [normalize_axis("gradient", each, x.ndim) for each in dim or range(x.ndim)]
    if edge_order not in (1, 2):
        raise GradcliError("value", f"gradient: edge_order is 1 or 2, not {edge_order}")
    one = x.graph.constant(1.0) if spacing is None else spacing
    spaces = [one] * len(axes) if isinstance(one, Node) else list(one)
    if len(spaces) != len(axes):
        raise GradcliError(
            "value", f"gradient: {len(spaces)} spacings are given for {len(axes)} axes"
        )
    x = cast(x, "float")
    return tuple(
        _slope(x, axis, space, edge_order) for axis, space in zip(axes, spaces, strict=True)
    )


def _slope(x: Node, axis: int, space: Node, edge_order: int) -> Node:
    """The derivative along one axis, of the second order inside: for steps h before a place and k
    behind it, (h² x[i+1] + (k² - h²) x[i] - k² x[i-1]) / (h k (h + k)).
    """
    length = x.shape[axis] if x.ndim else 0
    if length <= edge_order:
        raise GradcliError(
            "shape", f"gradient: axis {axis} of {show(x.shape)} needs {edge_order + 1} elements"
        )
    if space.ndim > 1 or (space.ndim and space.size != length):
        raise GradcliError(
            "shape",
            f"gradient: a spacing is a number or a vector of {length} places, not "
            f"{show(space.shape)}",
        )
    steps = diff.build(space) if space.ndim else None
    changes = diff.build(x, 1, axis)

    def step(first: int, count: int) -> Node:
        if steps is None:
            return space
        return reshape(part(steps, -1, first, count), (count, *(1,) * (-1 - axis)))

    def secant(first: int, count: int) -> Node:
        return part(changes, axis, first, count) / step(first, count)

    ends = [secant(0, 1), secant(length - 2, 1)]
    if edge_order == 2:
        inner = [secant(1, 1), secant(length - 3, 1)]
        near, far = [step(0, 1), step(length - 2, 1)], [step(1, 1), step(length - 3, 1)]
        ends = [
            end + (end - other) * (h / (h + k))
            for end, other, h, k in zip(ends, inner, near, far, strict=True)
        ]
    count = length - 2
    before, behind = step(0, count), step(1, count)
    middle = (secant(0, count) * behind + secant(1, count) * before) / (before + behind)
    return cat([ends[0], middle, ends[1]], axis)


# --- fractions and powers of two -----------------------------------------------------------


@arithmetic.function(
    cases=[Case("ldexp(x, y)", {"x": (2, 3), "y": (3,)}), Case("ldexp(x, 3)")],
    formula="x * 2**other",
)
def ldexp(x: Node, other: Node) -> Node:
    """x times a power of two."""
    return x * exp2(other)


def _exponent(xp: ArrayNamespace, x: Array) -> Array:
    found = xp.frexp(x)[1].astype(xp.int64)
    return xp.where(xp.isfinite(x), found, xp.zeros((), found.dtype))


EXPONENT = General(
    "exponent",
    infer=lambda x: (x.shape, "int"),
    forward=_exponent,
    edge=lambda xp, x: x - 2.0 ** _exponent(xp, x),
    spell=lambda node, x: attribute(call("frexp", x), "exponent"),
)
"""The power of two above the size of a number; 0 of 0, inf and nan."""


class Fraction(NamedTuple):
    """The result of `frexp`."""

    mantissa: Node
    exponent: Node


@arithmetic.function(
    cases=[Case("frexp(x).mantissa", domain=(0.6, 0.9)), Case("frexp(x)[0]", domain=(5.0, 7.0))],
    formula="x / 2**exponent",
    kink="at a jump the derivative from inside the step",
    torch="torch.frexp",
    demands={"x": Demand("torch.frexp() only supports floating-point dtypes")},
    order="kept",
)
def frexp(x: Node) -> Fraction:
    """A fraction from 1/2 to 1 in size, and the power of two that gives x with it."""
    x = cast(x, "float")
    exponent = x.graph.apply(EXPONENT, (x,))
    half = floor(-exponent / 2)  # one power of two could be too large
    return Fraction(x * exp2(half) * exp2(-exponent - half), exponent)
