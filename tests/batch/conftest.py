"""How batches are tested: as processes of their own, on records made here."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gradcli.cli.exit import run

COMMAND = [sys.executable, "-m", "gradcli", "batch"]


def batch(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a batch to its end."""
    return subprocess.run(
        [*COMMAND, *arguments], input=stdin, capture_output=True, timeout=120, check=False
    )


@dataclass(frozen=True)
class Outcome:
    """How a run in this process ended."""

    returncode: int
    stderr: str


def inside(*arguments: str) -> Outcome:
    """Run a batch on files in this process, which is faster; its workers are forked from here."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with redirect_stderr(io.StringIO()) as stderr:
            return Outcome(run(["batch", *arguments]), stderr.getvalue())
    finally:
        signal.signal(signal.SIGTERM, before)


@cache
def whole(lines: bytes) -> bytes:
    """What a run that nothing disturbs answers."""
    return batch(stdin=lines).stdout


def start(*arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Begin a batch."""
    return subprocess.Popen([*COMMAND, *arguments], **streams)


def answers(output: bytes) -> list[dict[str, Any]]:
    """The answers, which are strict JSON."""
    return [json.loads(line, parse_constant=refuse) for line in output.splitlines()]


def refuse(token: str) -> None:
    raise AssertionError(f"bare {token}")


def children(pid: int) -> list[int]:
    """The processes that the threads of a process have started."""
    found: list[int] = []
    with suppress(OSError):  # it, or a thread of it, has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def is_running(pid: int) -> bool:
    """Whether a process is there, and is not only waiting to be taken notice of."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def records(count: int) -> bytes:
    """Records of several programs; every seventh is wrong, some draw random numbers."""
    lines = []
    for i in range(count):
        programs: list[dict[str, Any]] = [
            {"program": "z = (2*x)**3; mean(z)", "set": {"x": [[i, 1.5], [0.25, -i]]}},
            {"program": "if sum(x) > 9 { y = x*2 } else { y = x**2 }; sum(y)", "set": {"x": [i]}},
            {"program": "sum(rand(3) * x)", "set": {"x": i}},
            {"program": f"{i}*x", "set": {"x": [1, 2]}, "gradient": [1, 0]},
            {"program": "x +", "set": {"x": i}},
            {"program": "sum(randn(2) * x)", "set": {"x": i}, "seed": 7},
            {"program": "log(x)", "set": {"x": [0, i]}, "gradient": [1, 1]},
        ]
        lines.append(json.dumps({"id": i, **programs[i % 7]}))
    return "\n".join(lines).encode() + b"\n"
