"""Are the gradients of a function outside of gradcli right?

Judged by differences of its own values, as those of a program are; and where there is a program
that computes the same, by that one's values and gradients, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradcli.analysis.check import check, check_leaves, gradients_of, remarks
from gradcli.analysis.claims import claimed_numbers
from gradcli.analysis.diagnosis.claim import Claim, differentiate
from gradcli.analysis.diagnosis.compare import compare_all
from gradcli.analysis.differences import extrapolate
from gradcli.analysis.element import FARTHER, LeafGradient
from gradcli.analysis.evidence import Evidence, from_values
from gradcli.analysis.fitted import fitted
from gradcli.analysis.foreign.function import EPS, NOISE, SURE, Foreign, Situation, situated, sizes
from gradcli.analysis.foreign.probes import ForeignGradientProbe, ForeignProbe
from gradcli.analysis.judge import (
    CLEAR,
    CLEAR_OF_NOISE,
    NOISY,
    USEFUL,
    ElementClaim,
    disagree,
    judge,
)
from gradcli.analysis.judged import FOREIGN
from gradcli.analysis.line import FIRST_STEP, Lines
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import Problem
from gradcli.analysis.progress import Progress, silent
from gradcli.analysis.verdict import (
    Agreement,
    Cause,
    Check,
    Comparison,
    DotProductTest,
    LeafCheck,
    Tolerance,
)
from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Array


def check_alone(
    function: Foreign,
    inputs: Mapping[str, Array],
    leaves: Sequence[str],
    weight: Array | None,
    done: Progress = silent,
) -> Check:
    """Check a function's gradients of some inputs by differences of its values. Raises what
    `situated` does.
    """
    here = situated(function, inputs, tuple(leaves), weight, grads=True)
    return _check(here, {}, done)


def check_with(
    function: Foreign, problem: Problem, asked: Tolerance | None, done: Progress = silent
) -> Check:
    """Check a weighed problem, and against it a function that computes the same. Raises what
    `situated` does, and `usage` for leaves that are no inputs.
    """
    here = _posed(function, problem, grads=True)
    found = check(problem, done=done)
    if not found.stopped:
        found = replace(found, mine=_values(here, problem))
        found = compare_all(found, _claims(here, problem), asked)
    if not found.stopped:
        found = replace(found, command=_check(here, _known(problem), done))
    return found


def check_values(function: Foreign, problem: Problem, done: Progress = silent) -> Check:
    """Check the gradients of a weighed problem by differences of the values of a function that
    computes the same. Raises what `check_with` does.
    """
    here = _posed(function, problem, grads=False)
    ours = gradients_of(problem)
    leaves, walk = _checked(here, ours, _known(problem), done)
    notes = [*problem.notes, *_remarks(here), *remarks(leaves)]
    assert problem.gradient is not None
    return Check(
        1, leaves, walk, problem.gradient, problem.graph.seed, notes,
        mine=_values(here, problem),
    )  # fmt: skip


def _posed(function: Foreign, problem: Problem, *, grads: bool) -> Situation:
    """The function at the problem's point, with its gradient."""
    if len(problem.outputs) > 1:
        raise GradcliError(
            "usage",
            f"a command has one value, and the program {len(problem.outputs)} outputs",
            hint=f"--output {next(iter(problem.outputs))}",
        )
    given = problem.prepared.inputs
    nodes = given | {name: leaf for name, leaf in problem.leaves.items() if not leaf.inputs}
    for name in problem.leaves:
        if name not in nodes:
            raise GradcliError(
                "usage",
                f"--wrt {name}: the program computes it, so a command cannot be given it",
                hint=f"inputs are {', '.join(nodes)}",
            )
    inputs = dict(zip(nodes, problem.values(list(nodes.values())), strict=True))
    (weight,) = (problem.gradient or {}).values()
    return situated(function, inputs, tuple(problem.leaves), weight, grads=grads)


def _known(problem: Problem) -> dict[str, Probe]:
    """The problem as a function of each leaf."""
    outputs = list(problem.outputs.values())
    return {name: Probe(problem, outputs, leaf) for name, leaf in problem.leaves.items()}


def _lines(here: Situation, leaf: str, known: Mapping[str, Probe]) -> Lines:
    return Lines(ForeignProbe(here, leaf, known.get(leaf)), [here.weight])


def _check(here: Situation, known: Mapping[str, Probe], done: Progress) -> Check:
    """The function's gradients by differences of its own values."""
    grads = {name: here.answer.grads[name] for name in here.leaves}
    claimed = [
        LeafGradient(
            name, here.source, grads[name], SURE * here.doubt[name], EPS,
            ForeignGradientProbe(here, name),
        )
        for name in here.leaves
    ]  # fmt: skip
    leaves, walk = _checked(here, claimed, known, done)
    notes = [*_remarks(here), *remarks(leaves)]
    return Check(1, leaves, walk, {"value": here.weight}, None, notes)


def _checked(
    here: Situation, found: Sequence[LeafGradient], known: Mapping[str, Probe], done: Progress
) -> tuple[list[LeafCheck], DotProductTest]:
    """Gradients by differences of the function's values."""
    grads = {each.leaf: each.value for each in found}
    return check_leaves(
        found, lambda name: _lines(here, name, known), lambda: _walk(here, grads), done
    )


def _remarks(here: Situation) -> list[Note]:
    noise = here.relative_noise
    size = f"{noise:.1e} of their size" if math.isfinite(noise) else "not known"
    told = f"the noise of the command's values is {size}"
    if here.rounded.any():
        told = f"the command's values have few digits: they are off by up to {size}"
    if noise > NOISE:
        told += f": the steps were chosen by it, and what is known to {NOISY:.0%} passes"
    notes = [Note("command-noise", told)]
    if here.answers > 1:
        told = f"the command's gradient changes from answer to answer: the mean of {here.answers:,}"
        told += f" is judged, whose standard error is {here.relative_doubt:.1e} of its size"
        notes.append(Note("command-noise", told))
    asked = f"the command answered {here.function.requests:,} requests"
    return [*notes, Note("command", asked)]


def _walk(here: Situation, grads: Mapping[str, Array]) -> DotProductTest:
    """The change of the values where all leaves move at once, and what the gradients say of it."""
    generator = np.random.default_rng(2)
    direction = {
        name: sizes(here.inputs[name])
        * generator.choice([-1.0, 1.0], grad.shape)
        * generator.uniform(0.5, 1.0, grad.shape)
        for name, grad in grads.items()
    }
    noise, rounded = (
        float(np.sum(np.abs(here.weight) * each)) for each in (here.noise.value, here.rounded)
    )

    def value(step: float) -> float:
        moved = {name: here.inputs[name] + step * each for name, each in direction.items()}
        answer = here.at(moved, grads=False)
        return math.nan if answer is None else float(np.sum(here.weight * answer.value))

    def central(step: float) -> tuple[float, float]:
        ahead, behind = value(step), value(-step)
        rounding = noise + EPS * (abs(ahead) + abs(behind))
        return (ahead - behind) / (2 * step), rounding / (2 * step)

    def one_sided(step: float) -> tuple[float, float]:
        ahead, start = value(step), value(0.0)
        return (ahead - start) / step, (noise + EPS * (abs(ahead) + abs(start))) / abs(step)

    with np.errstate(all="ignore"):
        parts = [grad * direction[name] for name, grad in grads.items()]
        claimed = float(sum(np.sum(each) for each in parts))
        size = float(sum(np.sum(np.abs(each)) for each in parts))
        own = sum(
            float(np.sum(np.abs(direction[name]) * SURE * each))
            for name, each in here.doubt.items()
            if name in direction
        )
    useful = NOISY if here.noisy else USEFUL
    found, clear = extrapolate(central, FIRST_STEP, 2), CLEAR
    if here.noisy:
        lengths = [each * FIRST_STEP for each in FARTHER]
        fit = fitted(value, noise, lengths, NOISY / 2, rounded)
        if fit.error < found.error:
            found, clear = fit, CLEAR_OF_NOISE
    claim = ElementClaim(claimed, own, size, useful)
    verdict = judge((), claim, found, clear=clear).verdict
    if verdict == "fail":
        right, left = (extrapolate(one_sided, sign * FIRST_STEP, 1) for sign in (1.0, -1.0))
        if disagree(right, left):  # there is a kink
            low, high = sorted((right.value, left.value))
            slack = right.error + left.error + own
            verdict = "pass" if low - slack <= claimed <= high + slack else "inconclusive"
    return DotProductTest(found.value, claimed, verdict, by_differences=True)


# --- against a program ---------------------------------------------------------------------


def _values(here: Situation, problem: Problem) -> list[Comparison]:
    """Where the function's values are not the program's, that it is another one."""
    ((name, output),) = problem.outputs.items()
    (ours,) = problem.values([output])
    theirs = here.answer.value
    told = "the values of the command"
    if theirs.shape != ours.shape:
        text = f"the command's value has the shape {theirs.shape}, {name} has {ours.shape}"
        wrong = Agreement("fail", told, (), math.inf, 0.0, np.ones(ours.shape, bool))
        return [_other(name, theirs, ours, text, wrong)]
    allowed = _unit(theirs) ** FOREIGN * np.abs(ours) + CLEAR * here.noise.value
    with np.errstate(all="ignore"):
        same = (theirs == ours) | (np.isnan(theirs) & np.isnan(ours))
        apart = np.where(same, 0.0, np.abs(theirs - ours))
        off = ~(apart <= allowed)
    if not off.any():
        return []
    place = int(np.argmax(np.where(off, np.nan_to_num(apart, nan=math.inf), -1.0)))
    index = tuple(map(int, np.unravel_index(place, off.shape)))
    text = (
        f"the command computes another function: its value is {theirs[index]:.10g}, "
        f"{name} is {ours[index]:.10g}"
    )
    size = abs(float(ours[index])) or 1.0
    wrong = Agreement(
        "fail", told, index, float(apart[index]) / size, float(allowed[index]) / size, off
    )
    return [_other(name, theirs, ours, text, wrong)]


def _other(name: str, theirs: Array, ours: Array, text: str, wrong: Agreement) -> Comparison:
    cause = Cause("command-value", text)
    title = f"the value of {name}"
    return Comparison(title, "fail", theirs, np.asarray(ours), None, [cause], True, wrong)


def _claims(here: Situation, problem: Problem) -> Iterator[tuple[Claim, Evidence]]:
    """The function's gradients, to be compared with the program's."""
    walk = differentiate(problem)
    for name in problem.leaves:
        grad = here.answer.grads[name]
        claim, _ = claimed_numbers(walk, name, grad, grad.dtype)
        dtype = "float32" if _unit(grad) > EPS else "float64"
        told = f"the rounding of {dtype}, in which the command computes, and its noise"
        yield claim, Evidence(told, slack=SURE * here.doubt[name], dtype=dtype)


def _unit(numbers: Array) -> float:
    """The last place of the precision that numbers were computed in, relative to 1."""
    single = from_values(numbers).dtype == "float32"
    return float(np.finfo(np.float32 if single else np.float64).eps)
