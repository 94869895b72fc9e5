"""float32, which is added up in float64: the same bits for any number of threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gradcli import cli
from gradcli.diagnostics import Source
from gradcli.engine import threads
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Options, prepare

SHAPES = {"x": (1200, 300), "w": (300, 40), "v": (1200,)}
PROGRAMS = [
    "sum(exp(x))",
    "sum(sum(x * x, 0)**2)",
    "sum(sum(x.T * 3, 0)**2)",
    "var(x) + norm(x)",
    "sum(logsumexp(x, 0) + softmax(x, 1)[0])",
    "sum(cumsum(x, 0)**2) + sum(cumprod(1 + x.T / 1000, 0))",
    "sum(layer_norm(x, 300)**3)",
    "sum((x.T @ x)**2)",
    "sum(tanh(x @ w)**2) + dot(v, v)",
    "mean((x @ w[:, 0] - v)**2)",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_bits_of_float32_do_not_depend_on_threads(text: str) -> None:
    program = parse_program(Source("threads", text), ParseLimits())
    generator = np.random.default_rng(0)
    inputs = {
        name: generator.random(shape).astype(np.float32)
        for name, shape in SHAPES.items()
        if name in program.names
    }
    found = []
    for number in (1, 2, 3):
        options = Options(precision="float32", threads=number)
        result = prepare(program, inputs, (), options).run(inputs)
        found.append([each.tobytes() for each in (result.values["out"], *result.grads.values())])
    assert found[0] == found[1] == found[2]


def _refused(_: Callable[[], None], __: tuple[()]) -> int:
    raise RuntimeError("can't start new thread")


def _never_begun(_: Callable[[], None], __: tuple[()]) -> int:
    """The system has started the thread, and there is no memory for what it should do."""
    return 1


@pytest.mark.parametrize("start", [_refused, _never_begun])
def test_all_parts_are_done_where_no_thread_can_help(
    start: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "start_new_thread", start)
    done: list[int] = []
    threads.spread(5, 3, lambda: done.append)
    assert done == [0, 1, 2, 3, 4]


def test_the_first_part_that_fails_is_told() -> None:
    def do(number: int) -> None:
        if number > 2:
            raise ValueError(number)

    with pytest.raises(ValueError, match="3"):
        threads.spread(9, 2, lambda: do)


def test_the_command_line_sets_all_that_blas_reads() -> None:
    assert cli._BLAS_THREADS == threads.BLAS_VARIABLES
