"""Boxes in layers, and the ways of the arrows between them (Sugiyama, Tagawa and Toda 1981).

Each box is below the boxes that it is computed from. An arrow that passes a layer has a place of
its own there, as a narrow box has, so it never runs behind a box; the arrows that leave one box
share it. Where they share many, all but the first are drawn from the last of these: so the size of
a picture grows with the places, and not with the square of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MARGIN = 10.0
ASIDE, BETWEEN = 24.0, 44.0
"""Pixels between boxes of a layer, and between layers."""
LANE = 6.0
"""The width of the place that an arrow has in a layer that it passes."""
SWEEPS = 8
SHARED = 12
"""Layers that an arrow may pass together with others of its box and still be drawn from the box."""

Point = tuple[float, float]


@dataclass(slots=True)
class Placed:
    """Where a box is."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another; between the points, two by two, it bends and goes straight down."""

    start: int
    end: int
    points: list[Point]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A picture of boxes and arrows, in pixels."""

    placed: list[Placed]
    arrows: list[Arrow]
    width: float
    height: float


def arrange(sizes: Sequence[tuple[float, float]], above: Sequence[Sequence[int]]) -> Arrangement:
    """Place boxes of these sizes; `above` has for each box those, before it, that it depends on."""
    lanes = _Lanes(above)
    widths = [*(width for width, _ in sizes), *(LANE for _ in lanes.near[len(sizes) :])]
    layers = _ordered(lanes)
    across = _across(layers, lanes, widths)
    tops, bottoms = _down(layers, sizes)
    placed = [
        Placed(across[box] - width / 2, tops[lanes.depth[box]], width, height)
        for box, (width, height) in enumerate(sizes)
    ]
    left = min((at.x for at in placed), default=MARGIN) - MARGIN
    left = min([left, *(across[lane] - MARGIN for lane in range(len(sizes), len(across)))])
    for at in placed:
        at.x -= left
    across = [x - left for x in across]
    drawn = list(lanes.depth)  # the last layer to which an arrow of each box is drawn
    arrows = []
    for box, operands in enumerate(above):
        last = lanes.depth[box] - 1
        for start in dict.fromkeys(operands):
            shared = min(drawn[start], last)
            first = shared if shared - lanes.depth[start] > SHARED else lanes.depth[start]
            way = _way(start, box, first, lanes, across, tops, bottoms, placed)
            arrows.append(Arrow(start, box, way))
            drawn[start] = max(drawn[start], last)
    right = max((x + width / 2 for x, width in zip(across, widths, strict=True)), default=0.0)
    return Arrangement(placed, arrows, right + MARGIN, (bottoms or [0.0])[-1] + MARGIN)


class _Lanes:
    """Boxes, and behind them the lanes of arrows that pass layers, with their neighbours."""

    def __init__(self, above: Sequence[Sequence[int]]) -> None:
        self.depth = _depths(above)
        self.near: list[list[int]] = [[] for _ in above]
        """What is directly above each box and lane."""
        self.passed: dict[tuple[int, int], int] = {}
        """The lane of the arrows from a box in a layer."""
        for box, operands in enumerate(above):
            for start in dict.fromkeys(operands):
                self.near[box].append(self._before(start, self.depth[box]))
        self.below: list[list[int]] = [[] for _ in self.near]
        for place, operands in enumerate(self.near):
            for each in operands:
                self.below[each].append(place)

    def _before(self, start: int, depth: int) -> int:
        """The box or lane through which arrows from a box come to a layer."""
        last = start
        for layer in range(self.depth[start] + 1, depth):
            lane = self.passed.get((start, layer))
            if lane is None:
                lane = self.passed[start, layer] = len(self.depth)
                self.depth.append(layer)
                self.near.append([last])
            last = lane
        return last


def _depths(above: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each box: the longest path from one that depends on none, which itself is
    directly above its first use.
    """
    depth: list[int] = []
    first: dict[int, int] = {}
    for operands in above:
        depth.append(max((depth[each] for each in operands), default=-1) + 1)
        for each in operands:
            first[each] = min(depth[-1], first.get(each, depth[-1]))
    return [
        depth[box] if operands or box not in first else first[box] - 1
        for box, operands in enumerate(above)
    ]


def _ordered(lanes: _Lanes) -> list[list[int]]:
    """Layers from left to right so that few arrows cross: each place by the mean of its neighbours,
    down and up in turn.
    """
    layers: list[list[int]] = [[] for _ in range(max(lanes.depth, default=-1) + 1)]
    for place, depth in enumerate(lanes.depth):
        layers[depth].append(place)
    position = [0.0] * len(lanes.depth)
    for layer in layers:
        for row, place in enumerate(layer):
            position[place] = float(row)
    for sweep in range(SWEEPS):
        near = lanes.near if sweep % 2 == 0 else lanes.below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = {place: _mean(near[place], position, position[place]) for place in layer}
            layer.sort(key=wanted.__getitem__)
            for row, place in enumerate(layer):
                position[place] = float(row)
    return layers


def _across(layers: Sequence[Sequence[int]], lanes: _Lanes, widths: Sequence[float]) -> list[float]:
    """The middle of each place: near those of its neighbours, and none over another."""
    across = [0.0] * len(widths)
    for layer in layers:
        _settle(layer, [0.0] * len(layer), widths, across)
    for sweep in range(SWEEPS):
        near = lanes.near if sweep % 2 == 0 else lanes.below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean(near[place], across, across[place]) for place in layer]
            _settle(layer, wanted, widths, across)
    return across


def _settle(
    layer: Sequence[int], wanted: Sequence[float], widths: Sequence[float], across: list[float]
) -> None:
    """Set the middles in a layer as near to the wanted ones as their order and widths allow: least
    squares, by pooling neighbours that would overlap (Ayer et al. 1955).
    """
    pools: list[tuple[float, int]] = []  # the mean of wanted left shifts, and how many share it
    shifts: list[float] = []
    edge = 0.0
    for place, want in zip(layer, wanted, strict=True):
        shifts.append(edge + widths[place] / 2)
        edge += widths[place] + ASIDE
        mean, count = want - shifts[-1], 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        pools.append((mean, count))
    starts = [mean for mean, count in pools for _ in range(count)]
    for place, start, shift in zip(layer, starts, shifts, strict=True):
        across[place] = start + shift


def _down(
    layers: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]]
) -> tuple[list[float], list[float]]:
    """The top and the bottom of each layer."""
    tops, bottoms, y = [], [], MARGIN
    for layer in layers:
        tops.append(y)
        bottoms.append(y + max((sizes[box][1] for box in layer if box < len(sizes)), default=0.0))
        y = bottoms[-1] + BETWEEN
    return tops, bottoms


def _way(
    start: int,
    end: int,
    first: int,
    lanes: _Lanes,
    across: Sequence[float],
    tops: Sequence[float],
    bottoms: Sequence[float],
    placed: Sequence[Placed],
) -> list[Point]:
    """The points of an arrow from a layer on: it leaves a box and each layer straight down, and
    bends between.
    """
    points = []
    for layer in range(first, lanes.depth[end]):
        if layer == lanes.depth[start]:
            x, top = across[start], placed[start].y + placed[start].height
        else:
            x, top = across[lanes.passed[start, layer]], tops[layer]
        points += [(x, top), (x, bottoms[layer])]
    return [*points, (across[end], tops[lanes.depth[end]])]


def path(arrow: Arrow) -> str:
    """An arrow as the path of an SVG."""
    (x, y), *rest = arrow.points
    parts = [f"M{x:.0f},{y:.0f}"]
    for place, (to_x, to_y) in enumerate(rest):
        if place % 2 == 0:  # straight down, through a layer
            parts.append(f"V{to_y:.0f}")
        else:
            half = (y + to_y) / 2
            parts.append(f"C{x:.0f},{half:.0f} {to_x:.0f},{half:.0f} {to_x:.0f},{to_y:.0f}")
        x, y = to_x, to_y
    return "".join(parts)


def _mean(places: Sequence[int], numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers[each] for each in places) / len(places) if places else otherwise
