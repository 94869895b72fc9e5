"""Values that are larger than the card: swept over in pieces, with the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradcli.data.load import load
from gradcli.data.save import streamed
from gradcli.diagnostics import GradcliError
from gradcli.engine import card as card_room
from gradcli.engine import gpu
from gradcli.engine.lanes import Lanes
from tests.gpu import emulator, runs
from tests.gpu.stand_in import Card, standing_in
from tests.gpu.test_kernels import check, inputs_of

pytestmark = pytest.mark.skipif(not emulator.compiler, reason="there is no g++")

PROGRAMS = [
    "mean((2*x)**3)",
    "sum(x*r) + amax(x)",
    "m = mean(x); sum((x - m)**2)",
    "sum(sum(x*r, dim=0)**2)",
    "sum(sum(exp(x)*c, dim=1)**2)",
    "sum(x)",
    "sum(reshape(x, -1)**2)",
]
SHAPE = (200, 50)
FREE = 79_000
"""Bytes that the card has free: x has 80 000."""


PIECE = 1024
"""Elements that come and go at a time."""


@pytest.fixture
def card() -> Iterator[Card]:
    with standing_in() as card:
        found = card_room.card(0)
        found.lanes = Lanes(found.xp, PIECE)
        yield card


def run_of(program: str) -> runs.Run:
    return runs.of_program(program, inputs_of(program, SHAPE))


@pytest.mark.wide
def test_pieces_give_the_same(card: Card) -> None:
    card.free = FREE
    wanted = [run_of(program) for program in PROGRAMS]
    for run in wanted:
        assert gpu.CardEngine(run.outputs).plan.peak_bytes() > FREE
    check(card, wanted)


def test_what_is_on_the_card_is_a_few_pieces(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    card.free = FREE
    run = run_of("mean((2*x)**3)")
    sizes = []
    empty = card_room.card(0).xp.empty

    def counted(shape: object, dtype: object) -> object:
        array = empty(shape, dtype)
        sizes.append(array.size)
        return array

    monkeypatch.setitem(card_room.card(0).xp._own, "empty", counted)
    gpu.CardEngine(run.outputs).run(run.feeds)
    assert max(sizes) <= PIECE


def test_large_arrays_come_and_go_in_pieces(card: Card) -> None:
    """Also where all of them fit on the card."""
    check(card, [run_of(program) for program in PROGRAMS[:2]])


def test_other_programs_are_refused(card: Card) -> None:
    card.free = FREE
    run = run_of("sum(x @ x.T)")
    with pytest.raises(GradcliError) as caught:
        gpu.CardEngine(run.outputs).run(run.feeds)
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "limit-memory"
    assert "77.1 KiB of Stand-in are free" in diagnostic.message
    assert "this run needs about" in diagnostic.message


def test_files_are_read_and_written_piece_by_piece(card: Card, tmp_path: Path) -> None:
    card.free = FREE
    x = np.random.default_rng(0).uniform(0.5, 1.5, SHAPE)
    np.save(tmp_path / "x.npy", x)
    run = runs.of_program("mean((2*x)**3)", {"x": load(str(tmp_path / "x.npy"), "float64", 2**30)})
    grad = next(node for node in run.outputs if node.shape == SHAPE and node not in run.feeds)
    with streamed(str(tmp_path / "grad.npy"), SHAPE, np.dtype(float)) as target:
        gpu.CardEngine(run.outputs).run(run.feeds, {grad: target})
    np.testing.assert_allclose(np.load(tmp_path / "grad.npy"), 24 * x**2 / x.size, rtol=1e-12)
