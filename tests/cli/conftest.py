"""How the command line is tested: in this process where that is enough, else in one of its own."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

from gradcli.cli.exit import run


@dataclass(frozen=True)
class Outcome:
    """What a command line printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        return answer

    @property
    def error(self) -> dict[str, Any]:
        """The error of JSON mode, which prints nothing else."""
        assert not self.err
        error: dict[str, Any] = self.json["error"]
        return error


class Runner(Protocol):
    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Outcome: ...


class Terminal(io.StringIO):
    """A terminal that nobody types at."""

    def isatty(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        raise AssertionError("waits for ever at a terminal")


@pytest.fixture
def gradcli(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Runner]:
    """Run a command line in this process; without `stdin` it is at a terminal."""

    def call(*arguments: str, stdin: bytes | None = None) -> Outcome:
        source = Terminal() if stdin is None else io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(sys, "stdin", source)
        capsys.readouterr()
        code = run(arguments)
        return Outcome(code, *capsys.readouterr())

    before = signal.getsignal(signal.SIGTERM)
    yield call
    signal.signal(signal.SIGTERM, before)


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in a process of its own, with no input."""
    return subprocess.run(
        [sys.executable, "-m", "gradcli", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
