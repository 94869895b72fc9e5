"""Measure elementwise functions and their derivatives against 50 digits of mpmath.

`python -m tests.ops.measure_ulp` writes `ulp.json`: the largest error of each in units in the last
place (ulp), over many points.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mp

from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Options, evaluate
from tests.ops.ulp_references import REFERENCES, Intervals, Reference

DIGITS = 50
POINTS = 1000
TABLE = Path(__file__).parent / "ulp.json"


def draw(intervals: Intervals, count: int, generator: np.random.Generator) -> Array:
    """Points from all intervals, equally many from each."""
    parts = [
        low + (high - low) * generator.random(-(-count // len(intervals)))
        for low, high in intervals
    ]
    return generator.permutation(np.concatenate(parts))[:count]


def computed(name: str, reference: Reference, points: list[Array]) -> list[Array]:
    """gradcli's values, then its derivative by each operand."""
    names = ("x", "y")[: len(points)]
    text = reference.program or f"{name}({', '.join(names)})"
    inputs = dict(zip(names, points, strict=True))
    result = evaluate(
        parse_program(Source("ulp", text), ParseLimits()),
        inputs,
        [Gradient(np.ones(points[0].shape))],
        Options(wrt=names),
    )
    return [result.values["out"], *(result.grads[each] for each in names)]


def errors(found: Array, exact: list[Any]) -> float:
    """The largest error, in units in the last place of the exact number."""
    worst = 0.0
    for value, truth in zip(found.tolist(), exact, strict=True):
        if truth == value:
            continue
        spacing = float(np.spacing(abs(float(truth)) or 5e-324))
        worst = max(worst, float(abs(mp.mpf(value) - truth) / spacing))
    return worst


def measure(name: str, count: int, seed: int, size: int = 0) -> list[float]:
    """Largest errors of the value and of the derivative by each operand, at `count` points, which
    are computed as a part of arrays of `size` elements, if that is more.
    """
    reference = REFERENCES[name]
    generator = np.random.default_rng(seed)
    points = [draw(intervals, count, generator) for intervals in reference.intervals]
    filled = [np.resize(each, max(size, count)) for each in points]
    found = [each[:count] for each in computed(name, reference, filled)]
    with mp.workdps(DIGITS):
        places = [
            tuple(map(mp.mpf, place)) for place in zip(*map(np.ndarray.tolist, points), strict=True)
        ]
        exact = [[mp.re(reference.exact(*place)) for place in places]]
        for operand in range(len(points)):
            order = tuple(int(i == operand) for i in range(len(points)))
            exact.append([mp.re(mp.diff(reference.exact, place, order)) for place in places])
        return [errors(each, truth) for each, truth in zip(found, exact, strict=True)]


if __name__ == "__main__":
    table = {name: [round(each, 1) for each in measure(name, POINTS, 0)] for name in REFERENCES}
    rows = ",\n".join(f'  "{name}": {json.dumps(row)}' for name, row in table.items())
    TABLE.write_text(f"{{\n{rows}\n}}\n")
