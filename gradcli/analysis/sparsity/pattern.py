"""Patterns: sets of places in a matrix, row by row. Sizes are counted before they are allocated."""

from __future__ import annotations

import numpy as np

from gradcli.graph import Array
from gradcli.ledger import Ledger
from gradcli.tuples import NamedTuple

BYTES = 40
"""What an entry takes while patterns are united: keys of three arrays, and their columns."""


class TooManyEntriesError(Exception):
    """A pattern would have more entries than is worth it, or than memory allows."""


class Room(NamedTuple):
    """How many entries a pattern may have."""

    most: int
    ledger: Ledger

    def check(self, entries: int) -> None:
        """Raise `TooManyEntriesError` where there are too many."""
        if entries > self.most or BYTES * entries > self.ledger.room:
            raise TooManyEntriesError


class Pattern(NamedTuple):
    """The columns of the entries in each row: row i has `columns[starts[i]:starts[i + 1]]`."""

    starts: Array
    columns: Array
    """Ascending within a row, each at most once."""
    width: int
    """How many columns the matrix has."""

    @property
    def height(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.columns)

    @property
    def lengths(self) -> Array:
        """The number of entries in each row."""
        return np.diff(self.starts)

    @property
    def rows(self) -> Array:
        """The row of each entry."""
        return np.repeat(np.arange(self.height), self.lengths)

    @property
    def keys(self) -> Array:
        """The place of each entry in the matrix, read row by row: ascending."""
        return self.rows * self.width + self.columns

    def picked(self, rows: Array, room: Room) -> Pattern:
        """These rows one below another; -1 stands for one without entries."""
        chosen = np.where(rows < 0, 0, rows)
        lengths = np.where(rows < 0, 0, self.lengths[chosen]) if self.height else 0 * chosen
        starts = _starts(lengths)
        total = int(starts[-1])
        room.check(total)
        first = self.starts[chosen] - starts[:-1] if self.height else 0 * chosen
        return Pattern(
            starts, self.columns[np.repeat(first, lengths) + np.arange(total)], self.width
        )

    def grouped(self, groups: Array, count: int, room: Room) -> Pattern:
        """The union of all rows in each of `count` groups; -1 is in none."""
        group = np.repeat(groups, self.lengths)
        room.check(len(group))
        keys = group * self.width + self.columns
        return from_keys(_distinct(keys[group >= 0]), count, self.width)

    def transposed(self) -> Pattern:
        """The same with rows as columns."""
        keys = np.sort(self.columns.astype(np.int64) * self.height + self.rows)
        return from_keys(keys, self.width, self.height)


def identity(size: int, first: int, width: int) -> Pattern:
    """A diagonal that begins at the column `first`."""
    return Pattern(np.arange(size + 1), np.arange(first, first + size), width)


def from_keys(keys: Array, height: int, width: int) -> Pattern:
    """The pattern of places that are ascending and distinct."""
    rows, columns = np.divmod(keys, max(1, width))
    return Pattern(_starts(np.bincount(rows, minlength=height)), columns, width)


def united(parts: list[Pattern], room: Room) -> Pattern:
    """All entries of patterns of one shape."""
    found, *others = parts
    for other in others:
        if _same(found, other):
            continue
        room.check(found.size + other.size)
        keys = _distinct(np.concatenate([found.keys, other.keys]))
        found = from_keys(keys, found.height, found.width)
    return found


def stacked(parts: list[Pattern], width: int) -> Pattern:
    """Patterns one below another."""
    lengths = [part.lengths for part in parts]
    columns = [part.columns for part in parts]
    return Pattern(_starts(np.concatenate(lengths)), np.concatenate(columns), width)


def empty(height: int, width: int) -> Pattern:
    """No entries."""
    return Pattern(np.zeros(height + 1, np.int64), np.empty(0, np.int64), width)


def _same(one: Pattern, other: Pattern) -> bool:
    return one is other or (
        one.size == other.size
        and np.array_equal(one.starts, other.starts)
        and np.array_equal(one.columns, other.columns)
    )


def _distinct(keys: Array) -> Array:
    """Ascending, each once: as np.unique, which looks them up in a table and takes longer."""
    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _starts(lengths: Array) -> Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
