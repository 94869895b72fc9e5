"""Workers as people start them: how much memory they take, and what sets them apart."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from tests.batch.conftest import children
from tests.sweep.conftest import Loopback

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (find_spec("distributed") and find_spec("zarr")), reason="needs gradcli[cluster,zarr]"
    ),
]
LIMIT = 512
"""MiB that a worker may take with all that it starts."""
PROGRAMS = {
    "cube": "mean((2*x)**3)",
    "mix": "mean(tanh(1.5*x+0.1)*exp(-x**2))",
    "logistic": "p = sigmoid(X@w + b); -mean(y*log(p) + (1 - y)*log(1 - p))",
    "network": "h = tanh(X@W1 + b1); mean((h@W2 + b2 - t)**2)",
}
ROWS = 140_001


def inputs(folder: Path, program: str) -> list[str]:
    """Its inputs, of about 70 MiB, as flags; large ones are in zarr."""
    import zarr

    rng = np.random.default_rng(3)
    arrays = {
        "x": rng.standard_normal(9_000_001), "X": rng.standard_normal((ROWS, 64)),
        "y": (rng.standard_normal(ROWS) > 0) * 1.0, "t": rng.standard_normal((ROWS, 1)),
        "w": rng.standard_normal(64) / 8, "b": np.array(0.1),
        "W1": rng.standard_normal((64, 32)) / 8, "b1": rng.standard_normal(32),
        "W2": rng.standard_normal((32, 1)), "b2": rng.standard_normal(1),
    }  # fmt: skip
    flags = []
    group = zarr.open_group(folder / "in.zarr", mode="w")
    for name, array in arrays.items():
        if re.search(rf"\b{name}\b", program):
            group.create_array(name, data=array)
            flags += ["--set", f"{name}=@{folder}/in.zarr/{name}"]
    return flags


def peak(pid: int) -> float:
    """The most MiB that a process has had in memory; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


class Watch:
    """The peaks of a process and of all that it has started, while the block runs."""

    def __init__(self, pid: int) -> None:
        self.peaks: dict[int, float] = {}
        self._pid = pid
        self._ended = Event()
        self._thread = Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.02):
            family = [self._pid]
            for pid in family:
                family += children(pid)
                self.peaks[pid] = max(self.peaks.get(pid, 0.0), peak(pid))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_worker_stays_below_its_limit(tmp_path: Path, loopback: Loopback, name: str) -> None:
    """The nanny of dask's, which ends a worker above its limit, is counted as well."""
    flags = [PROGRAMS[name], *inputs(tmp_path, PROGRAMS[name]), "--json"]
    if name in ("logistic", "network"):
        flags += ["--wrt", "w" if name == "logistic" else "W1"]
    save = ["--save", f"{tmp_path}/many.npy"]
    with Watch(loopback.worker("--memory-limit", f"{LIMIT}MiB")) as watch:
        many = loopback.gradcli("eval", *flags, *save, "--max-memory", f"{LIMIT // 2}M")
    assert many.returncode == 0, many.stderr + many.stdout
    assert len(watch.peaks) > 1
    assert 150 < sum(watch.peaks.values()) < LIMIT, watch.peaks


def test_machines_that_differ(tmp_path: Path, loopback: Loopback) -> None:
    """A worker whose BLAS has another number of threads is refused, and named if it may be."""
    loopback.worker("--no-nanny", OPENBLAS_NUM_THREADS="7")
    np.save(tmp_path / "x.npy", np.ones(2**22))
    command = ["eval", "mean(x**2)", "-s", f"x=@{tmp_path}/x.npy", "--forward", "--json"]
    refused = loopback.gradcli(*command)
    error = json.loads(refused.stdout)["error"]
    assert (refused.returncode, error["code"]) == (2, "usage")
    assert "BLAS threads" in error["message"]
    assert "--mixed" in error["hint"]
    mixed = loopback.gradcli(*command, "--mixed")
    answer = json.loads(mixed.stdout)
    assert mixed.returncode == 0
    assert answer["values"]["out"] == 1
    assert any("machines differ: BLAS threads" in str(note) for note in answer["notes"])


@pytest.mark.parametrize("folder", ["", "worker"])
def test_a_machine_with_another_gradcli(tmp_path: Path, loopback: Loopback, folder: str) -> None:
    """The scheduler, which has it in its working directory; or a worker."""
    other = tmp_path / folder / "gradcli"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("__version__ = '0.1'\n")
    loopback.worker("--no-nanny", PYTHONPATH=str(other.parent))
    np.save(tmp_path / "x.npy", np.ones(2**22))
    command = ["eval", "mean(x**2)", "-s", f"x=@{tmp_path}/x.npy", "--forward", "--json"]
    refused = loopback.gradcli(*command)
    error = json.loads(refused.stdout)["error"]
    assert (refused.returncode, error["code"]) == (2, "usage"), error
    assert "same versions" in error["hint"]
    assert "Traceback" not in refused.stderr
