"""Colour at a terminal, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.terminal import Terminal


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("eval", "maen(x)", "-s", "x=1"), 3),
        (("derive", "x**2", "-s", "x=1"), 0),
        (("help", "kinks"), 0),
        (("--help",), 0),
        (("derive", "--help"), 0),
        (("check", "x**2", "-s", "x=1"), 0),
        (("explain", "x**2", "-s", "x=1"), 0),
    ],
    ids=["error", "derive", "help", "commands", "flags", "check", "explain"],
)
def test_terminals_have_colour_unless_they_are_told_otherwise(
    arguments: tuple[str, ...], code: int
) -> None:
    def shown(**environment: str) -> str:
        return Terminal(*arguments, streams=("stdout", "stderr"), columns=80, **environment).rest(
            code
        )

    assert "\x1b[" in shown(TERM="xterm-256color")
    assert "\x1b[" not in shown(TERM="xterm-256color", NO_COLOR="1")
    assert "\x1b[" not in shown(TERM="dumb")


def test_a_program_that_is_piped_on_has_none() -> None:
    derived = subprocess.run(
        [sys.executable, "-m", "gradcli", "derive", "x**2", "-s", "x=1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\x1b" not in derived.stdout
