"""Measure smooth functions and their derivatives over whole domains, in float64 and float32.

`python -m tests.ops.measure_domains` writes `domains.json`: by function and precision, for the
value and for the derivative by each operand, the largest error in units in the last place, and
where.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from mpmath import mp

from gradcli.diagnostics import Source
from gradcli.graph import Array, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Options, evaluate
from tests.ops.ulp_references import REFERENCES
from tests.ops.whole_domains import COUNT, DOMAINS, PAIRS, points

STORED = Path(__file__).parent / "domains.json"
PRECISIONS: dict[Precision, type[np.floating[Any]]] = {
    "float64": np.float64,
    "float32": np.float32,
}
WRONG = 1e99
"""The error of a number that is not finite though the true one is, or the other way round."""
Worst: TypeAlias = tuple[float, list[float]]
"""An error, and the operands for which it is made."""


def places(name: str, precision: Precision) -> list[Array]:
    """The operands that a function is measured on."""
    dtype = PRECISIONS[precision]
    if name in DOMAINS:
        return [points(DOMAINS[name], dtype)]
    uniform = np.random.default_rng(0).random((2, COUNT))
    pairs = PAIRS[name]
    return [pairs.first(uniform[0]).astype(dtype), pairs.second(uniform[1]).astype(dtype)]


def computed(name: str, operands: list[Array], precision: Precision) -> list[Array]:
    """gradcli's values, then its derivative by each operand."""
    names = ("x", "y")[: len(operands)]
    text = REFERENCES[name].program or f"{name}({', '.join(names)})"
    result = evaluate(
        parse_program(Source("ulp", text), ParseLimits()),
        dict(zip(names, operands, strict=True)),
        [Gradient(np.ones(operands[0].shape))],
        Options(wrt=names, precision=precision),
    )
    return [result.values["out"], *(result.grads[each] for each in names)]


def exact(name: str, place: list[float], what: int) -> Any:
    """The true value, for `what` 0, or the derivative by operand number `what`."""
    whole, function = DOMAINS.get(name), REFERENCES[name].exact
    size = max(abs(float(np.log10(abs(each)))) if each else 0.0 for each in place)
    largest = min(max(map(abs, place)), 1100.0)
    digits = whole.digits if whole and whole.digits else int(150 + 3 * size + largest)
    with mp.workdps(digits):
        operands = [mp.mpf(each) for each in place]
        if not what:
            return mp.re(function(*operands))
        if whole and whole.slope:
            return mp.re(whole.slope(*operands))
        x = operands[what - 1]
        step = min(abs(x) or 1, 1) * mp.mpf(10) ** -40

        def moved(by: Any) -> Any:
            return mp.re(function(*operands[: what - 1], x + by, *operands[what:]))

        return (moved(step) - moved(-step)) / (2 * step)


def ulp(found: Any, truth: Any) -> float:
    """The error in units in the last place of the true number, in the dtype of the other."""
    info = np.finfo(found.dtype)
    if abs(truth) > float(info.max):
        return 0.0 if not np.isfinite(found) else WRONG
    if not np.isfinite(found):
        return WRONG
    unit = float(np.spacing(abs(found.dtype.type(float(truth)))))
    with mp.workdps(60):
        return float(abs(mp.mpf(float(found)) - truth) / unit)


def measure(name: str, precision: Precision, operands: list[Array]) -> list[Worst]:
    """The worst of the value and of each derivative."""
    found = computed(name, operands, precision)
    rows = [list(map(float, row)) for row in zip(*operands, strict=True)]
    return [
        max(
            (ulp(value, exact(name, row, what)), row) for value, row in zip(each, rows, strict=True)
        )
        for what, each in enumerate(found)
    ]


def shown(worst: list[Worst]) -> list[list[float]]:
    """As it is stored: the error, then the operands."""
    return [[float(f"{error:.3g}"), *place] for error, place in worst]


if __name__ == "__main__":
    table = {
        f"{name}, {precision}": shown(measure(name, precision, places(name, precision)))
        for name in (*DOMAINS, *PAIRS)
        for precision in PRECISIONS
    }
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items())
    STORED.write_text(f"{{\n{rows}\n}}\n")
