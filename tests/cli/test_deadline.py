"""The end of runs that take too long."""

from __future__ import annotations

import sys

import pytest

from gradcli.cli.deadline import deadline
from gradcli.diagnostics import GradcliError


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
