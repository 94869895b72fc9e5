"""Every function against PyTorch 2.13 in float64, from the goldens beside this file.

`goldens/make_goldens.py` makes them; PyTorch is not needed here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Options, evaluate
from tests.ops.goldens.golden import Array, cotangent, decode

HERE = Path(__file__).parent / "goldens"


def stored() -> list[Any]:
    """(golden, arrays) of all files, with an id to read."""
    found = []
    for path in sorted(HERE.glob("*.json")):
        if path.stem == "deviations":
            continue
        content = json.loads(path.read_text())
        for number, golden in enumerate(content["goldens"]):
            program = golden["records"][0]["program"]
            name = f"{path.stem}-{number}-{program}"
            found.append(pytest.param(golden, content["arrays"], id=name))
    return found


def compare(found: Array, expected: Array, golden: dict[str, Any], what: str) -> None:
    """Equal shapes, the same nan and inf, and numbers within the golden's tolerance."""
    assert found.shape == expected.shape, what
    rtol, atol = golden["rtol"], golden["atol"]
    if not golden["elementwise"]:
        finite = np.abs(expected[np.isfinite(expected)])
        atol = max(atol, rtol * float(finite.max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=what)


@pytest.mark.parametrize(("golden", "arrays"), stored())
def test_golden(golden: dict[str, Any], arrays: list[dict[str, Any]]) -> None:
    for record in golden["records"]:
        inputs = {name: decode(arrays[place]) for name, place in record["inputs"].items()}
        value = decode(arrays[record["value"]])
        grads = {name: decode(arrays[place]) for name, place in record.get("grads", {}).items()}
        what = f"{record['program']} on {inputs}"
        program = parse_program(Source("golden", record["program"]), ParseLimits())
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
