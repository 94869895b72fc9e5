"""Many seeds at once give what the same seeds give one after another, for every case of the table.

Several seeds at once may be added in another order, so rounding is allowed, and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.differentiate.vectorise import OneByOne, vectorise
from gradcli.graph import Node
from gradcli.ops import Case
from gradcli.walks import ancestors
from tests.ops.table_cases import Traced, all_cases, each_case, trace

SMOOTH = [pair for pair in all_cases() if pair[1].smooth]
COUNT = 3
WITHOUT_A_RULE = {"matrix_exp"}


def seeds_for(traced: Traced, nodes: Sequence[Node]) -> list[Node]:
    return [traced.output.graph.input("seed", node.shape, "float") for node in nodes]


def assert_as_one_after_another(
    name: str, traced: Traced, seeds: list[Node], found: Sequence[Node | None]
) -> None:
    results = [node for node in found if node is not None]
    if not results:
        return
    chance = np.random.default_rng(3)
    drawn = [chance.standard_normal((COUNT, *seed.shape)) for seed in seeds]
    inputs, many = vectorise(results, seeds, COUNT)
    traced.feeds |= dict(zip(inputs, drawn, strict=True))
    at_once = traced.value(*many)
    for place in range(COUNT):
        traced.feeds |= {seed: each[place] for seed, each in zip(seeds, drawn, strict=True)}
        for array, alone in zip(at_once, traced.value(*results), strict=True):
            assert array[place].shape == alone.shape
            scale = np.max(np.abs(alone), initial=1e-3)  # where all cancels, rounding is left
            np.testing.assert_allclose(array[place], alone, rtol=1e-12, atol=1e-12 * scale)
    if not WITHOUT_A_RULE & {name, *(node.op.name for node in ancestors(results))}:
        slow = {node.op.name for node in ancestors(many) if isinstance(node.op, OneByOne)}
        assert not slow, "these ops have no rule for an axis in front"


@pytest.mark.one_in(3)
@each_case(SMOOTH)
def test_reverse_mode(name: str, case: Case) -> None:
    traced = trace(case)
    seeds = seeds_for(traced, [traced.output])
    found = vjp([traced.output], seeds, traced.inputs)
    assert_as_one_after_another(name, traced, seeds, found)


@pytest.mark.one_in(3)
@each_case(SMOOTH)
def test_forward_mode(name: str, case: Case) -> None:
    traced = trace(case)
    seeds = seeds_for(traced, traced.inputs)
    found = jvp([traced.output], traced.inputs, seeds)
    assert_as_one_after_another(name, traced, seeds, found)


@pytest.mark.one_in(3)
@each_case(SMOOTH)
def test_second_order(name: str, case: Case) -> None:
    traced = trace(case)
    graph = traced.output.graph
    weights = np.random.default_rng(7).standard_normal(traced.output.shape)
    grads = vjp([traced.output], [graph.constant(weights)], traced.inputs)
    reached = [grad for grad in grads if grad is not None]
    if not reached:
        return
    seeds = seeds_for(traced, reached)
    assert_as_one_after_another(name, traced, seeds, vjp(reached, seeds, traced.inputs))
    seeds = seeds_for(traced, traced.inputs)
    assert_as_one_after_another(name, traced, seeds, jvp(reached, traced.inputs, seeds))
