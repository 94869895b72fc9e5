"""gradcli inside a process: seconds of one run of a program that is traced and planned.

    python inside.py PROGRAM WRT NAME…

WRT are the leaves, `a,b`, or `-` for values alone; the inputs NAME… are read from NAME.npy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

LEAST, MOST, ENOUGH = 3, 9, 2.0
"""How often a step is timed: until it has taken so many seconds."""


def timed(step: Callable[[], object]) -> None:
    """Print the median of the seconds that a step takes, after one to warm up."""
    step()
    taken: list[float] = []
    while len(taken) < LEAST or (len(taken) < MOST and sum(taken) < ENOUGH):
        start = perf_counter()
        step()
        taken.append(perf_counter() - start)
    print(median(taken))


def main(text: str, wrt: str, *names: str) -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command does: the engine has its own threads

    import numpy as np

    from gradcli.diagnostics import Source
    from gradcli.language.parser import ParseLimits, parse_program
    from gradcli.session import Options, prepare

    leaves = () if wrt == "-" else tuple(wrt.split(","))
    options = Options(wrt=leaves, forward_only=not leaves, values="outputs")
    inputs = {name: np.load(f"{name}.npy") for name in names}
    program = parse_program(Source("program", text), ParseLimits())
    prepared = prepare(program, inputs, (), options)
    timed(lambda: prepared.run(inputs))


if __name__ == "__main__":
    main(*sys.argv[1:])
