"""The search for mistakes that give exactly the user's numbers.

Every mistake that is reported was computed, and gives the user's numbers in all elements. Of
several, the simplest comes first; with too few numbers to decide, the report is less certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from gradcli.analysis.diagnosis.arrangements import arrangements
from gradcli.analysis.diagnosis.claim import Claim, Guess, Point, agreeing, distinct
from gradcli.analysis.diagnosis.constants import FactorMeaning, meanings, ratio
from gradcli.analysis.diagnosis.misprints import misprints
from gradcli.analysis.diagnosis.mutation import distance
from gradcli.analysis.diagnosis.patterns import elements, patterns
from gradcli.analysis.diagnosis.quantities import quantities
from gradcli.analysis.diagnosis.sides import kinks
from gradcli.analysis.diagnosis.slips import Consequence, walk_slips
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.evidence import from_values
from gradcli.analysis.verdict import Cause
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, ancestors
from gradcli.ops.exponential import exp, log
from gradcli.ops.shapes import show
from gradcli.ops.softmax import LOGSUMEXP, SOFTMAX

RANK = (
    "transposed sign shape mean gradient-vector",
    "averaged unsummed diagonal absolute one-hot",
    "path-missing",
    "chain-factor mask factor",
    "local-derivative exponent intermediate operand-transposed order jacobian-transposed",
    "summed chain-doubled factor-missing",
    "other-output other-leaf other-value value second-derivative chain-factors product-rule",
)
"""Mistakes in the order of simplicity; all others come after these."""
FACTORS = {
    "mean", "averaged", "chain-factor", "chain-doubled", "path-missing", "gradient-vector",
    "constant",
    "factor-missing", "factor-doubled", "factor-inverted", "exponent", "operation",
}  # fmt: skip
"""Mistakes that may give a constant factor, and then explain it."""
ALONE = {"value", "sign", "absolute", "reciprocal", "squared", "normalised"}
"""Mistakes that are made together with no other one."""
PLAIN = {"mean", "averaged", "chain-factor", "gradient-vector"}
"""Those among them that are certain."""
ELEMENTS = 50_000_000
"""About how many elements are computed to try mistakes on a large gradient,"""
FEWEST = 20
"""but at least so many mistakes are tried."""
MARGIN = 1
"""Causes that are less simple by up to this much are reported, too."""
SHOWN = 3
SURE = 3
"""The number of different numbers that must match, so that it is not a coincidence."""
WRITTEN = 10_000
"""Of so many numbers at most it is asked with how many digits they were written."""
ROUGH = 1e-2
"""Numbers with fewer digits are taken as exact: 6 is not a rounded 6.4."""
SINGLE = 2e-6
"""The relative error of a computation in single precision."""
CLOSE = 0.1
"""Numbers that are no farther off than this were computed badly."""
NEARLY = 2e-3
"""A factor this close to 1 is not a mistake of its own."""


class Search:
    """Looks for mistakes that give the user's numbers of one leaf."""

    def __init__(self, claim: Claim, words: Wording) -> None:
        self.claim = claim
        self.words = words
        shapes = claim.leaf.shape, claim.mine.shape
        self._guesses: list[tuple[Cause, Guess]] = [
            (Cause(code, message), _changed(_value(claim.grad), change))
            for code, message, change in arrangements(*shapes)
        ]
        """Mistakes, and the numbers that they give."""
        outcomes: dict[Node, list[Consequence]] = {}
        size = sum(node.size for node in ancestors([claim.grad, *claim.walk.outputs]))
        sources = (walk_slips, quantities, misprints)
        found = chain.from_iterable(source(claim, words) for source in sources)
        with suppress(GradcliError):  # the limit on nodes is reached
            for outcome in islice(found, max(FEWEST, ELEMENTS // size)):
                outcomes.setdefault(outcome.node, []).append(outcome)
        self._guesses += [(_merged(same), _value(node)) for node, same in outcomes.items()]

    @property
    def sure(self) -> bool:
        """Whether there are enough numbers to distinguish causes."""
        return self._distinct >= SURE

    @property
    def _distinct(self) -> float:
        """How many numbers there are by which mistakes can be distinguished."""
        claim = self.claim
        return math.inf if claim.is_formula else distinct(claim.theirs, claim.rtol)

    def causes(self, slack: Array | float = 0.0) -> list[Cause]:
        """Single mistakes, the simplest first."""
        claim = self.claim
        found = [cause for cause, guess in self._guesses if claim.fits(guess, slack)]
        if _lacks_one_hot(claim, slack):
            text = "the one-hot targets are missing: subtract 1 at the target"
            found.append(Cause("one-hot", text))
        k = self._factor(_value(claim.grad), slack)
        if k is None or abs(abs(k) - 1) <= NEARLY:
            return self._best(found)
        return self._with_factor(k, found, slack)

    def further(self) -> list[Cause]:
        """The diagnosis where no single mistake gives exactly these numbers."""
        if self.claim.is_formula:
            self.claim = self.claim.at_points(
                self.claim.points[:1]
            )  # it may depend on the value of x in this run
            found = self.causes()
            if found:
                return found
        else:
            found = self.causes(rounding(self.claim.theirs))
            if found:
                text = f"{found[0].message} (yours is rounded)"
                return [replace(found[0], message=text), *found[1:]]
        return self.times() or self.patterns() or self.two() or [self._unexplained()]

    def times(self) -> list[Cause]:
        """A constant factor that nothing explains."""
        k = self._factor(_value(self.claim.grad), 0.0)
        if k is None or abs(k - 1) <= NEARLY:
            return []
        sign = "the sign is wrong, and " if k < 0 else ""
        text = f"{sign}it is {_times(abs(k))} the gradient: no number of the program explains this"
        return [Cause("factor", text, {"factor": k})]

    def patterns(self) -> list[Cause]:
        """What the wrong elements have in common."""
        slack = rounding(self.claim.theirs)
        return list(patterns(self.claim, 0.0)) or list(patterns(self.claim, slack))

    def _best(self, found: Sequence[Cause], most: int = SHOWN) -> list[Cause]:
        """The simplest, one of each kind; of equally simple ones that with the shortest sentence.

        Those that are much less simple are left out if the first is certain.
        """
        ranked = sorted(found, key=lambda each: (_rank(each.code), len(each.message)))
        if not ranked:
            return []
        first = _rank(ranked[0].code)
        last = first if first == 0 else first + MARGIN if self.sure else len(RANK)
        by_code = {each.code: each for each in reversed(ranked) if _rank(each.code) <= last}
        return sorted(by_code.values(), key=ranked.index)[: 1 if first == 0 else most]

    def two(self) -> list[Cause]:
        """A mistake together with a wrong sign, a transposition or a factor."""
        found = []
        for cause, guess in self._guesses if self._distinct > 1 else ():
            if cause.code in ALONE or "is_value" in cause.details:
                continue
            for message, change in (
                ("the sign is wrong", np.negative),
                ("it is transposed", _transposed),
            ):
                if self.claim.fits(_changed(guess, change)):
                    found.append(replace(cause, message=f"{cause.message}; and {message}"))
            k = self._factor(guess, 0.0) if self.sure else None
            told = [] if k is None else self._meanings(k, 0.0)
            if k is not None and told:
                sign = "the sign is wrong, and " if k < 0 else ""
                besides = f"besides, {sign}it is {_times(abs(k))} that: {told[0].words}"
                found.append(replace(cause, message=f"{cause.message}; {besides}"))
        return self._best(found)

    def _factor(self, guess: Guess, slack: Array | float) -> float | None:
        """The k with mine = k · guess at every point."""
        factors: list[float] = []
        rtol = self._rtol(slack)
        for point in self.claim.points:
            mine, value = point.value(self.claim.mine), guess(point)
            k = None if mine is None or value is None else ratio(mine, value, rtol)
            if k is None or (factors and abs(k - factors[0]) > 10 * rtol * abs(k)):
                return None
            factors.append(k)
        return factors[0]

    def _rtol(self, slack: Array | float) -> float:
        """The possible error of the ratio of two numbers."""
        size = np.abs(self.claim.theirs)
        with np.errstate(all="ignore"):
            off = np.where(size > 0, slack / size, 0.0)
        return max(self.claim.rtol, float(np.max(off, initial=0.0)))

    def _meanings(self, k: float, slack: Array | float) -> list[FactorMeaning]:
        return meanings(self.claim, self.words, k, self._rtol(slack))

    def _with_factor(self, k: float, found: list[Cause], slack: Array | float) -> list[Cause]:
        """One diagnosis for a constant factor, by the most likely mistake that gives it."""
        causes = self._best([each for each in found if each.code in FACTORS])
        text = f"it is {_times(k)} the gradient"
        if k < 0 and not causes:
            causes = self._best(
                [
                    cause
                    for cause, guess in self._guesses
                    if cause.code in FACTORS
                    and self.claim.fits(_changed(guess, np.negative), slack)
                ]
            )
            text = f"the sign is wrong, and it is {_times(-k)} the gradient"
        meant = self._meanings(k, slack)
        numbers = [Cause("factor", each.words) for each in meant if each.own]
        general = [Cause("factor", each.words) for each in meant if not each.own]
        (also, *_) = [each.words for each in meant if each.is_single and not each.own] or [""]
        sure = bool(causes) and causes[0].code in PLAIN
        if sure and causes[0].code == "chain-factor":  # 2 may be a factor, and an exponent
            sure = not any("exponent" in each.message for each in numbers)
        told = [*causes, *numbers] if sure else [*numbers, *causes]
        told += general
        if not told:
            return self._best(found)
        text += f": {told[0].message}"
        if told[0].code not in ("factor", *PLAIN) and also:
            text += f" ({also.partition(':')[0]})"
        first = Cause(told[0].code, text, {"factor": k})
        if not _rank(first.code):
            return [first]
        others = [each for each in found if each.code not in {*FACTORS, "factor-extra"}]
        others = others if sure else numbers + others
        others = [each for each in others if each.message != told[0].message]
        return [first, *self._best(others, SHOWN - 1)]

    def _unexplained(self) -> Cause:
        claim = self.claim
        if claim.theirs.shape != claim.right.shape:
            text = f"the shape is {show(claim.mine.shape)}, the leaf's is {show(claim.leaf.shape)}"
            return Cause("shape", text)
        wrong = ~agreeing(claim.theirs, claim.right, claim.rtol)
        if claim.theirs[~wrong].any():
            return elements(claim, wrong, kinks(claim, wrong))
        apart = distance(claim.theirs, claim.right)
        if apart < CLOSE:
            digits = f"{-math.log10(apart):.1f} digits"
            text = f"it is close, to {digits}: rounded early, or by differences?"
            return Cause("approximate", text)
        with np.errstate(all="ignore"):
            quotient = claim.theirs / claim.right
        known = quotient[np.isfinite(quotient)]
        spread = ""
        if known.size > 1:
            spread = f": yours is {known.min():.4g} to {known.max():.4g} times the gradient"
        text = f"no single mistake that was tried gives these numbers{spread}"
        return Cause("unexplained", text)


def rounding(numbers: Array) -> Array | float:
    """How far numbers may be from those that they were rounded from: a unit of the last digit that
    they have, or what is left of it in a computation in single precision.
    """
    if numbers.size > WRITTEN:
        return 0.0
    evidence, size = from_values(numbers), np.abs(numbers)
    if evidence.dtype == "float32":
        largest = float(np.max(size, initial=0.0, where=np.isfinite(size)))
        return np.asarray(SINGLE * (size + 0.1 * largest))
    unit = 2 * evidence.slack_of(numbers.shape)
    return unit if (unit <= ROUGH * size)[numbers != 0].all() else 0.0


def _value(node: Node) -> Guess:
    return lambda point: point.value(node)


def _changed(guess: Guess, change: Callable[[Array], Array]) -> Guess:
    def changed(point: Point) -> Array | None:
        value = guess(point)
        try:
            return None if value is None else np.asarray(change(value))
        except (ValueError, IndexError):
            return None

    return changed


def _transposed(array: Array) -> Array:
    if array.ndim < 2:
        raise ValueError("nothing to exchange")
    return array.swapaxes(-1, -2)


def _times(k: float) -> str:
    size, whole = abs(k), round(1 / abs(k))
    fraction = whole > 1 and abs(size * whole - 1) < 1e-4
    return ("-" if k < 0 else "") + (f"1/{whole} of" if fraction else f"{size:.6g} times")


def _merged(outcomes: Sequence[Consequence]) -> Cause:
    """One diagnosis for mistakes that give the same numbers; it also says whose gradient they
    are.
    """
    first = min(outcomes, key=lambda each: _rank(each.code))
    of = next((each for each in outcomes if each.code == "intermediate"), first)
    told = "" if of is first else f": {of.message}"
    alone = {"is_value": True} if any(each.code == "value" for each in outcomes) else {}
    return Cause(first.code, first.message + told, first.details | alone)


def _rank(code: str) -> int:
    return next((place for place, codes in enumerate(RANK) if code in codes.split()), len(RANK))


def _lacks_one_hot(claim: Claim, slack: Array | float) -> bool:
    """Whether one number is missing in one place of every row, after a softmax."""
    ops = {node.op for node in ancestors(claim.walk.outputs)}
    mine, right = claim.theirs, claim.right
    normalised = not ops.isdisjoint((SOFTMAX, LOGSUMEXP)) or ops >= {exp.op, log.op}
    if not normalised or mine.shape != right.shape:
        return False
    missing = mine - right
    wrong = ~agreeing(mine, right, claim.rtol, slack)
    if not wrong.ndim or not (wrong.sum(axis=-1) == 1).all():
        return False
    off = np.broadcast_to(slack, missing.shape)[wrong]
    return bool((np.abs(missing[wrong] - missing[wrong][0]) <= 2 * off + 1e-6).all())
