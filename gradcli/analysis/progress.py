"""Telling how much of an analysis is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
Progress: TypeAlias = Callable[[str, float], None]
"""Told what is worked on, such as a leaf, and how much of it is done."""


def silent(what: str, part: float) -> None:
    """Progress that nobody wants to see."""


def told(items: Sequence[Item], what: str, done: Progress) -> Iterator[Item]:
    """The items one after another; `done` is told each time that one has been worked on."""
    for number, item in enumerate(items, 1):
        yield item
        done(what, number / len(items))


def share(done: Progress, first: float, last: float) -> Progress:
    """Of a work that goes on from one part of a longer one to another: tells how much of that is
    done.
    """
    return lambda what, part: done(what, first + part * (last - first))
