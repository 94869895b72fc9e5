"""Modules that `derive --to` writes: what they read, and what they refuse to carry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Runner


def test_a_module_reads_files(
    gradcli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million numbers are not written into it, and of their gradient some are compared."""
    monkeypatch.chdir(tmp_path)
    chance = np.random.default_rng(1)
    np.save("x.npy", chance.uniform(0.5, 1.5, (1000, 1000)).astype(np.float32))
    np.savez("all.npz", w=chance.uniform(0.5, 1.5, 1000))
    np.savetxt("v.csv", chance.uniform(0.5, 1.5, 1000), header="v", comments="")
    done = gradcli(
        *("derive", "y = exp(x) @ w", "-s", "x=@x.npy", "-s", "w=@all.npz:w"),
        *("-g", "@v.csv", "--to", "numpy"),
    )
    for call in ("np.load('x.npy')", "np.load('all.npz')['w']", "np.loadtxt('v.csv'"):
        assert call in done.out
    assert len(done.out) < 50_000
    Path("module.py").write_text(done.out)
    command = [sys.executable, "module.py"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("agrees to ")
    np.save("x.npy", np.zeros((1000, 1000)))
    assert subprocess.run(command, capture_output=True, check=False).returncode


def test_large_arrays_that_are_in_no_file_are_refused(gradcli: Runner) -> None:
    done = gradcli("derive", "sum(x)", "-s", "x=ones(200, 100)", "--to", "torch")
    assert done.code == 2
    assert "save it as x.npy" in done.err
