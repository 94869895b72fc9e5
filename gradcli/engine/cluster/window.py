"""Portions of work on many machines: a few are under way for each worker, and their results are
taken in the order of the portions, however long each takes and whatever becomes of the workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

AHEAD = 4
"""Portions under way for each worker: while one is done, the next are there already."""
ALONE = 2
"""So often must a portion that cannot be halved end its workers before it is given up."""

Work = TypeVar("Work")
Result = TypeVar("Result")
Given_contra = TypeVar("Given_contra", contravariant=True)
Got_co = TypeVar("Got_co", covariant=True)


class WorkersDiedError(Exception):
    """The workers that did a portion have ended without a result."""


class LostError(Exception):
    """What was under way is known to nobody any more, as the scheduler was away for a time."""


class Ticket(Protocol[Got_co]):
    """A portion that is under way."""

    def result(self, seconds: float) -> Got_co | None:
        """The result; None where it is not there after so many seconds.

        Raises WorkersDiedError and LostError.
        """

    def cancel(self) -> None:
        """Nobody needs the result."""


class Crew(Protocol[Given_contra, Got_co]):
    """Workers."""

    def workers(self) -> int:
        """How many there are now."""

    def submit(self, work: Given_contra, *, again: bool = False) -> Ticket[Got_co]:
        """Begin with a portion as soon as a worker is free, before the others if it is given
        `again`: they wait for it.
        """


class _Turn(NamedTuple, Generic[Work, Result]):
    """A portion in the window."""

    work: Work
    ticket: Ticket[Result]
    deaths: int = 0
    """How often it has ended its workers since it was divided for the last time."""


class Done(NamedTuple, Generic[Work, Result]):
    """A portion and what came of it."""

    work: Work
    result: Result | None
    """None where it ends every worker that does it; it cannot be divided then."""


class PortionWindow(Generic[Work, Result]):
    """The portions that are under way, in their order."""

    def __init__(self, crew: Crew[Work, Result], halves: Callable[[Work], Sequence[Work]]) -> None:
        """`halves` divides work: both halves in their order, or the work itself where it cannot."""
        self._crew = crew
        self._halves = halves
        self._turns: deque[_Turn[Work, Result]] = deque()

    def __len__(self) -> int:
        return len(self._turns)

    def has_room(self) -> bool:
        """Whether another portion may be given."""
        return len(self._turns) < AHEAD * max(1, self._crew.workers())

    def give(self, work: Work) -> None:
        """Add a portion behind the others."""
        self._turns.append(_Turn(work, self._crew.submit(work)))

    def take(self, seconds: float) -> Done[Work, Result] | None:
        """The oldest portion, done; None where it is not done after so many seconds."""
        turn = self._turns[0]
        try:
            result = turn.ticket.result(seconds)
        except LostError:
            self._begin_again()
            return None
        except WorkersDiedError:
            return self._bury()
        if result is None:
            return None
        self._turns.popleft()
        return Done(turn.work, result)

    def close(self) -> None:
        """Give up what is under way."""
        while self._turns:
            self._turns.popleft().ticket.cancel()

    def _bury(self) -> Done[Work, Result] | None:
        """The oldest portion has ended its workers: divide it, until what does that is alone."""
        turn = self._turns.popleft()
        parts = self._halves(turn.work)
        deaths = turn.deaths + 1 if len(parts) == 1 else 0
        if deaths >= ALONE:
            return Done(turn.work, None)
        again = [_Turn(part, self._crew.submit(part, again=True), deaths) for part in parts]
        self._turns.extendleft(reversed(again))
        return None

    def _begin_again(self) -> None:
        """Submit all portions again."""
        self._turns = deque(
            turn._replace(ticket=self._crew.submit(turn.work)) for turn in self._turns
        )
