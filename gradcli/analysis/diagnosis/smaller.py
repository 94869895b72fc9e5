"""The same program and the same formula with fewer elements, where hundreds of mutants cost little.

Long axes become short ones, whose lengths are prime numbers that stand nowhere in the texts, so
that a sentence about the small program can be told about the large one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.analysis.diagnosis.causes import confirmed
from gradcli.analysis.diagnosis.claim import (
    Claim,
    close,
    differentiate,
    formula,
    typed,
    weighed,
)
from gradcli.analysis.diagnosis.constants import ratio
from gradcli.analysis.diagnosis.typed import MISFITS, Tolerant
from gradcli.analysis.diagnosis.wording import wording
from gradcli.analysis.problem import pose
from gradcli.analysis.verdict import Cause, Correction, Index
from gradcli.diagnostics import Source, Span
from gradcli.graph import Array, Shape
from gradcli.language.parser import parse_program
from gradcli.passes import Gradient

LARGE = 20_000
"""Formulas for leaves with more elements are searched in a smaller program."""
LONGEST = 64
"""Longer axes become short ones."""
SHORT = (37, 41, 43, 47, 53, 59, 61)
"""Their lengths."""
NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")


@dataclass(frozen=True, slots=True)
class Scale:
    """The indices that are kept of axes, by their length, and the counts that change with them."""

    kept: Mapping[int, Array]
    counts: Mapping[float, int]
    """From a count of elements, or one less, to that of the smaller program."""

    def sampled(self, value: Array) -> Array:
        """The elements that are kept of an array."""
        for axis, length in enumerate(value.shape):
            if length in self.kept:
                value = value.take(self.kept[length], axis)
        return value

    def shrunk(self, source: Source) -> Source:
        """A text about the smaller program, in which all else stands in the same place.

        Raises ValueError where there is no room for the smaller count.
        """

        def other(found: re.Match[str]) -> str:
            count = self.counts.get(float(found[0].replace("_", "")))
            if count is None:
                return found[0]
            if len(str(count)) > len(found[0]):
                raise ValueError(f"{count} is longer than {found[0]}")
            return f"{count}".ljust(len(found[0]))

        return Source(source.name, NUMBER.sub(other, source.text))

    def grown(self, text: str) -> str:
        """A sentence about the smaller program as one about the large one."""
        known = self._large()
        texts = {f"{small:.6g}": f"{large:.10g}" for small, large in known.items()}
        return NUMBER.sub(lambda found: texts.get(found[0], found[0]), text)

    def grown_details(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of a cause for the large program."""
        found = dict(details)
        factor = found.get("factor", 0.0)
        for small, large in self._large().items():
            if math.isclose(abs(factor), small, rel_tol=1e-9):
                found["factor"] = math.copysign(large, factor)
        return found

    def _large(self) -> dict[float, float]:
        """From counts of the smaller program, and their quotients, to those of the large one."""
        found: dict[float, float] = {}
        for large, small in self.counts.items():
            found |= {float(small): large, 1 / small: 1 / large}
            if large + 1 in self.counts:
                found |= {(small + 1) / small: (large + 1) / large}
                found |= {small / (small + 1): large / (large + 1)}
        return found


def confirmed_in_small(claim: Claim, worst: Index) -> list[Cause]:
    """The mistake in a formula that is searched with fewer elements, `worst` among them, and
    confirmed with all; empty if none was found, or the program cannot be made smaller.
    """
    if claim.typed is None:
        return []
    try:
        scale = _scale(claim, worst)
        twin = _twin(claim, scale)
        if twin is None or close(twin.theirs, twin.right, twin.rtol):
            return []
    except MISFITS:
        return []
    found: list[Cause] = []
    with Tolerant():
        found = confirmed(twin, wording(twin))
    told = [_told(each, claim.typed.source, scale) for each in found]
    return [each for each in told if _confirmed(claim, each)]


def _scale(claim: Claim, worst: Index) -> Scale:
    """Raises ValueError where no axis is long, or too many are."""
    problem = claim.walk.problem
    shapes = [value.shape for value in problem.inputs.values()]
    shapes += [leaf.shape for leaf in problem.leaves.values()]
    long = sorted({length for shape in shapes for length in shape if length > LONGEST})
    written = f"{problem.program.source.text} {claim.typed.source.text if claim.typed else ''}"
    taken = {float(each.replace("_", "")) for each in NUMBER.findall(written)}
    taken |= {float(length) for shape in shapes for length in shape}
    free = [each for each in SHORT if taken.isdisjoint({each, each - 1})]
    if not long or len(long) > len(free):
        raise ValueError("the program has no axes to shorten")
    chance = np.random.default_rng(0)
    kept = {
        length: np.sort(chance.choice(length, short, replace=False))
        for length, short in zip(long, free, strict=False)
    }
    for axis, place in enumerate(worst):
        indices = kept.get(claim.leaf.shape[axis])
        if indices is not None and place not in indices:
            indices[chance.integers(indices.size)] = place
            indices.sort()
    counts: dict[float, int] = {}
    for shape in [*((length,) for length in long), *shapes]:
        large, small = math.prod(shape), math.prod(_shortened(shape, kept))
        if large != small:
            counts |= {float(large): small, float(large - 1): small - 1}
    return Scale(kept, counts)


def _shortened(shape: Shape, kept: Mapping[int, Array]) -> Shape:
    return tuple(kept[length].size if length in kept else length for length in shape)


def _twin(claim: Claim, scale: Scale) -> Claim | None:
    """The claim about the smaller program. Raises what tracing raises."""
    problem = claim.walk.problem
    program = parse_program(scale.shrunk(problem.program.source), problem.options.limits.parse)
    inputs = {name: scale.sampled(value) for name, value in problem.inputs.items()}
    given = [Gradient(scale.sampled(each.value), each.output) for each in problem.gradients]
    walk = differentiate(weighed(pose(program, inputs, given, problem.options)))
    assert claim.typed is not None
    own = typed(walk, scale.shrunk(claim.typed.source))
    leaf = walk.problem.leaves.get(claim.name)
    if leaf is None or leaf.shape != _shortened(claim.leaf.shape, scale.kept):
        return None
    return Claim(walk, claim.name, leaf, own.node, own)


def _told(cause: Cause, source: Source, scale: Scale) -> Cause:
    """A cause in the small program as one in the large program."""
    correction = cause.correction
    if correction is not None:
        span = _whole(source, correction.span)
        correction = Correction(source, span, scale.grown(correction.formula))
    message = scale.grown(cause.message)
    return Cause(cause.code, message, scale.grown_details(cause.details), correction)


def _whole(source: Source, span: Span) -> Span:
    """A place in a text, with all digits of a number that it ends in: it had fewer."""
    start, end = span
    return start, next(
        (each.end() for each in NUMBER.finditer(source.text) if each.start() < end <= each.end()),
        end,
    )


def _confirmed(claim: Claim, cause: Cause) -> bool:
    """Whether what was found in the small program is so in the large one."""
    if cause.correction is not None:
        right = _value(claim, cause.correction.formula)
        return right is not None and close(right, claim.right, claim.rtol)
    if "factor" in cause.details:
        k = ratio(claim.theirs, claim.right, claim.rtol)
        return k is not None and math.isclose(k, cause.details["factor"], rel_tol=1e-6)
    return True


def _value(claim: Claim, text: str) -> Array | None:
    try:
        right = claim.known(formula(claim.walk, Source("the correction", text)))
    except MISFITS:
        return None
    return np.broadcast_to(right, claim.right.shape) if right.size == 1 else right
