"""Signals at random instants: `python -m tests.campaigns.kills --count 3000`.

Of each six attacks four are on batches, one on a command that saves, one on a worker of a batch;
`test --update` and start-up take turns with --save. However a run is ended, its files are whole, a
batch that is resumed gives the same bytes as one that nobody disturbs, a batch whose worker is
ended gives them at once, and no process is left.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.batch.conftest import children, is_running, records
from tests.campaigns.runner import GRADCLI, PATIENCE, Forked, Verdict, complaint, main, preload

SIGNALS = ("KILL", "TERM", "INT", "HUP", "QUIT", "XCPU", "STOP")
RECORDS = records(70)
SCRIPT = b"x = [1, 2]\nx * 2    #= [2, 5]\n"
FIXED = SCRIPT.replace(b"[2, 5]", b"[2.0, 4.0]")
STARTED = 0.6
"""Seconds in which a small process is over, mostly."""
GRACE = 10.0
"""Seconds in which workers whose supervisor was killed have ended on the busiest machine."""
SMALL = 0.06
"""The same where its modules are imported."""


def attack(seed: int, number: int, folder: Path) -> Verdict:
    preload()
    choose = random.Random(f"{seed} {number}")
    name = choose.choice(SIGNALS)
    turn = number % 6
    if turn < 4:
        return on_batch(choose, name, folder)
    if turn == 4:
        return on_worker(choose, name, folder)
    other = (on_save, on_save, on_update, on_start)[number // 6 % 4]
    return other(choose, name, folder)


@cache
def undisturbed() -> tuple[bytes, float]:
    """What a batch answers that nothing disturbs, and how many seconds it takes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in").write_bytes(RECORDS)
        begun = time.monotonic()
        Forked("batch", "in", "--out", "out", folder=Path(folder)).end()
        return (Path(folder) / "out").read_bytes(), time.monotonic() - begun


def strike(
    process: Forked, name: str, after: float
) -> tuple[subprocess.CompletedProcess[bytes], list[int]]:
    """Send a run a signal after some seconds, and wait for its end: how that was, and the
    processes that it had started and that are still there.
    """
    time.sleep(after)
    workers = children(process.pid)
    send(process.pid, name)
    done = process.end()
    end = time.monotonic() + GRACE
    while any(map(is_running, workers)) and time.monotonic() < end:
        time.sleep(0.001)  # the kernel has told them, and they may wait for their turn
    return done, [worker for worker in workers if is_running(worker)]


def send(pid: int, name: str) -> None:
    """Send a signal; what was stopped goes on a little later."""
    os.kill(pid, signal.Signals[f"SIG{name}"])
    if name == "STOP":
        time.sleep(0.02)
        os.kill(pid, signal.SIGCONT)


def fault(
    done: subprocess.CompletedProcess[bytes], left: list[int], name: str, good: tuple[int, ...]
) -> str:
    """What is wrong with how a run that was struck has ended."""
    number = signal.Signals[f"SIG{name}"]
    if left:
        return f"SIG{name} left processes behind"
    if done.returncode not in (*good, -number, 128 + number):
        return f"SIG{name}: exit code {done.returncode}: {done.stderr[-300:].decode()}"
    if b"while importing site" in done.stderr or b"<frozen site>" in done.stderr:
        return ""  # Python itself was starting
    return complaint(done)


def on_batch(choose: random.Random, name: str, folder: Path) -> Verdict:
    (folder / "in").write_bytes(RECORDS)
    jobs = choose.choice("124")
    arguments = ("batch", "in", "--out", "out", "--resume", "--jobs", jobs)
    after = choose.uniform(0, 1.5 * undisturbed()[1])
    done, left = strike(Forked(*arguments, folder=folder), name, after)
    problem = fault(done, left, name, (1,))
    again = Forked(*arguments, folder=folder).end()
    if not problem and (again.returncode != 1 or (folder / "out").read_bytes() != undisturbed()[0]):
        problem = f"SIG{name}: other bytes after --resume: {again.stderr.decode()[-200:]}"
    if not problem and len(list(folder.iterdir())) != 3:
        problem = f"SIG{name}: left {sorted(os.listdir(folder))}"
    return Verdict(f"batch, {'ended' if done.returncode != 1 else 'not disturbed'}", problem)


def on_worker(choose: random.Random, name: str, folder: Path) -> Verdict:
    (folder / "in").write_bytes(RECORDS)
    process = Forked("batch", "in", "--out", "out", "--jobs", choose.choice("24"), folder=folder)
    time.sleep(choose.uniform(0, undisturbed()[1]))
    workers = children(process.pid)
    for worker in choose.sample(workers, min(1, len(workers))):
        with suppress(ProcessLookupError):
            send(worker, name)
    done = process.end()
    problem = complaint(done)
    if (folder / "out").read_bytes() != undisturbed()[0] or done.returncode != 1:
        problem = f"SIG{name} to a worker: other bytes: {done.stderr.decode()[-200:]}"
    return Verdict("worker, ended" if workers else "worker, too late", problem)


def on_save(choose: random.Random, name: str, folder: Path) -> Verdict:
    """Half of them stream a gradient into its file."""
    old = choose.choice((b"old", None))
    if old:
        (folder / "x.npy").write_bytes(old)
    size = choose.choice(("1000", "1100000"))
    given = ("-s", f"x=ones({size})", "--save", "x.npy", "--quiet", "--values", "none")
    process = Forked("eval", "sum(2*x)", *given, folder=folder)
    done, left = strike(process, name, choose.uniform(0, SMALL))
    problem = fault(done, left, name, (0,))
    path = folder / "x.npy"
    there = path.read_bytes() if path.exists() else None
    is_new = there is not None and len(there) == 128 + 8 * int(size)
    if not problem and not is_new and (there != old or not done.returncode):
        problem = f"SIG{name}: neither the old file nor the new one"
    left_over = [each for each in os.listdir(folder) if each != "x.npy"]
    if not problem and left_over and name != "KILL":
        problem = f"SIG{name}: left {left_over}"
    word = "save, new" if is_new else "save, old"
    return Verdict(word + (" and a name" if left_over else ""), problem)


def on_update(choose: random.Random, name: str, folder: Path) -> Verdict:
    path = folder / "a.grad"
    path.write_bytes(SCRIPT)
    path.chmod(0o600)
    process = Forked("test", "a.grad", "--update", folder=folder)
    done, left = strike(process, name, choose.uniform(0, SMALL))
    problem = fault(done, left, name, (0,))
    there = path.read_bytes()
    if not problem and there not in (SCRIPT, FIXED):
        problem = f"SIG{name}: neither the old script nor the new one"
    if not problem and (path.stat().st_mode & 0o777 != 0o600 or len(os.listdir(folder)) > 1):
        problem = f"SIG{name}: left {os.listdir(folder)}"
    return Verdict("update, new" if there == FIXED else "update, old", problem)


def on_start(choose: random.Random, name: str, folder: Path) -> Verdict:
    """A whole process, while it imports."""
    with subprocess.Popen(
        [*GRADCLI, "eval", "1 + 1", "--json"], cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        time.sleep(choose.uniform(0, STARTED))
        send(process.pid, name)
        out, error = process.communicate(timeout=PATIENCE)
    done = subprocess.CompletedProcess((), process.returncode, out, error)
    word = "start, ended" if done.returncode else "start, answered"
    return Verdict(word, fault(done, [], name, (0,)))


if __name__ == "__main__":
    sys.exit(main(attack, "kills", 3000))
