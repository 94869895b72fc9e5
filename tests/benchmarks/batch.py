"""gradcli batch against PyTorch scripts that do the same, as whole processes in one run.

    python tests/benchmarks/batch.py [--python PYTHON] [RECORDS [ROUNDS]]

20 000 records with a 2×2 input, 5 rounds, taken in turns so that a busy machine slows all of them;
PYTHON (this one) is an interpreter that has PyTorch. With one job, gradcli should take less than an
eighth of PyTorch's time on records of one program, and less than a third on distinct ones: three
statements each, in 343 shapes, every number its own. PyTorch's side runs these with Python's
`exec`, which no text from strangers should meet.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

ONE = """
import json, sys, torch
for line in sys.stdin:
    record = json.loads(line)
    x = torch.tensor(record["set"]["x"], dtype=torch.float64, requires_grad=True)
    out = ((2*x)**3).mean()
    out.backward()
    print(json.dumps({"id": record["id"], "out": out.item(), "x": x.grad.tolist()}))
"""
DISTINCT = ONE.replace("import json, sys, torch", "import json, sys, torch; from torch import *")
DISTINCT = DISTINCT.replace(
    "out = ((2*x)**3).mean()",
    'names = globals() | {"x": x}; exec(record["program"], names); out = names["out"]',
)
STATEMENTS = [
    ["a = {}*x + {}", "a = (x - {})/{}", "a = {} - {}*x", "a = {}*x**2 + {}*x", "a = x*{}",
     "a = x + {}", "a = (x + {})**2"],
    ["b = {}*tanh(a)", "b = a*exp({}*a)", "b = sin({}*a + {})", "b = {}*a - x", "b = a*x/{}",
     "b = sqrt(a**2 + {})", "b = where(a > {}, a, {}*x)"],
    ["out = mean(b**2)", "out = sum({}*b + x)", "out = sum(b*a) - {}", "out = mean((b - {})**3)",
     "out = {}*sum(b) + {}*mean(a)", "out = (b**2).sum()/{}", "out = mean({}*b*x)"],
]  # fmt: skip
"""What distinct programs are made of, numbers left out."""
GRADCLI = [sys.executable, "-m", "gradcli", "batch", "--quiet", "--jobs", "1"]


def main(python: str, count: int = 20_000, rounds: int = 5) -> None:
    choose = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        one, distinct = Path(folder, "one.jsonl"), Path(folder, "distinct.jsonl")
        write(one, ["((2*x)**3).mean()"] * count, choose)
        write(distinct, [program(choose) for _ in range(count)], choose)
        compare("one program", one, [python, "-c", ONE], rounds)
        compare("distinct programs", distinct, [python, "-c", DISTINCT], rounds)


def program(choose: random.Random) -> str:
    """Three statements with numbers of their own."""
    text = "; ".join(map(choose.choice, STATEMENTS))
    return text.format(*(round(choose.uniform(0.1, 5), 4) for _ in range(text.count("{}"))))


def write(path: Path, programs: list[str], choose: random.Random) -> None:
    """A record of each program, with an input of its own."""
    with open(path, "w") as stream:
        for number, program in enumerate(programs):
            x = [[choose.uniform(-3, 3) for _ in range(2)] for _ in range(2)]
            record = {"id": number, "program": program, "set": {"x": x}}
            stream.write(json.dumps(record) + "\n")


def compare(name: str, path: Path, pytorch: list[str], rounds: int) -> None:
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(seconds(GRADCLI, path))
        theirs.append(seconds(pytorch, path))
    ratio = median(their / our for our, their in zip(ours, theirs, strict=True))
    print(
        f"{name:<18} gradcli {median(ours):6.2f} s   PyTorch {median(theirs):6.2f} s   "
        f"{ratio:.1f} times the speed"
    )


def seconds(command: list[str], path: Path) -> float:
    """The wall time of a process that reads records and writes answers."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with open(path, "rb") as stream:
        start = perf_counter()
        subprocess.run(
            command, stdin=stream, stdout=subprocess.DEVNULL, check=True, env=environment
        )
        return perf_counter() - start


if __name__ == "__main__":
    arguments = sys.argv[1:]
    interpreter = sys.executable
    if arguments[:1] == ["--python"]:
        interpreter = arguments[1]
        arguments = arguments[2:]
    main(interpreter, *map(int, arguments))
