"""A function that is known by its answers alone, at a point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from gradcli.analysis.evidence import from_values
from gradcli.analysis.foreign.noise import SAMPLES, noise_of
from gradcli.analysis.line import LEAST
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array

EPS = float(np.finfo(np.float64).eps)
NOISE = 1e-8
MORE = 64
"""The samples where that is noise indeed: of fewer it is known too badly."""
ANSWERS = (16, 64, 256, 1024)
"""A gradient that changes from answer to answer is the mean of so many: of the fewest"""
KNOWN = 1e-2
"""by which it is known so well, relative to its largest element."""
SURE = 4.0
"""Standard deviations of a gradient: a number is hardly ever farther off."""
STEPS = (math.pi * 1e-7, math.pi * 1e-5, math.pi * 1e-3)
"""Distances of the samples, relative to the inputs: the first at which the values change. A
function may have short values at short numbers, as if it rounded them.
"""
FAR = math.pi * 1e-2
"""That where values change that are rounded so much that they do at none of these."""


class ForeignAnswer(NamedTuple):
    """What a function gives at a point."""

    value: Array
    grads: dict[str, Array]
    """By input, with its shape; empty where only the value was asked for."""


class Foreign(Protocol):
    """Called with all inputs, and with the v of vᵀ·J where gradients are wanted: its answer, or
    None where it has no value.
    """

    text: str
    requests: int
    refusal: str

    def __call__(
        self, inputs: Mapping[str, Array], gradient: Array | None = None
    ) -> ForeignAnswer | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """A function at a point, and how exactly its answers are known there."""

    function: Foreign
    inputs: dict[str, Array]
    leaves: tuple[str, ...]
    weight: Array
    """The v of vᵀ·J."""
    answer: ForeignAnswer
    """At the point."""
    noise: ForeignAnswer
    """What of it changes without reason from one point to the next: a standard deviation."""
    doubt: Mapping[str, Array]
    """How far off its gradients may be: the same, and of a mean its standard error."""
    rounded: Array
    """How far its values are off at most, if it rounds them to few digits."""
    answers: int = 1
    """Of so many is the gradient the mean."""

    @property
    def source(self) -> Source:
        return Source("--command", self.function.text)

    @property
    def relative_noise(self) -> float:
        """The largest noise of a value, relative to the largest value."""
        return _relative(self.noise.value, self.answer.value)

    @property
    def noisy(self) -> bool:
        """Whether the values are known so badly that few digits of a derivative can be asked, or
        the gradients are.
        """
        return max(self.relative_noise, self.relative_doubt) > NOISE

    @property
    def relative_doubt(self) -> float:
        """That of a gradient's worst element, relative to its largest one."""
        return max((_relative(self.doubt[name], self.answer.grads[name]) for name in self.doubt),
                   default=0.0)  # fmt: skip

    def at(self, moved: Mapping[str, Array], *, grads: bool) -> ForeignAnswer | None:
        """The answer where some inputs have other values."""
        return self.function(self.inputs | dict(moved), self.weight if grads else None)


def situated(
    function: Foreign,
    inputs: Mapping[str, Array],
    leaves: tuple[str, ...],
    weight: Array | None,
    *,
    grads: bool,
) -> Situation:
    """A function at a point, its noise measured; without a weight by random numbers.

    Raises `value` where it has no value at the point, `no-grad` where it gives no gradient of a
    leaf, `gradient-shape`, and what the function raises.
    """
    given = dict(inputs)
    source = Source("--command", function.text)
    first = _required(function(given), function)
    if weight is None:
        weight = np.ones(()) if first.value.shape == () else _weights(first.value)
    try:
        weight = np.broadcast_to(np.asarray(weight, np.float64), first.value.shape)
    except ValueError:
        raise GradcliError(
            "gradient-shape",
            f"the gradient has the shape {np.shape(weight)}, the command's value "
            f"{first.value.shape}",
            source=source,
        ) from None
    answer = _required(function(given, weight), function) if grads else first
    for name in leaves if grads else ():
        if name not in answer.grads:
            raise GradcliError(
                "no-grad",
                f"the command answers no gradient of {name}",
                hint="--wrt names the inputs that have one; --command-only-value asks for none",
                source=source,
            )
    nothing = np.zeros(first.value.shape)
    found = Situation(function, given, leaves, weight, answer, answer, {}, nothing)
    noise, rounded = _noise(found, grads=grads)
    noise = noise._replace(value=np.maximum(noise.value, rounded))
    doubt = _rounding(answer.grads) | noise.grads
    found = replace(found, noise=noise, doubt=doubt, rounded=rounded)
    return _averaged(found) if found.relative_doubt > NOISE else found


def _averaged(here: Situation) -> Situation:
    """The same with the mean of several gradients, if it is chance that they differ: one and the
    same point has more than one.
    """
    found = [here.answer]
    for count in ANSWERS:
        while len(found) < count:
            again = here.at({}, grads=True)
            if again is None or not again.grads.keys() >= here.answer.grads.keys():
                return here
            if len(found) == 1 and _same(again, here.answer):
                return here
            found.append(again)
        grads, doubt = {}, {}
        for name in here.doubt:
            values = np.stack([each.grads[name] for each in found])
            grads[name] = values.mean(axis=0)
            error = values.std(axis=0, ddof=1) / math.sqrt(count)
            doubt[name] = np.maximum(error, EPS * np.abs(grads[name]))
        answer = ForeignAnswer(here.answer.value, here.answer.grads | grads)
        mean = replace(here, answer=answer, doubt=doubt, answers=count)
        if SURE * mean.relative_doubt <= KNOWN:
            break
    return mean


def _same(one: ForeignAnswer, other: ForeignAnswer) -> bool:
    return all(np.array_equal(one.grads[name], other.grads[name]) for name in one.grads)


def _relative(error: Array, of: Array) -> float:
    size = float(np.max(np.abs(of), initial=0.0))
    return float(np.max(error, initial=0.0)) / (size or 1.0)


def _required(answer: ForeignAnswer | None, function: Foreign) -> ForeignAnswer:
    if answer is None:
        raise GradcliError(
            "value",
            f"the command has no value at the point: {function.refusal[:200]}",
            source=Source("--command", function.text),
        )
    return answer


def _weights(value: Array) -> Array:
    generator = np.random.default_rng(0)
    signs = generator.choice([-1.0, 1.0], value.shape)
    return np.asarray(signs * generator.uniform(0.5, 1.5, value.shape))


def sizes(point: Array) -> Array:
    """The size of every element, for steps."""
    known = np.abs(np.where(np.isfinite(point), point, 0.0))
    typical = float(np.max(known, initial=0.0)) or 1.0
    return np.asarray(np.maximum(known, LEAST * typical))


def _noise(here: Situation, *, grads: bool) -> tuple[ForeignAnswer, Array]:
    """The noise of the values and of the gradients, from samples along a random line, and how far
    the values are off that are rounded.

    The samples lie on one side of the point, which may be at a kink.
    """
    generator = np.random.default_rng(1)
    directions = {
        name: generator.choice([-1.0, 1.0], here.inputs[name].shape) * sizes(here.inputs[name])
        for name in here.leaves
    }

    def sampled(step: float, numbers: range = range(1, SAMPLES + 1)) -> list[ForeignAnswer]:
        """Nothing where one is missing."""
        found = []
        for number in numbers:
            moved = {name: here.inputs[name] + number * step * d for name, d in directions.items()}
            each = here.at(moved, grads=grads)
            if each is None or each.value.shape != here.answer.value.shape:
                return []
            found.append(each)
        return found

    samples: list[ForeignAnswer] = []
    for step in STEPS:
        samples = sampled(step)
        if not samples or _change(samples):
            break
    else:
        return _noise_of(here, samples), _last_places(sampled(FAR) or samples)
    if not samples:
        nothing = np.zeros(here.answer.value.shape)
        return ForeignAnswer(EPS * np.abs(here.answer.value), _rounding(here.answer.grads)), nothing
    noise = _noise_of(here, samples)
    if replace(here, noise=noise).noisy:
        more = sampled(step, range(SAMPLES + 1, MORE + 1))
        noise = _noise_of(here, [*samples, *more]) if more else noise
    return noise, _last_places(samples)


def _change(samples: Sequence[ForeignAnswer]) -> bool:
    return any((each.value != samples[0].value).any() for each in samples)


def _last_places(samples: Sequence[ForeignAnswer]) -> Array:
    """Half a unit of the last decimal that values have, in each element; 0 for as many as a
    computation gives.
    """
    values = np.stack([each.value for each in samples])
    if not np.isfinite(values).all():
        return np.zeros(values.shape[1:])
    return np.asarray(from_values(values).slack_of(values.shape).max(axis=0))


def _noise_of(here: Situation, samples: Sequence[ForeignAnswer]) -> ForeignAnswer:
    """The noise of values and gradients at equal distances, which is at least rounding."""
    value = noise_of(np.stack([each.value for each in samples]))
    slopes = {
        name: np.maximum(noise_of(np.stack([each.grads[name] for each in samples])), least)
        for name, least in _rounding(here.answer.grads).items()
        if all(name in each.grads for each in samples)
    }
    return ForeignAnswer(np.maximum(value, EPS * np.abs(here.answer.value)), slopes)


def _rounding(grads: Mapping[str, Array]) -> dict[str, Array]:
    return {name: EPS * np.abs(grad) for name, grad in grads.items()}
