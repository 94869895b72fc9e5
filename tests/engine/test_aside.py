"""Work done aside: all of it, each line in its order, whatever threads there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event, get_ident

import pytest

from gradcli.engine import aside
from gradcli.engine.aside import MOST, Aside


def _refused(_: Callable[[], None], __: tuple[()]) -> int:
    raise RuntimeError("can't start new thread")


def _never_begun(_: Callable[[], None], __: tuple[()]) -> int:
    return 1


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("start", [None, _refused, _never_begun])
def test_tasks_of_a_line_are_done_in_their_order(
    threads: int, start: Callable[..., int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if start is not None:
        monkeypatch.setattr(aside, "start_new_thread", start)
    done: dict[int, list[int]] = {0: [], 1: [], 2: []}
    with Aside(threads) as work:
        for number in range(50):
            for line, found in done.items():
                work.give(line, partial(found.append, number))
        work.finish(1)
        assert done[1] == list(range(50))
        work.finish_all()
    assert all(found == list(range(50)) for found in done.values())


def test_another_thread_works_while_the_giver_goes_on() -> None:
    begun, may_end = Event(), Event()
    at: list[int] = []

    def task() -> None:
        at.append(get_ident())
        begun.set()
        assert may_end.wait(60)

    with Aside(2) as work:
        work.give(0, task)
        assert begun.wait(60)
        may_end.set()
        work.finish(0)
    assert at != [get_ident()]


def test_no_more_than_some_tasks_wait() -> None:
    done: list[int] = []
    with Aside(1) as work:
        for number in range(MOST + 3):
            work.give(0, partial(done.append, number))
        assert done == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_task_raises_is_raised_where_it_is_waited_for(threads: int) -> None:
    def fail() -> None:
        raise MemoryError("none is left")

    def work() -> None:
        with Aside(threads) as aside:
            aside.give(0, fail)
            aside.finish_all()

    with pytest.raises(MemoryError, match="none is left"):
        work()


def test_nothing_is_begun_after_an_error() -> None:
    done: list[int] = []

    def work() -> None:
        with Aside(1) as aside:
            aside.give(0, partial(done.append, 1))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not done
