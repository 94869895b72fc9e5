"""Programs that most often run: calls from the op table, joined by arithmetic, loops, functions
and branches, with inputs of the shapes that the calls want.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from random import Random
from typing import Any, NamedTuple, TypeAlias

from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Case

Value: TypeAlias = "float | list[Any]"

UNARY = ("sin", "exp", "tanh", "sigmoid", "abs", "square", "relu", "neg", "erf", "atan")
TOTALS = ("sum", "mean", "max", "min", "norm", "std", "logsumexp", "prod")
JOINED = (
    "{a} + {b}", "{a} * {b}", "{a} - 2 * {b}", "{a} / (1 + {b} ** 2)", "where({a} > {b}, {a}, {b})",
)  # fmt: skip
ENDS = (
    "{e}", "{e}", "h = {e}\nh + 1e300 * h", "h = {e}\nh.detach() * h", "({e}, 2)[0]",
    "for i in range(3) {{ h = {e} * i }}\nh", "h = 0\nfor i in range(4) {{ h = tanh(h) + {e} }}\nh",
    "f(p) = p ** 2 + p\nf({e})", "def f(p, q=2) {{ return p / q }}\nf({e}) * f({e}, 3)",
    "h = {e}\nif h > 0 {{ h = log(h) }} else {{ h = h * 2 }}\nh",
    "h = {e}\nn = 0\nwhile n < 3 {{ h = cos(h); n = n + 1 }}\nh",
    "hs = []\nfor i in range(2) {{ hs = append(hs, {e} * i) }}\nsum(stack(hs))",
)  # fmt: skip


class Composed(NamedTuple):
    """A program, and the values of its inputs."""

    text: str
    inputs: Mapping[str, Value]


def composed(random: Random) -> Composed:
    """A program of one to three calls, joined to a single number."""
    choice = random.choice
    lines, total, inputs = [], "", dict[str, Value]()
    for number in range(choice((1, 1, 2, 3))):
        case, names = choice(_calls())
        for name, shape in case.shapes.items():
            inputs[f"{name}{number}"] = _drawn(shape, case.domain, random)
        lines.append(f"t{number} = " + names.sub(rf"\g<0>{number}", case.program))
        part = f"t{number}"
        for _ in range(choice((0, 0, 1, 2))):
            part = f"{choice(UNARY)}({part})"
        part = f"{choice(TOTALS)}({part})"
        total = choice(JOINED).format(a=total, b=part) if total else part
    return Composed("\n".join([*lines, choice(ENDS).format(e=total)]), inputs)


@lru_cache
def _calls() -> Sequence[tuple[Case, re.Pattern[str]]]:
    """The op table's examples that are one line, and what finds their inputs in them."""
    cases = (case for function in FUNCTIONS.values() for case in function.cases)
    return [
        (case, re.compile(rf"\b(?:{'|'.join(case.shapes) or '(?!)'})\b(?!=(?!=))"))
        for case in cases
        if "\n" not in case.program
    ]


def _drawn(shape: Sequence[int], domain: tuple[float, float], random: Random) -> Value:
    """Numbers of three digits from the domain, in nested lists."""
    flat: list[Any] = [round(random.uniform(*domain), 3) for _ in range(prod(shape))]
    for size in reversed(shape[1:]):
        flat = [flat[start : start + size] for start in range(0, len(flat), size)] if size else []
    return flat if shape else flat[0]
