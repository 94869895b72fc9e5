"""Tells how much of a plan is computed, while somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from threading import local

Tell = Callable[[float], None]
"""Told which part of the work is done; threads may call it."""

_tell: Tell | None = None
"""Of the process: an engine does not know who runs it."""
_count: Callable[[int], None] | None = None
"""Told how many steps a program has made whose end nobody knows."""
_inside = local()
"""In each thread, how many pieces of work are done within each other: the outermost counts."""


@contextmanager
def told_to(tell: Tell, count: Callable[[int], None] | None = None) -> Iterator[None]:
    """While the block runs, `tell` is told of the work of engines, and `count` of the steps that a
    program has made so far.
    """
    global _tell, _count  # noqa: PLW0603
    _tell, _count = tell, count
    try:
        yield
    finally:
        _tell = _count = None


def made(steps: int) -> None:
    """A program has made so many steps."""
    if _count is not None:
        _count(steps)


class ToldSteps:
    """ToldSteps of known sizes, one after another."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._before = [0, *accumulate(sizes)]

    def begin(self, number: int) -> None:
        """A step begins, and all before it are done."""
        whole = self._before[-1] or 1
        _inside.span = self._before[number] / whole, self._before[number + 1] / whole

    def end(self) -> None:
        """No more steps follow."""
        vars(_inside).pop("span", None)


def wanted() -> bool:
    """Whether steps should be told, and are not inside others."""
    return _tell is not None and not getattr(_inside, "depth", 0)


def in_step() -> bool:
    """Whether a step of a plan is told, and is not inside others."""
    return wanted() and hasattr(_inside, "span")


@contextmanager
def counted(count: int) -> Iterator[Callable[[int], None]]:
    """Within a step, work in so many parts: what is given back is called when one is done."""
    if not wanted():
        yield _nobody
        return
    tell = _tell
    assert tell is not None
    first, last = getattr(_inside, "span", (0.0, 1.0))
    yield lambda number: tell(first + (last - first) * (number + 1) / count)


@contextmanager
def inner() -> Iterator[None]:
    """What is done in the block is part of something that is counted already."""
    _inside.depth = getattr(_inside, "depth", 0) + 1
    try:
        yield
    finally:
        _inside.depth -= 1


def _nobody(_: int) -> None:
    """Nobody waits."""
