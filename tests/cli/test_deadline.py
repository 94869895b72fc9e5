"""The end of runs that take too long."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from gradcli.cli.app import COMMANDS
from gradcli.cli.deadline import deadline, half
from gradcli.cli.formats import FORMATS
from gradcli.diagnostics import GradcliError
from tests.cli.conftest import Runner


class Endless:
    """Its destructor ends when the alarm raises in it, and Python drops that error."""

    def __del__(self) -> None:
        while True:
            pass


def run_for_long() -> None:
    Endless()
    for _ in range(10**8):
        pass


def test_an_alarm_that_a_destructor_swallows_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: dropped.append(it.exc_type))
    with pytest.raises(GradcliError, match="took longer"), deadline(0.02):
        run_for_long()
    assert dropped == [GradcliError]


def test_half_of_the_time_is_left_to_tell_what_is_known() -> None:
    with deadline(1000):
        with half():
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 500
        with pytest.raises(GradcliError), half():
            signal.raise_signal(signal.SIGALRM)
        assert 500 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    with half():
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_whatever_is_safe_ends_in_time() -> None:
    for module, _ in COMMANDS.values():
        flags = signature(import_module(module).command).parameters
        assert "safe" not in flags or "timeout" in flags, module


@pytest.mark.parametrize(
    "command", ["eval", "check", "explain", "derive", "graph", "jacobian", "hessian"]
)
def test_every_command_ends_in_time(gradcli: Runner, command: str) -> None:
    endless = "i = 0; while i < 1e9 { i = i + 1 }; x*i"
    answer = gradcli(
        command, endless, "-s", "x=1", "--timeout", "0.05", "--max-steps", "1000000000"
    )  # fmt: skip
    assert answer.code == 4
    assert answer.err.startswith("error[limit-time]")


LONG = "sum(svd(randn(3000, 3000)).S)"
"""One call into LAPACK that takes minutes."""


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_call_that_nothing_interrupts_is_ended(flags: list[str]) -> None:
    command = [sys.executable, "-m", "gradcli", "eval", LONG, "--timeout", "0.5", *flags]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 4
    told = finished.stdout if flags else finished.stderr
    assert "the run took longer than 0.5 s" in told
    assert not (finished.stderr if flags else finished.stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("flags", [[], ["--timeout", "1000"]])
def test_a_signal_ends_a_call_that_nothing_interrupts(flags: list[str], number: int) -> None:
    # The program is read from a pipe: when it has been, there is nothing left but the call.
    command = [sys.executable, "-m", "gradcli", "eval", *flags]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(LONG.encode())
    process.stdin.close()
    wait_for_work(process.pid)
    process.send_signal(number)
    process.wait()
    assert process.returncode == 128 + number


@pytest.mark.parametrize("flags", [[], ["--timeout", "1000"]])
def test_a_check_that_is_ended_in_such_a_call_says_so(flags: list[str], tmp_path: Path) -> None:
    said = tmp_path / "said"
    command = [sys.executable, "-m", "gradcli", "check", LONG.replace("))", ")*x)"), "-s", "x=2"]
    with said.open("w") as file:
        process = subprocess.Popen([*command, *flags], stdout=file, stderr=file)
        wait_for_work(process.pid, pages=95_000)  # with those that LAPACK works in
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 130
    assert said.read_text().startswith("interrupted in the middle of a step")


def wait_for_work(pid: int, pages: int = 40_000) -> None:
    """Until a process, or the one that works for it, has a matrix of 72 MB in memory, or more."""
    while True:
        pids = {pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())}
        if any(int(Path(f"/proc/{each}/statm").read_text().split()[1]) > pages for each in pids):
            return
        time.sleep(0.01)


def endless(*_: object) -> str:
    while True:
        pass


def test_reports_are_written_before_the_deadline_is_lifted(
    gradcli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS["graph"], "endless", f"{__name__}:endless")
    monkeypatch.delitem(sys.modules, "gradcli.cli.graph", raising=False)
    answer = gradcli("graph", "x**2", "-s", "x=1", "--format", "endless", "--timeout", "0.5")
    assert answer.code == 4
    assert answer.err.startswith("error[limit-time]")
