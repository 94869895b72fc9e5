"""Loops over large arrays: their passes are plans, with the bits of passes written out."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.swept import LARGE
from gradcli.graph import Array
from gradcli.options import Limits, Options
from tests.loops.programs import Writer
from tests.loops.test_rolled import answer, loops, prepared

SHAPE = (257, 256)
"""A little more than is large."""

ELEMENTWISE = "y = y + 0.01*(sin(y) - 0.1*y*x)"
PROGRAMS = [
    f"for k in range(70) {{ {ELEMENTWISE} }}; sum(y)",
    "for k in range(70) { y = y*0.9 + mean(x)*k*0.001 + sum(y, dim=1, keepdim=True)*1e-4 }; sum(y)",
    "for k in range(70) { y = gelu(y) - 0.1*erf(x)*y }; mean(y)",
    "for k in range(70) { y = log(sum(exp(y), dim=1, keepdim=True))*0.1 + x*0.1 }; mean(y)",
    "for k in range(70) { y = softmax(y, dim=0)*x + norm(y)*0.001 }; mean(y)",
    "for k in range(70) { y = y[:, 1:]*0.5 + y[:, :1]; y = cat((y, y[:, :1]), dim=1) }; sum(y**2)",
    "i = 0; while sum(y) > 2000 { y = y*0.999 - 0.0001*x; i = i + 1 }; mean(y)",
    "s = 0; for k in range(70) { s = s*0.9 + var(y*k) }; s",
    "for k in range(70) { t = y*k; for j in range(3) { t = t + sin(t) }; y = t*1e-3 }; mean(y)",
    "hs = []; for k in range(70) { y = tanh(y*x); hs = append(hs, mean(y)) }; sum(stack(hs))",
]  # fmt: skip


def inputs(text: str) -> dict[str, Array]:
    numbers = np.random.default_rng(0)
    found = {"y": numbers.random(SHAPE), "x": numbers.random(SHAPE)}
    return {name: each for name, each in found.items() if name in text.replace("exp", "")}


def test_the_arrays_are_large() -> None:
    assert np.prod(SHAPE) > LARGE


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_values_and_grads_have_the_bits_of_unrolled_loops(text: str, precision: str) -> None:
    given = {name: each.astype(precision) for name, each in inputs(text).items()}
    assert loops(prepared(text, given, Options(precision=precision)))  # type: ignore[arg-type]
    rolled = answer(text, given, precision=precision)
    assert isinstance(rolled, list)
    assert rolled == answer(text, given, precision=precision, unroll=True)


def test_checkpoints_keep_the_bits() -> None:
    text, given = PROGRAMS[0], inputs(PROGRAMS[0])
    small = Options(limits=Limits(memory=2**26))
    notes = [note.code for note in prepared(text, given, small).run(given).notes]
    assert "checkpoints" in notes
    assert answer(text, given, limits=small.limits) == answer(text, given)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_programs_made_at_random_have_the_bits_of_unrolled_loops(seed: int) -> None:
    writer = Writer(seed, (SHAPE,))
    text, limits = writer.program(), Limits(memory=2**33)
    with np.errstate(all="ignore"):
        rolled = answer(text, writer.inputs, limits=limits)
        assert rolled == answer(text, writer.inputs, limits=limits, unroll=True), text
