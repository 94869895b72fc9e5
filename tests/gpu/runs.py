"""What is computed on a GPU, or on what stands in for it, to be compared with the CPU."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine import device, gpu
from gradcli.graph import Array, Graph, Node, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS, Case
from gradcli.session import Options, Prepared, prepare
from tests.analysis.programs import generated
from tests.gpu.stand_in import Card
from tests.ops.table_cases import Traced, all_cases, trace
from tests.ops.test_device import derived
from tests.test_samples import SCRIPTS

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@dataclass(frozen=True)
class Run:
    """Nodes of a graph to compute, and the values of its inputs."""

    name: str
    outputs: Sequence[Node]
    feeds: dict[Node, Array]


def of_case(name: str, case: Case, precision: Precision = "float64") -> Run:
    """A case of the op table: its value, its gradients to second order, and its tangent."""
    traced = trace(case, precision=precision)
    return Run(f"{name}: {case.program}", list(dict.fromkeys(derived(traced))), traced.feeds)


def of_cases(precision: Precision) -> list[Run]:
    """All cases of the op table."""
    return [of_case(name, case, precision) for name, case in all_cases()]


def of_elementwise_functions(precision: Precision) -> Run:
    """All elementwise functions with their gradients, as one graph: a few large kernels."""
    graph = Graph(precision)
    outputs: list[Node] = []
    feeds: dict[Node, Array] = {}
    for function in {entry.name: entry for entry in FUNCTIONS.values() if entry.operands}.values():
        traced = trace(function.cases[0], graph=graph)
        outputs += derived(traced)
        feeds |= traced.feeds
    return Run("all elementwise functions", list(dict.fromkeys(outputs)), feeds)


def of_program(text: str, inputs: dict[str, Array], precision: Precision = "float64") -> Run:
    """Values and gradients of a program."""
    ready = prepared(text, inputs, precision)
    return Run(text, ready.engine.plan.outputs, feeds_of(ready, inputs))


def prepared(
    text: str, inputs: dict[str, Array], precision: Precision, device: str = "cpu"
) -> Prepared:
    """A program, ready to run."""
    program = parse_program(Source("program", text), ParseLimits())
    return prepare(program, inputs, (), Options(precision=precision, seed=0, device=device))


def feeds_of(ready: Prepared, inputs: dict[str, Array]) -> dict[Node, Array]:
    """The inputs of a program as its nodes take them."""
    return {
        node: np.asarray(inputs[name], ready.graph.dtype(node.kind))
        for name, node in ready.inputs.items()
    }


def of_generated(seed: int, precision: Precision) -> Run:
    """A program made at random: its value, its gradients to second order, and its tangent."""
    text, inputs = generated(seed)
    text += "; out = sum(out)"
    named = {name: array for name, array in inputs.items() if re.search(rf"\b{name}\b", text)}
    ready = prepared(text, named, precision)
    nodes = list(ready.inputs.values())
    (output,) = ready.outputs.values()
    feeds = feeds_of(ready, named)
    return Run(text, list(dict.fromkeys(derived(Traced(output, nodes, feeds)))), feeds)


def of_samples(precision: Precision) -> list[Run]:
    """What each sample shows, but those that wait for more digits than there are."""
    found = []
    for path in SCRIPTS:
        if precision == "float32" and path.name == "newton.grad":
            continue
        program = parse_program(Source(path.name, path.read_text()), ParseLimits())
        with suppress(GradcliError):  # which some samples end in, as they say
            ready = prepare(program, {}, (), Options(precision=precision, seed=0))
            found.append(Run(path.name, ready.engine.plan.outputs, {}))
    return found


def texts_of(runs: Sequence[Run], card: Card) -> list[str]:
    """The kernels that some runs need, most of them: what is computed from others is not known."""
    card.texts.clear()
    card.dry = True
    for run in runs:
        with np.errstate(all="ignore"), suppress(GradcliError, IndexError):
            gpu.CardEngine(run.outputs).run(run.feeds)
    card.dry = False
    return list(dict.fromkeys(card.texts))


def differences(run: Run, tolerance: float) -> Iterator[str]:
    """Where the GPU's answer is not the CPU's, in words."""
    expected = device.run(run.outputs, run.feeds)
    engine = gpu.CardEngine(run.outputs)
    for node, right, found in zip(run.outputs, expected, engine.run(run.feeds), strict=True):
        if (found.shape, found.dtype) != (right.shape, right.dtype):
            yield f"{run.name}: {found.dtype}{found.shape} is not {right.dtype}{right.shape}"
        finite = np.abs(right[np.isfinite(right)], dtype=float)
        scale = finite.max(initial=0.1)
        if not np.allclose(found, right, tolerance, tolerance * scale, equal_nan=True):
            yield f"{run.name}: {node.op.name} is\n{found}\nand not\n{right}"


def check(runs: Sequence[Run], tolerance: float) -> None:
    """Fail with all differences there are."""
    with np.errstate(all="ignore"):
        found = [words for run in runs for words in differences(run, tolerance)]
    if found:
        pytest.fail("\n".join(found))
