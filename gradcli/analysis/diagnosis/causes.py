"""Why a gradient is wrong: what is certain, else what may be.

A cause is certain if the formula without it is the gradient at fresh points, too, and no other one
is about as likely. What explains the numbers of one point alone is a guess, and so is everything
that is said of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np

from gradcli.analysis.diagnosis.alternatives import FACTORS, TURNS, Slip
from gradcli.analysis.diagnosis.calls import reduces
from gradcli.analysis.diagnosis.claim import Claim, Point, agreeing, close
from gradcli.analysis.diagnosis.couples import couple
from gradcli.analysis.diagnosis.elsewhere import (
    FAR,
    holds_in_other_ways,
    verdict_without,
    wide,
)  # fmt: skip
from gradcli.analysis.diagnosis.fresh import fresh, usual_size
from gradcli.analysis.diagnosis.mutation import COMPUTED, Mutation, distance
from gradcli.analysis.diagnosis.search import Search
from gradcli.analysis.diagnosis.typed import Tolerant, Typed
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.scales import scaled
from gradcli.analysis.switches import is_switch
from gradcli.analysis.verdict import Cause
from gradcli.diagnostics import Source
from gradcli.graph import Node
from gradcli.language.printer import print_expression
from gradcli.language.rewrite import called, places
from gradcli.language.syntax import Binary, Call, Expression
from gradcli.walks import ancestors

STEPS = frozenset(
    {"mean", "averaged", "unsummed", "summed", "chain-factor", "chain-doubled",
     "path-missing", "mask", "product-rule", "intermediate", "one-hot", "factor", "transposed",
     "second-derivative", "other-leaf", "jacobian", "chain-inside", "normalised", "sign-part"}
)  # fmt: skip
"""Causes that say which step of the derivation was wrong: better than what the slip looks like,"""
LOCAL = frozenset(
    {"sign", "operation", "order", "grouping", "condition", "index", "other-value", "exponent",
     "reduction-missing", "exchanged"}
)  # fmt: skip
"""unless the slip is one of these."""
DROPPED = frozenset(
    {"path-missing", "chain-factor", "chain-doubled", "product-rule", "one-hot", "mask"}
)
"""Steps that may be left out,"""
LEFT_OUT = frozenset({"path-missing", "product-rule"})
"""of which these leave out terms,"""
NAMED = frozenset({"other-value", "exchanged"})
"""and slips that the program's own equations may make out of that: h - g may be n*z there."""
STRANGE = "function-missing"
"""What a factor that is missing may look like: a sign, cut off at its size, is as large."""
TURNED = frozenset({("sign", "sign"), ("sign", "order"), ("sign-part", "other-value")})
"""Steps that are wrong by a sign, and what that looks like."""
EITHER = frozenset(
    {("sign-part", "other-value"), ("intermediate", "axis"), ("second-derivative", "function"),
     ("chain-factor", "function")}
)  # fmt: skip
"""Steps, and slips that nobody can tell from them: a sum along no axis may be a constant, and tan
without 1/cos is sin.
"""
RATHER = frozenset({("mask", "sign"), ("sign-part", "grouping")})
"""Steps that are as likely as what looks like them: the sign of abs(x) is one number in a branch,
and a - b + c is a - (b - c) where the sign of two terms is wrong.
"""
NUMBERS = frozenset({"factor", "chain-factor"})
"""Steps that say what a number may be."""
ALWAYS = frozenset({"gradient-vector", "diagonal", "permuted", "shape"})
"""Causes that say more than any slip."""
MARGIN = 0.6
"""What is so much less likely than another slip, and no more, may have been made instead."""
SHOWN = 3
EPS = float(np.finfo(np.float64).eps)
WIDELY = 1e-6
"""Where inputs have other sizes a formula is right up to this: rounding may be larger there."""
FEW = 24
"""So many formulas that are right at fresh points are compared in all branches."""


def confirmed(claim: Claim, words: Wording) -> list[Cause]:
    """The mistake in a formula, confirmed at fresh points; empty if none was found, and several if
    each of them explains it alone.
    """
    if claim.typed is None:
        return []
    found = _confirmed_near(claim, claim.typed, words)
    clear = None if found else _clear(claim)
    return found if clear is None else _confirmed_near(clear, claim.typed, words)


def _clear(claim: Claim) -> Claim | None:
    """The claim at a point of the nearest other scale where rounding does not hide what no mistake
    explains; None where it does not in the run.
    """
    if _is_clear(claim):
        return None
    usual = usual_size(claim.known(claim.leaf))
    there = [claim.at_points([point]) for point in scaled(claim)]
    there.sort(key=lambda each: abs(math.log(usual_size(each.known(claim.leaf)) / usual)))
    return next((each for each in there if each.is_finite and _is_clear(each)), None)


def _is_clear(claim: Claim) -> bool:
    """Whether rounding of the gradient is less than what mistakes are told apart by, as far as is
    known.
    """
    with Tolerant(), suppress(NotPreciseError):
        (noise,) = Steps([claim.grad], claim.points[0].feeds, np.dtype(np.float64)).noise(EPS)
        return bool((noise <= claim.rtol * np.abs(claim.right)).all())
    return True


def _confirmed_near(claim: Claim, typed: Typed, words: Wording) -> list[Cause]:
    """The same at fresh points near that of the claim."""
    points = fresh(claim)
    if not points:
        return []
    slight = close(claim.theirs, claim.right, claim.rtol)  # what changes nothing would explain it
    points += _telling(claim) if slight else []
    points += _far(claim, [claim.mine])
    elsewhere = claim.at_points([claim.points[0], *points])
    mutation = Mutation(elsewhere, typed, words)
    search = Search(elsewhere, words, _excluded(elsewhere))
    steps = [] if slight else search.causes()
    there = wide(elsewhere)
    fitting = [
        each if mutation.holds(each, there, WIDELY) else replace(each, doubtful=True)
        for each in _fitting(mutation, claim, typed)
    ]
    fitting.sort(key=mutation.likelihood)
    slips = _readings(mutation, fitting, claim, typed)
    if not slips and _reads_leaf(claim, claim.grad, 2) and not _reads_leaf(claim, claim.mine, 1):
        steps = [each for each in steps if each.code != "sign-part"]  # its term is not there
    if slips and steps and steps[0].code == "chain-factor" and slips[0].mutants[0].code == STRANGE:
        factors = (each for each in fitting if each.mutants[0].code in FACTORS)
        slips = [*islice((each for each in factors if _holds(each, claim, typed)), 1), *slips]
    found = _merged(steps, slips, typed.source)
    step = next((each for each in steps[:1] if each.code in DROPPED), None)
    if step and slips and step.code not in {each.code for each in found}:
        shown = mutation.shows(search.outcome(step))
        found = _with_step(found, step, slips, shown=shown)
    if not found and not slight:  # two mistakes that nearly cancel are not made
        double = couple(mutation)
        told = [double.cause(typed.source)] if double else []
        found = [*search.two_terms(), *told] or search.times()
    return found


def _reads_leaf(claim: Claim, node: Node, least: int) -> bool:
    """Whether a value is made of the leaf itself, or of its negative, by what has so many operands
    at least, and not only of what else has a name.
    """
    named, seen, waiting = {*claim.walk.problem.names.values()}, set[Node](), [node]
    leaves = {claim.leaf, -claim.leaf}
    while waiting:
        each = waiting.pop()
        if each in seen or each in named:
            continue
        if not leaves.isdisjoint(each.inputs) and len(each.inputs) >= least:
            return True
        seen.add(each)
        waiting += each.inputs
    return False


def _telling(claim: Claim) -> list[Point]:
    """Of the points of other scales that where a slight mistake is largest."""
    points = list(scaled(claim))
    far = [distance(point.value(claim.mine), point.value(claim.grad)) for point in points]
    known = [(each, place) for place, each in enumerate(far) if math.isfinite(each)]
    return [points[max(known)[1]]] if known else []


def _readings(
    mutation: Mutation, fitting: Sequence[Slip], claim: Claim, typed: Typed
) -> list[Slip]:
    """The slips that may have been made, the most likely first: all without which the formula is
    right in every branch, and that are no other one in other words.

    One alone is certain: no other change that is nearly as likely makes another formula right.
    """
    beyond = _far(claim, claim.walk.outputs)
    if not beyond:  # then a condition that is met at all points near by is no part of the gradient
        fitting = [each for each in fitting if mutation.holds(each, _behind(each, mutation, claim))]
    everywhere = [each for each in fitting if mutation.holds(each, beyond)]
    found: list[Slip] = []
    for each in everywhere or fitting:
        most = mutation.likelihood(found[0]) + MARGIN if found else math.inf
        same = next((other for other in found if _is_one_of(mutation, each, other)), None)
        if same is not None:
            if mutation.is_told_too(each, same):
                found[found.index(same)] = replace(same, also=(*same.also, *each.mutants))
        elif found and (each.doubtful or mutation.likelihood(each) > most):
            continue
        elif _holds(each, claim, typed):
            found.append(each)
    return [_without_any_order(each, everywhere) for each in found[:SHOWN]]


def _without_any_order(slip: Slip, others: Sequence[Slip]) -> Slip:
    """Without the difference that may be the wrong way round, where it may be one of several: what
    is told of a sign is said then.
    """
    turned = [each for each in others if each.mutants[0].code == "order"]
    if slip.mutants[0].code != "sign" or len(turned) < 2:
        return slip
    return replace(slip, also=tuple(each for each in slip.also if each.code != "order"))


def _is_one_of(mutation: Mutation, slip: Slip, other: Slip) -> bool:
    """Whether a slip is another one, or one that is this in other words."""
    ways = [other, *(Slip((each,), each.tree) for each in other.also)]
    return any(mutation.is_same(slip, each) for each in ways)


def _fitting(mutation: Mutation, claim: Claim, typed: Typed) -> Iterator[Slip]:
    """The slips without which the formula is right at fresh points, up to those that cost much more
    than the first without which no branch is wrong.
    """
    for each in islice(mutation.singles(), FEW):
        if math.isinf(mutation.dearest) and _holds(each, claim, typed):
            mutation.dearest = mutation.likelihood(each) + MARGIN + COMPUTED
        yield each


def _holds(slip: Slip, claim: Claim, typed: Typed) -> bool:
    """Whether no branch of the formula is wrong without it."""
    right = verdict_without(slip, claim, typed) != "fail"
    return right and holds_in_other_ways(slip, claim, typed)


def _excluded(claim: Claim) -> set[str]:
    """Causes that explain the numbers, and not the formula."""
    found = set()
    if _right_in_part(claim):  # then it is no other quantity
        found.add("value")
    known = [point.value(claim.mine) for point in _at_factors(claim)]
    if any(each is not None and (each < 0).any() for each in known):  # then it has signs
        found.add("absolute")
    if claim.typed is not None and not _adds_up(claim.typed.expression):
        found |= {"summed", "averaged"}  # a softmax that is missing, say, adds up to 1
    return found


def _adds_up(formula: Expression) -> bool:
    """Whether a formula has a sum, a mean or a product of matrices of its own."""
    parts = [place.part for place in places(formula)]
    reduced = any(isinstance(each, Call) and reduces(called(each)[0]) for each in parts)
    return reduced or any(isinstance(each, Binary) and each.operator == "@" for each in parts)


def _at_factors(claim: Claim) -> list[Point]:
    """Points where the leaf has another size or sign."""
    return [claim.at(factor * claim.known(claim.leaf)) for factor in FAR]


def _far(claim: Claim, nodes: Sequence[Node]) -> list[Point]:
    """Such points where nodes have conditions, which may be met at all points near by."""
    if not any(is_switch(node) for node in ancestors(nodes)):
        return []
    there = [each for each in _at_factors(claim) if claim.goes_on(each)]
    return [each for each in there if claim.at_points([each]).is_finite]


def _behind(slip: Slip, mutation: Mutation, claim: Claim) -> list[Point]:
    """The same for the formula without a slip."""
    node = mutation.value(slip.formula)
    return [] if node is None else _far(claim, [node])


def _right_in_part(claim: Claim) -> bool:
    """Whether some elements are right."""
    mine, right = claim.theirs, claim.right
    return mine.shape == right.shape and bool(agreeing(mine, right, claim.rtol).any())


def _merged(structural: list[Cause], slips: list[Slip], source: Source) -> list[Cause]:
    """One cause for a step of the derivation that is wrong and the slip in the formula, or one for
    each slip that may have been made.
    """
    if not slips:
        known = (each.sure and _is_certain(each, source) for each in structural)
        return [replace(each, sure=sure) for each, sure in zip(structural, known, strict=True)]
    # the gradient of w may be that of v with another name
    others = [each for each in structural if each.code == "other-leaf"][:1]
    step = next((each for each in structural if each not in others), None)
    return [*_told(step, slips, source), *others]


def _is_certain(step: Cause, source: Source) -> bool:
    """Whether a step that no slip of the pen shows is told with certainty: a wrong sign of a part
    would be found in the text, else the part may be missing, and so would a wrong derivative.
    """
    if step.code == "local-derivative":
        return _is_written(step, source)
    return _is_one(step) and step.code != "sign-part"


def _is_written(step: Cause, source: Source) -> bool:
    """Whether the user wrote the derivative that a step says is wrong."""
    _, _, wrong = step.message.rpartition(", not ")
    return _joined(wrong) in _joined(source.text)


def _is_one(step: Cause) -> bool:
    """Whether it is one step that is wrong: a formula like a part of the program, or the gradient
    of a part without a name, may lack a factor that it has nowhere.
    """
    if step.code in ("value", "intermediate"):
        return str(step.details["of"]).isidentifier()
    return step.code != "chain-factors"


def _told(step: Cause | None, slips: Sequence[Slip], source: Source) -> list[Cause]:
    """The same where there are slips, for one step."""
    own = [each.cause(source) for each in slips]
    of_number = own[0].code == "constant" or any(each.code == "constant" for each in slips[0].also)
    if step and step.code in NUMBERS and of_number:  # 3 for 4 may be n - 1 for n
        told = f"{own[0].message}; {step.message}"
        return [replace(step, message=told, correction=own[0].correction), *own[1:]]
    turned = any(each.code in TURNS for each in slips[0].also)
    if step and (step.code, own[0].code) in RATHER:
        return [step, *own]
    if step and step.code == "sign-part":  # q/p for p/q in a logarithm, say, is shown
        turned = turned or any(each.code in LOCAL for each in slips[0].also)
    if step is None or turned or not _explains(step, own[0], source):
        return own
    either = (step.code, own[0].code) in EITHER or _is_its_own_inverse(step, slips[0])
    left_out = step.code == "intermediate" and own[0].code in FACTORS  # one of the chain rule's
    if either or not (_is_one(step) or left_out):
        return [*own, step]
    text = step.message if _is_one(step) else f"{own[0].message}; {step.message}"
    is_term = own[0].code == "term-missing"
    if step.code in LEFT_OUT and not is_term:  # 2*l*y may be l*y and h*k, too
        text += f"; in the formula, {own[0].message}"
    elif step.code == "chain-factor" and is_term:  # y/exp(x) may be y/(1 + exp(x)) without it
        text += f"; in the formula, {slips[0].mutants[0].message}"
    elif step.code == "transposed" and slips[0].also:  # u[None, :] stands for u[:, None]
        text += f"; in other words, {slips[0].also[0].message}"
    return [replace(step, message=text, correction=own[0].correction), *own[1:]]


def _is_its_own_inverse(step: Cause, slip: Slip) -> bool:
    """Whether the factor that a step lacks is the one that is too much: a sign is both."""
    gone = slip.mutants[0].gone
    if not isinstance(gone, Call) or called(gone)[0] != "sign":
        return False
    return f"factor {print_expression(gone)}," in step.message


def _with_step(
    found: list[Cause], step: Cause, slips: Sequence[Slip], *, shown: bool
) -> list[Cause]:
    """The slips and the step of the derivation that may have been wrong instead, where nobody can
    tell; the step alone if the formula shows it, and the slips are right by what names stand for.
    """
    named = any(each.mutants[0].code in NAMED for each in slips)
    if slips[0].plain:  # 2*(a - b) is half of a difference, or has a wrong name
        return [step, *found] if shown and named else found
    if shown:
        return [step]
    return [step, *found] if named or step.code in LEFT_OUT else found


def _explains(step: Cause, own: Cause, source: Source) -> bool:
    """Whether a step of the derivation says more than the slip in the formula."""
    if step.code == "local-derivative" and own.code not in ("factor-missing", "exponent"):
        return _is_written(step, source)
    if (step.code, own.code) in TURNED:
        return True
    if step.code == "sign-part" and own.code in TURNS:
        return False
    if step.code == "chain-doubled":  # exp(2*x) is exp(x) twice, but nobody wrote it so
        return own.code == "factor-extra"
    return step.code in ALWAYS or (step.code in STEPS and own.code not in LOCAL)


def _joined(text: str) -> str:
    return "".join(text.split())
