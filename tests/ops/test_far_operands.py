"""Operands far from the ordinary take no longer: nothing adds up 10¹² terms one by one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest

from gradcli.graph import NUMPY
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise


@pytest.mark.parametrize(
    ("runs", "least"), [("ops", 115), pytest.param("programs", 12_000, marks=pytest.mark.wide)]
)
def test_nothing_takes_long_anywhere(runs: str, least: int) -> None:
    """A call that nothing interrupts ends by itself or with its process, so it has its own."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.ops.far_operands", runs]
    try:
        run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired as slow:
        pytest.fail(f"the last of these takes long: {(slow.stdout or b'')[-200:]!r}")
    assert run.stdout.count("\n") >= least


def _zeta(x: int, q: float) -> mp.mpf:
    """The sum from k = 0 on of 1 / (k + q)**x: its terms below 0, and mpmath's zeta from there."""
    below = -int(mp.floor(q))
    return mp.fsum((mp.mpf(q) + k) ** -x for k in range(below)) + mp.zeta(x, mp.mpf(q) + below)


def _polygamma(n: int, x: float) -> mp.mpf:
    return (-1) ** (n + 1) * mp.factorial(n) * _zeta(n + 1, x)


@pytest.mark.parametrize(("name", "reference"), [("zeta", _zeta), ("polygamma", _polygamma)])
@pytest.mark.parametrize("x", [-100.25, -123.4, -777.777, -4000.6])
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_far_below_zero(name: str, reference: Callable[..., mp.mpf], x: float, n: int) -> None:
    op = FUNCTIONS[name].op
    assert isinstance(op, Elementwise)
    (found,) = op.forward(NUMPY, np.array([n]), np.array([x]))
    with mp.workdps(40):
        np.testing.assert_allclose(found, float(reference(n, x)), rtol=2e-14)
