"""Checks of gradients as data."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.verdict import Cause, Check, Comparison, Finding, LeafCheck
from gradcli.report.json import Data, closing, encode
from gradcli.report.layout import Layout

LISTED = 100
"""The most elements that are listed."""


def write(found: Check, _layout: Layout | None = None) -> Iterator[str]:
    """`data` as one line."""
    yield from encode(data(found))
    yield "\n"


def data(found: Check) -> dict[str, Data]:
    """The verdict, then the findings for each leaf; `worst` is the element with the fewest digits.

    The key `mine` is present where the user's own gradients were compared, or those of a command;
    `command` has the same keys for the command's gradients, checked by its own values.
    """
    walk = found.walk
    members: dict[str, Data] = {
        "verdict": found.verdict,
        "order": found.order,
        "leaves": {leaf.name: _leaf(leaf) for leaf in found.leaves},
        "walk": {
            "verdict": walk.verdict,
            "forward": float(walk.forward),
            "reverse": float(walk.reverse),
        },
        "gradient": found.gradient,
    }
    if found.mine:
        members["mine"] = {each.name: _comparison(each) for each in found.mine}
    if found.command is not None:
        members["command"] = data(found.command)
    return members | closing(found.notes, found.seed)


def _leaf(leaf: LeafCheck) -> dict[str, Data]:
    return {
        "verdict": leaf.verdict,
        "digits": float(leaf.digits),
        "checked": len(leaf.findings),
        "size": leaf.size,
        "directions": None
        if leaf.sweep is None
        else {
            "moved": leaf.sweep.moved,
            "count": leaf.sweep.directions,
            "missed": leaf.sweep.missed,
        },
        "unconfirmed": leaf.unconfirmed[:LISTED],
        "worst": None if leaf.worst is None else _finding(leaf.worst),
        "quotients": [[float(step), float(quotient)] for step, quotient in leaf.curve],
    }


def _comparison(each: Comparison) -> dict[str, Data]:
    """The user's numbers, the right ones, and the causes of a difference, the most likely first.

    `judged` tells the element that is farthest from agreement: the difference there, and the one
    that would pass, relative to the element; `at` are the inputs that have other values where a
    formula is wrong that is right in the run.
    """
    there = each.agreement.elsewhere
    return {
        "verdict": each.verdict,
        "mine": each.mine,
        "gradient": each.gradient,
        "formula": each.formula,
        "causes": [_cause(cause) for cause in each.causes],
        "sure": each.sure,
        "judged": {
            "to": each.agreement.told,
            "index": each.agreement.index,
            "difference": float(each.agreement.difference),
            "allowed": float(each.agreement.allowed),
            "at": dict(there.inputs) if there else None,
        },
    }


def _cause(cause: Cause) -> dict[str, Data]:
    """A cause; where it has a place in the user's formula, also that and the right formula."""
    told: dict[str, Data] = {
        "code": cause.code,
        "message": cause.message,
        "details": cause.details,
    }
    correction = cause.correction
    if correction is not None:
        source, (start, end) = correction.source, correction.span
        line, column = source.locate(start)
        told["place"] = {"line": line, "column": column, "text": source.text[start:end]}
        told["correction"] = correction.formula
    return told


def _finding(finding: Finding) -> dict[str, Data]:
    return {
        "index": finding.index,
        "verdict": finding.verdict,
        "gradient": float(finding.gradient),
        "reference": float(finding.reference),
        "error": float(finding.error),
        "method": finding.method,
        "digits": float(finding.digits),
        "reason": finding.reason or None,
    }
