"""How a GPU walks over a region: the elements of each thread.

A shape has swept axes, which threads walk along (those that are reduced; all, where nothing is),
and kept ones: each place of the kept axes has threads, or several blocks, of its own. Nothing here
depends on the card, so neither do the bits of a result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gradcli.graph import Shape

Strides = tuple[int, ...]
"""In elements, one an axis; 0 where an operand repeats."""

THREADS = 256
"""Threads of a block; a power of two."""
COLUMNS = 64
"""Neighbours that the threads of a block read together, where the last axis is kept."""
PARTS = 4096
"""About how many blocks the work is divided into, on every card, so that the bits are the same."""
PACK_BYTES = 16
"""What a thread reads at once, where it can: more is no quicker."""
FLIGHT_BYTES = 32
"""What a thread asks for before it waits, about: so many bytes must be under way to use all of the
bandwidth."""
NARROW = 1 << 30
"""Indices below this are 32 bits wide, which is quicker."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis, or several that all operands walk along as if they were one."""

    length: int
    strides: Strides
    """Of each operand, and last of a result in C order."""


@dataclass(frozen=True, slots=True)
class SweepLayout:
    """A walk. The kernel's text depends on all but `parts`, `chunk` and the first lengths."""

    kept: tuple[Axis, ...]
    swept: tuple[Axis, ...]
    along: bool
    """Neighbouring threads stand next to each other on a swept axis, not on a kept one."""
    rows: int
    """Threads of a block along the swept axes; the others are along the kept ones."""
    pack: int
    """Neighbouring elements that a thread reads at once."""
    ahead: int
    """Packs that a thread reads before it computes."""
    wide: bool
    """Indices have 64 bits."""
    parts: int
    """Blocks that share the swept axes of one place."""
    chunk: int
    """How many packs each of them takes."""

    @property
    def columns(self) -> int:
        """Threads of a block along the kept axes."""
        return THREADS // self.rows

    @property
    def places(self) -> int:
        """Places of the kept axes."""
        return _size(self.kept)

    @property
    def packs(self) -> int:
        """Packs that lie along the swept axes of one place."""
        return _size(self.swept) // self.pack

    @property
    def blocks(self) -> int:
        return -(-self.places // self.columns) * self.parts


@lru_cache(4096)
def walk(
    shape: Shape,
    reduced: tuple[int, ...],
    operands: tuple[Strides, ...],
    itemsize: int,
    *,
    packs: bool,
    parts: int = PARTS,
) -> SweepLayout:
    """How to walk over `shape`, reducing the axes `reduced` (counted from the right), or none.

    `itemsize` is that of a float; `packs` says whether the operands' memory is aligned to packs;
    `parts` is how many blocks the work is cut into at most, where its places are no more.
    """
    strides = [*operands, c_strides(shape)]
    kept, swept, along = _axes(shape, [axis % len(shape) for axis in reduced], strides)
    places = _size(kept)
    pack = PACK_BYTES // itemsize
    if not (packs and along and _packs(kept, swept, pack)):
        pack = 1
    count = _size(swept) // pack
    rows = THREADS
    if kept:
        rows = _power(count) if along else THREADS // _power(places, COLUMNS)
    asked = sum(pack * itemsize for i in range(len(operands)) if any(a.strides[i] for a in swept))
    ahead = min(max(1, FLIGHT_BYTES // (asked or FLIGHT_BYTES)), 8, _power(-(-count // rows)))
    tile = rows * ahead
    groups = -(-places // (THREADS // rows))
    most = min(-(-count // tile), max(1, parts // groups))
    chunk = -(-count // (most * tile)) * tile
    return SweepLayout(
        kept,
        swept,
        along,
        rows,
        pack,
        ahead,
        wide=_reach([*kept, *swept]) >= NARROW,
        parts=-(-count // chunk),
        chunk=chunk,
    )


def c_strides(shape: Shape) -> Strides:
    """The strides of an array without gaps, last axis first."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def _axes(
    shape: Shape, reduced: Sequence[int], operands: Sequence[Strides]
) -> tuple[tuple[Axis, ...], tuple[Axis, ...], bool]:
    """The kept and the swept axes, as few as can be, and whether the last of all is swept."""
    found: list[tuple[bool, Axis]] = []
    for i, length in enumerate(shape):
        if length == 1:
            continue
        swept = not reduced or i in reduced
        axis = Axis(length, tuple(each[i] for each in operands))
        if found and found[-1][0] == swept:
            before = found[-1][1]
            if before.strides == tuple(stride * length for stride in axis.strides):
                axis = Axis(before.length * length, axis.strides)
                found.pop()
        found.append((swept, axis))
    kept = tuple(axis for swept, axis in found if not swept)
    walked = tuple(axis for swept, axis in found if swept)
    along = not found or found[-1][0]
    return kept, walked or (Axis(1, (0,) * len(operands)),), along or not kept


def _packs(kept: Sequence[Axis], swept: Sequence[Axis], pack: int) -> bool:
    """Whether all operands can be read, and results written, a pack at a time."""
    last = swept[-1]
    others = (*kept, *swept[:-1])
    return last.length % pack == 0 and all(
        stride == 0 or (stride == 1 and not any(axis.strides[i] % pack for axis in others))
        for i, stride in enumerate(last.strides)
    )


def _size(axes: Sequence[Axis]) -> int:
    return math.prod(axis.length for axis in axes)


def _reach(axes: Sequence[Axis]) -> int:
    """The largest index that a walk meets, and some more."""
    count = len(axes[0].strides) if axes else 0
    far = [sum(axis.length * abs(axis.strides[i]) for axis in axes) for i in range(count)]
    return max(_size(axes), *far)


def _power(count: int, most: int = THREADS) -> int:
    """The least power of two that is not below `count`, or `most`."""
    return min(most, 1 << max(0, count - 1).bit_length())
