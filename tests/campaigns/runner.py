"""What campaigns on whole processes have alike: numbered attacks, a bound in time, a place to go on
from, and a figure at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, TypeAlias

GRADCLI = (sys.executable, "-m", "gradcli")
PATIENCE = 120
"""Seconds after which a process hangs."""


class Verdict(NamedTuple):
    """What came of one attack."""

    word: str
    """How it is counted."""
    problem: str = ""
    """What must not be, if anything was."""


Attack: TypeAlias = Callable[[int, int, Path], Verdict]
"""Seed, number and an empty folder. The same numbers make the same attack."""


def campaign(
    attack: Attack, seed: int, numbers: Iterable[int], seconds: float, counts: Counter[str]
) -> tuple[int, list[str]]:
    """Attack until the numbers or the time have run out: how far it came, and the problems."""
    end = time.monotonic() + seconds
    done, problems = 0, []
    for number in numbers:
        if time.monotonic() > end:
            break
        with tempfile.TemporaryDirectory(prefix="gradcli-campaign-") as folder:
            verdict = attack(seed, number, Path(folder))
        counts[verdict.word] += 1
        if verdict.problem:
            problems.append(f"--seed {seed} --start {number}: {verdict.problem}")
        done += 1
    return done, problems


def main(attack: Attack, name: str, count: int, arguments: Sequence[str] | None = None) -> int:
    """The command line of a campaign; 1 where there is a problem."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.campaigns.{name}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first attack")
    parser.add_argument("--count", type=int, default=count, help="how many attacks")
    parser.add_argument("--seconds", type=float, default=3600, help="when to stop at the latest")
    parser.add_argument("--state", type=Path, help="a file that remembers how far a run came")
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    start = given.start
    if given.state is not None and given.state.exists():
        before = json.loads(given.state.read_text())
        if before["seed"] == given.seed:
            start, counts = before["next"], Counter(before["counts"])
    begun = time.monotonic()
    numbers = range(start, given.start + given.count)
    done, problems = campaign(attack, given.seed, numbers, given.seconds, counts)
    if given.state is not None:
        state = {"seed": given.seed, "next": start + done, "counts": counts}
        given.state.write_text(json.dumps(state))
    for problem in problems:
        print(problem)
    for word, number in counts.most_common():
        print(f"{number:8,}  {word}")
    took = time.monotonic() - begun
    print(f"{name}: {counts.total():,} attacks, {len(problems)} problems, {took:.0f} s")
    return 1 if problems else 0


def run(
    *arguments: str,
    folder: Path,
    stdin: bytes = b"",
    patience: float = PATIENCE,
    **environment: str,
) -> subprocess.CompletedProcess[bytes]:
    """Run gradcli in a folder to its end. Raises TimeoutExpired."""
    return subprocess.run(
        [*GRADCLI, *arguments], cwd=folder, input=stdin, capture_output=True, check=False,
        timeout=patience, env=os.environ | environment,
    )  # fmt: skip


class Forked:
    """A run of gradcli that begins where its modules are imported: it is forked from this process,
    which takes a tenth of the time of a start.
    """

    def __init__(self, *arguments: str, folder: Path) -> None:
        from gradcli import cli

        self.outputs = [os.memfd_create(name) for name in ("out", "error")]
        self.pid = os.fork()
        if self.pid:
            return
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # until `main` has its own
        try:
            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for number, stream in enumerate((nothing, *self.outputs)):
                os.dup2(stream, number)
            os.closerange(3, 256)
            sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
            sys.argv = ["gradcli", *arguments]
            cli.main()
        except SystemExit as stop:  # a signal at the very end: Python itself would end with this
            os._exit(stop.code if isinstance(stop.code, int) else 1)
        finally:
            os._exit(99)

    def end(self, patience: float | None = None) -> subprocess.CompletedProcess[bytes]:
        """Wait for its end. Raises TimeoutExpired, when it is ended by force."""
        hangs = patience is not None and not self._ends(patience)
        if hangs:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        texts = []
        for output in self.outputs:
            texts.append(os.pread(output, 2**26, 0))
            os.close(output)
        if hangs:
            raise subprocess.TimeoutExpired((), patience or 0)
        return subprocess.CompletedProcess((), os.waitstatus_to_exitcode(status), *texts)

    def _ends(self, patience: float) -> bool:
        process = os.pidfd_open(self.pid)
        try:
            return bool(select.select([process], [], [], patience)[0])
        finally:
            os.close(process)


def preload() -> None:
    """Import what forked runs need, as they would."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    modules = ("cli.exit", "cli.batch", "cli.eval", "cli.test", "session", "data.save")
    more = (
        "batch.supervisor",
        "batch.journal",
        "batch.progress",
        "report.json",
        "analysis.expectations",
    )
    for each in (
        *modules,
        *more,
        "report.text_expectations",
        "report.expectations",
        "engine.blocks",
    ):
        import_module(f"gradcli.{each}")


def complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """What no run may do, whatever befell it; empty where it did not."""
    shown = done.stderr[-600:].decode(errors="replace")
    if b"Traceback" in done.stderr or b"Exception ignored" in done.stderr:
        return f"a traceback: {shown}"
    if done.returncode == 70 or b"bug of gradcli" in done.stderr + done.stdout:
        return f"a bug: {shown}"
    if done.returncode > 1 and done.returncode < 128 and not done.stderr and not done.stdout:
        return f"exit code {done.returncode} without a word"
    return ""
