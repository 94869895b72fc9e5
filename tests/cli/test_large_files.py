"""Data larger than what a run may hold: read in blocks, and its gradient written as it comes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradcli.engine.mapped import mapping, pieces, release

COUNT = 20_000_000


MEASURE = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", "gradcli", *sys.argv[1:]])
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak_bytes(arguments: list[str], folder: Path) -> int:
    """Peak memory of gradcli as a process of its own, started by a small one: a child begins with
    the memory of the process that forks it.
    """
    finished = subprocess.run(
        [sys.executable, "-c", MEASURE, *arguments],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, peak = map(int, finished.stdout.split())
    assert code == 0, finished.stderr
    return peak


@pytest.fixture
def data(tmp_path: Path) -> np.ndarray:
    x = np.random.default_rng(1).standard_normal(COUNT)
    np.save(tmp_path / "x.npy", x)
    return x


def test_a_gradient_streams_from_file_to_file(tmp_path: Path, data: np.ndarray) -> None:
    program = "mean((2*x)**3)"
    command = ["eval", program, "--set", "x=@x.npy", "--save", "g.npy", "--quiet"]
    assert peak_bytes([*command, "--max-memory", "64M"], tmp_path) < data.nbytes
    saved = np.load(tmp_path / "g.npy")
    np.testing.assert_allclose(saved, 24 * data**2 / COUNT, rtol=1e-14)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.npy", "x.npy"]


def test_a_gradient_that_no_region_computes_is_copied_to_its_file(
    tmp_path: Path, data: np.ndarray
) -> None:
    command = ["eval", "sum(x)", "--set", "x=@x.npy", "--save", "g.npy", "--quiet"]
    assert peak_bytes(command, tmp_path) < data.nbytes
    saved = np.load(tmp_path / "g.npy")
    assert (saved == 1).all()
    assert saved.size == COUNT


def test_what_does_not_fit_is_refused_and_leaves_no_file(tmp_path: Path, data: np.ndarray) -> None:
    command = ["eval", "mean(cumsum(x, 0))", "--set", "x=@x.npy", "--save", "g.npy", "--quiet"]
    finished = subprocess.run(
        [sys.executable, "-m", "gradcli", *command, "--max-memory", "64M"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 4
    assert "limit-memory" in finished.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_released_memory_reads_the_same_again(tmp_path: Path) -> None:
    x = np.arange(100_000.0)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r+")
    view = mapped[1000:]
    assert mapping(view) is not None
    assert mapping(x) is None
    mapped[5] = -1
    release(mapped, 0, mapped.size)
    assert mapped[5] == -1
    assert sum(piece.sum() for piece in pieces(mapped)) == x.sum() - 6
