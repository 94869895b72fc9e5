"""Damaged and hostile files: `python -m tests.campaigns.files --count 10000`.

An attack is one file of a kind that is read, made from a sound one: bytes changed, cut off,
doubled, put in, numbers made huge. It is read by the command that reads such files, which answers
or refuses. Each hundredth attack cuts short or writes over a file while a run has it mapped.
"""

from __future__ import annotations

import io
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.campaigns.outputs import answer
from tests.campaigns.runner import GRADCLI, PATIENCE, Verdict, complaint, main

HUGE = (b"9" * 18, b"9" * 30, b"-1", b"1e999", b"NaN", b"0x10", b"1_0", b"\xef\xbc\x91", b"", b"\0")
LIMITS = ("--max-memory", "64M", "--timeout", "20")
COMMANDS = {
    ".npy": ("eval", "sum(x)", "-s", "x=@{}"),
    ".npz": ("eval", "sum(x)", "-s", "x=@{}:a"),
    ".json": ("eval", "sum(x)", "-s", "x=@{}"),
    ".csv": ("eval", "sum(x)", "-s", "x=@{}"),
    ".txt": ("eval", "sum(x)", "-s", "x=@{}"),
    ".grad": ("test", "{}"),
    ".program": ("eval", "-f", "{}"),
    ".jsonl": ("batch", "{}", "--quiet"),
    ".journal": ("batch", "in.jsonl", "--out", "out", "--resume"),
}
"""By suffix: what reads such a file."""


def sound(suffix: str, folder: Path) -> bytes:
    """A file as it should be."""
    x = np.arange(6.0).reshape(2, 3)
    buffer = io.BytesIO()
    if suffix == ".npy":
        np.save(buffer, x)
    elif suffix == ".npz":
        np.savez_compressed(buffer, a=x, b=x[0])
    elif suffix == ".journal":
        (folder / "in.jsonl").write_bytes(b"1+1\n2+2\n3+3\n")
        answer(["batch", str(folder / "in.jsonl"), "--out", str(folder / "out"), "--quiet"])
        return (folder / "out.journal").read_bytes()
    else:
        return TEXTS[suffix]
    return buffer.getvalue()


TEXTS = {
    ".json": b'[[1, 2.5e3, "NaN"], [-4, 5, "Infinity"]]',
    ".csv": b"1,2,3\n4,5,6\n",
    ".txt": b"# a comment\n1 2 3\n4 5 nan\n",
    ".grad": b"x = tensor([1, 2], requires_grad=True)\nsum(x**2)    #= 5\nx.backward()  #! shape\n",
    ".program": b"f(a, n=2) = a**n\nx = [1, 2]; for i in range(3) { x = x * 2 }\nsum(f(x))\n",
    ".jsonl": b'{"id": 1, "program": "sum(x**2)", "set": {"x": [1, 2]}, "seed": 3}\n1 + 1\n',
}


def mutations(choose: random.Random, data: bytes) -> bytes:
    """The data with a few things wrong."""
    for _ in range(choose.randint(1, 4)):
        data = choose.choice(WRONGS)(choose, data)
    return data


def _change(choose: random.Random, data: bytes) -> bytes:
    place = choose.randrange(len(data) + 1)
    return data[:place] + bytes([choose.randrange(256)]) + data[place + 1 :]


def _cut(choose: random.Random, data: bytes) -> bytes:
    return data[: choose.randrange(len(data) + 1)]


def _double(choose: random.Random, data: bytes) -> bytes:
    first, last = sorted(choose.randrange(len(data) + 1) for _ in range(2))
    return data[:last] + data[first:last] * choose.choice((1, 2, 1000)) + data[last:]


def _inflate(choose: random.Random, data: bytes) -> bytes:
    numbers = [*re.finditer(rb"\d+", data)]
    if not numbers:
        return data
    place = choose.choice(numbers)
    return data[: place.start()] + choose.choice(HUGE) + data[place.end() :]


def _length(choose: random.Random, data: bytes) -> bytes:
    place = choose.randrange(len(data) + 1)
    number = choose.choice((0, 1, 2**15, 2**31 - 1, 2**32 - 1))
    return data[:place] + struct.pack("<I", number) + data[place + 4 :]


def _put_in(choose: random.Random, data: bytes) -> bytes:
    place = choose.randrange(len(data) + 1)
    parts = (b"[" * 5000, b'"', b"{", b"\n", b"\r", b"\xff\xfe", b"\xed\xa0\x80", b",", b"\x1b[2J")
    return data[:place] + choose.choice(parts) + data[place:]


WRONGS: list[Callable[[random.Random, bytes], bytes]] = [
    _change, _cut, _double, _inflate, _length, _put_in,
]  # fmt: skip


def attack(seed: int, number: int, folder: Path) -> Verdict:
    choose = random.Random(f"{seed} {number}")
    if number % 100 == 99:
        return while_mapped(choose, folder)
    suffix = choose.choice([*COMMANDS])
    before, told = Path.cwd(), signal.getsignal(signal.SIGTERM)
    os.chdir(folder)
    try:
        data = mutations(choose, sound(suffix, folder))
        name = "out.journal" if suffix == ".journal" else f"x{suffix}"
        (folder / name).write_bytes(data)
        arguments = [each.format(name) for each in COMMANDS[suffix]]
        code, out, error = answer([*arguments, *LIMITS])
    finally:
        os.chdir(before)
        signal.signal(signal.SIGTERM, told)
    problem = complaint(subprocess.CompletedProcess(arguments, code, out, error))
    if suffix == ".jsonl" and b'"code": "internal"' in out:
        problem = f"a bug: {out!r}"
    return Verdict(f"{suffix}: {'refused' if code else 'read'}", problem and f"{data!r}: {problem}")


def while_mapped(choose: random.Random, folder: Path) -> Verdict:
    """Cut short, or written over, at some instant."""
    path = folder / "x.npy"
    np.save(path, np.ones(2**18 * choose.choice((1, 4))))
    program = choose.choice(("sum(sort(x)[0])", "sum(cumsum(x, 0))", "x @ x", "mean((2*x)**3)"))
    with subprocess.Popen(
        [*GRADCLI, "eval", program, "-s", "x=@x.npy", "--json", "--values", "outputs"],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        time.sleep(choose.uniform(0, 1))
        if choose.random() < 0.7:
            os.truncate(path, choose.choice((0, 100, 4096, 10**6)))
        else:
            path.write_bytes(b"\xff" * choose.choice((10, 2**20, 2**24)))
        out, error = process.communicate(timeout=PATIENCE)
    done = subprocess.CompletedProcess((), process.returncode, out, error)
    if done.returncode not in (0, 3):
        return Verdict("mapped: wrong", f"{program}: exit code {done.returncode} {error[-200:]!r}")
    return Verdict(f"mapped: {'refused' if done.returncode else 'read'}", complaint(done))


if __name__ == "__main__":
    sys.exit(main(attack, "files", 10_000))
