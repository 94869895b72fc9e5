"""Images sampled at the places of a grid: affine_grid, grid_sample."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import product

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import eq, logical_and
from gradcli.ops.contractions import matmul
from gradcli.ops.control import detach
from gradcli.ops.group import Group
from gradcli.ops.indexing import getitem
from gradcli.ops.kinds import cast
from gradcli.ops.rounding import floor, remainder, rint
from gradcli.ops.scattering import gather
from gradcli.ops.selection import abs_, clamp, where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, flatten, reshape
from gradcli.ops.table import SCALAR, Case, kernel

table = Group("layer")


# --- the grid of an affine map -------------------------------------------------------------


@table.function(
    cases=[
        Case("affine_grid(x, (1, 1, 2, 3))", {"x": (1, 2, 3)}),
        Case("affine_grid(x, (2, 1, 1, 2, 2), align_corners=True)", {"x": (2, 3, 4)}),
    ],
    formula="theta @ (x, y, 1), for x and y from -1 to 1",
)
def affine_grid(theta: Node, size: tuple[int, ...], align_corners: bool | None = None) -> Node:
    """The places (batch, *lengths, axes) to which theta (batch, axes, axes + 1) takes those of an
    image of `size` (batch, channels, *lengths).

    Coordinates are from -1 to 1: the centres of the outer elements with `align_corners`, else
    their outer edges.
    """
    axes = len(size) - 2
    if axes not in (2, 3) or theta.shape != (size[0], axes, axes + 1) or min(size) < 1:
        raise GradcliError(
            "shape",
            f"affine_grid: theta {show(theta.shape)} and size {show(size)} do not fit: "
            "(batch, 2, 3) and (batch, channels, height, width), or (batch, 3, 4) and one "
            "length more, are expected",
        )
    lengths = size[2:]
    theta.graph.ledger.require(8 * (axes + 1) * math.prod(lengths), "affine_grid")
    each = np.meshgrid(*(_places(n, bool(align_corners)) for n in lengths), indexing="ij")
    homogeneous = np.stack([*reversed(each), np.ones(lengths)], -1).reshape(-1, axes + 1)
    places = matmul(theta.graph.constant(homogeneous), matrix_transpose(theta))
    return reshape(places, (size[0], *lengths, axes))


def _places(length: int, aligned: bool) -> Array:
    """The coordinates of the elements of an axis."""
    if length == 1:
        return np.zeros(1)
    ends = np.linspace(-1.0, 1.0, length)
    return ends if aligned else ends * (length - 1) / length


# --- sampling ------------------------------------------------------------------------------

Corners = Iterator[tuple[Sequence[Node], Node | None]]
"""Integer places along each axis, and the weight of the elements there; None is 1."""
CUBIC = -0.75
"""The parameter of Keys's kernel (1981) that PyTorch takes."""


@table.function(
    cases=[
        Case("grid_sample(x, g)", {"x": (1, 1, 3, 3), "g": (1, 1, 2, 2)}, (-0.95, 0.95)),
        Case(
            "grid_sample(x, g, padding_mode='reflection', align_corners=True)",
            {"x": (1, 1, 2, 2, 2), "g": (1, 1, 1, 2, 3)},
            (-1.9, 1.9),
        ),
        Case(
            "grid_sample(x, g, 'bicubic', 'border')", {"x": (1, 1, 3, 3), "g": (1, 1, 1, 2)},
            (-0.95, 0.95),
        ),
        Case("grid_sample(x, [[[[0.5, -0.6]]]], 'nearest')", {"x": (1, 2, 3, 3)}),
    ],
    formula="sum of weight * input, over the elements around each place of grid",
    kink="by the grid that of the next higher place; 0 at the bounds of 'border'",
    demands={"input, grid": SCALAR, "input": kernel("grid_sampler_2d_cpu_kernel_impl")},
    autocast="float32",
)  # fmt: skip
def grid_sample(
    input: Node,
    grid: Node,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Node:
    """Input (batch, channels, *lengths) at the places in grid (batch, *new lengths, axes).

    A place is (x, y) or (x, y, z), the last axis first, with coordinates from -1 to 1 as in
    `affine_grid`. What lies outside is 0, the 'border', or a 'reflection'.
    """
    _check_grid(input, grid, mode, padding_mode)
    lengths = input.shape[2:]
    aligned = bool(align_corners)
    flat = flatten(grid, 1, -2)
    sources = [
        _unscaled(getitem(flat, [..., len(lengths) - 1 - i]), length, aligned)
        for i, length in enumerate(lengths)
    ]

    def inside(places: Sequence[Node]) -> list[Node]:
        pairs = zip(places, lengths, strict=True)
        return [BEYOND[padding_mode](place, length, aligned) for place, length in pairs]

    taps = MODES[mode](inside(sources) if mode != "bicubic" else sources)
    total: Node | None = None
    for places, weight in taps:
        found = _elements(input, inside(places) if mode == "bicubic" else places)
        part = found if weight is None else found * reshape(weight, (grid.shape[0], 1, -1))
        total = part if total is None else total + part
    assert total is not None, "every mode has elements"
    return reshape(total, (*input.shape[:2], *grid.shape[1:-1]))


def _check_grid(x: Node, grid: Node, mode: str, padding_mode: str) -> None:
    """Raise `shape` where the two do not fit, `value` for a mode that is not known."""
    axes = x.ndim - 2
    fit = axes in (2, 3) and grid.ndim == x.ndim and grid.shape[-1] == axes
    if not fit or grid.shape[0] != x.shape[0] or 0 in x.shape[2:]:
        raise GradcliError(
            "shape",
            f"grid_sample: input {show(x.shape)} and grid {show(grid.shape)} do not fit: "
            "(batch, channels, H, W) and (batch, new H, new W, 2), or one axis more in each, "
            "are expected",
        )
    if mode not in MODES or (mode == "bicubic" and axes != 2):
        raise GradcliError(
            "value",
            f"grid_sample: mode {mode!r} for {axes} axes",
            hint="modes are bilinear, nearest, and bicubic for 2 axes",
        )
    if padding_mode not in BEYOND:
        raise GradcliError(
            "value",
            f"grid_sample: there is no padding_mode {padding_mode!r}",
            hint="it is zeros, border or reflection",
        )


def _unscaled(x: Node, length: int, aligned: bool) -> Node:
    """Coordinates from -1 to 1 as places along an axis."""
    return (x + 1) / 2 * (length - 1) if aligned else ((x + 1) * length - 1) / 2


def _elements(x: Node, places: Sequence[Node]) -> Node:
    """The elements (batch, channels, count) at whole places (batch, count); 0 outside."""
    lengths = x.shape[2:]
    held, number = x.graph.constant(True), x.graph.constant(0.0)
    for place, length in zip(places, lengths, strict=True):
        held = logical_and(held, logical_and(place >= 0, place <= length - 1))
        number = number * length + place
    index = cast(where(held, number, 0.0), "int")

    def along_channels(node: Node) -> Node:
        return expand(reshape(node, (x.shape[0], 1, -1)), (*x.shape[:2], node.shape[-1]))

    return where(along_channels(held), gather(flatten(x, 2, -1), -1, along_channels(index)), 0.0)


def _nearest(sources: Sequence[Node]) -> Corners:
    yield [rint(source) for source in sources], None


def _linear(sources: Sequence[Node]) -> Corners:
    below = [floor(source) for source in sources]
    shares = [source - first for source, first in zip(sources, below, strict=True)]
    for corner in product((0, 1), repeat=len(sources)):
        weights = [share if up else 1 - share for up, share in zip(corner, shares, strict=True)]
        yield (
            [first + up for first, up in zip(below, corner, strict=True)],
            reduce(operator.mul, weights),
        )


def _cubic(sources: Sequence[Node]) -> Corners:
    below = [floor(source) for source in sources]
    shares = [source - first for source, first in zip(sources, below, strict=True)]
    weights = [_cubic_weights(share) for share in shares]
    for corner in product(range(4), repeat=len(sources)):
        places = [first + (step - 1) for first, step in zip(below, corner, strict=True)]
        each = (by_step[step] for by_step, step in zip(weights, corner, strict=True))
        yield places, reduce(operator.mul, each)


def _cubic_weights(share: Node) -> list[Node]:
    """The weights of the elements at -1, 0, 1 and 2 around a place between 0 and 1."""

    def near(x: Node) -> Node:
        return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1

    def far(x: Node) -> Node:
        return ((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC

    return [far(share + 1), near(share), near(1 - share), far(2 - share)]


MODES: dict[str, Callable[[Sequence[Node]], Corners]] = {
    "bilinear": _linear, "nearest": _nearest, "bicubic": _cubic,
}  # fmt: skip


def _border(x: Node, length: int, aligned: bool) -> Node:
    return clamp(x, x.graph.constant(0.0), x.graph.constant(float(length - 1)))


def _reflected(x: Node, length: int, aligned: bool) -> Node:
    """Mirrored at the ends: the centres of the outer elements if aligned, else their edges."""
    low, span = (0.0, length - 1.0) if aligned else (-0.5, float(length))
    if not span:
        return x * 0.0
    distance = abs_(x - low)
    behind = remainder(distance, span)
    even = eq(remainder(detach(floor(distance / span)), 2.0), 0.0)
    return _border(where(even, behind + low, span - behind + low), length, aligned)


BEYOND: dict[str, Callable[[Node, int, bool], Node]] = {
    "zeros": lambda x, length, aligned: x, "border": _border, "reflection": _reflected,
}  # fmt: skip
"""What stands for a place outside, by `padding_mode`."""
