"""Every number that the seed tutorials print, through the command as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import process

CASES = json.loads(Path(__file__).with_name("seed_cases.json").read_text())["cases"]


def test_all_cases_are_here() -> None:
    assert len(CASES) == 28


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_seed(case: dict[str, Any]) -> None:
    flags = [f"--set={name}={json.dumps(value)}" for name, value in case["set"].items()]
    if "gradient" in case:
        flags.append(f"--gradient={json.dumps(case['gradient'])}")
    finished = process("eval", case["program"], "--json", *flags)
    assert finished.stderr == ""
    answer = json.loads(finished.stdout)
    expected = case["expect"]
    if "error" in expected:
        assert finished.returncode == 3
        assert answer["error"]["code"] == expected["error"]
        return
    assert finished.returncode == 0
    for kind in ("values", "grads"):
        for name, numbers in expected.get(kind, {}).items():
            found = np.array(answer[kind][name])
            assert found.shape == np.shape(numbers)
            np.testing.assert_allclose(found, numbers, rtol=case["rtol"], atol=case["atol"])
