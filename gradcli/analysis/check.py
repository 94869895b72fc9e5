"""Is a gradient right? Reverse mode against differences, complex step and forward mode.

Differences and complex step know nothing of the derivative rules, so they alone establish a pass.
Forward mode uses the same rules: it finds mistakes in the walks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.analysis.line import Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Check, LeafCheck, Verdict, Walk
from gradcli.diagnostics import Note
from gradcli.differentiate import jvp, vjp
from gradcli.graph import Array, Node
from gradcli.ops.kinds import zeros_like

ELEMENTS = 2_000
"""Larger leaves are checked in a random sample of so many elements."""
WALKS_AGREE = 1e-9


def check(problem: Problem, order: int = 1) -> Check:
    """Check the gradient of every leaf, or with `order` 2 the Hessian times a random vector.

    Outputs of several elements are weighed by a random v where no gradient was given.
    """
    notes = list(problem.notes)
    outputs, weights = list(problem.outputs.values()), _weights(problem, notes)
    gradient = dict(zip(problem.outputs, weights, strict=True))
    leaves = list(problem.leaves.values())
    if order == 2:
        grads = gradients(problem, outputs, weights)
        outputs = [grad for grad in grads if grad.kind == "float"]
        weights = _random([node.shape for node in outputs], seed=1)
        notes.append(Note("check", "the Hessian is checked as its product with a random vector"))
    grads = gradients(problem, outputs, weights)
    checked = [
        check_leaf(problem, name, outputs, weights, leaf, grad)
        for (name, leaf), grad in zip(problem.leaves.items(), grads, strict=True)
    ]
    notes += [
        Note("check", f"{leaf.name}: {len(leaf.findings):,} of {leaf.size:,} elements were checked")
        for leaf in checked
        if len(leaf.findings) < leaf.size
    ]
    walk = _walk(problem, outputs, weights, leaves, grads)
    return Check(order, checked, walk, gradient, problem.graph.seed, notes)


def gradients(problem: Problem, outputs: Sequence[Node], weights: Sequence[Array]) -> list[Node]:
    """The gradient of each leaf as a node, zeros where the outputs do not depend on it."""
    leaves = list(problem.leaves.values())
    cotangents = [problem.graph.constant(np.asarray(weight)) for weight in weights]
    found = vjp(outputs, cotangents, leaves)
    return [
        zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, found, strict=True)
    ]


def check_leaf(
    problem: Problem,
    name: str,
    outputs: Sequence[Node],
    weights: Sequence[Array],
    leaf: Node,
    grad: Node,
) -> LeafCheck:
    """Check one leaf's gradient, element by element."""
    lines = Lines(Probe(problem, outputs, leaf), weights, Probe(problem, [grad], leaf))
    indices = [tuple(map(int, index)) for index in np.ndindex(leaf.shape)]
    if len(indices) > ELEMENTS:
        chosen = np.random.default_rng(0).choice(len(indices), ELEMENTS, replace=False)
        indices = [indices[place] for place in sorted(chosen)]
    return LeafCheck(name, leaf.shape, [lines.check(index) for index in indices], leaf.size)


def _weights(problem: Problem, notes: list[Note]) -> list[Array]:
    """The v of each output."""
    if problem.gradient is not None:
        given: Mapping[str, Array] = problem.gradient
        return [np.asarray(given[name], np.float64) for name in problem.outputs]
    notes.append(
        Note("gradient", "no gradient was given: the outputs are weighed by random numbers")
    )
    return _random([node.shape for node in problem.outputs.values()], seed=0)


def _random(shapes: Sequence[tuple[int, ...]], seed: int) -> list[Array]:
    """Numbers of either sign that are never close to 0."""
    generator = np.random.default_rng(seed)
    return [
        generator.choice([-1.0, 1.0], shape) * generator.uniform(0.5, 1.5, shape)
        for shape in shapes
    ]


def _walk(
    problem: Problem,
    outputs: Sequence[Node],
    weights: Sequence[Array],
    leaves: Sequence[Node],
    grads: Sequence[Node],
) -> Walk:
    """Forward mode against reverse mode, along one random direction."""
    directions = _random([leaf.shape for leaf in leaves], seed=2)
    tangents = [problem.graph.constant(direction) for direction in directions]
    changes = jvp(outputs, leaves, tangents)
    found = [node for node in changes if node is not None]
    values = iter(problem.values([*found, *grads]))
    with np.errstate(all="ignore"):
        forward = [
            weight * next(values)
            for weight, change in zip(weights, changes, strict=True)
            if change is not None
        ]
        reverse = [direction * next(values) for direction in directions]
        a, b = (float(sum(np.sum(part) for part in parts)) for parts in (forward, reverse))
        size = sum(float(np.sum(np.abs(part))) for part in [*forward, *reverse])
    verdict: Verdict
    if not (math.isfinite(a) and math.isfinite(b)):
        verdict = "inconclusive"
    else:
        verdict = "pass" if abs(a - b) <= WALKS_AGREE * size else "fail"
    return Walk(a, b, verdict)
