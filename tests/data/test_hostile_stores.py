"""Hostile stores are refused: nothing in them is executed, and no more is taken than is allowed."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from gradcli.cli.exit import run
from tests.data.hostile import KINDS
from tests.data.stores import needs_zarr, refusal, v3

MEMORY = 2**24
CODES = {"data": 3, "limit-memory": 4}
"""What they may be called, and the exit codes of that."""
LARGE = {"HDF5: bomb"}
"""More than a gigabyte, as the limit is about addresses."""
PACKAGES = {"zarr": "zarr", "HDF5": "h5py", "safetensors": "numpy"}


def require_package(kind: str) -> None:
    """Skip where what would read it is not there."""
    package = PACKAGES[kind.partition(":")[0].split()[0]]
    if not find_spec(package):
        pytest.skip(f"needs {package}")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.slow) if kind in LARGE else kind for kind in KINDS],
)
def test_a_hostile_store_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    """By the reader, and by the command, whose child process reads it."""
    require_package(kind)
    spec = KINDS[kind](tmp_path)
    wrong = refusal(spec, MEMORY)
    assert wrong.code in CODES
    flags = ["--max-memory", "16M", "--json"]
    code = run(["eval", "sum(x)", "-s", f"x=@{spec}", *flags])
    out, err = capfd.readouterr()
    error = json.loads(out)["error"]
    assert error["code"] in CODES
    assert code == CODES[error["code"]]
    assert 20 < len(error["message"]) < 500
    assert "Traceback" not in out + err


@needs_zarr
def test_zarr_does_not_leave_its_folder(tmp_path: Path) -> None:
    store = tmp_path / "d.zarr"
    (store / "c").mkdir(parents=True)
    (store / "zarr.json").write_text(json.dumps(v3()))
    (tmp_path / "secret").write_bytes(b"\0" * 32)
    for key in ("../d.zarr", "..", "a//b", "./x"):
        assert refusal(f"{store}/{key}").code == "data"
    (store / "c" / "0").symlink_to(tmp_path / "secret")
    assert "cannot read" in refusal(store).message
    (store / "c" / "0").unlink()
    os.mkfifo(store / "c" / "0")
    assert "not a file" in refusal(store).message


def test_links_of_hdf5_do_not_leave_the_file(tmp_path: Path) -> None:
    require_package("HDF5")
    assert "leaves the file" in refusal(KINDS["HDF5: link"](tmp_path)).message
