"""Stores of many arrays: what other programs wrote, and what is written for them."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.data.formats import FORMATS, find
from gradcli.data.load import load, stored_dtype
from gradcli.data.save import save
from gradcli.diagnostics import Diagnostic, GradcliError
from gradcli.graph import Array

MEMORY = 2**26
NUMBERS = np.arange(24.0).reshape(4, 6) / 7 - 1
DTYPES = ["<f2", "<f4", "<f8", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "?"]

needs_zarr = pytest.mark.skipif(not find_spec("zarr"), reason="needs gradcli[zarr]")
needs_h5py = pytest.mark.skipif(not find_spec("h5py"), reason="needs gradcli[hdf5]")
needs_cloud = pytest.mark.skipif(
    not (find_spec("obstore") and find_spec("moto") and find_spec("zarr")),
    reason="needs gradcli[zarr,cloud] and moto[server]",
)


def read(place: Path | str, memory: int = MEMORY) -> Array:
    return load(str(place), "float64", memory)


def refusal(place: Path | str, memory: int = MEMORY) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        read(place, memory)
    assert len(caught.value.diagnostic.message) < 500
    return caught.value.diagnostic


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


def tensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A file by the letter of the format."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


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


LYING = {
    "nothing": b"",
    "short": b"\1\0\0",
    "a header longer than the file": tensors({}, length=2**63 - 1),
    "a header of 2**64": tensors({}, length=2**64 - 1),
    "no JSON": tensors(b"{'a': 1}"),
    "a list": tensors([]),
    "doubled keys": tensors(b'{"a": 1, "a": 2}'),
    "deep": tensors(b"[" * 100_000),
    "not UTF-8": tensors(b'{"\xff": 1}'),
    "no entry": tensors({"a": 3}),
    "keys are missing": tensors({"a": {"dtype": "F32"}}),
    "offsets beyond the file": tensors({"a": entry("F64", [2], 0, 16)}, b"\0" * 8),
    "offsets backwards": tensors({"a": entry("U8", [0], 4, 0)}, b"\0" * 8),
    "offsets of floats": tensors({"a": {**entry("U8", [1], 0, 1), "data_offsets": [0.0, 1]}}, b"a"),
    "negative offsets": tensors({"a": entry("U8", [1], -1, 0)}, b"a"),
    "overlap": tensors({"a": entry("U8", [4], 0, 4), "b": entry("U8", [4], 2, 6)}, b"\0" * 6),
    "gap": tensors({"a": entry("U8", [2], 2, 4)}, b"\0" * 4),
    "more data": tensors({"a": entry("U8", [2], 0, 2)}, b"\0" * 4),
    "another size": tensors({"a": entry("F64", [3], 0, 16)}, b"\0" * 16),
    "a size of 2**64": tensors({"a": entry("F64", [2**32, 2**32], 0, 0)}),
    "65 axes": tensors({"a": entry("U8", [1] * 65, 0, 1)}, b"a"),
    "a dtype of objects": tensors({"a": entry("O", [1], 0, 8)}, b"\0" * 8),
    "a shape of strings": tensors({"a": {**entry("U8", [1], 0, 1), "shape": ["1"]}}, b"a"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LYING)
def test_hostile_safetensors(tmp_path: Path, kind: str) -> None:
    (tmp_path / "m.safetensors").write_bytes(LYING[kind])
    for key in ("", ":a"):
        assert refusal(f"{tmp_path}/m.safetensors{key}").code in (
            "data",
            "limit-memory",
            "encoding",
        )


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


def v3(**changes: Any) -> dict[str, Any]:
    """The metadata of an array of 4 floats in one chunk, changed."""
    return {
        "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], **changes,
    }  # fmt: skip


def v2(**changes: Any) -> dict[str, Any]:
    """The same for version 2."""
    return {
        "zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f8", "compressor": None,
        "fill_value": 0, "order": "C", "filters": None, **changes,
    }  # fmt: skip


def codec(name: str, **configuration: Any) -> list[dict[str, Any]]:
    return [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": name, "configuration": configuration},
    ]


SPRUNG = b"cposix\nabort\n(tR."
"""A pickle that ends the process that reads it."""
SHARD = codec("sharding_indexed")[1] | {
    "configuration": {
        "chunk_shape": [2], "index_location": "end",
        "codecs": codec("bytes")[:1], "index_codecs": codec("crc32c"),
    }
}  # fmt: skip


def bomb(kind: str) -> bytes:
    import bz2
    import gzip
    import lzma

    zeros = bytes(2**25)
    compress: Any = {"gzip": gzip, "bz2": bz2, "lzma": lzma}[kind]
    return bytes(compress.compress(zeros))


DAMAGED: dict[str, tuple[dict[str, Any], bytes]] = {
    "a shape beyond memory": (v3(shape=[2**50]), b""),
    "a chunk beyond memory": (
        v3(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2**50]}}), b"",
    ),
    "a million chunks": (
        v3(shape=[2**22], data_type="int8",
           chunk_grid={"name": "regular", "configuration": {"chunk_shape": [1]}}), b"",
    ),
    "chunks of 0": (v3(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [0]}}), b""),
    "chunks of other axes": (
        v3(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 2]}}), b"",
    ),
    "negative": (v3(shape=[-4]), b""),
    "strings": (v3(data_type="string"), b""),
    "a dtype as an object": (v3(data_type={"name": "numpy.datetime64"}), b""),
    "an unknown codec": (v3(codecs=codec("numcodecs.pickle")), SPRUNG),
    "a codec in a shard": (
        v3(codecs=[{"name": "sharding_indexed", "configuration":
                    {"chunk_shape": [2], "codecs": codec("pickle"), "index_codecs": []}}]),
        SPRUNG,
    ),
    "no codecs": (v3(codecs=[]), b"\0" * 32),
    "codecs are a number": (v3(codecs=3), b""),
    "transformers": (v3(storage_transformers=[{"name": "x"}]), b""),
    "an irregular grid": (v3(chunk_grid={"name": "rectilinear", "configuration": {}}), b""),
    "keys are missing": ({"zarr_format": 3, "node_type": "array"}, b""),
    "a chunk cut off": (v3(), b"\0" * 31),
    "a chunk too long": (v3(), b"\0" * 40),
    "a chunk of a gigabyte": (v3(), b"\0" * 2**20),
    "another byte order": (
        v3(codecs=[{"name": "bytes", "configuration": {"endian": "middle"}}]), b"\0" * 32,
    ),
    "gzip cut off": (v3(codecs=codec("gzip", level=1)), b"\x1f\x8b\x08"),
    "a bomb of gzip": (v3(codecs=codec("gzip", level=1)), bomb("gzip")),
    "zstd that lies": (
        v3(codecs=codec("zstd", level=1, checksum=False)),
        b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**50) + b"\1\0\0",
    ),
    "zstd of noise": (v3(codecs=codec("zstd", level=1, checksum=False)), b"noise" * 6),
    "blosc that lies": (
        v3(codecs=codec("blosc", cname="lz4", clevel=1, shuffle="noshuffle", typesize=8,
                        blocksize=0)),
        bytes([2, 1, 1, 8]) + struct.pack("<III", 2**31 - 1, 2**20, 32) + b"\0" * 16,
    ),
    "a checksum that is wrong": (v3(codecs=codec("crc32c")), b"\0" * 36),
    "a shard without an index": (v3(codecs=[SHARD]), b"\0" * 7),
    "a shard that points outside": (
        v3(codecs=[SHARD]), b"\0" * 32 + struct.pack("<QQQQ", 2**40, 16, 0, 2**60) + b"\0" * 4,
    ),
    "version 4": (v3(zarr_format=4), b""),
}  # fmt: skip
OLD: dict[str, tuple[dict[str, Any], bytes]] = {
    "objects": (v2(dtype="|O", filters=[{"id": "pickle"}]), SPRUNG),
    "pickled": (v2(compressor={"id": "pickle"}), SPRUNG),
    "a filter of pickles": (v2(filters=[{"id": "pickle"}]), SPRUNG),
    "json2": (v2(filters=[{"id": "json2"}]), b"[1]"),
    "records": (v2(dtype=[["a", "<f8"]]), b""),
    "times": (v2(dtype="<M8[ns]"), b""),
    "a shape beyond memory": (v2(shape=[2**50]), b""),
    "cut off": (v2(), b"\0" * 8),
    "a bomb of bz2": (v2(compressor={"id": "bz2", "level": 1}), bomb("bz2")),
    "a bomb of lzma": (v2(compressor={"id": "lzma", "format": 1, "check": -1, "preset": None,
                                       "filters": None}), bomb("lzma")),
    "lz4 that lies": (v2(compressor={"id": "lz4"}), struct.pack("<i", 2**31 - 1) + b"\0" * 8),
    "a filter of objects": (v2(filters=[{"id": "delta", "dtype": "|O"}]), b"\0" * 32),
    "a compressor that is a number": (v2(compressor=3), b""),
}  # fmt: skip


@needs_zarr
@pytest.mark.parametrize("kind", DAMAGED)
def test_hostile_zarr(tmp_path: Path, kind: str) -> None:
    metadata, chunk = DAMAGED[kind]
    store = tmp_path / "d.zarr"
    (store / "x" / "c").mkdir(parents=True)
    (store / "x" / "zarr.json").write_text(json.dumps(metadata))
    (store / "x" / "c" / "0").write_bytes(chunk)
    assert refusal(f"{store}/x", 2**24).code in ("data", "limit-memory")


@needs_zarr
@pytest.mark.parametrize("kind", OLD)
def test_hostile_zarr_of_version_2(tmp_path: Path, kind: str) -> None:
    metadata, chunk = OLD[kind]
    store = tmp_path / "d.zarr"
    store.mkdir()
    (store / ".zarray").write_text(json.dumps(metadata))
    (store / "0").write_bytes(chunk)
    assert refusal(store, 2**24).code in ("data", "limit-memory")


@needs_zarr
@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"zarr_format": 3}', "[" * 100_000, '"\\ud800"']
)
def test_zarr_whose_metadata_are_no_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "d.zarr").mkdir()
    (tmp_path / "d.zarr" / "zarr.json").write_text(text)
    assert refusal(tmp_path / "d.zarr").code == "data"


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
    import os

    os.mkfifo(store / "c" / "0")
    assert "not a file" in refusal(store).message


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


@needs_h5py
def test_hostile_hdf5(tmp_path: Path) -> None:
    import h5py

    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"\0" * 64)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = NUMBERS
    layout = h5py.VirtualLayout((4, 6), "f8")
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", (4, 6))
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["link"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        file["circle"] = h5py.SoftLink("/circle")
        file["nowhere"] = h5py.SoftLink("/nothing")
        file.create_dataset("raw", (8,), "f8", external=[(str(secret), 0, 64)])
        file.create_virtual_dataset("virtual", layout)
        file["text"] = "abc"
        file["records"] = np.zeros(2, [("a", "f8")])
        file["complex"] = np.zeros(2, complex)
        file["rows"] = np.zeros(2, "O").astype("S1")
        file.create_dataset("ragged", (2,), h5py.vlen_dtype("f8"))
        file.create_dataset("reference", (2,), h5py.ref_dtype)
        file.create_dataset("huge", (2**50,), "f8", chunks=(2**10,))
        file.create_dataset("chunk", (1,), "f8", chunks=(2**27,), maxshape=(None,))
        file["nothing"] = h5py.Empty("f8")
        file["group/x"] = NUMBERS
        file["long"] = np.zeros(2, np.longdouble)
        file.create_dataset("times", data=np.zeros(2, "i8").view("M8[s]").astype("O").astype("S"))
    for key in (
        "link", "circle", "nowhere", "raw", "virtual", "text", "records", "complex", "rows",
        "ragged", "reference", "huge", "chunk", "nothing", "group", "long", "times", "missing",
        "group/x/y", "../other.h5",
    ):  # fmt: skip
        wrong = refusal(f"{tmp_path}/f.h5:/{key}", 2**24)
        assert wrong.code in ("data", "limit-memory"), key
    assert "leaves the file" in refusal(f"{tmp_path}/f.h5:link").message


@needs_h5py
def test_damaged_hdf5(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "f.h5", "w") as file:
        file.create_dataset("x", data=np.arange(1000.0), chunks=(100,), compression="gzip",
                            fletcher32=True)  # fmt: skip
        at = file["x"].id.get_chunk_info(3).byte_offset
    whole = (tmp_path / "f.h5").read_bytes()
    for damage in (
        b"", b"noise", whole[:100], whole[: len(whole) // 2], whole[:-1],
        whole[: at + 4] + bytes(8) + whole[at + 12 :],
    ):  # fmt: skip
        (tmp_path / "f.h5").write_bytes(damage)
        assert refusal(f"{tmp_path}/f.h5:x").code == "data"


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


# --- the cloud -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bucket() -> Iterator[tuple[Any, dict[str, str]]]:
    """A client of boto3's for a server of S3 on this machine, and the environment to reach it."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
    }  # fmt: skip
    client = boto3.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL"], aws_access_key_id="a",
                          aws_secret_access_key="b", region_name="us-east-1")  # fmt: skip
    client.create_bucket(Bucket="bucket")
    yield client, environment
    server.stop()


@needs_cloud
@pytest.mark.filterwarnings("ignore")
def test_arrays_in_the_cloud(
    tmp_path: Path, bucket: tuple[Any, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    import zarr

    client, environment = bucket
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    large = np.arange(2.0**21)  # two pieces
    stream = io.BytesIO()
    np.save(stream, large)
    client.put_object(Bucket="bucket", Key="d/x.npy", Body=stream.getvalue())
    client.put_object(Bucket="bucket", Key="d/cut.npy", Body=stream.getvalue()[:10_000])
    zarr.create_array(tmp_path / "d.zarr" / "x", data=NUMBERS, chunks=(1, 2), shards=(2, 6))
    for path in (tmp_path / "d.zarr").rglob("*"):
        if path.is_file():
            key = str(path.relative_to(tmp_path))
            client.put_object(Bucket="bucket", Key=key, Body=path.read_bytes())
    np.testing.assert_array_equal(read("s3://bucket/d/x.npy"), large)
    np.testing.assert_array_equal(read("s3://bucket/d.zarr/x"), NUMBERS)
    assert refusal("s3://bucket/d/x.npy", 2**20).code == "limit-memory"
    assert refusal("s3://bucket/d/cut.npy").code == "data"
    assert refusal("s3://bucket/d/y.npy").code == "file"
    assert refusal("s3://bucket/d.zarr/y").code == "data"
    assert refusal("s3://bucket/h.csv").code == "file"
    assert refusal("ftp://b/x.npy").code == "usage"
    for name in environment:  # the same in AWS's own files
        monkeypatch.delenv(name)
    (tmp_path / "config").write_text(
        f"[profile p]\nregion=us-east-1\nendpoint_url={environment['AWS_ENDPOINT_URL']}\n"
    )
    (tmp_path / "keys").write_text("[p]\naws_access_key_id=a\naws_secret_access_key=b\n")
    monkeypatch.setenv("AWS_PROFILE", "p")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    np.testing.assert_array_equal(read("s3://bucket/d/x.npy"), large)
