"""The end of runs that take too long."""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature

import pytest

from gradcli.cli.app import COMMANDS
from gradcli.cli.deadline import deadline
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
