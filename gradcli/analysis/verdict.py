"""What a check of derivatives found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gradcli.diagnostics import Note, Source, Span
from gradcli.graph import Array, Shape

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
Index: TypeAlias = tuple[int, ...]
MOST_DIGITS = 15.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One element of a gradient against an independent estimate."""

    index: Index
    verdict: Verdict
    gradient: float
    """What is checked."""
    reference: float
    """The result of differences, or of complex step; nan where nothing is known."""
    error: float
    """A bound on the error of the reference."""
    method: str
    digits: float
    """How many digits agree."""
    reason: str = ""
    """Why the answer is inconclusive, or what was checked instead."""
    short: bool = False
    """It is confirmed, but to fewer digits than the user demands."""


@dataclass(frozen=True, slots=True)
class AllAtOnce:
    """All elements of a large leaf at once, along random directions."""

    verdict: Verdict
    moved: int
    """How many elements were moved; the others are too near to a kink."""
    directions: int
    digits: float
    """To how many digits of a usual element a mistake in a single one would be seen."""

    @property
    def missed(self) -> float:
        """The most probable that mistakes are missed which cancel each other."""
        return 0.5**self.directions


@dataclass(frozen=True, slots=True)
class LeafCheck:
    """All elements of one leaf."""

    name: str
    shape: Shape
    findings: list[Finding]
    """Those that were checked: all, or a sample of a large leaf."""
    curve: tuple[tuple[float, float], ...] = ()
    """At the worst element: steps, from long to short, and the difference quotients they give."""
    sweep: AllAtOnce | None = None
    """What random directions tell of all elements, where these are too many for one by one."""
    stopped: str = ""
    """Where the check was interrupted, if it was: all else is what was known by then."""

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def verdict(self) -> Verdict:
        """One failure fails the leaf; one inconclusive element makes it inconclusive."""
        whole: list[Verdict] = [] if self.sweep is None else [self.sweep.verdict]
        if self.stopped:
            whole.append("inconclusive")
        return worst_of([*whole, *(each.verdict for each in self.findings)])

    @property
    def worst(self) -> Finding | None:
        """The element with the worst verdict, and among those the fewest digits."""
        return min(self.findings, key=lambda each: (_RANK[each.verdict], each.digits), default=None)

    @property
    def unconfirmed(self) -> list[Index]:
        """The elements that are neither right nor wrong for certain."""
        return [each.index for each in self.findings if each.verdict == "inconclusive"]

    @property
    def digits(self) -> float:
        """Digits that agree in every element that could be compared."""
        compared = [
            each.digits for each in self.findings if each.short or each.verdict != "inconclusive"
        ]
        if self.sweep is not None and self.sweep.verdict != "inconclusive":
            compared.append(self.sweep.digits)
        return min(compared, default=0.0)


@dataclass(frozen=True, slots=True)
class DotProductTest:
    """vᵀ·J·t along a random t, by forward mode and by reverse mode."""

    forward: float
    reverse: float
    verdict: Verdict
    by_differences: bool = False
    """Differences stand in for forward mode, which a function outside does not have."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Where the user's formula is wrong, and the formula without the mistake."""

    source: Source
    span: Span
    formula: str


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation of a wrong gradient."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)
    """Numbers for machine use: a factor, the indices of wrong elements."""
    correction: Correction | None = None
    """Where the mistake is a slip in one place of a formula."""
    sure: bool = True
    """Whether this alone is likely, if it is the only explanation that was found."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How closely the user wants the gradient to agree: to rtol·|gradient| + atol."""

    told: str
    """The flags that say so."""
    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """A point that is not that of the run."""

    inputs: Mapping[str, Array]
    """Those that have other values there."""
    reach: float
    """How far from a switch of the formula that ends at most, relative to the inputs there; 1 where
    it does not."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A number or a term that rounding hides, in the run and at other points."""

    words: str
    """What it is, for a part of the gradient where that comes from in the program, if known."""
    is_own: bool
    """Whether it is part of the user's formula."""
    known: float
    """By how much of itself it may be wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How closely the user's own gradient agrees, and how closely it must."""

    verdict: Verdict
    told: str
    """What it is judged to: rounding, the digits that were written, a tolerance."""
    index: Index
    """The element that is farthest from agreement."""
    difference: float
    """The difference there, relative to the element."""
    allowed: float
    """The difference that passes there, relative to the element."""
    wrong: Array
    """Which elements differ by more than that."""
    coincidence: bool = False
    """It agrees at this point, but not where the leaf has other values."""
    elsewhere: Elsewhere | None = None
    """A point where it is wrong, if it is right in the run: then all else is told of that point."""
    unseen: Unseen | None = None
    """What might be wrong though all else agrees."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The user's own gradient of one leaf against the gradient."""

    name: str
    verdict: Verdict
    mine: Array
    gradient: Array
    formula: str | None
    """The gradient as a simple formula, if it is short."""
    causes: list[Cause]
    """The most likely first; for the verdict `pass`, remarks about it."""
    sure: bool
    """Whether there are enough numbers to distinguish causes."""
    agreement: Agreement

    @property
    def stopped(self) -> bool:
        """Whether the search for the cause was interrupted."""
        return any(each.code == "interrupted" for each in self.causes)


@dataclass(frozen=True, slots=True)
class Check:
    """The answer of `gradcli check`."""

    order: int
    leaves: list[LeafCheck]
    walk: DotProductTest
    gradient: dict[str, Array]
    """By output: its weights v."""
    seed: int | None
    notes: list[Note]
    mine: list[Comparison] = field(default_factory=list)
    command: Check | None = None
    """The gradients of a program outside, checked by that program's own values."""

    @property
    def verdict(self) -> Verdict:
        """The worst of the program's gradient and of the user's own."""
        others: list[Verdict] = [self.command.verdict] if self.command else []
        if self.stopped:
            others.append("inconclusive")
        return worst_of([self.computed, *(each.verdict for each in self.mine), *others])

    @property
    def stopped(self) -> bool:
        """Whether it was interrupted."""
        theirs = self.command is not None and self.command.stopped
        told = any(note.code == "interrupted" for note in self.notes)
        checked = any(leaf.stopped for leaf in self.leaves)
        return theirs or told or checked or any(each.stopped for each in self.mine)

    @property
    def computed(self) -> Verdict:
        """The worst of all leaves and of the walk: whether the program's gradient is right."""
        return worst_of([*(leaf.verdict for leaf in self.leaves), self.walk.verdict])


_RANK: dict[Verdict, int] = {"fail": 0, "inconclusive": 1, "pass": 2}


def worst_of(verdicts: list[Verdict]) -> Verdict:
    """`fail` before `inconclusive` before `pass`; without any, `pass`."""
    return min(verdicts, key=_RANK.__getitem__, default="pass")


def agreed_digits(difference: float, size: float) -> float:
    """How many digits two numbers share whose difference and size these are."""
    if difference == 0:
        return MOST_DIGITS
    if not math.isfinite(difference) or not 0 < size < math.inf:
        return 0.0
    return min(max(0.0, math.log10(size) - math.log10(difference)), MOST_DIGITS)
