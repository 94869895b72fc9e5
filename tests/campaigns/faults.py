"""Each call that a writing command makes to the system fails: `python -m tests.campaigns.faults`.

An attack is one command, one call and one error. The command runs with the first such call
failing, then with the second, until a run is clean. After each run the old file is whole or the
new one is, a failure has been told, and nothing is left behind; a batch goes on with --resume. A
library that is loaded before all others stands between gradcli and the system: fault.c, compiled
by gcc.
"""

from __future__ import annotations

import atexit
import errno
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import count, zip_longest
from pathlib import Path
from typing import NamedTuple

from tests.campaigns.runner import Verdict, complaint, main, run

KILL = 0
FAULTS = [
    *(("write", number) for number in (errno.EIO, errno.ENOSPC, errno.EINTR, KILL)),
    *(("open", number) for number in (errno.EACCES, errno.EMFILE, errno.ENOSPC, errno.EINTR, KILL)),
    *(("fsync", number) for number in (errno.EIO, errno.EINTR, KILL)),
    *(("rename", number) for number in (errno.EIO, errno.ENOSPC, KILL)),
    *(("link", number) for number in (errno.EIO, errno.ENOSPC, KILL)),
    *(("ftruncate", number) for number in (errno.EIO, errno.EINTR, KILL)),
    *(("fchmod", number) for number in (errno.EIO, KILL)),
    *(("fallocate", number) for number in (errno.ENOSPC, errno.EINTR)),
    *(("pwritev64", number) for number in (errno.EIO, errno.ENOSPC, errno.EINTR, KILL)),
    *(("flock", number) for number in (errno.ENOLCK,)),
    *(("mmap", number) for number in (errno.ENOMEM, KILL)),
    *(("malloc", number) for number in (errno.ENOMEM,)),
    *(("fork", number) for number in (errno.EAGAIN, errno.ENOMEM, KILL)),
]
RECORDS = b"\n".join(
    b'{"id": %d, "program": "sum(x**%d)", "set": {"x": [1, 2]}}' % (i, i) for i in range(9)
)


class Command(NamedTuple):
    """A command that writes, in a folder that has been prepared for it."""

    arguments: tuple[str, ...]
    written: str
    """The file that it writes."""
    old: bytes | None
    """What stands there before."""
    again: tuple[str, ...] = ()
    """The flags with which a second run completes what an interrupted one has begun."""


BATCH = ("batch", "in.jsonl", "--out", "out.jsonl", "--jobs", "2")
COMMANDS = {
    "save npz": Command(("eval", "sum(x)", "-s", "x=1,2", "--save", "x.npz"), "x.npz", b"old"),
    "save new npy": Command(("eval", "sum(x)", "-s", "x=1,2", "--save", "x.npy"), "x.npy", None),
    "stream npy": Command(
        ("eval", "sum(x**2)", "-s", "x=ones(1100000)", "--values", "none", "--save", "x.npy"),
        "x.npy", b"old",
    ),
    "jacobian": Command(("jacobian", "x**2", "-s", "x=1,2", "--save", "j.npy"), "j.npy", b"old"),
    "update": Command(("test", "a.grad", "--update"), "a.grad", b"1 + 1    #= 3\n"),
    "junit": Command(("test", "b.grad", "--junit", "r.xml"), "r.xml", b"old"),
    "batch": Command(BATCH, "out.jsonl", None, ("--resume",)),
    "batch from the middle": Command((*BATCH, "--resume"), "out.jsonl", b"", ("--resume",)),
}  # fmt: skip
PAIRS = [(name, *fault) for name in COMMANDS for fault in FAULTS]
MANY = {"malloc", "mmap"}
"""Calls of which there are too many to let each fail."""


@cache
def library() -> str:
    """The compiled library; it stays as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="gradcli-fault-"))
    atexit.register(shutil.rmtree, folder)
    source = Path(__file__).with_name("fault.c")
    made = folder / "fault.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-w", "-o", str(made), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return str(made)


def prepare(folder: Path, command: Command) -> None:
    """What the commands read, and what stands where they write."""
    for path in folder.iterdir():
        path.unlink()
    (folder / "in.jsonl").write_bytes(RECORDS)
    (folder / "b.grad").write_text("2 + 2    #= 4\n")
    if command.written == "out.jsonl" and command.old is not None:
        run(*BATCH, folder=folder)
        journal = folder / "out.jsonl.journal"
        journal.write_bytes(journal.read_bytes()[:-99])
    elif command.old is not None:
        (folder / command.written).write_bytes(command.old)


@cache
def new(name: str) -> bytes:
    """What a run that nothing disturbs writes."""
    command = COMMANDS[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        prepare(folder, command)
        done = run(*command.arguments, folder=folder)
        assert done.returncode == 0, done.stderr
        return (folder / command.written).read_bytes()


def instants(call: str) -> Iterator[int]:
    """Which call fails, from the first on."""
    return (int(1.7**step) + step for step in range(1, 14)) if call in MANY else count(1)


def attack(seed: int, number: int, folder: Path) -> Verdict:
    name, call, error = PAIRS[number % len(PAIRS)]
    command = COMMANDS[name]
    inside = folder / "inside"
    inside.mkdir()
    for instant in instants(call):
        prepare(inside, command)
        mark = folder / "mark"
        mark.unlink(missing_ok=True)
        try:
            done = run(
                *command.arguments, folder=inside, LD_PRELOAD=library(), FAULT_MARK=str(mark),
                FAULT=f"{call}:{instant}:{error}", FAULT_FOLDER=str(inside),
            )  # fmt: skip
            problem = judge(name, inside, done, killed=error == KILL)
        except subprocess.TimeoutExpired:
            problem = "it does not end"
        if problem:
            what = errno.errorcode.get(error, "killed")
            return Verdict("wrong", f"{name}, {call} {instant} {what}: {problem}")
        if not mark.exists():
            break
    return Verdict(f"{call}: clean after all have failed" if instant > 1 else "never called")


def judge(
    name: str, folder: Path, done: subprocess.CompletedProcess[bytes], *, killed: bool
) -> str:
    """What is wrong with how a run has ended; empty where nothing is."""
    command = COMMANDS[name]
    wrong = complaint(done)
    if wrong:
        return wrong
    if done.returncode < 0 and not (killed and done.returncode == -9):
        return f"signal {-done.returncode}"
    path = folder / command.written
    there = path.read_bytes() if path.exists() else None
    if not done.returncode and there != new(name):
        return "exit code 0, and not the new file"
    if command.again:
        return resumed(name, folder)
    if there not in (command.old, new(name)):
        return f"neither the old file nor the new one: {(there or b'')[:80]!r}"
    left = {each.name for each in folder.iterdir()} - {"in.jsonl", "b.grad", command.written}
    if killed:  # between giving a file a name and moving it to its place
        left = {each for each in left if (folder / each).read_bytes() != new(name)}
    return f"left behind: {', '.join(left)}" if left else ""


def resumed(name: str, folder: Path) -> str:
    """An interrupted batch goes on, and its file is that of an undisturbed run; but a record for
    which there was no memory has its answer, which says so.
    """
    arguments = [each for each in COMMANDS[name].arguments if each != "--resume"]
    done = run(*arguments, *COMMANDS[name].again, folder=folder)
    answers, expected = (folder / "out.jsonl").read_bytes().splitlines(), new(name).splitlines()
    pairs = list(zip_longest(answers, expected, fillvalue=b""))
    if all(a == b or b'"code": "limit-memory"' in a for a, b in pairs):
        return ""
    return f"not completed by --resume: {done.stderr.decode()[-300:]}"


if __name__ == "__main__":
    sys.exit(main(attack, "faults", len(PAIRS)))
