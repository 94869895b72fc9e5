"""Is a gradient right? Reverse mode against differences, complex step and forward mode.

Differences and complex step do not use the derivative rules, so only they can establish a pass.
Forward mode uses the same rules: it finds mistakes in the walks over the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gradcli.analysis.directions import Directions
from gradcli.analysis.element import Elements, LeafGradient
from gradcli.analysis.judge import CLEAR
from gradcli.analysis.line import Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import Problem
from gradcli.analysis.progress import Progress, silent
from gradcli.analysis.verdict import AllAtOnce, Check, DotProductTest, Finding, LeafCheck
from gradcli.diagnostics import Note
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import Array, Node, Shape
from gradcli.ops.kinds import zeros_like

ELEMENTS = 2_000
"""Of larger leaves only a random sample of this many elements is checked one by one; all are along
random directions.
"""
WORK = 2 * 10**8
"""The most elements of arrays that are computed to check a sample: about a second."""
ALONE = 10**10
"""The same for a leaf whose elements are checked one by one."""
FEW = 20
"""So few elements are always checked one by one."""
EVALUATIONS = 40
"""How often the outputs are computed for one element of a leaf."""
WALKS_AGREE = 1e-9
"""Forward and reverse mode may differ by this part of the terms that they add up, and by
rounding.
"""
UNKNOWN = DotProductTest(math.nan, math.nan, "inconclusive")
"""Of a check that was interrupted."""


def check(problem: Problem, order: int = 1, done: Progress = silent) -> Check:
    """Check the gradient of every leaf; with `order` 2 go on to the Hessian if that is right.

    `done` is told the leaf and how much of it is checked. Ctrl-C ends the check with what is known.

    Outputs of several elements are weighed by a random v where no gradient was given, and so are
    the rows of the Hessian.
    """
    notes = list(problem.notes)
    gradient = problem.gradient or _random_gradient(problem, notes)
    outputs = list(problem.outputs.values())
    weights = [np.asarray(gradient[name], np.float64) for name in problem.outputs]
    found = _check(problem, outputs, weights, done)
    result = Check(1, *found, gradient, problem.graph.seed, notes)
    if order == 2 and result.verdict != "pass":
        notes.append(Note("check", "the Hessian was not checked: first the gradient must be right"))
    elif order == 2:
        notes.append(Note("check", "the Hessian was checked as its product with a random vector"))
        firsts = gradients(problem, outputs, weights)
        rows = _random([node.shape for node in firsts], seed=1)
        result = Check(2, *_check(problem, firsts, rows, done), gradient, problem.graph.seed, notes)
        if result.stopped:
            notes.append(Note("check", "the gradient itself is confirmed"))
    notes += remarks(result.leaves)
    return result


def remarks(leaves: Sequence[LeafCheck]) -> list[Note]:
    """What was checked of large leaves, and of one where the check was interrupted."""
    swept = [_swept(leaf, leaf.sweep) for leaf in leaves if leaf.sweep is not None]
    return [*swept, *(_stopped(leaf) for leaf in leaves if leaf.stopped)]


def _swept(leaf: LeafCheck, sweep: AllAtOnce) -> Note:
    """What was checked of a large leaf, and what may have been missed."""
    left = leaf.size - sweep.moved
    near = f", but {left:,} that are too near to a kink," if left else ""
    return Note(
        "check",
        f"{leaf.name}: all {leaf.size:,} elements{near} were checked along {sweep.directions} "
        f"random directions: a mistake of one element is seen from digit {sweep.digits:.0f} of a "
        f"usual one on; several that cancel are missed with a probability of at most "
        f"{sweep.missed:.2g}; {_alone(len(leaf.findings))}",
    )


def _stopped(leaf: LeafCheck) -> Note:
    """How far the check of a leaf was when it was interrupted."""
    known = "nothing of it is confirmed yet"
    if leaf.findings or leaf.sweep is not None:
        known = _alone(len(leaf.findings), f" of {leaf.size:,} elements")
    told = f"{leaf.name}: interrupted {leaf.stopped}: {known}, and no further leaf is checked"
    return Note("interrupted", told)


def _alone(count: int, of: str = "") -> str:
    return f"{count:,}{of} {'was' if count == 1 else 'were'} checked one by one"


def demand(found: Check, digits: float) -> Check:
    """The same with elements inconclusive that are not confirmed to so many digits."""
    leaves = [
        replace(leaf, findings=[_demand(each, digits) for each in leaf.findings])
        for leaf in found.leaves
    ]
    return replace(found, leaves=leaves)


def _demand(finding: Finding, digits: float) -> Finding:
    if finding.verdict != "pass" or finding.digits >= digits:
        return finding
    reason = f"it is confirmed to {math.floor(finding.digits)} digits, not to {digits:g}"
    return replace(finding, verdict="inconclusive", reason=reason, short=True)


def _check(
    problem: Problem, outputs: Sequence[Node], weights: Sequence[Array], done: Progress
) -> tuple[list[LeafCheck], DotProductTest]:
    """The gradients of weights·outputs, leaf by leaf, and forward mode against reverse mode."""
    try:
        found = _computed(problem, gradients(problem, outputs, weights))
    except KeyboardInterrupt:
        name, leaf = next(iter(problem.leaves.items()))
        return [LeafCheck(name, leaf.shape, [], stopped="while gradients were computed")], UNKNOWN

    def lines(name: str) -> Lines:
        return Lines(Probe(problem, outputs, problem.leaves[name]), weights)

    return check_leaves(found, lines, lambda: _walk(problem, outputs, weights, found), done)


def check_leaves(
    found: Sequence[LeafGradient],
    lines: Callable[[str], Lines],
    walk: Callable[[], DotProductTest],
    done: Progress,
) -> tuple[list[LeafCheck], DotProductTest]:
    """Check the gradients leaf by leaf, then all together; up to where Ctrl-C ends it."""
    leaves: list[LeafCheck] = []
    try:
        largest = sensitivity(found)
        for each in found:
            leaves.append(check_leaf(each, lines(each.leaf), largest, done))
            if leaves[-1].stopped:
                return leaves, UNKNOWN
        return leaves, walk()
    except KeyboardInterrupt:
        for each in found[len(leaves) :]:
            told = "before it was tried"
            return [*leaves, LeafCheck(each.leaf, each.value.shape, [], stopped=told)], UNKNOWN
        told = "while all leaves were moved at once"
        return [*leaves[:-1], replace(leaves[-1], stopped=told)], UNKNOWN


def gradients(problem: Problem, outputs: Sequence[Node], weights: Sequence[Array]) -> list[Node]:
    """The gradient of each leaf as a node, zeros where the outputs do not depend on it."""
    leaves = list(problem.leaves.values())
    cotangents = [problem.graph.constant(weight) for weight in weights]
    found = vjp(outputs, cotangents, leaves)
    return [
        zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, found, strict=True)
    ]


def check_leaf(
    gradient: LeafGradient,
    lines: Lines,
    largest: float,
    done: Progress = silent,
) -> LeafCheck:
    """Check one leaf's gradient: element by element if they are few, else all along directions,
    and a sample one by one. `largest` is the `sensitivity` of the outputs.
    """
    shape, size = gradient.value.shape, gradient.value.size
    elements = Elements(gradient, lines, largest)
    cost = EVALUATIONS * max(lines.work, size) + 1  # moving one element copies all
    alone = size <= max(FEW, min(ELEMENTS, ALONE // cost))
    places = np.arange(size)
    if not alone:
        sample = min(ELEMENTS, WORK // cost)
        places = np.sort(np.random.default_rng(0).choice(size, sample, replace=False))
    found = LeafCheck(gradient.leaf, shape, [])
    directions = None if alone else Directions(gradient, lines, elements)
    where = "along random directions"
    try:
        if directions is not None:
            wrong = directions.check(lambda part: done(gradient.leaf, part))
            found = replace(found, findings=wrong, sweep=directions.known(wrong))
        for number, place in enumerate(places, 1):
            where = f"at element {number:,} of the {len(places):,} to be checked one by one"
            index = tuple(map(int, np.unravel_index(place, shape))) if shape else ()
            found.findings.append(elements.check(index))
            done(gradient.leaf, number / len(places))
        if alone and found.worst is not None:
            where = "while the error over the step was measured"
            found = replace(found, curve=lines.curve(found.worst.index))
    except KeyboardInterrupt:
        if directions is not None and found.sweep is None:
            where = directions.where
            found = replace(found, sweep=directions.known(found.findings))
        return replace(found, stopped=where)
    return found


def gradients_of(problem: Problem) -> list[LeafGradient]:
    """The gradients of a weighed problem at its point."""
    outputs = list(problem.outputs.values())
    assert problem.gradient is not None
    weights = [np.asarray(problem.gradient[name], np.float64) for name in problem.outputs]
    return _computed(problem, gradients(problem, outputs, weights))


def _computed(problem: Problem, grads: Sequence[Node]) -> list[LeafGradient]:
    """The gradients of the leaves at the point."""
    unit = float(np.finfo(problem.graph.dtype("float")).eps)
    found = []
    for (name, leaf), grad, value in zip(
        problem.leaves.items(), grads, problem.values(grads), strict=True
    ):
        probe = Probe(problem, [grad], leaf, all_steps=True)
        noise = probe.noise(probe.point, unit)[0]
        found.append(LeafGradient(name, problem.program.source, value, noise, unit, probe))
    return found


def sensitivity(found: Sequence[LeafGradient]) -> float:
    """The largest change of the outputs by a relative change of one element."""
    with np.errstate(all="ignore"):
        changes = [np.abs(each.value * each.probe.point) for each in found]
    return max(float(np.max(each, initial=0.0, where=np.isfinite(each))) for each in changes)


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
    gradients: Sequence[LeafGradient],
) -> DotProductTest:
    """Forward mode against reverse mode, along one random direction."""
    leaves = list(problem.leaves.values())
    directions = _random([leaf.shape for leaf in leaves], seed=2)
    tangents = [problem.graph.constant(each) for each in directions]
    changes = jvp(outputs, leaves, tangents)
    found = [
        (weight, node) for weight, node in zip(weights, changes, strict=True) if node is not None
    ]
    values = problem.values([node for _, node in found])
    with np.errstate(all="ignore"):
        forward = [weight * value for (weight, _), value in zip(found, values, strict=True)]
        reverse = [t * each.value for t, each in zip(directions, gradients, strict=True)]
        noise = [np.abs(t) * each.noise for t, each in zip(directions, gradients, strict=True)]
        a, b = (float(sum(np.sum(part) for part in parts)) for parts in (forward, reverse))
        size = sum(float(np.sum(np.abs(part))) for part in [*forward, *reverse])
        allowed = max(WALKS_AGREE, CLEAR * gradients[0].unit) * size
        allowed += CLEAR * sum(float(np.sum(part)) for part in noise)
    if not (math.isfinite(a) and math.isfinite(b)):
        return DotProductTest(a, b, "inconclusive")
    if abs(a - b) > allowed:  # where terms cancel in forward mode, what is left may be rounding
        allowed += CLEAR * _rounding(problem, tangents, found, gradients[0].unit)
    return DotProductTest(a, b, "pass" if abs(a - b) <= allowed else "fail")


def _rounding(
    problem: Problem, tangents: Sequence[Node], found: Sequence[tuple[Array, Node]], unit: float
) -> float:
    """How much of the weighted changes of the outputs, over all tangents, may be rounding."""
    total = 0.0
    for tangent in tangents:
        probe = Probe(problem, [node for _, node in found], tangent, all_steps=True)
        noise = probe.noise(probe.point, unit)
        total += sum(
            float(np.sum(np.abs(weight) * each))
            for (weight, _), each in zip(found, noise, strict=True)
        )
    return total
