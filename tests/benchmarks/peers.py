"""The same work as whole processes in gradcli and in whichever peers are installed.

    python tests/benchmarks/peers.py [--quick] [--python PATH]

`pip install -e ".[bench]"` brings PyTorch, JAX and autograd; `--python` names another interpreter
that has them. The sides take turns, so that a busy machine slows both; figures are medians of wall
seconds and of peak memory, and a peer's time over gradcli's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

GRADCLI = [sys.executable, "-c", "from gradcli.cli import main; main()", "eval"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Race(NamedTuple):
    """One piece of work: gradcli's arguments, and a script for each peer."""

    name: str
    arguments: list[str]
    scripts: Mapping[str, str]


def large(expression: str) -> Race:
    """Value and gradient of a mean over `x.npy`, the gradient saved."""
    body = expression.removeprefix("mean(").removesuffix(")")
    return Race(
        expression,
        [expression, "--set", "x=@x.npy", "--values", "outputs", "--save", "g.npy", "--quiet"],
        {
            "load, multiply, save": "import numpy as np\nnp.save('p.npy', 24 * np.load('x.npy'))",
            "PyTorch": (
                "import numpy as np, torch\nfrom torch import exp, tanh\n"
                "x = torch.from_numpy(np.load('x.npy')).requires_grad_()\n"
                f"({body}).mean().backward()\nnp.save('p.npy', x.grad.numpy())"
            ),
            "JAX": (
                "import jax, numpy as np\njax.config.update('jax_enable_x64', True)\n"
                "from jax.numpy import exp, tanh\n"
                f"f = jax.jit(jax.value_and_grad(lambda x: ({body}).mean()))\n"
                "np.save('p.npy', f(np.load('x.npy'))[1])"
            ),
            "autograd": (
                "import autograd, autograd.numpy as np\nfrom autograd.numpy import exp, tanh\n"
                f"f = autograd.value_and_grad(lambda x: np.mean({body}))\n"
                "np.save('p.npy', f(np.load('x.npy'))[1])"
            ),
        },
    )


SMALL = Race(
    "the README's example",
    ["z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]", "--json"],
    {
        "import numpy": "import numpy",
        "PyTorch": (
            "import torch\nx = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
            "((2*x)**3).mean().backward()\nprint(x.grad.tolist())"
        ),
        "JAX": (
            "import jax, jax.numpy as np\n"
            "print(jax.grad(lambda x: ((2*x)**3).mean())(np.array([[1., 2.], [3., 4.]])).tolist())"
        ),
        "autograd": (
            "import autograd, autograd.numpy as np\nx = np.array([[1., 2.], [3., 4.]])\n"
            "print(autograd.grad(lambda x: np.mean((2*x)**3))(x).tolist())"
        ),
    },
)
LARGE = [large("mean((2*x)**3)"), large("mean(tanh(1.5*x+0.1)*exp(-x**2))")]
MODULES = {"PyTorch": "torch", "JAX": "jax", "autograd": "autograd"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a tenth of the data")
    parser.add_argument("--python", default=sys.executable, help="the peers' interpreter")
    options = parser.parse_args()
    missing = {name for name, module in MODULES.items() if not importable(options.python, module)}
    for name in sorted(missing):
        print(f"{name} is not installed for {options.python}: left out")
    rounds, elements = (3, 10**6) if options.quick else (7, 10**7)
    with tempfile.TemporaryDirectory() as folder:
        values = np.random.default_rng(0).standard_normal(elements)
        np.save(Path(folder) / "x.npy", values)
        for race in (SMALL, *LARGE):
            scripts = {name: text for name, text in race.scripts.items() if name not in missing}
            report(race, run(race.arguments, scripts, options.python, folder, rounds))


def importable(python: str, module: str) -> bool:
    """Whether an interpreter finds a module."""
    finished = subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False)
    return finished.returncode == 0


def run(
    arguments: list[str], scripts: Mapping[str, str], python: str, folder: str, rounds: int
) -> dict[str, tuple[float, float]]:
    """Median seconds and MiB for every side, in turns after one run for the caches."""
    sides = {"gradcli": [*GRADCLI, *arguments]}
    sides |= {name: [python, "-c", script] for name, script in scripts.items()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, command in sides.items():
            cost = measure(command, folder)
            if turn:
                taken[name].append(cost)
    return {
        name: (median(seconds for seconds, _ in each), median(peak for _, peak in each))
        for name, each in taken.items()
    }


def measure(command: list[str], folder: str) -> tuple[float, float]:
    """Wall seconds and peak MiB of one process."""
    start = perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {command}")
    return perf_counter() - start, usage.ru_maxrss / 1024


def report(race: Race, costs: Mapping[str, tuple[float, float]]) -> None:
    """A table of one race."""
    own, _ = costs["gradcli"]
    print(f"\n{race.name}")
    for name, (seconds, peak) in costs.items():
        print(f"  {name:<22}{seconds:8.3f} s {peak:8.0f} MiB {seconds / own:8.2f} ×")


if __name__ == "__main__":
    main()
