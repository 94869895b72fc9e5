"""Checks of gradients as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.analysis.verdict import Check, Comparison, Finding, LeafCheck
from gradcli.report.json import arrays, closing, string
from gradcli.report.numbers import nested


def check_json(found: Check) -> Iterator[str]:
    """The verdict, then what was found by leaf; `worst` is the element with the fewest digits.

    `mine` is there where the user's own gradients were compared.
    """
    yield f'{{"verdict": "{found.verdict}", "order": {found.order}, "leaves": '
    separator = "{"
    for leaf in found.leaves:
        yield f"{separator}{string(leaf.name)}: "
        yield from _leaf(leaf)
        separator = ", "
    walk = found.walk
    yield (
        f'}}, "walk": {{"verdict": "{walk.verdict}", "forward": {_number(walk.forward)}, '
        f'"reverse": {_number(walk.reverse)}}}, "gradient": '
    )
    yield from arrays(found.gradient)
    if found.mine:
        yield ', "mine": {'
        for place, each in enumerate(found.mine):
            yield f"{', ' if place else ''}{string(each.name)}: "
            yield from _comparison(each)
        yield "}"
    yield closing(found.notes, found.seed)


def _leaf(leaf: LeafCheck) -> Iterator[str]:
    yield (
        f'{{"verdict": "{leaf.verdict}", "digits": {_number(leaf.digits)}, '
        f'"checked": {len(leaf.findings)}, "size": {leaf.size}, "worst": '
    )
    quotients = ", ".join(f"[{_number(step)}, {_number(found)}]" for step, found in leaf.curve)
    yield f'{"null" if leaf.worst is None else _finding(leaf.worst)}, "quotients": [{quotients}]}}'


def _comparison(each: Comparison) -> Iterator[str]:
    """The user's numbers, the right ones, and the causes of a difference, the likeliest first."""
    yield f'{{"verdict": "{each.verdict}", "mine": '
    yield from nested(each.mine)
    yield ', "gradient": '
    yield from nested(each.gradient)
    causes = ", ".join(
        f'{{"code": "{cause.code}", "message": {string(cause.message)}, '
        f'"details": {_details(cause.details)}}}'
        for cause in each.causes
    )
    sure = "true" if each.sure else "false"
    yield f', "formula": {string(each.formula)}, "causes": [{causes}], "sure": {sure}}}'


def _details(details: dict[str, Any]) -> str:
    return json.dumps(details, allow_nan=False)


def _finding(finding: Finding) -> str:
    return (
        f'{{"index": {list(finding.index)}, "verdict": "{finding.verdict}", '
        f'"gradient": {_number(finding.gradient)}, "reference": {_number(finding.reference)}, '
        f'"error": {_number(finding.error)}, "method": "{finding.method}", '
        f'"digits": {_number(finding.digits)}, "reason": {string(finding.reason or None)}}}'
    )


def _number(value: float) -> str:
    return "".join(nested(np.asarray(value, np.float64)))
