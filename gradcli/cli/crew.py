"""The same work on many things, each in a process of its own, some of them at a time."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NoReturn, TypeVar

from gradcli.cli.deadline import expired
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError
from gradcli.lifeline import die_with

_CHUNK = 2**16
_TICK = 0.1
"""Seconds between two looks at the clock."""

Thing = TypeVar("Thing")


@dataclass(slots=True)
class _Hand:
    """A process, and what it has answered so far."""

    place: int
    pid: int
    pipe: int
    lifeline: int
    began: float
    answer: bytearray = field(default_factory=bytearray)


def spread(
    work: Callable[[Thing], bytes],
    things: Sequence[Thing],
    jobs: int,
    seconds: float | None,
    done: Callable[[int], None],
) -> list[bytes | GradcliError]:
    """What `work` answers to each thing, in their order, from `jobs` processes at a time.

    A process that takes longer than `seconds` is ended: its answer is then `limit-time`, and that
    of a process which ends by itself without an answer is `limit-memory`. `done` is told how many
    things are done. No process is left behind, whatever happens.
    """
    answers: dict[int, bytes | GradcliError] = {}
    hands: dict[int, _Hand] = {}
    waiting = list(range(len(things)))[::-1]
    try:
        while waiting or hands:
            while waiting and len(hands) < jobs:
                hand = _start(work, things, waiting.pop(), hands)
                hands[hand.pipe] = hand
            for pipe in _ready(hands):
                hand = hands[pipe]
                if part := os.read(pipe, _CHUNK):
                    hand.answer += part
                    continue
                answers[hand.place] = bytes(hand.answer) or _died()
                _end(hands.pop(pipe))
            for pipe, hand in [*hands.items()]:
                if seconds is not None and monotonic() - hand.began > seconds:
                    answers[hand.place] = expired(seconds)
                    _end(hands.pop(pipe))
            done(len(answers))
    finally:
        for hand in hands.values():
            _end(hand)
    return [answers[place] for place in range(len(things))]


def _ready(hands: dict[int, _Hand]) -> list[int]:
    """The pipes that something can be read from, soon."""
    poll = select.poll()
    for pipe in hands:
        poll.register(pipe, select.POLLIN)
    return [pipe for pipe, _ in poll.poll(_TICK * 1000)]


def _start(
    work: Callable[[Thing], bytes], things: Sequence[Thing], place: int, others: dict[int, _Hand]
) -> _Hand:
    parent = os.getpid()
    lifeline, ours = os.pipe()
    pipe, theirs = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        raise GradcliError("file", f"cannot start a process: {reason(error)}") from None
    if not pid:
        for descriptor in (ours, pipe, *others, *(each.lifeline for each in others.values())):
            os.close(descriptor)
        _serve(lambda: work(things[place]), theirs, parent, lifeline)
    os.close(theirs)
    os.close(lifeline)
    return _Hand(place, pid, pipe, ours, monotonic())


def _serve(work: Callable[[], bytes], answers: int, parent: int, lifeline: int) -> NoReturn:
    """All that the process does: it never returns to the code that forked it."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with(parent, lifeline)
        rest = memoryview(work())
        while rest:
            rest = rest[os.write(answers, rest) :]
    finally:
        os._exit(0)


def _end(hand: _Hand) -> None:
    """End a process, whatever it is doing, and wait until it has ended."""
    os.kill(hand.pid, signal.SIGKILL)
    os.waitpid(hand.pid, 0)
    os.close(hand.pipe)
    os.close(hand.lifeline)


def _died() -> GradcliError:
    return GradcliError(
        "limit-memory",
        "the process that ran this has ended before its answer; it may have got no memory",
        hint="use smaller inputs, or lower --max-memory, or fewer --jobs",
    )
