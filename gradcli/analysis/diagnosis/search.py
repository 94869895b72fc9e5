"""The search for mistakes that give exactly the user's numbers.

Every mistake that is reported was computed, and gives the user's numbers in all elements. Of
several, the simplest comes first; with too few numbers to decide, the report is less certain.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, combinations, islice

import numpy as np

from gradcli.analysis.diagnosis.arrangements import arrangements
from gradcli.analysis.diagnosis.claim import Claim, distinct, typed
from gradcli.analysis.diagnosis.constants import EXPONENT, is_written, meanings, ratio
from gradcli.analysis.diagnosis.material import material
from gradcli.analysis.diagnosis.mutants import Grower
from gradcli.analysis.diagnosis.patterns import described
from gradcli.analysis.diagnosis.quantities import quantities
from gradcli.analysis.diagnosis.slips import Consequence, walk_slips
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.evidence import rounding
from gradcli.analysis.verdict import Cause
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array, Node
from gradcli.ops.axes import matrix_transpose
from gradcli.walks import ancestors

ORDER = (
    "transposed sign shape mean gradient-vector",
    "averaged unsummed diagonal absolute one-hot",
    "path-missing",
    "chain-factor mask factor",
    "local-derivative exponent intermediate operand-transposed order jacobian-transposed",
    "summed chain-doubled factor-missing sign-part",
    "other-output other-leaf other-value value second-derivative chain-factors product-rule",
)
"""Mistakes in the order of simplicity; all others come after these."""
RANK = {code: rank for rank, codes in enumerate(ORDER) for code in codes.split()}
SIMPLE = 5
"""So far down this order mistakes are made together with a wrong sign or a transposition."""
FACTORS = {
    "mean", "averaged", "chain-factor", "chain-doubled", "path-missing", "gradient-vector",
    "constant",
    "factor-missing", "factor-doubled", "factor-inverted", "exponent", "operation",
}  # fmt: skip
"""Mistakes that may give a constant factor, and then explain it."""
PLAIN = {"mean", "averaged", "chain-factor", "gradient-vector"}
"""Those among them that are certain,"""
AVERAGES = {"mean", "averaged"}
"""and those that are of a number of elements, which may be another number of the program, too."""
ELEMENTS = 50_000_000
"""About how many elements are computed to try mistakes on a large gradient,"""
FEWEST = 20
"""but at least so many mistakes are tried."""
MARGIN = 1
"""Causes that are less simple by up to this much are reported, too."""
SHOWN = 3
SURE = 3
"""The number of different numbers that must match, so that it is not a coincidence."""
TERMS = 30
"""The most terms of which two may be missing."""
NEARLY = 2e-3
"""A factor this close to 1 is not a mistake of its own."""
LONG_STEPS, LONG_WIDTH = 80, 400
"""The most steps and characters of a long formula of the gradient."""
VAGUE = ("every ", "a part of ")
"""What causes begin with that say less than others."""
ON_THE_WAY = frozenset({"path-missing", "sign-part"})
"""Steps that give the same wherever on one way to the leaf they are wrong."""
MUTANTS = 3_000
"""The most mutants of a formula that are tried."""


class Search:
    """Looks for mistakes that give the user's numbers of one leaf."""

    def __init__(self, claim: Claim, words: Wording, excluded: Container[str] = ()) -> None:
        """Causes with the codes `excluded` are none."""
        self.claim = claim
        self.words = words
        outcomes: dict[Node, list[Consequence]] = {}
        size = sum(node.size for node in ancestors([claim.grad, *claim.walk.outputs]))
        sources = (walk_slips, quantities, _misprints)
        found = chain.from_iterable(source(claim, words) for source in sources)
        self._most = max(FEWEST, ELEMENTS // size)
        tried = chain(arrangements(claim), islice(found, self._most))
        with suppress(GradcliError):  # the limit on nodes is reached
            for outcome in tried:
                outcomes.setdefault(outcome.node, []).append(outcome)
        guesses = [(_merged(same), node) for node, same in outcomes.items()]
        self._guesses = [each for each in guesses if each[0].code not in excluded]
        """Mistakes, and what they give."""

    @property
    def _distinct(self) -> float:
        """How many numbers there are by which mistakes can be distinguished."""
        claim = self.claim
        return math.inf if claim.is_formula else distinct(claim.theirs, claim.rtol)

    def causes(self, slack: Array | float = 0.0) -> list[Cause]:
        """Single mistakes, the simplest first."""
        claim = self.claim
        if not claim.theirs.any():
            return []  # 0 agrees with whatever is too small to be told from it
        found = [cause for cause, guess in self._guesses if claim.fits(guess, slack)]
        size = np.abs(claim.theirs)
        with np.errstate(all="ignore"):
            off = np.where(size > 0, slack / size, 0.0)
        rtol = max(claim.rtol, float(np.max(off, initial=0.0)))  # of the ratio of two numbers
        k = self._factor(rtol)
        if k is None or abs(abs(k) - 1) <= NEARLY:
            return self._best(found)
        return self._with_factor(k, found, slack, meanings(claim, self.words, k, rtol))

    def outcome(self, cause: Cause) -> Node | None:
        """What the mistake that a cause tells of gives."""
        for each, guess in self._guesses:
            told = each.code == cause.code and each.message in cause.message
            if told and self.claim.fits(guess):
                return guess
        return None

    def further(self) -> list[Cause]:
        """The diagnosis where no single mistake gives exactly these numbers."""
        if self.claim.is_formula:
            found = self.two_terms()
            if not found:  # it may depend on the value of x in this run
                self.claim = self.claim.at_points(self.claim.points[:1])
                found = self.causes()
        else:
            slack = rounding(self.claim.theirs)
            tried = islice(_misprints(self.claim, self.words, long=True), self._most)
            slips = (_merged([each]) for each in tried if self.claim.fits(each.node, slack))
            found = self.causes(slack) or self.two_terms(slack) or [*islice(slips, SHOWN)]
            if found and np.any(slack):
                found[0] = replace(found[0], message=f"{found[0].message} (yours is rounded)")
        return found or self.times() or self._with_turn() or [described(self.claim)]

    def times(self) -> list[Cause]:
        """A constant factor that nothing explains."""
        k = self._factor(self.claim.rtol)
        if k is None:
            return []
        sign = "the sign is wrong, and " if k < 0 else ""
        text = f"{sign}it is {_times(abs(k))} the gradient: no number of the program explains this"
        return [Cause("factor", text, {"factor": k}, sure=False)]

    def _best(self, found: Sequence[Cause], most: int = SHOWN) -> list[Cause]:
        """The simplest, one of each kind; of equally simple ones that with the shortest sentence.

        Those that are much less simple are left out if the first is certain.
        """
        ranked = sorted(found, key=_simplicity)
        if not ranked:
            return []
        first = _rank(ranked[0].code)
        last = first if first == 0 else first + MARGIN if self._distinct >= SURE else len(ORDER)
        by_code = {each.code: each for each in reversed(ranked) if _rank(each.code) <= last}
        return sorted(by_code.values(), key=ranked.index)[: 1 if first == 0 else most]

    def two_terms(self, slack: Array | float = 0.0) -> list[Cause]:
        """Two terms that are both missing, which may be another mistake."""
        right = self.claim.grad
        paths = [each for each in self._guesses if each[0].code == "path-missing"][:TERMS]
        if self._distinct >= SURE and all(each.shape == right.shape for _, each in paths):
            for (one, without), (other, also) in combinations(paths, 2):
                if self.claim.fits(without + also - right, slack):
                    text = f"{one.message}; and {other.message}"
                    return [replace(one, message=text, sure=False)]
        return []

    def _with_turn(self) -> list[Cause]:
        """A simple mistake together with a wrong sign or a transposition."""
        mine = self.claim.mine
        undone = [("sign", "the sign is wrong", self.claim.of(-mine))]
        if mine.ndim > 1:
            turned = self.claim.of(matrix_transpose(mine))
            undone.append(("transposed", "it is transposed", turned))
        found = [
            replace(cause, message=f"{cause.message}; and {message}")
            for cause, guess in self._guesses
            for code, message, other in undone
            if _rank(cause.code) < SIMPLE and cause.code != code and other.fits(guess)
        ]
        return self._best(found) if self._distinct > 1 else []

    def _factor(self, rtol: float) -> float | None:
        """The k with mine = k · gradient at every point."""
        factors: list[float] = []
        for point in self.claim.points:
            mine, right = point.value(self.claim.mine), point.value(self.claim.grad)
            k = None if mine is None or right is None else ratio(mine, right, rtol)
            if k is None or (factors and abs(k - factors[0]) > 10 * rtol * abs(k)):
                return None
            factors.append(k)
        return factors[0]

    def _with_factor(
        self, k: float, found: list[Cause], slack: Array | float, meant: Sequence[Sequence[str]]
    ) -> list[Cause]:
        """One diagnosis for a constant factor, by the most likely mistake that gives it."""
        causes = self._best([each for each in found if each.code in FACTORS])
        text = f"it is {_times(k)} the gradient"
        if k < 0 and not causes:
            other = self.claim.of(-self.claim.mine)
            negated = [cause for cause, guess in self._guesses if other.fits(guess, slack)]
            causes = self._best([each for each in negated if each.code in FACTORS])
            text = f"the sign is wrong, and it is {_times(-k)} the gradient"
        numbers, general = ([Cause("factor", each) for each in told] for told in meant)
        sure = bool(causes) and causes[0].code in PLAIN
        if sure and causes[0].code == "chain-factor":  # 2 may be a factor, and an exponent
            sure = not any(EXPONENT in each.message for each in numbers)
        elif sure and causes[0].code in AVERAGES:  # 2 elements, and an exponent or a divisor
            sure = not is_written(self.claim, self.words, k, self.claim.rtol)
        told = [*causes, *numbers, *general] if sure else [*numbers, *causes, *general]
        if not told:  # it may be another number as well
            return [replace(each, sure=False) for each in self._best(found)]
        text += f": {told[0].message}"
        if told[0].code not in ("factor", *PLAIN) and general:
            text += f" ({general[0].message.partition(':')[0]})"
        first = Cause(told[0].code, text, {"factor": k})
        if not _rank(first.code):
            return [first]
        others = [each for each in found if each.code not in {*FACTORS, "factor-extra"}]
        others = others if sure else numbers + others
        others = [each for each in others if each.message != told[0].message]
        return [first, *self._best(others, SHOWN - 1)]


def _times(k: float) -> str:
    size, whole = abs(k), round(1 / abs(k))
    fraction = whole > 1 and abs(size * whole - 1) < 1e-4
    digits = 10 if abs(size - 1) <= NEARLY else 6
    return ("-" if k < 0 else "") + (f"1/{whole} of" if fraction else f"{size:.{digits}g} times")


def _merged(outcomes: Sequence[Consequence]) -> Cause:
    """One diagnosis for mistakes that give the same numbers; it also says whose gradient they
    are.
    """
    first = min(outcomes, key=lambda each: _rank(each.code))
    of = next((each for each in outcomes if each.code == "intermediate"), first)
    told = "" if of is first else f": {of.message}"
    return Cause(first.code, first.message + told, dict(first.details))


def _simplicity(cause: Cause) -> tuple[int, bool, int]:
    """By this the simplest comes first: one step before every one of a kind, or a part. Of steps on
    one way that is the outermost, which come first: its term has all others.
    """
    vague = cause.message.startswith(VAGUE)
    return _rank(cause.code), vague, 0 if cause.code in ON_THE_WAY else len(cause.message)


def _rank(code: str) -> int:
    return RANK.get(code, len(ORDER))


def _misprints(claim: Claim, words: Wording, *, long: bool = False) -> Iterator[Consequence]:
    """The mutants of the gradient's formula where it is short, or only where it is long; a formula
    of the user's has its own.
    """
    plain = words.plain(claim.grad)
    text = words.spelled(plain)
    if claim.typed is not None or not claim.theirs.any() or long == (text is not None):
        return
    if long:  # the plain one may lack names
        texts = [words.spelled(each, LONG_STEPS, LONG_WIDTH) for each in (plain, claim.grad)]
        text = min(filter(None, texts), key=len, default=None)
    if text is None:
        return
    with Tolerant():
        right = typed(claim.walk, Source("the gradient", text))
        grower = Grower(material(claim, words, right.remember()))
        mutants = sorted(grower.mutants(right.expression), key=lambda each: each.cost)
        for mutant in mutants[:MUTANTS]:
            with Tolerant():
                yield Consequence(*mutant.undone, right.value(mutant.tree))
