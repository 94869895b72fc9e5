"""On a real card: every op, every sample, and the shapes that kernels walk differently."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine import card as card_room
from gradcli.engine import gpu
from gradcli.engine.lanes import Lanes
from gradcli.graph import Array, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.syntax import Program
from gradcli.session import Options, evaluate
from tests.engine.test_regions import PROGRAMS
from tests.gpu import runs
from tests.gpu.test_kernels import PRECISIONS, SHAPES, inputs_of
from tests.loops.programs import Writer

pytestmark = pytest.mark.gpu

PARTS = 16
"""Of long tests, for as many processes."""
TOLERANCE = runs.TOLERANCE["float64"]
CELLS = sorted((Path(__file__).parents[2] / "samples" / "cells").glob("*.py"))
AMPLIFIED = {"gradient_penalty": 1e-9, "optim_polynomial_nn": 1e-6}
"""Cells that make rounding larger: a norm less 1, a step by the sign of what is nearly 0."""
CHAOTIC = 181
"""A loop of sines that grow to 1e31: whatever the rounding, no digit of its gradient is left."""


@pytest.fixture(autouse=True, scope="module")
def card() -> card_room.Card:
    """The card; without one, the tests are skipped with what was found instead."""
    try:
        return card_room.card(0)
    except GradcliError as error:
        pytest.skip(error.diagnostic.message)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_elementwise_function(precision: Precision) -> None:
    runs.check([runs.of_elementwise_functions(precision)], runs.TOLERANCE[precision])


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_case(precision: Precision, part: int) -> None:
    runs.check(runs.of_cases(precision)[part::PARTS], 5 * runs.TOLERANCE[precision])


@pytest.mark.parametrize("part", range(PARTS))
def test_programs_made_at_random(part: int) -> None:
    """2,000, of which a fifth is in float32."""
    for seed in range(part, 2000, PARTS):
        precision: Precision = "float32" if seed % 5 == 4 else "float64"
        runs.check([runs.of_generated(seed, precision)], 5 * runs.TOLERANCE[precision])


@pytest.mark.parametrize("part", range(PARTS))
def test_loops_made_at_random(part: int) -> None:
    for seed in range(part, 200, PARTS):
        writer = Writer(seed)
        if seed != CHAOTIC:
            check_answers(writer.program(), writer.inputs, TOLERANCE)


@pytest.mark.parametrize("path", CELLS, ids=lambda path: path.stem)
def test_every_cell(path: Path) -> None:
    check_answers(path.read_text(), {}, AMPLIFIED.get(path.stem, TOLERANCE))


def check_answers(text: str, inputs: dict[str, Array], tolerance: float) -> None:
    """Values and gradients of a program, all of it run where they are said to be."""
    program = parse_program(Source("program", text), ParseLimits())
    on_cpu, on_card = (
        outcome(program, inputs, Options(seed=0, device=device)) for device in ("cpu", "gpu")
    )
    assert on_cpu.keys() == on_card.keys()
    for name, expected in on_cpu.items():
        scale = np.abs(expected[np.isfinite(expected)], dtype=float).max(initial=0.1)
        np.testing.assert_allclose(
            on_card[name], expected, tolerance, tolerance * scale, err_msg=name
        )


def outcome(program: Program, inputs: dict[str, Array], options: Options) -> dict[str, Array]:
    """What a program gives; of an error, what it says."""
    try:
        result = evaluate(program, inputs, (), options)
    except GradcliError as error:
        return {error.diagnostic.message: np.zeros(())}
    return result.values | {f"{name}.grad": grad for name, grad in result.grads.items()}


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_sample(precision: Precision) -> None:
    runs.check(runs.of_samples(precision), runs.TOLERANCE[precision])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_regions(precision: Precision) -> None:
    shapes = [*SHAPES, (300, 256), (3, 40_000), (1, 65_537), (1001, 1001)]
    wanted = [
        runs.of_program(program, inputs_of(program, shape), precision)
        for program, shape in itertools.product(PROGRAMS, shapes)
    ]
    runs.check(wanted, runs.TOLERANCE[precision] * (10 if precision == "float32" else 1))


def test_the_bits_repeat() -> None:
    x = np.random.default_rng(0).standard_normal(3_000_001)
    run = runs.of_program("mean(tanh(1.5*x+0.1)*exp(-x**2))", {"x": x})
    first, second = (
        [array.tobytes() for array in gpu.CardEngine(run.outputs).run(run.feeds)] for _ in range(2)
    )
    assert first == second


def test_pieces(card: card_room.Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the card were nearly full: data comes and goes in pieces, on two streams."""

    monkeypatch.setattr(card, "lanes", Lanes(card.xp, 1 << 16))
    wanted = [
        runs.of_program(program, inputs_of(program, (3000, 100)))
        for program in ("mean((2*x)**3)", "m = mean(x); sum((x - m)**2)", "sum(sum(x*r, dim=0)**2)")
    ]
    runs.check(wanted, 1e-12)
    monkeypatch.setattr(card_room.Card, "free_bytes", lambda self: 3_000_000)
    runs.check(wanted, 1e-12)
