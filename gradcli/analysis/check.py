"""Is a gradient right? Reverse mode against differences, complex step and forward mode.

Differences and complex step know nothing of the derivative rules, so they alone establish a pass.
Forward mode uses the same rules: it finds mistakes in the walks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gradcli.analysis.judge import CLEAR
from gradcli.analysis.line import Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Check, LeafCheck, Verdict, Walk
from gradcli.diagnostics import Note
from gradcli.differentiate import jvp, vjp
from gradcli.graph import Array, Node, Shape
from gradcli.ops.kinds import zeros_like

ELEMENTS = 2_000
"""Larger leaves are checked in a random sample of so many elements."""
WALKS_AGREE = 1e-9
"""Forward and reverse mode may differ by this part of what they add up, and by rounding."""


def check(problem: Problem, order: int = 1) -> Check:
    """Check the gradient of every leaf, or with `order` 2 the Hessian times a random vector.

    Outputs of several elements are weighed by a random v where no gradient was given.
    """
    notes = list(problem.notes)
    gradient = problem.gradient or _random_gradient(problem, notes)
    outputs = list(problem.outputs.values())
    weights = [np.asarray(gradient[name], np.float64) for name in problem.outputs]
    if order == 2:
        outputs = gradients(problem, outputs, weights)
        weights = _random([node.shape for node in outputs], seed=1)
        notes.append(Note("check", "the Hessian is checked as its product with a random vector"))
    grads = gradients(problem, outputs, weights)
    lines = _lines(problem, outputs, weights, grads)
    leaves = [check_leaf(each) for each in lines]
    notes += [
        Note("check", f"{leaf.name}: {len(leaf.findings):,} of {leaf.size:,} elements were checked")
        for leaf in leaves
        if len(leaf.findings) < leaf.size
    ]
    walk = _walk(problem, outputs, weights, grads, lines)
    return Check(order, leaves, walk, gradient, problem.graph.seed, notes)


def gradients(problem: Problem, outputs: Sequence[Node], weights: Sequence[Array]) -> list[Node]:
    """The gradient of each leaf as a node, zeros where the outputs do not depend on it."""
    leaves = list(problem.leaves.values())
    cotangents = [problem.graph.constant(weight) for weight in weights]
    found = vjp(outputs, cotangents, leaves)
    return [
        zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, found, strict=True)
    ]


def check_leaf(lines: Lines) -> LeafCheck:
    """Check one leaf's gradient, element by element."""
    shape = lines.gradient.shape
    places = np.arange(math.prod(shape))
    if places.size > ELEMENTS:
        places = np.sort(np.random.default_rng(0).choice(places, ELEMENTS, replace=False))
    indices = [tuple(map(int, np.unravel_index(place, shape))) if shape else () for place in places]
    found = LeafCheck(lines.name, shape, [lines.check(index) for index in indices])
    return replace(found, curve=lines.curve(found.worst.index)) if found.worst else found


def _lines(
    problem: Problem, outputs: Sequence[Node], weights: Sequence[Array], grads: Sequence[Node]
) -> list[Lines]:
    """What there is to follow for each leaf."""
    leaves = problem.leaves
    values = problem.values([*leaves.values(), *grads])
    points, found = values[: len(leaves)], values[len(leaves) :]
    unit = float(np.finfo(problem.graph.dtype("float")).eps)
    with np.errstate(all="ignore"):
        changes = np.concatenate([np.ravel(x * g) for x, g in zip(points, found, strict=True)])
    sensitivity = float(np.max(np.abs(changes[np.isfinite(changes)]), initial=0.0))
    return [
        Lines(
            name,
            Probe(problem, outputs, leaf),
            weights,
            Probe(problem, [grad], leaf),
            np.asarray(base, np.float64),
            unit,
            sensitivity,
        )
        for (name, leaf), grad, base in zip(leaves.items(), grads, found, strict=True)
    ]


def _random_gradient(problem: Problem, notes: list[Note]) -> dict[str, Array]:
    """A v for each output."""
    told = "no gradient was given: the outputs are weighed by random numbers"
    notes.append(Note("gradient", told))
    vectors = _random([node.shape for node in problem.outputs.values()], seed=0)
    return dict(zip(problem.outputs, vectors, strict=True))


def _random(shapes: Sequence[Shape], seed: int) -> list[Array]:
    """Numbers of either sign that are never close to 0."""
    generator = np.random.default_rng(seed)
    return [
        np.asarray(generator.choice([-1.0, 1.0], shape) * generator.uniform(0.5, 1.5, shape))
        for shape in shapes
    ]


def _walk(
    problem: Problem,
    outputs: Sequence[Node],
    weights: Sequence[Array],
    grads: Sequence[Node],
    lines: Sequence[Lines],
) -> Walk:
    """Forward mode against reverse mode, along one random direction."""
    leaves = list(problem.leaves.values())
    directions = _random([leaf.shape for leaf in leaves], seed=2)
    changes = jvp(outputs, leaves, [problem.graph.constant(each) for each in directions])
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
        noise = sum(
            float(np.sum(np.abs(direction) * each.noise))
            for direction, each in zip(directions, lines, strict=True)
        )
    verdict: Verdict = "inconclusive"
    if math.isfinite(a) and math.isfinite(b):
        allowed = max(WALKS_AGREE, CLEAR * lines[0].unit) * size + CLEAR * noise
        verdict = "pass" if abs(a - b) <= allowed else "fail"
    return Walk(a, b, verdict)
