"""Every function against PyTorch 2.13 in float64, from the goldens in this folder.

`goldens/make_goldens.py` makes them; PyTorch is not needed here.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS
from gradcli.session import Gradient, Options, evaluate
from tests.ops.goldens.golden import Array, cotangent, decode
from tests.ops.table_cases import held_to_pytorch

HERE = Path(__file__).parent / "goldens"


OTHERS = ("deviations", "small_shapes")
"""Files with tests of their own."""


def case_files() -> list[Path]:
    """The files of goldens."""
    return sorted(path for path in HERE.glob("*.json") if path.stem not in OTHERS)


def stored() -> list[Any]:
    """(golden, arrays) of all files, with an id to read."""
    found = []
    for path in case_files():
        content = json.loads(path.read_text())
        for number, golden in enumerate(content["goldens"]):
            name = f"{path.stem}-{number}-{program_of(golden, golden['records'][0])}"
            found.append(pytest.param(golden, content["arrays"], id=name))
    return found


def program_of(golden: dict[str, Any], record: dict[str, Any]) -> str:
    """What a record runs: the golden's program, unless it has one of its own."""
    return str(record.get("program") or golden["program"])


def compare(found: Array, expected: Array, golden: dict[str, Any], what: str) -> None:
    """Equal shapes, the same nan and inf, and numbers within the golden's tolerance."""
    assert found.shape == expected.shape, what
    rtol, atol = golden["rtol"], golden["atol"]
    if not golden["elementwise"]:
        finite = np.abs(expected[np.isfinite(expected)])
        atol = max(atol, rtol * float(finite.max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=what)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("golden", "arrays"), stored())
def test_golden(golden: dict[str, Any], arrays: list[dict[str, Any]]) -> None:
    for record in golden["records"]:
        inputs = {name: decode(arrays[place]) for name, place in record["inputs"].items()}
        value = decode(arrays[record["value"]])
        grads = {name: decode(arrays[place]) for name, place in record.get("grads", {}).items()}
        text = program_of(golden, record)
        what = f"{text} on {inputs}"
        program = parse_program(Source("golden", text), ParseLimits())
        result = evaluate(
            program,
            inputs,
            [Gradient(cotangent(value.shape))] if grads else [],
            Options(forward_only=not grads, wrt=tuple(grads)),
        )
        (output,) = result.outputs
        compare(result.values[output], value, golden, what)
        for name, grad in grads.items():
            compare(result.grads[name], grad, golden, f"the grad of {name} in {what}")


WITHOUT_GOLDENS = {
    "log_odds", "recurrence", "decay", "sum_to", "cofactors", "orthogonal_complement", "put_add",
}  # fmt: skip
"""What derivatives are made of; PyTorch has no such functions."""
COVERED = {
    "arithmetic", "comparison", "selection", "rounding", "powers", "exponential", "logistic",
    "trigonometric", "hyperbolic", "special", "activation", "reduction", "scan",
    "linear algebra", "shaping", "indexing", "layer", "loss",
}  # fmt: skip


def test_every_function_is_held_to_pytorch_on_twenty_inputs() -> None:
    counts = Counter[str]()
    for path in case_files():
        for golden in json.loads(path.read_text())["goldens"]:
            counts[golden["function"]] += len(golden["records"])
    functions = filter(held_to_pytorch, FUNCTIONS.values())
    names = {
        entry.name
        for entry in functions
        if entry.group in COVERED and (entry.op is None or "float" in entry.op.takes)
    }  # others are held to it in test_kinds
    assert [name for name in sorted(names - WITHOUT_GOLDENS) if counts[name] < 20] == []


def test_a_wider_tolerance_has_a_reason() -> None:
    for path in case_files():
        for golden in json.loads(path.read_text())["goldens"]:
            usual = golden["rtol"] <= 1e-10 and golden["atol"] == 0
            assert usual or golden["reason"], golden["function"]
