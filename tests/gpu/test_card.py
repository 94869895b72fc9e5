"""On a real card: every op, every sample, and the shapes that kernels walk differently."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.engine import card as card_room
from gradcli.engine import gpu
from gradcli.engine.lanes import Lanes
from gradcli.graph import Precision
from tests.engine.test_regions import PROGRAMS
from tests.gpu import runs
from tests.gpu.test_kernels import PRECISIONS, SHAPES, inputs_of

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True, scope="module")
def card() -> card_room.Card:
    """The card; without one, the tests are skipped with what was found instead."""
    try:
        return card_room.card()
    except GradcliError as error:
        pytest.skip(error.diagnostic.message)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_elementwise_function(precision: Precision) -> None:
    runs.check([runs.of_elementwise_functions(precision)], runs.TOLERANCE[precision])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_case(precision: Precision) -> None:
    runs.check(runs.of_cases(precision), runs.TOLERANCE[precision])


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
    import cupyx

    monkeypatch.setattr(card, "lanes", Lanes(card.xp, cupyx.empty_pinned, 1 << 16))
    wanted = [
        runs.of_program(program, inputs_of(program, (3000, 100)))
        for program in ("mean((2*x)**3)", "m = mean(x); sum((x - m)**2)", "sum(sum(x*r, dim=0)**2)")
    ]
    runs.check(wanted, 1e-12)
    monkeypatch.setattr(card_room.Card, "free_bytes", lambda self: 3_000_000)
    runs.check(wanted, 1e-12)
