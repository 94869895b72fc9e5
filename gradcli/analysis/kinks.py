"""Where a function is not smooth: distances that ops report, compared at two points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradcli.diagnostics import Source
from gradcli.graph import Array, Node, Shape

LONGEST = 40
"""For a longer expression, the name of its op is used."""


@dataclass(frozen=True, slots=True, eq=False)
class Kink:
    """An op that is not smooth somewhere near a point."""

    node: Node
    distance: float
    """Along the line that was followed; 0 on the kink."""

    def describe(self, source: Source, place: str) -> str:
        """`a kink of abs(x - 1) at x[2], 3e-09 away`."""
        text = source.text[slice(*self.node.span)] if self.node.span else ""
        what = text if 0 < len(text) <= LONGEST else self.node.op.name
        away = f", {self.distance:.0e} away" if self.distance else ""
        return f"a kink of {what} at {place}{away}"


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The smooth piece of the function that a point is in."""

    edges: dict[Node, Array]
    """By op: signed distances to the points where it is not smooth."""
    choices: dict[Node, Array]
    """Choices that depend on the leaf: integers, truth values, steps."""


def crossed(here: Surroundings, there: Surroundings, step: float) -> Kink | None:
    """The nearest op with an edge at or between two points that are `step` apart.

    Distances to edges are taken as linear along the line.
    """
    nearest: Kink | None = None
    for node, before in here.edges.items():
        after = there.edges[node]
        with np.errstate(all="ignore"):
            moved = np.abs(after - before)
            flips = (np.sign(before) != np.sign(after)) & (moved > 0)
            parts = np.where(np.isfinite(moved), np.abs(before) / moved, 0.5)[flips]
        if parts.size:
            distance = float(np.min(parts)) * step
            if nearest is None or distance < nearest.distance:
                nearest = Kink(node, distance)
    if nearest is None:
        for node, choice in here.choices.items():
            if not np.array_equal(choice, there.choices[node]):
                return Kink(node, step / 2)
    return nearest


def crossings(here: Surroundings, there: Surroundings, shape: Shape) -> Array | None:
    """The elements of a leaf of this shape that cross an edge between two points, as far as ops
    with results of the same shape tell; None where nothing is crossed.
    """
    found: Array | None = None
    none = np.zeros(shape, bool)
    for before, after in [
        *((edge, there.edges[node]) for node, edge in here.edges.items()),
        *((choice, there.choices[node]) for node, choice in here.choices.items()),
    ]:
        with np.errstate(all="ignore"):
            flips = (
                before != after if before.dtype.kind != "f" else np.sign(before) != np.sign(after)
            )
        if flips.any():
            own = flips if flips.shape == shape else none
            found = own if found is None else found | own
    return found
