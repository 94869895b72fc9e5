"""What a program is said to cost on a GPU is what it does there."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradcli.engine import gpu
from gradcli.engine.card_plan import card_plan, known_before
from gradcli.engine.costs import on_card
from tests.cli.conftest import Runner
from tests.engine.test_regions import PROGRAMS
from tests.gpu import emulator, runs
from tests.gpu.stand_in import standing_in
from tests.gpu.test_kernels import SHAPES, inputs_of


@pytest.mark.skipif(not emulator.compiler, reason="there is no g++")
def test_kernels_are_counted() -> None:
    """Where all of a program is kernels of our own."""
    counted = 0
    with standing_in() as card:
        card.dry = True
        for program, shape in itertools.product(PROGRAMS, SHAPES):
            run = runs.of_program(program, inputs_of(program, shape))
            known = known_before(run.outputs)
            units = on_card(card_plan(run.outputs, known), known)
            launches = [unit.launches for unit in units if unit.launches is not None]
            if len(launches) == len(units):
                card.texts.clear()
                gpu.CardEngine(run.outputs).run(run.feeds)
                assert len(card.texts) == sum(launches), (program, shape)
                counted += 1
    assert counted > 50


@pytest.mark.parametrize(("dtype", "size"), [("float64", 8), ("float32", 4)])
def test_bytes(gradcli: Runner, dtype: str, size: int) -> None:
    """One sweep reads each input once, and writes each gradient once."""
    given = ["mean((2*x)**3)", "-s", "x=randn(1000, 100)", "--dtype", dtype]
    found = gradcli("graph", *given, "--cost", "--device", "gpu", "--json").json
    (unit,) = found["units"]
    assert found["device"] == "gpu"
    assert (unit["by"], unit["kernels"], unit["ops"][-1]) == ("kernel", 2, "mean")
    assert unit["read"] == 100_000 * size
    assert unit["written"] == 100_000 * size + size


def test_what_is_no_kernel(gradcli: Runner) -> None:
    program = "svd(x @ x).S.sum() + sum(x[[0, 1]])"
    given = ["graph", program, "-s", "x=randn(3, 3)", "--cost", "--device", "gpu"]
    lines = gradcli(*given).out.splitlines()
    by = {line.split()[0]: line.split()[1:3] for line in lines if line}
    assert by["matmul"] == ["cupy", "some"]
    assert by["packed_svd"] == ["NumPy", "0"]
    assert by["put_add"] == ["kernel", "1"]


def test_on_the_cpu(gradcli: Runner) -> None:
    program = ["sum(tanh(x)*x)", "-s", "x=randn(1000, 1000)", "--cost", "--json"]
    units = gradcli("graph", *program).json["units"]
    assert [unit["by"] for unit in units] == ["blocks"]
    assert sum(unit["read"] for unit in units) == 8_000_000 + 8  # and the 1 that flows back


def test_formats(gradcli: Runner) -> None:
    answer = gradcli("graph", "x**2", "-s", "x=1", "--cost", "--format", "dot")
    assert answer.code == 2
    assert "costs are shown as tree, json, not dot" in answer.err


def test_auto_is_a_gpu_where_arrays_are_large(gradcli: Runner) -> None:
    for size, device in (("1000", "cpu"), ("10000000", "gpu")):
        program = ["sum(x**2)", "-s", f"x=ones({size})", "--cost", "--json", "--device", "auto"]
        assert gradcli("graph", *program).json["device"] == device


def test_numbers_that_follow_from_numbers_cost_nothing() -> None:
    run = runs.of_program("sum(x * (2 + 3)**2)", {"x": np.ones(100)})
    known = known_before(run.outputs)
    found = on_card(card_plan(run.outputs, known), known)
    assert [(unit.by, unit.read, unit.written) for unit in found] == [
        ("view", 0, 0),  # the gradient is the same number everywhere
        ("kernel", 800, 8),
    ]
