"""Where gradcli differs from PyTorch: our side of each row, and that there is a difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS
from gradcli.ops.deviations import DEVIATIONS, Deviation
from gradcli.session import Options, evaluate
from tests.ops.goldens.golden import Array, decode

STORED = json.loads((Path(__file__).parent / "goldens" / "deviations.json").read_text())


def ours(deviation: Deviation, wanted: tuple[str, ...]) -> dict[str, Array]:
    """gradcli's value and grads."""
    program = parse_program(Source("deviation", deviation.program), ParseLimits())
    inputs = {name: np.asarray(value) for name, value in deviation.inputs.items()}
    options = Options(forward_only=not wanted, wrt=wanted)
    result = evaluate(program, inputs, (), options)
    (value,) = result.outputs
    return {"value": result.values[value], **result.grads}


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda each: each.where)
def test_deviation(deviation: Deviation) -> None:
    wanted = tuple(name for name in deviation.here if name != "value")
    if "error" in deviation.here:
        with pytest.raises(GradcliError) as caught:
            ours(deviation, ())
        assert caught.value.diagnostic.code == deviation.here["error"]
        assert "error" not in STORED[deviation.where], "PyTorch gives an error too"
        return
    found = ours(deviation, wanted)
    theirs = STORED[deviation.where]
    differs = "error" in theirs
    for name, expected in deviation.here.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-14)
        if name in theirs:
            other = decode(theirs[name])
            differs |= other.shape != np.shape(expected)
            differs |= not np.allclose(other, expected, rtol=1e-12, atol=0, equal_nan=True)
    assert differs, "PyTorch gives the same"


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda each: each.where)
def test_what_is_told_of_pytorch_is_what_it_gives(deviation: Deviation) -> None:
    stored = STORED[deviation.where]
    wanted = {"value"} if "error" in deviation.here else set(deviation.here)
    assert set(deviation.there) == ({"error"} if "error" in stored else wanted & set(stored))
    for name, told in deviation.there.items():
        found = stored[name] if name == "error" else decode(stored[name])
        np.testing.assert_array_equal(found, told)


def test_deviations_name_functions() -> None:
    assert {name for each in DEVIATIONS for name in each.functions} <= FUNCTIONS.keys()
