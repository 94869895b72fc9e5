"""Every function with hostile sizes, under limits: `python -m tests.campaigns.caps`.

An attack is a process, which must end by itself with an answer or an error: no traceback, no exit
70, no signal, no hang, and no more memory than the limit allows.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from gradcli.graph import Shape
from gradcli.ops import FUNCTIONS, Case
from tests.campaigns.runner import GRADCLI, Verdict, main

LIMIT = 64 * 2**20
MORE = LIMIT * 106 // 100
"""What a process may take besides what its command takes for one number."""
SECONDS = 2
PATIENCE = 60
"""Seconds after which it hangs; a machine may have much else to do."""
BUG = 70

LANGUAGE = ("range", "append", "len", "print", "assert_close", "size", "dim", "numel", "tolist",
            "item", "backward", "grad", "tensor")  # fmt: skip
NAMES = sorted({*FUNCTIONS, *LANGUAGE})
ARGUMENTS = [
    "0", "1", "-1", "2", "0.5", "2**31", "2**63", "10**30", "-10**30", "nan", "inf", "-inf", "x",
    "x.T", "None", "True", "'mean'", "(0, 1)", "(1e9, 1e9)", "[]", "[1, 2]", "[x, x]", "zeros(0)",
    "zeros(1e9, 0)", "ones(1e6)", "ones(1e9)", "rand(700, 700)", "expand(x[0, 0], 1e6)",
    "expand(x[0, 0], 1e5, 1e5)", "arange(1e5)", "x > 0", "range(1e9)",
    "reshape(x, " + ", ".join(["1"] * 62) + ", 2, 2)", f"'{'a' * 20_000}'",
    "[" * 40 + "1" + "]" * 40,
]  # fmt: skip
SHAPES = [
    "{0}",
    "sum({0})",
    "print({0})",
    "y = {0}; y.shape",
    "for i in range(1e9) {{ y = {0} }}; y",
    "l = []; for i in range(300) {{ l = append(l, {0}) }}; sum(l[-1])",
    "while sum({0}) != 0.5 {{ x += 1 }}; x",
    "f(a) = f({0} + a); f(x)",
]
COMMANDS = ["eval", "eval", "eval", "check", "jacobian", "hessian", "explain", "derive", "graph"]

LAUNCHER = """
import json, os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
open(sys.argv[1], "w").write(json.dumps([code, peak]))
"""
"""Linux counts as a process's own what the one that has started it takes: so a small one does."""


def attack(seed: int, number: int, folder: Path) -> Verdict:
    """Run one program; functions come in turns."""
    choice = random.Random(f"{seed} {number}")
    name = NAMES[number % len(NAMES)]
    function = FUNCTIONS.get(name)
    if function and function.cases and choice.random() < 0.6:
        program, inputs = enlarged(function.cases, choice)
    else:
        count = (
            choice.randint(0, 1 + len(function.parameters)) if function else choice.randint(0, 3)
        )
        arguments = [choice.choice(ARGUMENTS) for _ in range(min(count, 6))]
        program, inputs = f"{name}({', '.join(arguments)})", {"x": (2, 2)}
    command = [choice.choice(COMMANDS), choice.choice(SHAPES).format(program)]
    for variable, shape in inputs.items():
        lengths = ", ".join(map(str, shape))
        command += ["-s", f"{variable}=" + (f"rand({lengths})" if shape else "0.5")]
    command += ["--max-memory", "64M", "--timeout", str(SECONDS)]
    command += choice.choice([[], ["--safe"]])
    return judged(command, folder)


def enlarged(cases: Sequence[Case], choice: random.Random) -> tuple[str, dict[str, Shape]]:
    """A program that works, and its inputs: larger, and now and then with another number in it."""
    case = choice.choice(cases)
    factor = choice.choice([0, 1, 1, 30, 300, 1000])
    shapes = {
        name: tuple(length * factor if length > 1 else length for length in shape)
        for name, shape in case.shapes.items()
    }
    if choice.random() < 0.5:
        return case.program, shapes
    hostile = choice.choice([each for each in ARGUMENTS if len(each) < 9])
    return re.sub(r"(?<![\w.])\d+(?![\w.])", lambda _: hostile, case.program, count=1), shapes


@cache
def own_bytes(command: str) -> int:
    """What a process of a command takes for one number: Python, NumPy and all."""
    with NamedTemporaryFile() as report:
        subprocess.run(
            [sys.executable, "-S", "-c", LAUNCHER, report.name, *GRADCLI, command, "x*x",
             "-s", "x=2"], check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _, peak = json.loads(report.read())
    return int(peak)


def judged(command: list[str], folder: Path) -> Verdict:
    """What comes of a command line."""
    report = folder / "report"
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", LAUNCHER, str(report), *GRADCLI, *command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    begun = time.monotonic()
    try:
        told, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Verdict("hung", f"{command} hung")
    took = time.monotonic() - begun
    code, peak = json.loads(report.read_text())
    if code == BUG or not 0 <= code < BUG:
        return Verdict("wrong end", f"{command} ended with {code}: {told[-300:]!r}")
    if b"Traceback" in told:
        return Verdict("traceback", f"{command}: {told[-300:]!r}")
    if peak > own_bytes(command[0]) + MORE:
        return Verdict("memory", f"{command} took {peak >> 20} MiB in {took:.1f} s")
    return Verdict("limit" if code == 4 else "error" if code > 1 else "answer")


if __name__ == "__main__":
    sys.exit(main(attack, "caps", 20 * len(NAMES)))
