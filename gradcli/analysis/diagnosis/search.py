"""The search for mistakes that give exactly the user's numbers.

Every mistake that is reported was computed, and gives the user's numbers in all elements. Of
several, the simplest comes first; with too few numbers to decide, the report is less certain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from gradcli.analysis.diagnosis.arrangements import arrangements
from gradcli.analysis.diagnosis.claim import Claim, Guess, Point, agreeing, distinct
from gradcli.analysis.diagnosis.constants import Meanings, meanings, ratio
from gradcli.analysis.diagnosis.misprints import misprints
from gradcli.analysis.diagnosis.patterns import elements, patterns
from gradcli.analysis.diagnosis.quantities import quantities
from gradcli.analysis.diagnosis.rounding import digits_in_common, roundings
from gradcli.analysis.diagnosis.sides import kinks
from gradcli.analysis.diagnosis.slips import Consequence, walk_slips
from gradcli.analysis.diagnosis.wording import Wording
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
NEARLY = 2e-3
"""A factor this close to 1 is not a mistake of its own."""


class Search:
    """Looks for mistakes that give the user's numbers of one leaf."""

    def __init__(self, claim: Claim, words: Wording) -> None:
        self.claim = claim
        self.words = words
        self._outcomes: dict[Node, list[Consequence]] = {}
        """By result: several mistakes may give the same numbers."""
        size = sum(node.size for node in ancestors([claim.grad, *claim.walk.outputs]))
        sources = (walk_slips, quantities, misprints)
        found = chain.from_iterable(source(claim, words) for source in sources)
        with suppress(GradcliError):  # the limit on nodes is reached
            for outcome in islice(found, max(FEWEST, ELEMENTS // size)):
                self._outcomes.setdefault(outcome.node, []).append(outcome)

    @property
    def sure(self) -> bool:
        """Whether there are enough numbers to distinguish causes."""
        return self.claim.is_formula or distinct(self.claim.theirs, self.claim.rtol) >= SURE

    def causes(self, slack: Array | float = 0.0) -> list[Cause]:
        """Single mistakes, the simplest first."""
        claim, grad = self.claim, self.claim.grad
        found = [
            Cause(code, message)
            for code, message, change in arrangements(claim.leaf.shape, claim.mine.shape)
            if claim.fits(_changed(_value(grad), change), slack)
        ]
        found += self._named(slack, _same)
        if _lacks_one_hot(claim, slack):
            text = "the one-hot targets are missing: subtract 1 at the target"
            found.append(Cause("one-hot", text))
        k = self._factor(_value(grad), slack)
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
            for rounded in roundings(self.claim.theirs):
                found = self.causes(rounded.slack)
                if found:
                    text = f"{found[0].message} (yours is rounded to {rounded.words})"
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
        slacks: list[Array | float] = [0.0]
        slacks += [each.slack for each in roundings(self.claim.theirs)]
        for slack in slacks:
            found = list(patterns(self.claim, slack))
            if found:
                return found
        return []

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

    def _named(self, slack: Array | float, change: Callable[[Array], Array]) -> list[Cause]:
        """The mistakes whose numbers, changed, are the user's."""
        return [
            _merged(outcomes)
            for node, outcomes in self._outcomes.items()
            if self.claim.fits(_changed(_value(node), change), slack)
        ]

    def two(self) -> list[Cause]:
        """A mistake together with a wrong sign, a transposition or a factor."""
        if not self._differs():
            return []
        claim, found = self.claim, []
        guesses = [
            (_merged(outcomes), _value(node))
            for node, outcomes in self._outcomes.items()
            if "value" not in {each.code for each in outcomes}
        ]
        guesses += [
            (Cause(code, message), _changed(_value(claim.grad), change))
            for code, message, change in arrangements(claim.leaf.shape, claim.mine.shape)
            if code in ("transposed", "shape", "permuted")
        ]
        for cause, guess in guesses:
            for message, change in (
                ("the sign is wrong", np.negative),
                ("it is transposed", _transposed),
            ):
                if claim.fits(_changed(guess, change)):
                    found.append(replace(cause, message=f"{cause.message}; and {message}"))
            k = self._factor(guess, 0.0) if self.sure else None
            told = [] if k is None else self._meanings(k, 0.0).all
            if k is not None and told:
                sign = "the sign is wrong, and " if k < 0 else ""
                besides = f"besides, {sign}it is {_times(abs(k))} that: {told[0]}"
                found.append(replace(cause, message=f"{cause.message}; {besides}"))
        return self._best(found)

    def _differs(self) -> bool:
        """Whether there is more than one number, so that mistakes can be distinguished."""
        return self.claim.is_formula or distinct(self.claim.theirs, self.claim.rtol) > 1

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

    def _meanings(self, k: float, slack: Array | float) -> Meanings:
        return meanings(self.claim, self.words, k, self._rtol(slack))

    def _with_factor(self, k: float, found: list[Cause], slack: Array | float) -> list[Cause]:
        """One diagnosis for a constant factor, by the most likely mistake that gives it."""
        causes = self._best([each for each in found if each.code in FACTORS])
        text = f"it is {_times(k)} the gradient"
        if k < 0 and not causes:
            named = self._named(slack, np.negative)
            causes = self._best([each for each in named if each.code in FACTORS])
            text = f"the sign is wrong, and it is {_times(-k)} the gradient"
        meant = self._meanings(k, slack)
        sure = bool(causes) and causes[0].code in PLAIN
        if sure and causes[0].code == "chain-factor":  # 2 may be a factor, and an exponent
            sure = not meant.is_exponent
        numbers = [Cause("factor", told) for told in meant.own]
        told = [*causes, *numbers] if sure else [*numbers, *causes]
        told += [Cause("factor", each) for each in (*meant.general, *meant.pairs)]
        if not told:
            return self._best(found)
        text += f": {told[0].message}"
        if told[0].code not in ("factor", *PLAIN) and meant.general:
            text += f" ({meant.general[0].partition(':')[0]})"
        first = Cause(told[0].code, text, {"factor": k})
        more = [] if sure else numbers
        others = [each for each in found if each.code not in {*FACTORS, "factor-extra"}]
        others = [each for each in [*more, *others] if each.message != told[0].message]
        return [first, *self._best(others, SHOWN - 1)] if _rank(first.code) else [first]

    def _unexplained(self) -> Cause:
        claim = self.claim
        if claim.theirs.shape != claim.right.shape:
            text = f"the shape is {show(claim.mine.shape)}, the leaf's is {show(claim.leaf.shape)}"
            return Cause("shape", text)
        wrong = ~agreeing(claim.theirs, claim.right, claim.rtol)
        if claim.theirs[~wrong].any():
            return elements(claim, wrong, kinks(claim, wrong))
        digits = digits_in_common(claim.theirs, claim.right)
        if digits > 1:
            text = f"it is close, to {digits:.1f} digits: rounded early, or by differences?"
            return Cause("approximate", text)
        with np.errstate(all="ignore"):
            quotient = claim.theirs / claim.right
        known = quotient[np.isfinite(quotient)]
        spread = ""
        if known.size > 1:
            spread = f": yours is {known.min():.4g} to {known.max():.4g} times the gradient"
        text = f"no single mistake that was tried gives these numbers{spread}"
        return Cause("unexplained", text)


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
    return Cause(first.code, first.message + told, first.details)


def _same(array: Array) -> Array:
    return array


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
