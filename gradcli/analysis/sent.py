"""Reports of expectations as JSON, to go from the process that ran a script to another."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from gradcli.analysis.expectations import Outcome, Report
from gradcli.diagnostics import Diagnostic, GradcliError, Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program


def packed(report: Report) -> bytes:
    """A report as JSON."""
    data = {
        "source": report.source,
        "error": report.error,
        "seconds": report.seconds,
        "notes": [*report.notes],
        "outcomes": [
            {
                "place": each.expectation.span[0],
                "found": _packed(each.found),
                "problem": each.problem,
                "reached": each.reached,
                "seconds": each.seconds,
            }
            for each in report.outcomes
        ],
    }
    return json.dumps(data).encode()


def unpacked(data: bytes, limits: ParseLimits) -> Report:
    """The report again. Its script is parsed again, for the expectations in it."""
    told = json.loads(data)
    source = Source(*told["source"])
    expectations = parse_program(source, limits).expectations if told["outcomes"] else ()
    by_place = {each.span[0]: each for each in expectations}
    outcomes = [
        Outcome(
            by_place[each["place"]],
            _unpacked(each["found"]),
            each["problem"],
            each["reached"],
            each["seconds"],
        )
        for each in told["outcomes"]
    ]
    error = told["error"] and _diagnostic(told["error"])
    return Report(source, outcomes, error, told["seconds"], told["notes"])


def _packed(found: Array | GradcliError | None) -> list[Any] | None:
    if found is None:
        return None
    if isinstance(found, GradcliError):
        return ["error", found.diagnostic]
    raw = base64.b64encode(np.ascontiguousarray(found).tobytes()).decode()
    return ["array", found.dtype.str, found.shape, raw]


def _unpacked(found: list[Any] | None) -> Array | GradcliError | None:
    if found is None:
        return None
    kind, *parts = found
    if kind == "error":
        told = _diagnostic(parts[0])
        error = GradcliError(told.code, told.message)
        error.diagnostic = told
        return error
    dtype, shape, raw = parts
    return np.frombuffer(base64.b64decode(raw), np.dtype(dtype)).reshape(shape)


def _diagnostic(told: list[Any]) -> Diagnostic:
    code, message, hint, source, span, above = told
    return Diagnostic(
        code, message, hint, source and Source(*source), span and (span[0], span[1]), above
    )
