"""Derivatives of every op, from the cases of the op table.

Reverse mode against central differences at first and second order, forward against reverse mode.
"""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import Array, Node
from gradcli.ops import Case
from tests.ops.table_cases import Traced, all_cases, each_case, trace

SMOOTH = [pair for pair in all_cases() if pair[1].smooth]


def draw(shape: tuple[int, ...], seed: int) -> Array:
    """A random direction."""
    return np.random.default_rng(seed).standard_normal(shape)


def derivative_along(traced: Traced, node: Node, directions: dict[Node, Array]) -> Array:
    """d node(x + h·t) / dh at 0: central differences, extrapolated from steps h and h/2."""

    def slope(step: float) -> Array:
        ahead = {each: traced.feeds[each] + step * t for each, t in directions.items()}
        behind = {each: traced.feeds[each] - step * t for each, t in directions.items()}
        return (traced.at(ahead, node) - traced.at(behind, node)) / (2 * step)

    return (4 * slope(5e-4) - slope(1e-3)) / 3


def weighted(traced: Traced) -> tuple[Node, Node]:
    """A fixed cotangent of the output, and the output's product with it as one number."""
    graph = traced.output.graph
    cotangent = graph.constant(draw(traced.output.shape, 7))
    return cotangent, cotangent * traced.output


@each_case(SMOOTH)
def test_first_order(name: str, case: Case) -> None:
    traced = trace(case)
    cotangent, _ = weighted(traced)
    (v,) = traced.value(cotangent)
    grads = vjp([traced.output], [cotangent], traced.inputs)
    for number, (node, grad) in enumerate(zip(traced.inputs, grads, strict=True)):
        direction = draw(node.shape, number)
        expected = np.sum(v * derivative_along(traced, traced.output, {node: direction}))
        if grad is None:
            assert expected == 0, f"{name}: no gradient reaches an input that matters"
            continue
        assert grad.shape == node.shape
        (found,) = traced.value(grad)
        np.testing.assert_allclose(np.sum(found * direction), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.one_in(2)
@each_case(SMOOTH)
def test_forward_mode_agrees_with_reverse_mode(name: str, case: Case) -> None:
    traced = trace(case)
    graph = traced.output.graph
    cotangent, _ = weighted(traced)
    tangents = [graph.constant(draw(node.shape, i)) for i, node in enumerate(traced.inputs)]
    (change,) = jvp([traced.output], traced.inputs, tangents)
    assert change is not None
    assert change.shape == traced.output.shape
    by_reverse = sum(
        np.sum(np.multiply(*traced.value(grad, tangent)))
        for grad, tangent in zip(
            vjp([traced.output], [cotangent], traced.inputs), tangents, strict=True
        )
        if grad is not None
    )
    np.testing.assert_allclose(
        np.sum(np.multiply(*traced.value(cotangent, change))), by_reverse, rtol=1e-11, atol=1e-12
    )


@pytest.mark.one_in(2)
@each_case(SMOOTH)
def test_second_order(name: str, case: Case) -> None:
    """The derivative of ⟨grad, u⟩ along t, by reverse over reverse and forward over reverse."""
    traced = trace(case)
    graph = traced.output.graph
    cotangent, _ = weighted(traced)
    grads = vjp([traced.output], [cotangent], traced.inputs)
    parts = [
        graph.constant(draw(node.shape, 20 + i)) * grad
        for i, (node, grad) in enumerate(zip(traced.inputs, grads, strict=True))
        if grad is not None
    ]
    ones = [graph.constant(np.ones(part.shape)) for part in parts]
    directions = {node: draw(node.shape, 40 + i) for i, node in enumerate(traced.inputs)}
    expected = sum(np.sum(derivative_along(traced, part, directions)) for part in parts)
    seconds = vjp(parts, ones, traced.inputs)
    by_reverse = sum(
        np.sum(traced.value(second)[0] * directions[node])
        for node, second in zip(traced.inputs, seconds, strict=True)
        if second is not None
    )
    np.testing.assert_allclose(by_reverse, expected, rtol=1e-6, atol=1e-7)
    tangents = [graph.constant(directions[node]) for node in traced.inputs]
    changes = [change for change in jvp(parts, traced.inputs, tangents) if change is not None]
    by_forward = sum(np.sum(value) for value in traced.value(*changes)) if changes else 0.0
    np.testing.assert_allclose(by_forward, by_reverse, rtol=1e-10, atol=1e-11)
