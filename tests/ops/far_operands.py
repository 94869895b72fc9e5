"""Run ops on operands far from the ordinary, and print what comes next before each."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.kernels import kernel
from gradcli.graph import Node
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import Case
from gradcli.ops.elementwise import Elementwise
from gradcli.session import Options, evaluate
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, trace

SIZES = [0.0, 1.0, 2.5, 50.0, 1e6, 1e9, 1e9 + 0.5, 1e15 + 0.5, 5e-324, 1e300, np.inf]
VALUES = [np.nan, np.inf, -np.inf, 1e300, 5e-324, -1e15 - 0.5]

Run = tuple[str, Callable[[], object]]


def elementwise() -> Iterator[Run]:
    """Each elementwise op, with all combinations of the sizes."""
    nodes: dict[str, Node] = {}
    for _, case in all_cases():
        for node in ancestors([trace(case).output]):
            if isinstance(node.op, Elementwise):
                nodes.setdefault(node.op.name, node)
    return ((name, partial(_combined, node)) for name, node in nodes.items())


def _combined(node: Node) -> None:
    """All combinations of sizes and signs; some of them where there are many."""
    call, before, after, count = kernel(node)
    values = [sign * size for size in SIZES for sign in (1, -1)]
    combinations = [*itertools.product(values, repeat=count)][:: 1 if count < 3 else 37]
    operands = [
        np.array(column).astype(operand.graph.dtype(operand.kind))
        for operand, column in zip(node.inputs, zip(*combinations, strict=True), strict=False)
    ]
    call(*before, *operands, *after)


def programs() -> Iterator[Run]:
    """Each case of the table, and its gradient, with some of its inputs' elements exchanged."""
    for value, first in itertools.product(VALUES, (True, False)):
        for name, case in all_cases():
            yield f"{name}: {case.program} ({value}, {first})", partial(_case, case, value, first)


def _case(case: Case, value: float, first: bool) -> None:
    """Exchange the first element, or one in three."""
    generator = np.random.default_rng(3)
    inputs = {}
    for name, shape in case.shapes.items():
        drawn = np.array(generator.uniform(*case.domain, shape))
        chosen = np.arange(drawn.size) == 0 if first else generator.random(drawn.size) < 0.3
        inputs[name] = np.where(chosen.reshape(shape), value, drawn)
    program = parse_program(Source("far", f"sum({case.program})"), ParseLimits())
    evaluate(program, inputs, (), Options(seed=1))


RUNS = {"ops": elementwise, "programs": programs}

if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for what, run in RUNS[sys.argv[1]]():
            sys.stdout.write(f"{what}\n")
            sys.stdout.flush()
            with suppress(GradcliError):
                run()
