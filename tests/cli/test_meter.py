"""Progress at a terminal: a line with the time left, which stays until the work is done."""

from __future__ import annotations

import pytest

from gradcli.batch.items import Item, Kind
from gradcli.batch.progress import Progress
from gradcli.cli import meter, streams
from gradcli.engine.telling import ToldSteps, counted, inner, told_to
from gradcli.engine.threads import spread
from tests.cli.conftest import Runner
from tests.cli.terminal import Terminal


def test_the_line_tells_the_part_and_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(meter, "monotonic", lambda: now)
    monkeypatch.setattr(streams, "errors_are_seen", lambda: True)
    with meter.metered(quiet=False) as shown:
        now += 0.5
        shown("records", 0.1)  # too early
        assert capsys.readouterr().err == ""
        now += 9.5
        shown("records", 0.25)  # 10 s for a quarter
        told = capsys.readouterr().err
        assert told.startswith(streams.CLEAR)
        assert told.endswith("25%  records, 0:30 left")
        now += 0.1
        shown("records", 0.3)  # too soon after the last
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == streams.CLEAR


def test_steps_of_unknown_number_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(meter, "monotonic", lambda: now)
    monkeypatch.setattr(streams, "errors_are_seen", lambda: True)
    with meter.metered(quiet=False) as shown:
        shown.count(256, "steps")  # too early
        assert capsys.readouterr().err == ""
        now += 65
        shown.count(123456, "steps")
        assert capsys.readouterr().err == f"{streams.CLEAR}123,456 steps, 1:05"
        now += 10
        shown("computed", 0.5)  # other work, which begins now
        now += 10
        shown("computed", 0.75)
        assert capsys.readouterr().err.endswith("75%  computed, 0:03 left")


def test_a_program_tells_its_steps(gradcli: Runner) -> None:
    told: list[int] = []
    with told_to(lambda _: None, told.append):
        assert (
            gradcli("eval", "y = x; while y < 600 { y = y + 1 }", "-s", "x=0", "--unroll").code == 0
        )
    assert told == [256, 512]


def test_a_loop_that_is_one_node_tells_its_passes(gradcli: Runner) -> None:
    """How many there are is not known until its condition fails; then they are parts of a whole."""
    parts: list[float] = []
    counts: list[int] = []
    with told_to(parts.append, counts.append):
        flags = ("-s", "x=0.5", "--forward")
        assert gradcli("eval", "y = x; while y < 9000 { y = y + 1 }", *flags).code == 0
    assert max(counts) > 4000
    assert len({*parts}) > 2
    assert parts == sorted(parts)


@pytest.mark.parametrize("seen", [True, False])
def test_quiet_or_unseen_it_draws_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    monkeypatch.setattr(streams, "errors_are_seen", lambda: seen)
    shown = meter.Meter(quiet=seen)
    shown._due = 0
    shown("x", 0.5)
    shown.end()
    assert capsys.readouterr().err == ""


def test_what_still_works_at_the_end_draws_no_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "errors_are_seen", lambda: True)
    with meter.metered(quiet=False) as shown:
        shown._due = 0
        shown("records", 0.5)
    capsys.readouterr()
    shown._due = 0
    shown("records", 0.6)
    shown.end()
    assert capsys.readouterr().err == ""


def test_a_run_of_records_tells_no_time_left_before_its_first_answer() -> None:
    run = Progress(done=7)
    assert "left" not in run.bar(0.5)
    run.add([Item(7, 8, next(iter(Kind)), b"{}", answer=b"+{}")])
    assert "50%" in run.bar(0.5)
    assert "left" in run.bar(0.5)
    assert "left" not in run.bar(None)


def test_parts_of_steps_add_up() -> None:
    """Two steps of sizes 1 and 3: parts of the second count three times as much."""
    told: list[float] = []
    with told_to(told.append):
        steps = ToldSteps([1, 3])
        for number in range(2):
            steps.begin(number)
            spread(2, 1, lambda: lambda _: None)
        with inner(), counted(1) as done:
            done(0)  # what is inside other work counts nothing
    assert told == [0.125, 0.25, 0.625, 1.0]
    spread(2, 1, lambda: lambda _: None)
    assert len(told) == 4  # nobody waits any more


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "sum(sin(exp(tanh(x)))*cos(x))", "-s", "x=rand(20000000)", "--threads", "1"),
        ("check", "sum(sin(x)**2)", "-s", "x=rand(900)"),
        ("plot", "sum(sin(x*y))", "--over", "x=0:1", "--over", "y=0:1", "--points", "150"),
    ],
)
def test_long_work_shows_a_line(arguments: tuple[str, ...]) -> None:
    shown = Terminal(*arguments, "--seed", "1", streams=("stderr",)).rest()
    lines = shown.split(streams.CLEAR)
    assert len(lines) > 3
    assert lines[-1] == ""
    assert all(line.endswith(" left") for line in lines[1:-1])
