"""Stores of many arrays: what other programs wrote, and what is written for them."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.data.formats import FORMATS, find
from gradcli.data.load import stored_dtype
from gradcli.data.save import save
from gradcli.diagnostics import GradcliError
from tests.data.stores import (
    MEMORY,
    NUMBERS,
    entry,
    needs_h5py,
    needs_zarr,
    read,
    refusal,
    tensors,
    v3,
)

DTYPES = ["<f2", "<f4", "<f8", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "?"]


def test_every_kind_of_file_has_a_module() -> None:
    for suffix, each in FORMATS.items():
        found = find(f"~a/b{suffix}")
        assert found is not None
        assert find_spec(f"gradcli.data.{each.module}")


def test_names_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    for spec, path, key in (
        ("a.npz:w", "a.npz", "w"),
        ("a.npz", "a.npz", None),
        ("~/a.NPY", "/home/somebody/a.NPY", None),
        ("a.h5:/g/x.y", "a.h5", "/g/x.y"),
        ("d.zarr/g/x.grad", "d.zarr", "g/x.grad"),
        ("old.csv/x.npy", "old.csv/x.npy", None),
        ("s3://b/d.zarr/x", "s3://b/d.zarr", "x"),
        ("f.json:layers.0.w", "f.json", "layers.0.w"),
    ):
        found = find(spec)
        assert found is not None
        assert (found.path, found.key) == (path, key)
    assert find("x.xml") is None
    assert find("x.npy:a") is None


# --- text ----------------------------------------------------------------------------------------


def test_columns_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text('name,"height",w\n"Smith, J.",1.5,x\nB,-inf,\n# no\nC,NaN,1\n')
    (tmp_path / "h.tsv").write_text("a\tb\n1\t2\n3\t4\n")
    np.testing.assert_array_equal(read(f"{tmp_path}/h.csv:height"), [1.5, -np.inf, np.nan])
    assert read(f"{tmp_path}/h.tsv:b").tolist() == [2, 4]
    assert read(tmp_path / "h.tsv").tolist() == [[1, 2], [3, 4]]
    wrong = refusal(f"{tmp_path}/h.csv:w")
    assert (wrong.code, "'x' is not a number" in wrong.message) == ("data", True)
    assert wrong.source is not None
    assert wrong.span is not None
    assert wrong.source.text[slice(*wrong.span)] == "x"
    wrong = refusal(f"{tmp_path}/h.csv:heigth")
    assert (wrong.hint or "").endswith("h.csv:height?")
    (tmp_path / "e.csv").write_text("a,b\n1,1e999\n2\n")
    assert "1e999" in refusal(f"{tmp_path}/e.csv:b").message
    (tmp_path / "e.csv").write_text("a,b\n1,2\n2\n")
    assert "empty" in refusal(f"{tmp_path}/e.csv:b").message


def test_parts_of_json_by_their_keys(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"a": {"x.grad": [1, 2], "d": [[1, 2], [3, "NaN"]]}}')
    assert read(f"{tmp_path}/f.json:a.x.grad").tolist() == [1, 2]
    assert read(f"{tmp_path}/f.json:a.d.1.0") == 3
    for key, says in (
        (":a", "holds x.grad, d"), (":a.e", "no 'e'"), (":a.d.2", "no '2'"), ("", "an object"),
    ):  # fmt: skip
        wrong = refusal(f"{tmp_path}/f.json{key}")
        assert (wrong.code, says in wrong.message) == ("data", True), key


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json"])
def test_text_is_read_back_to_the_same_bits(tmp_path: Path, suffix: str) -> None:
    values = np.array([[0.1, -0.0, 5e-324], [np.inf, -np.inf, 1.7976931348623157e308]])
    key = ":x.grad" if suffix == ".json" else ""
    for array in (values, values[0]):
        save(str(tmp_path / f"o{suffix}"), {"x.grad": array})
        assert read(f"{tmp_path}/o{suffix}{key}").tobytes() == array.tobytes()
    save(str(tmp_path / f"o{suffix}"), {"x.grad": np.array([np.nan, 1])})
    assert np.isnan(read(f"{tmp_path}/o{suffix}{key}")).tolist() == [True, False]


def test_tables_hold_one_array_of_two_axes(tmp_path: Path) -> None:
    for arrays in ({"a": np.ones(1), "b": np.ones(1)}, {"a": np.ones((1, 1, 1))}):
        with pytest.raises(GradcliError) as caught:
            save(str(tmp_path / "o.csv"), arrays)
        assert caught.value.diagnostic.code == "usage"
    assert [*tmp_path.iterdir()] == []


# --- safetensors ---------------------------------------------------------------------------------


def test_safetensors(tmp_path: Path) -> None:
    bf16 = np.array([0x3F80, 0xC040, 0x7F80, 0x0001], "<u2")  # 1, -3, inf, 2**-133
    header = {
        "__metadata__": {"format": "pt"},
        "a": entry("F32", [2, 3], 0, 24),
        "b": entry("BF16", [4], 24, 32),
        "c": entry("BOOL", [], 32, 33),
        "d": entry("I64", [1], 33, 41),
        "e": entry("F64", [0, 3], 41, 41),
    }
    data = NUMBERS[:2, :3].astype("<f4").tobytes() + bf16.tobytes() + b"\1" + struct.pack("<q", -7)
    path = tmp_path / "m.safetensors"
    path.write_bytes(tensors(header, data))
    np.testing.assert_array_equal(read(f"{path}:a"), NUMBERS[:2, :3].astype("<f4"))
    assert read(f"{path}:b").tolist() == [1, -3, np.inf, 2.0**-133]
    assert read(f"{path}:c").tolist() is True
    assert read(f"{path}:d").tolist() == [-7]
    assert read(f"{path}:e").shape == (0, 3)
    assert stored_dtype(f"{path}:a", MEMORY) == np.float32
    assert "holds a, b, c, d, e" in refusal(path).message


def test_large_safetensors_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    text = json.dumps({"w": entry("F64", [2**17], 0, 2**20)}).encode()
    path.write_bytes(tensors(text + b" " * (-len(text) % 8), np.arange(2.0**17).tobytes()))
    array = read(path, memory=10_000)
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, np.arange(2.0**17))


# --- zarr ----------------------------------------------------------------------------------------


@needs_zarr
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", [*DTYPES, ">f8"])
def test_zarr_of_any_dtype(tmp_path: Path, version: int, dtype: str) -> None:
    import zarr

    if version == 3 and dtype == ">f8":
        pytest.skip("zarr 3 has no dtypes of another byte order")
    expected = (np.arange(21).reshape(3, 7) % 5).astype(dtype)
    group = zarr.open_group(tmp_path / "d.zarr", mode="w", zarr_format=version)
    group.create_array("g/x", data=expected, chunks=(2, 3))
    array = read(tmp_path / "d.zarr" / "g" / "x")
    np.testing.assert_array_equal(array, expected)
    kind = expected.dtype.kind
    assert array.dtype == {"f": np.float64, "b": np.bool_}.get(kind, np.int64)


@needs_zarr
def test_zarr_of_any_layout(tmp_path: Path) -> None:
    import zarr
    from zarr import codecs

    made: dict[str, dict[str, Any]] = {
        "shards": {"chunks": (1, 2), "shards": (2, 6)},
        "gzip": {"chunks": (4, 6), "compressors": [codecs.GzipCodec()]},
        "blosc": {"chunks": (3, 5), "compressors": [codecs.BloscCodec()]},
        "raw": {"chunks": (4, 6), "compressors": None},
        "turned": {"chunks": (2, 6), "filters": [codecs.TransposeCodec(order=(1, 0))]},
        "checked": {"chunks": (2, 6), "compressors": [codecs.Crc32cCodec()]},
        "big": {"chunks": (2, 6), "serializer": codecs.BytesCodec(endian="big")},
    }
    for name, layout in made.items():
        zarr.create_array(tmp_path / f"{name}.zarr", data=NUMBERS, **layout)
        assert read(tmp_path / f"{name}.zarr").tobytes() == NUMBERS.tobytes(), name
    sparse = zarr.create_array(tmp_path / "s.zarr", shape=(3,), chunks=(1,), dtype="f8",
                               fill_value=2.5)  # fmt: skip
    sparse[1] = 7
    assert read(tmp_path / "s.zarr").tolist() == [2.5, 7, 2.5]
    group = refusal(tmp_path / "nothing.zarr")
    assert group.code == "file"


@needs_zarr
def test_saved_zarr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zarr

    arrays = {"out": np.ones(()), "x.grad": NUMBERS, "θ": np.arange(3), "none": np.zeros((0, 2))}
    for _ in range(2):  # the second time, it replaces the first
        save(str(tmp_path / "o.zarr"), arrays)
        assert [path.name for path in tmp_path.iterdir()] == ["o.zarr"]
        back = zarr.open_group(tmp_path / "o.zarr", mode="r")
        for name, array in arrays.items():
            np.testing.assert_array_equal(back[name][...], array)
            np.testing.assert_array_equal(read(f"{tmp_path}/o.zarr/{name}"), array)
    (tmp_path / "papers.zarr").mkdir()
    (tmp_path / "papers.zarr" / "thesis").write_text("precious")
    with pytest.raises(GradcliError, match="would be lost"):
        save(str(tmp_path / "papers.zarr"), arrays)
    before = read(tmp_path / "o.zarr" / "x.grad")
    monkeypatch.setattr(zarr.Group, "create_array", lambda *_, **__: (_ for _ in ()).throw(OSError))
    with pytest.raises(GradcliError, match="cannot write"):
        save(str(tmp_path / "o.zarr"), {"x.grad": np.zeros(2)})
    np.testing.assert_array_equal(read(tmp_path / "o.zarr" / "x.grad"), before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.zarr", "papers.zarr"]


# --- HDF5 ----------------------------------------------------------------------------------------


@needs_h5py
@pytest.mark.parametrize("dtype", [*DTYPES, ">f8", ">i4"])
def test_hdf5_of_any_dtype(tmp_path: Path, dtype: str) -> None:
    import h5py

    expected = (np.arange(21).reshape(3, 7) % 5).astype(dtype)
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["group/x"] = expected
        file.create_dataset("y", data=expected, chunks=(2, 2), compression="gzip", shuffle=True,
                            fletcher32=True)  # fmt: skip
        file["s"] = h5py.SoftLink("/group/x")
        file["group/empty"] = np.zeros((0, 3))
    for key in ("/group/x", "group/x", "y", "/s"):
        np.testing.assert_array_equal(read(f"{tmp_path}/f.h5:{key}"), expected)
    assert read(tmp_path / "f.h5").shape == (3, 7)  # the only one in the root
    assert read(f"{tmp_path}/f.h5:group/empty").shape == (0, 3)


@needs_h5py
def test_large_hdf5_is_mapped(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "f.h5", "w", userblock_size=512) as file:
        file["x"] = np.arange(2.0**17)
    array = read(tmp_path / "f.h5", memory=2**20)
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, np.arange(2.0**17))
    assert refusal(tmp_path / "f.h5", 2**19).code == "limit-memory"


@needs_h5py
def test_netcdf(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "f.nc", "w") as file:
        file["t"] = np.array([1.5, 9.96921e36, 2])
        file["t"].attrs["_FillValue"] = np.array([9.96921e36])
        file["packed"] = np.array([1, 2], "i2")
        file["packed"].attrs["scale_factor"] = 0.1
    np.testing.assert_array_equal(read(f"{tmp_path}/f.nc:t"), [1.5, np.nan, 2])
    assert "scale_factor" in refusal(f"{tmp_path}/f.nc:packed").message
    (tmp_path / "old.nc").write_bytes(b"CDF\1" + b"\0" * 60)
    assert "nccopy" in (refusal(tmp_path / "old.nc").hint or "")


@needs_h5py
def test_saved_hdf5(tmp_path: Path) -> None:
    import h5py

    arrays = {"out": np.ones(()), "x.grad": NUMBERS, "θ": np.arange(3)}
    save(str(tmp_path / "o.h5"), arrays)
    with h5py.File(tmp_path / "o.h5") as back:
        for name, array in arrays.items():
            np.testing.assert_array_equal(back[name][...], array)
    assert [path.name for path in tmp_path.iterdir()] == ["o.h5"]


# --- the command ---------------------------------------------------------------------------------


def gradcli(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "gradcli", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


@needs_h5py
def test_stores_through_the_command(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1,2,3\n")
    done = gradcli("eval", "y = sum(x**2)", "-s", "x=@~/x.csv", "--save", f"{tmp_path}/o.h5",
                   "--quiet", HOME=str(tmp_path))  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    done = gradcli("eval", "g", "-s", f"g=@{tmp_path}/o.h5:x.grad", "--forward", "--json")
    assert json.loads(done.stdout)["values"]["g"] == [2, 4, 6]
    for spec in ("x.h5:/a", "s3://b/x.npy"):
        refused = gradcli("eval", "g", "-s", f"g=@{spec}", "--safe", "--json")
        assert json.loads(refused.stdout)["error"]["code"] == "usage"


def test_packages_are_imported_where_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"x": [1, 2]}')
    program = (
        "import sys\nfrom gradcli.cli.exit import run\nrun(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    for arguments in (
        ["eval", "x", "-g", "1,1", "-s", f"x=@{tmp_path}/f.json:x", "--save", f"{tmp_path}/o.npz",
         "--quiet"], ["--version", "--verbose"],
    ):  # fmt: skip
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True,
                              text=True, check=True)  # fmt: skip
        heavy = {"zarr", "h5py", "obstore", "distributed", "dask", "numcodecs"}
        assert not heavy & {*done.stderr.split()}


def test_a_package_that_is_missing_is_named_with_its_extra(tmp_path: Path) -> None:
    hide = (
        "import sys\nfor name in ('zarr', 'h5py', 'obstore'): sys.modules[name] = None\n"
        "from gradcli.cli.exit import run\nsys.exit(run(sys.argv[1:]))"
    )
    (tmp_path / "d.zarr").mkdir()
    (tmp_path / "d.zarr" / "zarr.json").write_text(json.dumps(v3()))
    (tmp_path / "f.h5").write_bytes(b"\x89HDF")
    for spec, extra in (("d.zarr", "zarr"), ("f.h5", "hdf5"), ("https://h.invalid/x.npy", "cloud")):
        place = spec if "//" in spec else f"{tmp_path}/{spec}"
        done = subprocess.run(
            [sys.executable, "-c", hide, "eval", "x", "-s", f"x=@{place}", "--json"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        error = json.loads(done.stdout)["error"]
        assert (error["code"], error["hint"]) == ("file", f"pip install 'gradcli[{extra}]'")


def test_versions() -> None:
    lines = gradcli("--version", "--verbose").stdout.splitlines()
    assert lines[0] == gradcli("--version").stdout.strip()
    assert any(line.startswith("numpy " + np.__version__) for line in lines)
    assert any(line.startswith("zarr ") for line in lines)
