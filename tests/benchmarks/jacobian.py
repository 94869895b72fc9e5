"""Jacobians of a thousand rows and Hessians of 300 × 300, against PyTorch's own ways to them.

    python -m tests.benchmarks.jacobian [--quick] [--python PATH]

As whole processes, which load the inputs and save the matrix, and inside a process that is warm.
The sides take turns, so that a busy machine slows all of them; figures are medians, and a side's
time over gradcli's. `--python` names an interpreter that has PyTorch.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from tests.benchmarks.peers import ENVIRONMENT, importable, measure


class Work(NamedTuple):
    """A matrix to find: how gradcli is told, and the same function of `x` in PyTorch."""

    command: str
    program: str
    inputs: tuple[str, ...]
    function: str


WORKS = [
    Work("jacobian", "tanh(W @ x)", ("W", "x"), "torch.tanh(W @ x)"),
    Work("jacobian", "sin(x) * cumsum(x, 0)", ("x",), "torch.sin(x) * torch.cumsum(x, 0)"),
    Work("jacobian", "softmax(W @ x, 0) * x", ("W", "x"), "torch.softmax(W @ x, 0) * x"),
    Work(
        "hessian",
        "sum(100*(p[1:] - p[:-1]**2)**2 + (1 - p[:-1])**2)",
        ("p",),
        "(100*(p[1:] - p[:-1]**2)**2 + (1 - p[:-1])**2).sum()",
    ),
    Work(
        "hessian",
        "h = tanh(D @ p[:260].reshape(13, 20) + p[260:280]); mean((h @ p[280:] - t)**2)",
        ("D", "p", "t"),
        "((torch.tanh(D @ p[:260].reshape(13, 20) + p[260:280]) @ p[280:] - t)**2).mean()",
    ),
]
WAYS = {
    "jacobian": ("torch.func.jacrev(f)(v)", "torch.autograd.functional.jacobian(f, v)"),
    "hessian": ("torch.func.hessian(f)(v)", "torch.autograd.functional.hessian(f, v)"),
}
POSED = """
import os; os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command line does
import numpy as np
from gradcli.analysis import jacobian as analysis
from gradcli.analysis.problem import pose
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Options
inputs = {{name: np.load(name + ".npy") for name in {inputs!r}}}
def find():
    program = parse_program(Source("program", {program!r}), ParseLimits())
    return analysis.{command}(pose(program, inputs, [], Options(wrt=({wrt!r},))))
"""
LOADED = """
import numpy as np, torch
{targets}, = (torch.from_numpy(np.load(name + ".npy")) for name in {inputs!r})
v = {wrt}
def f({wrt}): return {function}
def find(): return {way}
"""
SAVED = "np.save('theirs.npy', find().numpy())"
TIMED = """
from time import perf_counter
times = []
for _ in range(9):
    start = perf_counter(); find(); times.append(perf_counter() - start)
print(min(times))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--python", default=sys.executable, help="PyTorch's interpreter")
    options = parser.parse_args()
    peers = importable(options.python, "torch")
    if not peers:
        print(f"PyTorch is not installed for {options.python}: left out")
    with tempfile.TemporaryDirectory() as folder:
        chance = np.random.default_rng(0)
        shapes = {"W": (1000, 1000), "x": (1000,), "p": (300,), "D": (200, 13), "t": (200,)}
        for name, shape in shapes.items():
            np.save(Path(folder, f"{name}.npy"), chance.standard_normal(shape) / 10)
        for work in WORKS:
            race(work, options.python if peers else None, folder, 1 if options.quick else 7)


def race(work: Work, python: str | None, folder: str, rounds: int) -> None:
    """Measure both ways of running each side, in turns, and print a table."""
    wrt = "p" if "p" in work.inputs else "x"
    fields = work._asdict() | {"wrt": wrt, "targets": ", ".join(work.inputs)}
    flags = [text for name in work.inputs for text in ("--set", f"{name}=@{name}.npy")]
    own = ["-m", "gradcli", work.command, work.program, *flags, "--wrt", wrt, "--quiet"]
    sides = {
        "gradcli": (
            [sys.executable, *own, "--save", "ours.npy"],
            [sys.executable, "-c", POSED.format(**fields) + TIMED],
        )
    }
    for way in WAYS[work.command] if python else ():
        script = LOADED.format(**fields, way=way)
        sides[way.partition("(")[0]] = (
            [str(python), "-c", script + SAVED],
            [str(python), "-c", script + TIMED],
        )
    whole: dict[str, list[float]] = {name: [] for name in sides}
    inside: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, (process, timed) in sides.items():
            whole[name].append(measure(process, folder)[0])
            finished = subprocess.run(
                timed, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, text=True
            )
            inside[name].append(float(finished.stdout))
    print(f"\n{work.command} of {work.program}")
    for name in sides:
        one, other = median(whole[name]), median(inside[name])
        ratios = one / median(whole["gradcli"]), other / median(inside["gradcli"])
        print(
            f"  {name:<36}whole {one:6.3f} s {ratios[0]:6.2f} ×"
            f"   inside {1e3 * other:7.1f} ms {ratios[1]:6.2f} ×"
        )
    if python:
        ours, theirs = (np.load(Path(folder, f"{side}.npy")) for side in ("ours", "theirs"))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


if __name__ == "__main__":
    main()
