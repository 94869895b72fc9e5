"""Data larger than what a run may hold: read in blocks, and its gradient written as it comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file, pieces, stored
from tests.batch.conftest import children, is_running

COUNT = 20_000_000
Found = TypeVar("Found")


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


@pytest.mark.wide
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


@pytest.fixture
def file(tmp_path: Path) -> Iterator[BinaryIO]:
    with open(tmp_path / "x", "w+b") as stream:
        np.arange(10_000.0).tofile(stream)
        stream.flush()
        yield stream


def test_elements_are_read_and_written_where_the_file_has_them(file: BinaryIO) -> None:
    array = map_file(file, new=True).view(float)[100:].reshape(99, 100)
    half = stored(array[:50])
    assert half is not None
    half.write(4_990, np.full(10, -1.0))
    assert array[49, 89:].tolist() == [5_089, *[-1] * 10]
    assert array[50, 0] == 5_100
    read = np.empty(2)
    half.read(4_989, read)
    assert read.tolist() == [5_089, -1]


def test_what_lies_elsewhere_or_apart_is_no_piece_of_a_file(file: BinaryIO) -> None:
    array = map_file(file).view(float)
    assert stored(np.ones(3)) is None
    assert stored(array[::2]) is None
    assert stored(array + 1) is None


@pytest.mark.parametrize("size", [0, 1, 7, 10_000])
def test_pieces_cover_an_array_once(file: BinaryIO, size: int) -> None:
    array = map_file(file).view(float)[:size]
    assert np.array_equal(np.concatenate([[], *map(np.copy, pieces(array, 3))]), np.arange(size))


def test_a_new_file_knows_whether_finite_numbers_were_written(file: BinaryIO) -> None:
    array = map_file(file, new=True).view(float)
    known = stored(array)
    assert known is not None
    known.write(0, np.full(5, 1e308))  # finite, but their sum is not: that needs a closer look
    assert not known.finite


def test_a_file_cut_short_while_it_is_read_is_an_error(file: BinaryIO) -> None:
    known = stored(map_file(file).view(float))
    assert known is not None
    assert not known.finite  # not looked at yet
    file.truncate(8_000)
    with pytest.raises(GradcliError, match="cut short") as caught:
        known.read(999, np.empty(2))
    assert caught.value.diagnostic.code == "file"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "program",
    [
        "sum(sort(x)[0])",
        "sum(cumsum(x, 0))",
        "x[::2] @ x[1::2]",
        "sum(x)",
        "sum(x[::-1]**2)",
        "x @ x",
    ],
)
@pytest.mark.parametrize("left", [0, 4096, 100_000])
def test_a_file_that_is_cut_short_while_it_is_mapped(
    tmp_path: Path, program: str, left: int
) -> None:
    np.save(tmp_path / "x.npy", np.ones(2**18))
    command = [sys.executable, "-m", "gradcli", "eval", program, "-s", "x=@x.npy", "-g", "@-"]
    with subprocess.Popen(
        [*command, "--json", "--values", "outputs"], cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as run:  # fmt: skip
        (worker,) = wait_for(lambda: children(run.pid))
        wait_for(lambda: "x.npy" in Path(f"/proc/{worker}/maps").read_text())
        os.truncate(tmp_path / "x.npy", left)
        out, complaint = run.communicate(b"1")
    assert run.returncode == 3
    assert complaint == b""
    assert json.loads(out)["error"]["code"] == "file"
    assert "cut short" in json.loads(out)["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_process_that_maps_a_file(tmp_path: Path, number: signal.Signals) -> None:
    np.save(tmp_path / "x.npy", np.ones(2**18))
    command = [sys.executable, "-m", "gradcli", "eval", "x", "-s", "x=@x.npy", "-g", "@-"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        (worker,) = wait_for(lambda: children(run.pid))
        wait_for(lambda: "x.npy" in Path(f"/proc/{worker}/maps").read_text())
        run.send_signal(number)
        assert run.wait(timeout=60) == (-9 if number == signal.SIGKILL else 128 + number)
        wait_for(lambda: not is_running(worker))
        assert run.stderr is not None
        assert run.stderr.read() == b""


def wait_for(found: Callable[[], Found]) -> Found:
    while not (it := found()):
        time.sleep(0.01)
    return it
