"""What the tests made from the op table share: every case as a traced graph over drawn inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.device import run
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Graph, Node, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.ops import FUNCTIONS, Case, Function
from gradcli.trace import TraceLimits, Tracer


@dataclass
class Traced:
    """A case's output and inputs as nodes, and the values that were drawn for the inputs."""

    output: Node
    inputs: list[Node]
    feeds: dict[Node, Array]

    def value(self, *nodes: Node) -> list[Array]:
        """The values of nodes of this graph."""
        return run(nodes, self.feeds)

    def at(self, feeds: dict[Node, Array], node: Node) -> Array:
        """The value of a node for other inputs."""
        return run([node], self.feeds | feeds)[0]


def all_cases() -> Iterator[tuple[str, Case]]:
    """(name, case) for every case of every function."""
    seen = set()
    for function in FUNCTIONS.values():
        if function.name not in seen:
            seen.add(function.name)
            for case in function.cases:
                yield function.name, case


def held_to_pytorch(function: Function) -> bool:
    """Whether PyTorch has the function: an elementwise entry says so by its name there."""
    return not function.operands or bool(function.torch)


def case_id(value: object) -> str:
    """How pytest names a case."""
    if isinstance(value, Case):
        shapes = " ".join(f"{name}{shape}" for name, shape in value.shapes.items())
        return f"{value.program} {shapes}".replace(" ", "")
    return str(value)


def each_case(pairs: Iterable[tuple[str, Case]]) -> Callable[[Callable[..., None]], Any]:
    """Makes two tests for each function of a test `(name, case, …)`: with its first case, and
    marked `wide` with all others. A failure names its case. One by one, pytest would take longer
    for them than what they test.
    """
    together: dict[str, list[Case]] = {}
    for name, case in pairs:
        together.setdefault(name, []).append(case)
    first = [pytest.param(name, cases[:1], id=name) for name, cases in together.items()]
    others = [
        pytest.param(name, cases[1:], id=f"{name}-others", marks=pytest.mark.wide)
        for name, cases in together.items()
        if len(cases) > 1
    ]

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def every_case(name: str, cases: list[Case], **others: Any) -> None:
            for case in cases:
                try:
                    test(name, case, **others)
                except Exception as error:
                    error.add_note(f"case: {case_id(case)}")
                    raise

        signature = inspect.signature(test)
        parameters = [
            each.replace(name="cases") if each.name == "case" else each
            for each in signature.parameters.values()
        ]
        every_case.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return pytest.mark.parametrize(("name", "cases"), [*first, *others])(every_case)

    return decorate


def trace(
    case: Case, seed: int = 0, precision: Precision = "float64", graph: Graph | None = None
) -> Traced:
    """Trace a case over inputs drawn from its domain, no two of them close to each other."""
    generator = np.random.default_rng(seed)
    graph = graph or Graph(precision, seed=1)
    low, high = case.domain
    names: dict[str, Node] = {}
    feeds: dict[Node, Array] = {}
    for name, shape in case.shapes.items():
        node = graph.input(name, shape, "float")
        size = node.size
        grid = (np.arange(size) + 0.5 + 0.6 * (generator.random(size) - 0.5)) / max(size, 1)
        names[name] = node
        drawn = low + (high - low) * generator.permutation(grid).reshape(shape)
        feeds[node] = drawn.astype(graph.precision)
    tracer = Tracer(graph, Evaluator(feeds, Ledger()), Source("case", case.program), TraceLimits())
    tracer.globals.values.update(names)
    tracer.trace(parse_program(Source("case", case.program), ParseLimits()))
    assert tracer.last is not None
    (binding,) = tracer.last
    return Traced(tracer.values.tensor(binding.value), list(names.values()), feeds)
