"""float32, which is added up in float64: the same bits for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Source
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
    for threads in (1, 2, 3):
        options = Options(precision="float32", threads=threads)
        result = prepare(program, inputs, (), options).run(inputs)
        found.append([each.tobytes() for each in (result.values["out"], *result.grads.values())])
    assert found[0] == found[1] == found[2]
