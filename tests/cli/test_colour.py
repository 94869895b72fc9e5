"""Colour at a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest


def at_terminal(*arguments: str, **environment: str) -> str:
    """What the command prints where both of its streams are a terminal."""
    ours, theirs = pty.openpty()
    usual = {key: value for key, value in os.environ.items() if not key.endswith("_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "gradcli", *arguments],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
        env=usual | {"TERM": "xterm-256color"} | environment,
    )  # fmt: skip
    os.close(theirs)
    text = b""
    while True:
        try:
            text += (piece := os.read(ours, 1 << 16))
        except OSError:  # the other end is closed
            break
        if not piece:
            break
    process.wait()
    os.close(ours)
    return text.decode()


@pytest.mark.parametrize(
    "arguments",
    [("eval", "maen(x)", "-s", "x=1"), ("derive", "x**2", "-s", "x=1"), ("help", "kinks")],
    ids=lambda arguments: arguments[0],
)
def test_terminals_have_colour_unless_they_are_told_otherwise(arguments: tuple[str, ...]) -> None:
    assert "\x1b[" in at_terminal(*arguments)
    assert "\x1b[" not in at_terminal(*arguments, NO_COLOR="1")
    assert "\x1b[" not in at_terminal(*arguments, TERM="dumb")


def test_a_program_that_is_piped_on_has_none() -> None:
    derived = subprocess.run(
        [sys.executable, "-m", "gradcli", "derive", "x**2", "-s", "x=1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\x1b" not in derived.stdout
